// What the page knows, and what its parts share.

import { make } from "./checking.js";

const MAX_REFUSALS = 4;

export const element = (id) => document.getElementById(id);

export const state = {
  files: [],
  options: {}, // what was chosen by hand
  onlyTask: null,
  taskColumn: null,
  limits: {},
  job: null,
  asking: null, // what stops the last question about files
  url: null, // of the report
};

function lock(message) {
  element("locked").textContent = message;
  element("locked").hidden = false;
  for (const id of ["drop", "check", "work", "result"]) element(id).hidden = true;
}

// Show a refusal where it belongs; without a token nothing else can be done here.
export function refuse(error, place) {
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
