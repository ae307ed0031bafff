// What is asked, and what the files would be taken for.

import { askJson } from "./asking.js";
import { make, showAlgorithms, showParts, showTasks } from "./checking.js";
import { element, refuse, state } from "./state.js";

// Of a table the rows of a task are kept; logs are asked for the task by its name.
export function question() {
  const options = { ...state.options };
  const { onlyTask, taskColumn } = state;
  if (onlyTask && taskColumn) options.where = { [taskColumn]: onlyTask };
  else if (onlyTask) options.task = onlyTask;
  return { files: state.files.map((file) => file.number), options };
}

// Forget what was chosen by hand: it was about other files.
export function forget() {
  state.options = {};
  state.onlyTask = null;
  state.taskColumn = null;
  for (const id of ["better", "short", "reason", "align", "start", "stop-at"]) element(id).value = "";
  element("why").hidden = true;
}

export async function check() {
  const { files } = state;
  element("check").hidden = !files.length;
  if (state.asking) state.asking.abort();
  if (!files.length) return;
  state.asking = new AbortController();
  const own = state.asking;
  element("refused").hidden = true;
  element("compare").disabled = true;
  element("summary").textContent = "Looking at the files …";
  try {
    showFound(await askJson("POST", "/preview", question(), own.signal));
  } catch (error) {
    if (own.signal.aborted) return;
    element("summary").textContent = "";
    element("parts").hidden = true;
    refuse(error, element("refused"));
  }
  document.documentElement.dataset.checked = "yes";
}

function showFound(found) {
  const { options } = state;
  const change = (part, value) => {
    options[part] = value || null;
    if (part === "task") state.onlyTask = null;
    check();
  };
  element("summary").textContent = found.summary ? `${found.summary}.` : "";
  element("refused").textContent = found.refused || "";
  element("refused").hidden = !found.refused;
  showParts(element("parts"), found, options, change);
  state.taskColumn = found.kind === "table" ? found.task.chosen : null;
  showTasks(element("only-task"), element("task"), found, state.onlyTask);
  showAlgorithms(element("only"), found.algorithms || [], options.only, (only) => {
    options.only = only;
    check();
  });
  const better = element("better");
  const told = { true: "higher", false: "lower" }[found.higher_is_better];
  better.options[0].text = told ? `${told}, as its name tells` : "as the name tells";
  if (options.higher_is_better != null) better.options[0].text = "as the name tells";
  element("source").hidden = !found.source && !found.notes.length;
  element("source").querySelector("p").textContent = found.source;
  element("source").querySelector("ul").replaceChildren(...found.notes.map((note) => make("li", note)));
  element("compare").disabled = Boolean(found.refused);
}
