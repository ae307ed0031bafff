// What charts are drawn with: colours, elements, scales, paths.

const THEMES = {
  light: {
    ground: "#ffffff", ink: "#1b1d1f", muted: "#565c61", grid: "#e3e6e9", frame: "#9aa1a7",
    region: "#d9a400", change: "#3f9bd6", shade: "#fff3c9", band: "#0b5fa5",
  },
  dark: {
    ground: "#14181b", ink: "#eceff1", muted: "#aab2b8", grid: "#2b3136", frame: "#6b747b",
    region: "#e2b33c", change: "#58b4ea", shade: "#2c2814", band: "#7cc0f5",
  },
};

const systemIsDark = window.matchMedia("(prefers-color-scheme: dark)");
let printing = false;

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return !printing && (chosen ? chosen === "dark" : systemIsDark.matches);
}

function colourOf(algorithm, dark) {
  return dark ? algorithm.dark : algorithm.colour;
}

function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function html(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

// From data to pixels. A logarithmic axis shows what is not above 0 at its lower end.
function scale(low, high, from, to, log) {
  const change = log ? (x) => Math.log10(Math.max(x, low)) : (x) => x;
  const start = change(low), span = change(high) - start;
  const at = (x) => span > 0 ? from + ((change(x) - start) / span) * (to - from) : (from + to) / 2;
  at.back = (pixel) => {
    const value = start + ((pixel - from) / (to - from)) * span;
    return log ? 10 ** value : value;
  };
  at.low = low; at.high = high; at.log = log;
  return at;
}

// The ends of an axis of steps; a logarithmic one begins a little before the first above 0.
function stepEnds(steps, log) {
  const last = steps[steps.length - 1];
  if (!log) return [steps[0], last];
  const positive = steps.find((step) => step > 0);
  return [steps[0] > 0 ? positive : positive / 2, last];
}

function canBeLog(steps) {
  return steps[steps.length - 1] > 0 && steps.filter((step) => step > 0).length > 1;
}

// Points of a line, at most four for each column of pixels: first, lowest, highest, last.
function points(xs, ys, width) {
  const n = xs.length, kept = [];
  if (n <= 4 * width) {
    for (let i = 0; i < n; i++) kept.push([xs[i], ys[i]]);
    return kept;
  }
  for (let i = 0; i < n;) {
    const column = Math.floor(xs[i]);
    let low = i, high = i, end = i + 1; // where a place is no number, too, it goes on
    while (end < n && Math.floor(xs[end]) === column) {
      if (ys[end] < ys[low]) low = end;
      if (ys[end] > ys[high]) high = end;
      end++;
    }
    for (const k of [...new Set([i, Math.min(low, high), Math.max(low, high), end - 1])]) {
      kept.push([xs[k], ys[k]]);
    }
    i = end;
  }
  return kept;
}

function line(found) {
  return "M" + found.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
}

function area(xs, low, high, width) {
  const back = points(xs, low, width).reverse();
  return `${line(points(xs, high, width))}L${line(back).slice(1)}Z`;
}

// The mean of so many neighbours, of fewer at the ends; for drawing only.
function smoothed(values, width) {
  if (width < 2) return values;
  const n = values.length, half = width >> 1, sums = new Float64Array(n + 1);
  for (let i = 0; i < n; i++) sums[i + 1] = sums[i] + values[i];
  return values.map((_, i) => {
    const from = Math.max(0, i - half), to = Math.min(n, i + half + 1);
    return (sums[to] - sums[from]) / (to - from);
  });
}

// Texts side by side are moved apart, as little as they need to be.
function apart(wanted, gap, low, high) {
  const order = wanted.map((y, i) => ({ y, i })).sort((a, b) => a.y - b.y);
  order.forEach((own, k) => { if (k) own.y = Math.max(own.y, order[k - 1].y + gap); });
  const over = order.length ? order[order.length - 1].y - high : 0;
  if (over > 0) {
    order[order.length - 1].y = high;
    for (let k = order.length - 2; k >= 0; k--) order[k].y = Math.min(order[k].y, order[k + 1].y - gap);
  }
  const found = [];
  for (const own of order) found[own.i] = Math.max(own.y, low);
  return found;
}

function shortened(name, most) {
  if (name.length <= most) return name;
  return `${name.slice(0, most >> 1)}\u2026${name.slice(name.length - ((most - 1) >> 1))}`;
}
