// Axes, shading, strips and the panel of the difference.

function drawScoreAxis(picture, at, y, ink, text, name) {
  const ticks = y.log ? logTicks(y.low, y.high) : roundTicks(y.low, y.high, 6);
  const texts = tickTexts(ticks);
  ticks.forEach((tick, i) => {
    picture.append(
      svg("line", { x1: LEFT, x2: at.right, y1: y(tick), y2: y(tick), stroke: ink.grid }),
      text({ x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, texts[i]),
    );
  });
  const middle = (at.curves.top + at.curves.bottom) / 2;
  picture.append(text({
    x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})`, fill: ink.ink,
  }, name));
}

function drawStepAxis(picture, table, options, at, ink, text) {
  const { x } = at, y = at.bottom, single = table.steps.length === 1;
  let ticks = x.log ? logTicks(x.low, x.high) : roundTicks(x.low, x.high, Math.min(9, Math.max(2, at.width / 110)));
  if (single) ticks = [table.steps[0]];
  if (x.log && table.steps[0] <= 0) ticks = [x.low, ...ticks.filter((tick) => tick > 1.5 * x.low)];
  const texts = tickTexts(ticks);
  if (x.log && table.steps[0] <= 0) texts[0] = "0";
  picture.append(svg("line", { x1: LEFT, x2: at.right, y1: y, y2: y, stroke: ink.frame }));
  ticks.forEach((tick, i) => {
    const place = single ? (LEFT + at.right) / 2 : x(tick);
    picture.append(
      svg("line", { x1: place, x2: place, y1: y, y2: y + 5, stroke: ink.frame }),
      text({ x: place, y: y + 18, "text-anchor": "middle" }, texts[i]),
    );
  });
  picture.append(text({
    x: (LEFT + at.right) / 2, y: y + 36, "text-anchor": "middle", fill: ink.ink,
  }, shortened(table.step_name, 60)));
}

// Left and right edge of a stretch of steps: half-way to its neighbours.
function edges(xs, first, last) {
  const n = xs.length - 1;
  const left = first > 0 ? (xs[first - 1] + xs[first]) / 2 : xs[0];
  const right = last < n ? (xs[last] + xs[last + 1]) / 2 : xs[n];
  // A single step at the end of an axis must not vanish.
  return right - left < 2 ? [left - 1, left + 1] : [left, right];
}

// Shading helps only where it tells a smaller part of training from the rest.
function drawShading(target, table, at, xs, ink) {
  const regions = table.location.regions.algorithm.map(([first, last]) => edges(xs, first, last));
  const covered = regions.reduce((sum, [left, right]) => sum + right - left, 0);
  if (covered >= 0.5 * (at.right - LEFT)) return;
  for (const [left, right] of regions) {
    target.append(svg("rect", {
      x: left, width: right - left, y: at.curves.top, height: at.curves.bottom - at.curves.top, fill: ink.shade,
    }));
  }
}

const STRIPS = { algorithm: "differ", interaction: "gap changes" };

function drawStrips(picture, table, at, xs, ink, text) {
  const where = table.location;
  for (const { name, top } of at.rows) {
    picture.append(
      text({ x: LEFT - 6, y: top + STRIP - 4, "text-anchor": "end" }, STRIPS[name]),
      svg("rect", {
        x: LEFT, width: at.right - LEFT, y: top, height: STRIP, fill: "none", stroke: ink.grid,
      }),
    );
    for (const [first, last] of where.regions[name]) {
      const [left, right] = edges(xs, first, last);
      picture.append(svg("rect", {
        x: left, width: right - left, y: top, height: STRIP, fill: name === "algorithm" ? ink.region : ink.change,
      }));
    }
  }
  const { top } = at.rows[0];
  const mark = (step, toward) => {
    if (step === null || xs.length < 2) return;
    const x = at.x(step);
    picture.append(svg("path", {
      d: `M${x} ${top - 1}v${STRIP + 2}M${x} ${top - 1}l${6 * toward} -5l${-6 * toward} -2z`,
      stroke: ink.ink, fill: ink.ink, "stroke-width": 1.2,
    }));
  };
  mark(where.differs_from, 1);
  mark(where.differs_until, -1);
}

function drawDifference(picture, table, at, xs, ink, text) {
  const { band } = table.location, { top, bottom } = at.difference;
  const [difference, low, high] = band.values;
  const drawn = band.bounded ? [difference, low, high] : [difference];
  const least = Math.min(0, ...drawn.map(leastOf)), most = Math.max(0, ...drawn.map((row) => -leastOf(row.map((v) => -v))));
  const margin = 0.05 * (most - least) || 1;
  const y = scale(least - margin, most + margin, bottom, top, false);
  const ticks = roundTicks(y.low, y.high, 3), texts = tickTexts(ticks);
  const names = [band.a, band.b].map((name) => shortened(name, at.width < 500 ? 14 : 30));
  const level = `${Number((100 * band.confidence).toPrecision(6))}%`;
  const what = band.bounded ? `, with a ${level} band for all steps at once` : "";
  picture.append(text({ x: LEFT, y: top - 6, fill: ink.ink }, `${names[0]} \u2212 ${names[1]}${at.width < 500 ? "" : what}`));
  ticks.forEach((tick, i) => picture.append(
    svg("line", { x1: LEFT, x2: at.right, y1: y(tick), y2: y(tick), stroke: tick === 0 ? ink.frame : ink.grid }),
    text({ x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, texts[i]),
  ));
  const width = at.right - LEFT, place = (row) => Array.from(row, y);
  if (band.bounded) {
    picture.append(svg("path", { d: area(xs, place(low), place(high), width), fill: ink.band, "fill-opacity": 0.22 }));
  }
  picture.append(svg("path", {
    d: line(points(xs, place(difference), width)), fill: "none", stroke: ink.band, "stroke-width": 1.6,
  }));
}

function leastOf(values) {
  let least = Infinity;
  for (const value of values) if (value < least) least = value;
  return least;
}
