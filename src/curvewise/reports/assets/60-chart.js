// A chart with its legend and controls. It draws again when these, the width or the theme change.

const SAVED_WIDTH = 900;

function makeChart(root, table) {
  const find = (name) => root.querySelector(name);
  const options = { hidden: new Set(), smooth: 1, band: "runs", runs: true, logSteps: false, logScores: false };
  const chart = { root, table, options, at: null, redrawn: [] };
  const holder = find(".picture"), canvas = find(".plot canvas");

  // A picture of any width; a list of its runs goes along, for the canvas or for saving.
  chart.compose = (width, dark) => {
    const at = layout(table, options, width);
    const y = scale(...scoreEnds(table, options, at.shown), at.curves.bottom, at.curves.top, options.logScores);
    const picture = svg("svg", {
      viewBox: `0 0 ${at.width} ${at.height}`, "font-family": "system-ui, sans-serif", "aria-hidden": "true",
    });
    drawPicture(picture, table, options, at, y, dark);
    return { at, y, picture };
  };
  chart.draw = () => {
    const width = Math.max(300, Math.round(find(".plot").clientWidth));
    const dark = isDark(), { at, y, picture } = chart.compose(width, dark);
    chart.at = at;
    holder.replaceChildren(picture);
    drawRuns(canvas, table, options, at, y, dark);
    for (const item of root.querySelectorAll(".legend line")) {
      item.setAttribute("stroke", colourOf(table.algorithms[item.dataset.code], dark));
    }
    chart.redrawn.forEach((act) => act());
  };

  find(".legend").append(...table.algorithms.map((own, code) => legendItem(chart, own, code)));
  const choose = (name, option, read) => find(name).addEventListener("change", ({ target }) => {
    options[option] = read(target);
    chart.draw();
  });
  choose(".smooth", "smooth", (own) => Number(own.value));
  choose(".band", "band", (own) => own.value);
  choose(".runs", "runs", (own) => own.checked);
  choose(".log-steps", "logSteps", (own) => own.checked);
  choose(".log-scores", "logScores", (own) => own.checked);
  find(".log-steps").disabled = !canBeLog(table.steps);
  find(".log-scores").disabled = !table.spread.low.every((row) => leastOf(row) > 0);
  find(".every-run").hidden = !table.scores;
  if (table.steps.length < 3) find(".smooth").parentElement.hidden = true;
  find(".save-svg").addEventListener("click", () => saveSvg(chart));
  find(".save-png").addEventListener("click", () => savePng(chart));
  find(".save-csv").addEventListener("click", () => saveMeans(table));
  find(".caption").textContent = captionOf(table);
  followSteps(chart, find);
  new ResizeObserver(() => chart.at && Math.abs(find(".plot").clientWidth - chart.at.width) > 1 && chart.draw())
    .observe(find(".plot"));
  chart.draw();
  return chart;
}

function captionOf(table) {
  const parts = [];
  if (table.columns) {
    parts.push(`Runs are thinned for drawing: the lowest and the highest score in each of ${grouped(table.columns.length)} stretches of ${grouped(table.steps.length)} steps.`);
  }
  const where = table.location;
  if (where && where.differs_from !== null && table.steps.length > 1) {
    parts.push("Flags on the upper strip: the curves differ by the first at the latest, and still at or after the second.");
  }
  if (where && where.band && where.band.bounded) {
    parts.push("The band of the difference leaves 0 out exactly at the steps of the upper strip.");
  }
  return parts.join(" ");
}

function legendItem(chart, own, code) {
  const box = html("input", { type: "checkbox", checked: true });
  box.addEventListener("change", () => {
    if (box.checked) chart.options.hidden.delete(code); else chart.options.hidden.add(code);
    chart.draw();
  });
  const swatch = svg("svg", { width: 36, height: 10, "aria-hidden": "true" });
  const stroke = svg("line", { x1: 0, x2: 36, y1: 5, y2: 5, "stroke-width": 2.5, "stroke-dasharray": own.dash });
  stroke.dataset.code = code;
  swatch.append(stroke);
  const runs = own.n_runs === 1 ? "1 run" : `${grouped(own.n_runs)} runs`;
  const name = html("bdi", { textContent: shortened(own.name, 60), title: own.name });
  return html("li", {}, html("label", {}, box, swatch, name, ` (${runs}) `, html("output", { className: "value" })));
}

// The means at the step under the pointer, or at a handle, are written into the legend.
function followSteps(chart, find) {
  const { table } = chart, values = chart.root.querySelectorAll(".legend .value");
  const overlay = find(".overlay"), hair = find(".hair");
  chart.showStep = (index) => {
    const none = index === null;
    hair.hidden = none;
    find(".at-step").textContent = none ? "" : `means at ${shortened(table.step_name, 30)} ${stepText(table.steps[index])}`;
    values.forEach((own, code) => { own.textContent = none ? "" : numberText(table.means[code][index]); });
    if (!none) hair.style.left = `${(100 * chart.at.x(table.steps[index])) / chart.at.width}%`;
  };
  chart.indexAt = (event) => {
    const frame = overlay.getBoundingClientRect();
    const pixel = ((event.clientX - frame.left) / frame.width) * chart.at.width;
    return nearest(table.steps, chart.at.x.back(pixel));
  };
  let waiting = null;
  overlay.addEventListener("pointermove", (event) => {
    if (!waiting) requestAnimationFrame(() => { chart.showStep(chart.indexAt(waiting)); waiting = null; });
    waiting = event;
  });
  overlay.addEventListener("pointerleave", () => requestAnimationFrame(() => chart.showStep(null)));
  chart.showStep(null);
}
