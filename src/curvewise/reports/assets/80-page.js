// The page: tables are opened where they are looked at, and what is in the address is shown.

const MAX_ROWS = 8;

function asked() {
  return new URLSearchParams(window.location.hash.slice(1));
}

function remember(number, several) {
  return (ends) => {
    const hash = new URLSearchParams();
    if (several) hash.set("table", number);
    if (ends) hash.set("window", ends);
    // A frame may have no address of its own.
    try { history.replaceState(null, "", `#${decodeURIComponent(hash.toString())}`); } catch { /* nothing to keep */ }
  };
}

async function showTable(place, record, number, several) {
  const table = await openTable(record);
  const parts = document.getElementById("chart").content.cloneNode(true);
  if (several) parts.querySelector(".heading").replaceWith(html("h4", { className: "heading", textContent: "A window of your choice" }));
  const [root, section] = [parts.querySelector(".chart"), parts.querySelector(".window")];
  if (!table.location || table.steps.length < 2) section.remove();
  place.hidden = false;
  place.append(parts);
  const still = place.parentElement.querySelector(".still");
  if (still) still.classList.add("replaced");
  const chart = makeChart(root, table);
  charts.push(chart);
  if (!table.location || table.steps.length < 2) { root.querySelector(".overlay").classList.add("plain"); return; }
  const chosen = makeWindow(chart, section, remember(number, several));
  makeMap(chart, section, chosen);
  const first = () => chosen.set(firstWindow(table, number, several), { settled: false });
  first();
  window.addEventListener("hashchange", first);
}

// What the address asks for; else the longest region; else none.
function firstWindow(table, number, several) {
  const query = asked(), wanted = (query.get("window") || "").split(",").map(Number);
  const here = !several || query.get("table") === String(number);
  if (here && wanted.length === 2 && wanted.every(Number.isFinite)) {
    return wanted.map((step) => nearest(table.steps, step));
  }
  const regions = [...table.location.regions.algorithm];
  return regions.sort((a, b) => (b[1] - b[0]) - (a[1] - a[0]))[0] || null;
}

const charts = [];
const redraw = () => charts.forEach((chart) => chart.draw());

function foldTables() {
  for (const table of document.querySelectorAll("table")) {
    const rows = table.tBodies[0].rows.length;
    if (rows <= MAX_ROWS + 2) continue;
    const button = html("button", { type: "button", textContent: `Show all ${grouped(rows)} rows`, className: "unfold" });
    table.classList.add("folded");
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => {
      const folded = table.classList.toggle("folded");
      button.setAttribute("aria-expanded", String(!folded));
      button.textContent = folded ? `Show all ${grouped(rows)} rows` : "Show fewer rows";
    });
    table.parentElement.after(button);
  }
}

async function copyButtons(record) {
  const copies = await inflated(record).json();
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.addEventListener("click", () => copyText(copies[button.dataset.copy], button));
  }
}

function themes() {
  document.querySelector(".theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    redraw();
  });
  systemIsDark.addEventListener("change", redraw);
  window.addEventListener("beforeprint", () => { printing = true; redraw(); });
  window.addEventListener("afterprint", () => { printing = false; redraw(); });
}

async function start() {
  const data = JSON.parse(document.getElementById("curvewise-data").textContent);
  const places = [...document.querySelectorAll(".live")], several = data.tables.length > 1;
  for (const own of document.querySelectorAll(".needs-script")) own.hidden = false;
  foldTables();
  await copyButtons(data.copies);
  themes();
  for (const place of places) {
    const number = Number(place.dataset.table), task = place.closest("details");
    const show = () => showTable(place, data.tables[number], number, several);
    if (!task) { await show(); continue; }
    let shown = false;
    const open = async () => { if (task.open && !shown) { shown = true; await show(); } };
    task.addEventListener("toggle", open);
    if (asked().get("table") === String(number)) { task.open = true; await open(); task.scrollIntoView(); }
  }
}

start().then(
  () => { document.documentElement.dataset.ready = "yes"; },
  (error) => {
    for (const own of document.querySelectorAll(".unable")) own.hidden = false;
    document.documentElement.dataset.ready = "no";
    if (typeof DecompressionStream !== "undefined") throw error;
  },
);
