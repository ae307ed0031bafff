// The window: chosen by drag, keys, typing or the map; answered by what was counted.

function makeWindow(chart, section, address) {
  const { table } = chart, where = table.location, last = table.steps.length - 1;
  const find = (name) => section.querySelector(name);
  const overlay = chart.root.querySelector(".overlay"), brush = overlay.querySelector(".brush");
  const handles = [...overlay.querySelectorAll(".handle")];
  const chosen = { ends: null, listeners: [], spoken: 0 };

  const place = () => {
    const { ends } = chosen, none = ends === null;
    brush.hidden = none;
    handles.forEach((handle) => { handle.hidden = none; });
    if (none) return;
    const [from, to] = ends.map((index) => (100 * chart.at.x(table.steps[index])) / chart.at.width);
    brush.style.left = `${from}%`;
    brush.style.width = `${to - from}%`;
    const bottom = `${(100 * (chart.at.height - chart.at.bottom)) / chart.at.height}%`;
    for (const own of [brush, ...handles]) own.style.bottom = bottom;
    handles.forEach((handle, side) => {
      handle.style.left = `${side ? to : from}%`;
      handle.setAttribute("aria-valuemin", 0);
      handle.setAttribute("aria-valuemax", last);
      handle.setAttribute("aria-valuenow", ends[side]);
      handle.setAttribute("aria-valuetext", `step ${stepText(table.steps[ends[side]])}`);
    });
  };

  chosen.set = (ends, { settled = true } = {}) => {
    chosen.ends = ends && [Math.max(0, Math.min(...ends)), Math.min(last, Math.max(...ends))];
    place();
    answer();
    chosen.listeners.forEach((act) => act(chosen.ends));
    if (settled) address(chosen.ends && chosen.ends.map((index) => plainStep(table.steps[index])).join(","));
  };

  const answer = () => {
    const none = chosen.ends === null, [first, to] = chosen.ends || [0, 0];
    section.classList.toggle("none", none);
    find(".refused").textContent = "";
    const typed = [find(".from"), find(".to")];
    typed.forEach((box, side) => { box.value = none ? "" : plainStep(table.steps[chosen.ends[side]]); });
    if (none) { find(".sentence").textContent = ""; speak(""); return; }
    const test = windowTest(table, first, to);
    const windows = where.windows && `all ${grouped(where.windows.count)} windows`;
    show(".somewhere", test.somewhere, `adjusted for all ${grouped(table.steps.length)} steps`);
    for (const [name, effect] of [[".height", test.height], [".shape", test.shape]]) {
      const how = effect && `adjusted for ${windows}; if planned beforehand ${pIs(effect.planned)}`;
      show(name, effect && effect.p, how || (where.windows ? "a single step has no shape" : ""));
    }
    chosen.sentence = sentenceOf(test);
    find(".sentence").textContent = chosen.sentence;
    speak(chosen.sentence);
  };

  const pIs = (p) => `p ${atFloor(p, where) ? "\u2264" : "="} ${pText(p)}`;

  const show = (name, p, how) => {
    const box = find(name), none = p === null || p === undefined;
    box.classList.toggle("found", !none && p <= where.alpha);
    box.querySelector(".p").textContent = none ? "\u2013" : pIs(p);
    box.querySelector(".how").textContent = how;
  };

  const sentenceOf = (test) => {
    const words = capitalised(windowSentence(table, test));
    if (!where.quotes_scores) return words;
    const means = meansOver(table, test.first, test.last).slice(0, 6);
    const over = test.first === test.last ? "Mean scores there" : "Mean scores over it";
    return `${words} ${over}: ${means.map(({ name, mean }) => `${name} ${numberText(mean)}`).join(", ")}.`;
  };

  // Spoken when it has rested, not at every move.
  const speak = (text) => {
    clearTimeout(chosen.spoken);
    chosen.spoken = setTimeout(() => { find(".spoken").textContent = text; }, 400);
  };

  const hasWindows = Boolean(where.windows);
  for (const name of [".map", ".box.height", ".box.shape"]) find(name).hidden = !hasWindows;
  if (!hasWindows) find(".hint").textContent = find(".hint").textContent.replace(", click in the map,", "");
  find(".clear").addEventListener("click", () => chosen.set(null));
  find(".copy-sentence").addEventListener("click", ({ target }) => copyText(chosen.sentence || "", target));
  find(".copy-link").addEventListener("click", ({ target }) => copyText(window.location.href, target));
  for (const [side, name] of [[0, ".from"], [1, ".to"]]) {
    const box = find(name);
    box.size = Math.max(box.size, plainStep(table.steps[last]).length + 1);
    box.addEventListener("change", ({ target }) => typedStep(chosen, table, find, side, target));
  }
  dragging(chart, overlay, chosen);
  handles.forEach((handle, side) => keys(handle, side, chart, chosen, last));
  for (const area of [overlay, section]) {
    area.addEventListener("keydown", (event) => { if (event.key === "Escape") chosen.set(null); });
  }
  chart.redrawn.push(place);
  return chosen;
}

function typedStep(chosen, table, find, side, box) {
  const step = typedNumber(box.value), known = Number.isFinite(step);
  box.setAttribute("aria-invalid", String(!known));
  if (!known) {
    const [first, last] = [table.steps[0], table.steps[table.steps.length - 1]].map(stepText);
    find(".refused").textContent = `Type a step from ${first} to ${last}.`;
    return;
  }
  const index = nearest(table.steps, step), other = chosen.ends ? chosen.ends[1 - side] : index;
  chosen.set(side ? [Math.min(other, index), index] : [index, Math.max(other, index)]);
}

function dragging(chart, overlay, chosen) {
  let anchor = null, moved = null;
  const follow = () => { if (moved) chosen.set([anchor, chart.indexAt(moved)], { settled: false }); moved = null; };
  overlay.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const side = [...overlay.querySelectorAll(".handle")].indexOf(event.target);
    anchor = side >= 0 ? chosen.ends[1 - side] : chart.indexAt(event);
    overlay.setPointerCapture(event.pointerId);
    moved = event;
    if (side < 0) follow();
  });
  overlay.addEventListener("pointermove", (event) => {
    if (anchor === null) return;
    if (!moved) requestAnimationFrame(() => { if (anchor !== null) follow(); });
    moved = event;
  });
  const end = (event) => {
    if (anchor === null) return;
    if (event.type === "pointerup") chosen.set([anchor, chart.indexAt(event)]);
    anchor = moved = null;
  };
  overlay.addEventListener("pointerup", end);
  overlay.addEventListener("pointercancel", end);
}

function keys(handle, side, chart, chosen, last) {
  const moves = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity };
  handle.addEventListener("keydown", (event) => {
    const by = moves[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const ends = [...chosen.ends];
    const [low, high] = side ? [ends[0], last] : [0, ends[1]];
    ends[side] = Math.max(low, Math.min(high, ends[side] + by));
    chosen.set(ends);
    chart.showStep(chosen.ends[side]);
  });
  handle.addEventListener("focus", () => chart.showStep(chosen.ends[side]));
  handle.addEventListener("blur", () => chart.showStep(null));
}
