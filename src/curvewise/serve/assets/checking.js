// The table of what was recognised, with a drop-down for each part.

const PARTS = ["algorithm", "run", "step", "score", "block"];
const MEANINGS = {
  algorithm: "what is compared",
  run: "tells repetitions apart",
  step: "the amount of training",
  score: "how good it is",
  block: "what runs of different algorithms share, such as a seed or a fold",
  task: "tells tasks apart",
};

export function make(tag, text = "", properties = {}) {
  const own = document.createElement(tag);
  own.textContent = text;
  return Object.assign(own, properties);
}

function options(select, choices, chosen) {
  select.replaceChildren();
  for (const [value, text] of choices) {
    select.append(new Option(text, value, false, value === chosen));
  }
}

// Show what was found. ``asked`` are the options that were chosen by hand.
export function showParts(place, found, asked, change) {
  const rows = PARTS.filter((part) => found.parts[part]).map((part) => [part, found.parts[part]]);
  if (found.task && found.task.choices.length) rows.push(["task", found.task]);
  place.replaceChildren();
  place.hidden = !rows.length;
  if (!rows.length) return;
  const table = make("table");
  const head = make("tr");
  for (const text of ["part", "taken from", "meaning"]) {
    head.append(make("th", text, { scope: "col" }));
  }
  const body = make("tbody");
  for (const [part, own] of rows) {
    const select = make("select", "", { id: `part-${part}` });
    const isTask = part === "task";
    const current = isTask ? own.chosen || "" : asked[part] || own.chosen || "";
    const names = [...new Set([...(current ? [current] : []), ...own.choices])];
    const none = found.kind === "logs" && part !== "block" ? "as recognised" : "none";
    const first = current && !isTask && !asked[part] ? [] : [["", none]];
    options(select, [...first, ...names.map((name) => [name, name])], current);
    select.disabled = names.length === 0;
    select.addEventListener("change", () => change(part, select.value));
    const label = make("label", part, { htmlFor: select.id });
    const header = make("th", "", { scope: "row" });
    header.append(label, " ", make("code", own.flag));
    const cell = make("td");
    cell.append(select);
    const row = make("tr");
    row.append(header, cell, make("td", MEANINGS[part]));
    body.append(row);
  }
  const top = make("thead");
  top.append(head);
  table.append(top, body);
  place.append(table);
}

// The tasks to choose one of; hidden where there is nothing to choose.
export function showTasks(label, select, found, asked) {
  const { tasks } = found;
  label.hidden = !tasks.length || (tasks.length < 2 && !asked && !found.refused);
  const all = tasks.length < 2 ? "all" : `all ${tasks.length} tasks`;
  options(select, [["", all], ...tasks.map((name) => [name, name])], asked || "");
}

// A checkbox for each algorithm, where there are more than two.
export function showAlgorithms(place, names, only, change) {
  place.hidden = names.length < 3;
  const legend = place.querySelector("legend");
  place.replaceChildren(legend);
  for (const name of names) {
    const box = make("input", "", { type: "checkbox", value: name });
    box.checked = !only || only.includes(name);
    box.addEventListener("change", () => {
      const kept = [...place.querySelectorAll("input:checked")].map((own) => own.value);
      change(kept.length === names.length ? null : kept);
    });
    const label = make("label");
    label.append(box, name);
    place.append(label);
  }
}
