// The page: drop, check, compare, report.

import { Refusal, ask, askJson, readEvents, takeToken } from "./asking.js";
import { make, showAlgorithms, showParts, showTasks } from "./checking.js";
import { chosenFiles, droppedFiles } from "./dropping.js";

const AT_ONCE = 4; // files that are sent side by side
const NAMES_AT_ONCE = 1000;
const MAX_LISTED = 200;
const MAX_REFUSALS = 4;
const element = (id) => document.getElementById(id);

const state = {
  files: [],
  options: {}, // what was chosen by hand
  onlyTask: null,
  taskColumn: null,
  limits: {},
  job: null,
  asking: null, // what stops the last question about files
  url: null, // of the report
};

function sizeText(bytes) {
  if (bytes < 1e3) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function lock(message) {
  element("locked").textContent = message;
  element("locked").hidden = false;
  for (const id of ["drop", "check", "work", "result"]) element(id).hidden = true;
}

// Show a refusal where it belongs; without a token nothing else can be done here.
function refuse(error, place) {
  if (error.name === "AbortError") return;
  if (error.status === 403) {
    lock(error.message);
  } else if (place.tagName === "UL") {
    const more = "More files are not read, either.";
    if (place.children.length < MAX_REFUSALS) place.append(make("li", error.message));
    else if (place.lastChild.textContent !== more) place.append(make("li", more));
  } else {
    place.textContent = error.message;
    place.hidden = false;
  }
}

// Files -------------------------------------------------------------------------------------

// What was dropped together is shown as one thing: a file, or a folder with its files.
function groups() {
  const found = new Map();
  for (const file of state.files) {
    const [top, ...below] = file.in_place ? [file.name] : file.name.split("/");
    const key = below.length ? `${top}/` : file.number;
    if (!found.has(key)) found.set(key, { name: below.length ? `${top}/` : top, files: [] });
    found.get(key).files.push(file);
  }
  return [...found.values()];
}

function showFiles() {
  const list = element("files");
  list.replaceChildren();
  const all = groups();
  for (const { name, files } of all.slice(0, MAX_LISTED)) {
    const size = sizeText(files.reduce((sum, file) => sum + file.size, 0));
    const count = name.endsWith("/") && !files[0].in_place ? `${files.length} file${files.length > 1 ? "s" : ""}, ` : "";
    const told = files[0].in_place ? "read in place" : `${count}${size}`;
    const remove = make("button", "Remove", { type: "button" });
    remove.setAttribute("aria-label", `Remove ${name}`);
    remove.addEventListener("click", () => removeFiles(files));
    const item = make("li");
    item.append(make("span", name), make("span", told, { className: "size" }), remove);
    list.append(item);
  }
  if (all.length > MAX_LISTED) list.append(make("li", `and ${all.length - MAX_LISTED} more`));
  element("clear").hidden = all.length < 2;
}

async function removeFiles(files) {
  const gone = new Set(files.map((file) => file.number));
  state.files = state.files.filter((file) => !gone.has(file.number));
  showFiles();
  try {
    await askJson("DELETE", "/files", { files: [...gone] });
    await refresh();
  } catch (error) {
    refuse(error, element("unread"));
  }
  forget();
  await check();
}

async function refresh() {
  const told = await askJson("GET", "/files");
  state.files = told.files;
  state.limits = told;
  showFiles();
}

// Refuse what is too much before it is sent, in the words of the server.
function checkSize(files) {
  const { n_left: most, size_left: room, too_many: many, too_large: large } = state.limits;
  if (files.length > most) throw new Refusal(many, 413);
  if (files.reduce((sum, { file }) => sum + file.size, 0) > room) throw new Refusal(large, 413);
}

// Ask of each name whether such a file is read; say why not, of many only how many.
async function readable(found) {
  const kept = [];
  const reasons = [];
  for (let start = 0; start < found.length; start += NAMES_AT_ONCE) {
    const part = found.slice(start, start + NAMES_AT_ONCE);
    const told = await askJson("POST", "/kinds", { names: part.map((own) => own.name) });
    part.forEach((own, place) => {
      const reason = told.reasons[place];
      if (reason) reasons.push(reason);
      else kept.push(own);
    });
  }
  const place = element("unread");
  const shown = reasons.length > MAX_REFUSALS ? MAX_REFUSALS - 1 : reasons.length;
  for (const reason of reasons.slice(0, shown)) place.append(make("li", reason));
  if (reasons.length > shown) {
    place.append(make("li", `and ${reasons.length - shown} more files that are not read.`));
  }
  return kept;
}

async function send(found) {
  element("unread").replaceChildren();
  if (!found.length) {
    element("unread").append(make("li", "There is no file in it."));
    return;
  }
  const status = element("sending");
  try {
    const files = await readable(found);
    checkSize(files);
    let next = 0;
    let done = 0;
    let refused = null;
    const one = async () => {
      while (next < files.length && !refused) {
        const { name, file } = files[next];
        next += 1;
        try {
          await sendOne(name, file);
        } catch (error) {
          // What is too large or too much is so for the others as well.
          if (error.status !== 415) refused = error;
          else refuse(error, element("unread"));
        }
        done += 1;
        status.textContent = `Reading ${done} of ${files.length} files`;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    status.textContent = "";
    await refresh();
    if (refused) throw refused;
  } catch (error) {
    status.textContent = "";
    refuse(error, element("unread"));
  }
  forget();
  await check();
}

// Names of files may hold halves of letters, which cannot be sent.
function wellFormed(name) {
  return name.toWellFormed ? name.toWellFormed() : name;
}

async function sendOne(name, file) {
  const headers = { "X-File-Name": encodeURIComponent(wellFormed(name)), "Content-Type": "application/octet-stream" };
  try {
    await ask("POST", "/files", { body: file, headers });
  } catch (error) {
    if (error.status !== 0) throw error;
    await refresh(); // throws if the server is gone; else it was the file
    throw new Refusal(`${name} cannot be read any more.`, 415);
  }
}

// Checking ----------------------------------------------------------------------------------

// Of a table the rows of a task are kept; logs are asked for the task by its name.
function question() {
  const options = { ...state.options };
  const { onlyTask, taskColumn } = state;
  if (onlyTask && taskColumn) options.where = { [taskColumn]: onlyTask };
  else if (onlyTask) options.task = onlyTask;
  return { files: state.files.map((file) => file.number), options };
}

// Forget what was chosen by hand: it was about other files.
function forget() {
  state.options = {};
  state.onlyTask = null;
  state.taskColumn = null;
  for (const id of ["better", "short", "reason", "start", "stop-at"]) element(id).value = "";
  element("why").hidden = true;
}

async function check() {
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

// Comparing ---------------------------------------------------------------------------------

function working(isWorking) {
  for (const own of document.querySelectorAll("#drop input, #drop button, #check select, #check input")) {
    if (isWorking) own.dataset.was = own.disabled;
    own.disabled = isWorking || own.dataset.was === "true";
  }
  element("compare").disabled = isWorking;
  element("stop").disabled = !isWorking;
}

async function compare() {
  const step = element("step");
  element("result").hidden = true;
  element("work").hidden = false;
  element("progress").value = 0;
  step.className = "";
  step.textContent = "Starting …";
  working(true);
  element("stop").focus();
  try {
    const { job } = await askJson("POST", "/jobs", question());
    state.job = job;
    let last = {};
    await readEvents(`/jobs/${job}/events`, (news) => {
      last = news;
      if (news.progress !== undefined) element("progress").value = news.progress;
      if (news.step) step.textContent = news.step;
    });
    await finish(job, last);
  } catch (error) {
    step.className = "refusal";
    refuse(error, step);
  }
  state.job = null;
  working(false);
}

async function finish(job, last) {
  const step = element("step");
  if (last.done) {
    element("progress").value = 1;
    step.textContent = "Done.";
    await showReport(job, last.done);
  } else if (last.stopped) {
    step.textContent = "Stopped.";
  } else {
    step.className = "refusal";
    const failed = last.failed && `Something went wrong that should not: ${last.failed}`;
    step.textContent = last.refused || failed || "The work ended without an answer.";
  }
}

async function showReport(job, told) {
  const text = await (await ask("GET", `/jobs/${job}/report`)).text();
  if (state.url) URL.revokeObjectURL(state.url);
  state.url = URL.createObjectURL(new Blob([text], { type: "text/html;charset=utf-8" }));
  const frame = make("iframe", "", { title: told.title });
  // Scripts, but nothing of this page: the frame has an origin of its own.
  frame.sandbox = "allow-scripts allow-downloads";
  frame.allow = "clipboard-write *";
  frame.src = state.url;
  element("frame").replaceChildren(frame);
  element("headline").textContent = told.headline;
  element("save").href = state.url;
  element("result").hidden = false;
  element("result").scrollIntoView({ block: "start" });
}

async function stop() {
  if (state.job === null) return;
  element("stop").disabled = true;
  try {
    await askJson("DELETE", `/jobs/${state.job}`);
  } catch (error) {
    refuse(error, element("step"));
  }
}

// Everything together -----------------------------------------------------------------------

function listen() {
  const area = element("drop").querySelector(".area");
  let inside = 0;
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("dragenter", () => area.classList.toggle("over", ++inside > 0));
  document.addEventListener("dragleave", () => area.classList.toggle("over", --inside > 0));
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    inside = 0;
    area.classList.remove("over");
    if (state.job !== null) return;
    try {
      await send(await droppedFiles(event.dataTransfer));
    } catch (error) {
      refuse(new Refusal(`What was dropped cannot be read: ${error.message}`, 0), element("unread"));
    }
  });
  for (const id of ["choose-files", "choose-folder"]) {
    element(id).addEventListener("change", async (event) => {
      const found = chosenFiles(event.target);
      event.target.value = "";
      await send(found);
    });
  }
  element("clear").addEventListener("click", () => removeFiles(state.files));
  element("task").addEventListener("change", (event) => {
    state.onlyTask = event.target.value || null;
    check();
  });
  element("better").addEventListener("change", (event) => {
    state.options.higher_is_better = event.target.value ? event.target.value === "true" : null;
    check();
  });
  element("short").addEventListener("change", (event) => {
    state.options.short = event.target.value || null;
    element("why").hidden = event.target.value !== "drop";
    if (event.target.value !== "drop") state.options.reason = null;
    check();
  });
  element("reason").addEventListener("change", (event) => {
    state.options.reason = event.target.value || null;
    check();
  });
  for (const [id, option] of [["start", "start"], ["stop-at", "stop"]]) {
    element(id).addEventListener("change", (event) => {
      state.options[option] = event.target.value === "" ? null : Number(event.target.value);
      check();
    });
  }
  element("compare").addEventListener("click", compare);
  element("stop").addEventListener("click", stop);
  addEventListener("hashchange", start);
}

async function start() {
  await takeToken();
  try {
    await refresh();
    element("locked").hidden = true;
    element("drop").hidden = false;
    await check();
  } catch (error) {
    refuse(error, element("unread"));
  }
  document.documentElement.dataset.ready = "yes";
}

listen();
start();
