// The files of the page: listed, removed, and sent to the server.

import { Refusal, ask, askJson } from "./asking.js";
import { make } from "./checking.js";
import { element, refuse, state } from "./state.js";

const AT_ONCE = 4; // files that are sent side by side
const NAMES_AT_ONCE = 1000;
const MAX_LISTED = 200;
const MAX_TOLD = 4; // files that are not read, with the reason

// Say that there are other files now.
function tell() {
  document.dispatchEvent(new Event("other-files"));
}

function sizeText(bytes) {
  if (bytes < 1e3) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

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

export async function removeFiles(files) {
  const gone = new Set(files.map((file) => file.number));
  state.files = state.files.filter((file) => !gone.has(file.number));
  showFiles();
  try {
    await askJson("DELETE", "/files", { files: [...gone] });
    await refresh();
  } catch (error) {
    refuse(error, element("unread"));
  }
  tell();
}

export async function refresh() {
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
  const shown = reasons.length > MAX_TOLD ? MAX_TOLD - 1 : reasons.length;
  for (const reason of reasons.slice(0, shown)) place.append(make("li", reason));
  if (reasons.length > shown) {
    place.append(make("li", `and ${reasons.length - shown} more files that are not read.`));
  }
  return kept;
}

export async function send(found) {
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
  tell();
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
