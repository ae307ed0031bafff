// What can be taken along: pictures, means, texts.

function download(blob, name) {
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function fileName(table, ending) {
  const own = (table.name || document.title).replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 40);
  return `${own || "curves"}.${ending}`;
}

// A picture by itself: on white, with every run, and a legend that names the lines.
function savedPicture(chart) {
  const { table } = chart, { at, y, picture } = chart.compose(SAVED_WIDTH, false);
  const runs = svg("g", { fill: "none", "stroke-width": 0.8, "stroke-opacity": runOpacity(table) });
  for (const own of runLines(table, chart.options, at, y)) {
    runs.append(svg("path", { d: line(own.points), stroke: table.algorithms[own.code].colour }));
  }
  const legend = svg("g", { "font-size": 12 });
  let x = LEFT, top = 16;
  for (const own of at.shown) {
    const words = `${shortened(own.name, 40)} (${own.n_runs} ${own.n_runs === 1 ? "run" : "runs"})`;
    const width = 50 + 7 * words.length;
    if (x > LEFT && x + width > SAVED_WIDTH) { x = LEFT; top += 18; }
    legend.append(
      svg("line", { x1: x, x2: x + 32, y1: top - 4, y2: top - 4, stroke: own.colour, "stroke-width": 2, "stroke-dasharray": own.dash }),
      svg("text", { x: x + 38, y: top, fill: THEMES.light.ink }, words),
    );
    x += width;
  }
  const body = svg("g", { transform: `translate(0 ${top + 8})` });
  body.append(...picture.childNodes);
  body.insertBefore(runs, body.children[1] || null);
  const height = at.height + top + 8;
  const whole = svg("svg", {
    xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${SAVED_WIDTH} ${height}`, width: SAVED_WIDTH, height,
    "font-family": "Helvetica, Arial, sans-serif",
  });
  whole.append(svg("rect", { width: SAVED_WIDTH, height, fill: "#ffffff" }), legend, body);
  return { text: new XMLSerializer().serializeToString(whole), height };
}

function saveSvg(chart) {
  download(new Blob([savedPicture(chart).text], { type: "image/svg+xml" }), fileName(chart.table, "svg"));
}

function savePng(chart) {
  const { text, height } = savedPicture(chart), image = new Image();
  image.onload = () => {
    const canvas = html("canvas", { width: 2 * SAVED_WIDTH, height: 2 * height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => download(blob, fileName(chart.table, "png")), "image/png");
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

function csvCell(text) {
  const own = String(text);
  // A spreadsheet would take such a cell for a formula.
  const safe = /^[=+\-@\t\r]/.test(own) && Number.isNaN(Number(own)) ? `'${own}` : own;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

function meansCsv(table) {
  const rows = [[table.step_name, ...table.algorithms.map(({ name }) => name)]];
  table.steps.forEach((step, i) => rows.push([step, ...table.means.map((row) => Number(row[i].toPrecision(9)))]));
  return rows.map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

function saveMeans(table) {
  download(new Blob([meansCsv(table)], { type: "text/csv" }), fileName(table, "csv"));
}

// To the clipboard where that is allowed; else the text is shown, selected.
async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    told(button, "Copied");
  } catch {
    const box = html("textarea", { value: text, rows: 4, readOnly: true });
    box.setAttribute("aria-label", "Text to copy");
    button.after(box);
    box.select();
    const done = document.execCommand("copy");
    if (done) { box.remove(); button.focus(); }
    told(button, done ? "Copied" : "Select and copy");
  }
}

function told(button, words) {
  button.dataset.words ??= button.textContent;
  button.textContent = words;
  clearTimeout(button.timer);
  button.timer = setTimeout(() => { button.textContent = button.dataset.words; }, 1_500);
}
