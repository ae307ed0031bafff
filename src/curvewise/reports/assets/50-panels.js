// The picture of a table: curves, the strips of regions, the difference, the axis of steps.

const LEFT = 78, TOP = 10, CURVES = 320, STRIP = 16, GAP = 8, DIFFERENCE = 110, AXIS = 44;
const MAX_NAMES_AT_CURVES = 8;

function visible(table, options) {
  return table.algorithms.map((own, code) => ({ ...own, code })).filter(({ code }) => !options.hidden.has(code));
}

// Where everything lies, for a picture of this width.
function layout(table, options, width) {
  const shown = visible(table, options);
  const named = width >= 640 && shown.length <= MAX_NAMES_AT_CURVES && table.steps.length > 1;
  const longest = Math.max(0, ...shown.map(({ name }) => Math.min(20, name.length)));
  const right = width - (named ? 16 + 6.6 * longest : 14);
  const where = table.location, strips = where ? Object.keys(where.regions) : [];
  const curves = { top: TOP, bottom: TOP + CURVES };
  let y = curves.bottom + GAP;
  const rows = strips.map((name) => { const top = y; y += STRIP + 5; return { name, top }; });
  let difference = null;
  if (where && where.band) { difference = { top: y + 22, bottom: y + 22 + DIFFERENCE }; y = difference.bottom + GAP; }
  const [first, last] = stepEnds(table.steps, options.logSteps);
  const x = scale(first, last, LEFT, right, options.logSteps);
  return { width, height: y + AXIS, right, named, shown, rows, difference, curves, bottom: y, x };
}

function bandOf(table, options, code) {
  const { low, high, sd } = table.spread, mean = table.means[code];
  if (options.band === "none") return null;
  if (options.band === "runs") return [low[code], high[code]];
  const factor = options.band === "sd" ? 1 : table.half_widths[code];
  return [mean.map((m, i) => m - factor * sd[code][i]), mean.map((m, i) => m + factor * sd[code][i])];
}

function scoreEnds(table, options, shown) {
  let low = Infinity, high = -Infinity;
  const take = (values) => {
    for (const value of smoothed(values, options.smooth)) {
      if (options.logScores && !(value > 0)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  };
  for (const { code } of shown) {
    take(table.means[code]);
    (bandOf(table, options, code) || []).forEach(take);
    if (options.runs && table.scores) { take(table.spread.low[code]); take(table.spread.high[code]); }
  }
  if (!shown.length) return [0, 1];
  if (low === high) return options.logScores ? [low / 2, high * 2] : [low - 1, high + 1];
  if (options.logScores) return [low, high];
  const margin = 0.04 * (high - low);
  return [low - margin, high + margin];
}

// The lines of every run, as lists of points by algorithm.
function runLines(table, options, at, y) {
  if (!options.runs || !table.scores) return [];
  const steps = table.steps, columns = table.columns;
  let xs = steps.map(at.x);
  if (columns) {
    // Lowest and highest score of a column stand at its first and its last step.
    xs = columns.flatMap((start, c) => [at.x(steps[start]), at.x(steps[(columns[c + 1] || steps.length) - 1])]);
  }
  const own = new Set(at.shown.map(({ code }) => code));
  return table.labels.flatMap((code, run) => own.has(code)
    ? [{ code, points: points(xs, Array.from(smoothed(table.scores[run], options.smooth), y), at.right - LEFT) }] : []);
}

function drawRuns(canvas, table, options, at, y, dark) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(at.width * ratio);
  canvas.height = Math.round(at.height * ratio);
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.lineWidth = 0.8;
  pen.globalAlpha = runOpacity(table);
  for (const own of runLines(table, options, at, y)) {
    pen.strokeStyle = pen.fillStyle = colourOf(table.algorithms[own.code], dark);
    pen.beginPath();
    if (own.points.length === 1) pen.arc(...own.points[0], 3, 0, 7), pen.fill();
    own.points.forEach(([px, py], i) => i ? pen.lineTo(px, py) : pen.moveTo(px, py));
    pen.stroke();
  }
}

function runOpacity(table) {
  const most = Math.max(...table.algorithms.map(({ n_runs }) => n_runs));
  return Math.min(0.45, Math.max(0.1, 3 / most));
}

// All that is no run: axes, shading, bands, means, strips, the difference.
function drawPicture(picture, table, options, at, y, dark) {
  const ink = THEMES[dark ? "dark" : "light"], where = table.location;
  const xs = table.steps.map(at.x), width = at.right - LEFT;
  const text = (attributes, words) => svg("text", { fill: ink.muted, "font-size": 11, ...attributes }, words);
  const shade = svg("g"), bands = svg("g"), means = svg("g");
  picture.append(shade);
  if (where) drawShading(shade, table, at, xs, ink);
  drawScoreAxis(picture, at, y, ink, text, scoreName(table, options));
  picture.append(bands, means);
  for (const own of at.shown) {
    const colour = colourOf(own, dark), band = bandOf(table, options, own.code);
    if (band) {
      const [low, high] = band.map((ends) => Array.from(smoothed(ends, options.smooth), y));
      bands.append(svg("path", { d: area(xs, low, high, width), fill: colour, "fill-opacity": 0.13 }));
    }
    const mean = Array.from(smoothed(table.means[own.code], options.smooth), y);
    if (xs.length === 1) means.append(svg("circle", { cx: xs[0], cy: mean[0], r: 5, fill: colour }));
    means.append(svg("path", {
      d: line(points(xs, mean, width)), fill: "none", stroke: colour, "stroke-width": 2,
      "stroke-dasharray": own.dash, "stroke-linejoin": "round",
    }));
  }
  if (at.named) drawNames(means, table, options, at, y, dark);
  if (where) drawStrips(picture, table, at, xs, ink, text);
  if (at.difference) drawDifference(picture, table, at, xs, ink, text);
  drawStepAxis(picture, table, options, at, ink, text);
}

function scoreName(table, options) {
  const direction = table.higher_is_better ? "" : " (lower is better)";
  const drawn = options.smooth > 1 ? `, moving mean of ${options.smooth}` : "";
  return `${shortened(table.score_name, 40)}${direction}${drawn}`;
}

function drawNames(target, table, options, at, y, dark) {
  const last = table.steps.length - 1;
  const wanted = at.shown.map(({ code }) => y(smoothed(table.means[code], options.smooth)[last]));
  apart(wanted, 13, at.curves.top + 6, at.curves.bottom).forEach((middle, i) => {
    const own = at.shown[i];
    target.append(svg("text", {
      x: at.right + 6, y: middle + 4, "font-size": 12, fill: colourOf(own, dark),
    }, shortened(own.name, 20)));
  });
}
