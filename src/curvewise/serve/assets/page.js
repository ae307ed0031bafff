// The page: drop, check, compare, report.

import { Refusal, takeToken } from "./asking.js";
import { compare, stop } from "./comparing.js";
import { chosenFiles, droppedFiles } from "./dropping.js";
import { check, forget } from "./preview.js";
import { refresh, removeFiles, send } from "./sending.js";
import { element, refuse, state } from "./state.js";

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
  document.addEventListener("other-files", () => {
    forget();
    check();
  });
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
  for (const option of ["reason", "align"]) {
    element(option).addEventListener("change", (event) => {
      state.options[option] = event.target.value || null;
      check();
    });
  }
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
