// The comparison: started, followed, stopped, and its report shown.

import { ask, askJson, readEvents } from "./asking.js";
import { make } from "./checking.js";
import { question } from "./preview.js";
import { element, refuse, state } from "./state.js";

function working(isWorking) {
  for (const own of document.querySelectorAll("#drop input, #drop button, #check select, #check input")) {
    if (isWorking) own.dataset.was = own.disabled;
    own.disabled = isWorking || own.dataset.was === "true";
  }
  element("compare").disabled = isWorking;
  element("stop").disabled = !isWorking;
}

export async function compare() {
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

export async function stop() {
  if (state.job === null) return;
  element("stop").disabled = true;
  try {
    await askJson("DELETE", `/jobs/${state.job}`);
  } catch (error) {
    refuse(error, element("step"));
  }
}
