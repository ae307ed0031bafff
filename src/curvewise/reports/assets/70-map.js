// The map of all windows: first step to the right, last step upwards, the darker the smaller p.

function makeMap(chart, section, chosen) {
  const { table } = chart, where = table.location, windows = where.windows;
  if (!windows) return;
  const canvas = section.querySelector(".triangle canvas"), spot = section.querySelector(".spot");
  const effect = section.querySelector(".effect"), n = windows.n_places;
  const stepOf = (place) => windows.starts ? windows.starts[place] : place;
  const lastOf = (place) => windows.starts ? (place + 1 < n ? windows.starts[place + 1] : table.steps.length) - 1 : place;
  canvas.width = canvas.height = n;
  if (n < 2) effect.parentElement.hidden = true;

  const draw = () => {
    const pen = canvas.getContext("2d"), image = pen.createImageData(n, n);
    const counts = windows.adjusted[Number(effect.value)], dark = isDark();
    let cell = 0;
    for (let i = 0; i < n; i++) {
      for (let j = i; j < n; j++, cell++) {
        image.data.set(mapColour(counts[cell] / where.visited, where, dark), 4 * ((n - 1 - j) * n + i));
      }
    }
    pen.putImageData(image, 0, 0);
  };
  const mark = (ends) => {
    spot.hidden = ends === null;
    if (ends === null) return;
    const [i, j] = ends.map((index) => placeOf(windows.starts, index));
    spot.style.left = `${(100 * (i + 0.5)) / n}%`;
    spot.style.top = `${(100 * (n - j - 0.5)) / n}%`;
  };
  const pick = (event, settled) => {
    const frame = canvas.getBoundingClientRect();
    const inside = (share) => Math.min(n - 1, Math.max(0, Math.floor(n * share)));
    const i = inside((event.clientX - frame.left) / frame.width);
    const j = n - 1 - inside((event.clientY - frame.top) / frame.height);
    chosen.set([stepOf(Math.min(i, j)), lastOf(Math.max(i, j))], { settled });
  };
  let moved = null;
  canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); pick(event, false); });
  canvas.addEventListener("pointermove", (event) => {
    if (!event.buttons) return;
    if (!moved) requestAnimationFrame(() => { if (moved) pick(moved, false); moved = null; });
    moved = event;
  });
  canvas.addEventListener("pointerup", (event) => { moved = null; pick(event, true); });
  effect.addEventListener("change", draw);
  chosen.listeners.push(mark);
  chart.redrawn.push(draw);
  section.querySelector(".key").textContent =
    `first step \u2192, last step \u2191; blue where p \u2264 ${where.alpha}, the stronger the smaller`;
  draw();
}

// Blue up to alpha, grey beyond; darker on a logarithmic scale.
function mapColour(p, where, dark) {
  const floor = Math.log(1 / where.visited), level = Math.log(where.alpha);
  if (p <= where.alpha) {
    const depth = floor < level ? (level - Math.log(p)) / (level - floor) : 1;
    return dark ? [60 + 80 * depth, 120 + 90 * depth, 190 + 60 * depth, 255] : [90 - 82 * depth, 150 - 100 * depth, 205 - 95 * depth, 255];
  }
  const pale = Math.log(p) / level;
  return dark ? [30 + 22 * pale, 35 + 24 * pale, 39 + 26 * pale, 255] : [240 - 40 * pale, 242 - 38 * pale, 244 - 34 * pale, 255];
}
