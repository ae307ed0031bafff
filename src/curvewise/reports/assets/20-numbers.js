// Numbers as text, digit by digit as in curvewise/text.py.

// As many significant digits, and of two equally near the even one, as Python rounds.
function significant(value, digits) {
  const rounded = value.toPrecision(digits);
  const exact = value.toPrecision(100).replace("-", "").replace(/e.*$/, "");
  const figures = exact.replace(".", "").replace(/^0+/, "");
  const tie = /^50*$/.test(figures.slice(digits));
  if (!tie || Number(figures[digits - 1]) % 2) return rounded;
  // An exact tie after an even digit: a hair less rounds down.
  return (value * (1 - Number.EPSILON)).toPrecision(digits);
}

// One digit after the point of a power of ten with at least two digits: 1.2e-05.
function exponential(value, decimals) {
  const [digits, power] = value.toExponential(decimals).split("e");
  const size = String(Math.abs(Number(power))).padStart(2, "0");
  return `${digits}e${Number(power) < 0 ? "-" : "+"}${size}`;
}

function pText(p) {
  if (p >= 0.0995) return fixed(p, 3);
  if (p >= 1e-4) return significant(p, 3);
  return p > 0 ? exponential(p, 1) : "< 1e-300";
}

function pShort(p) {
  if (p < 1e-4) return pText(p);
  const text = significant(p, 2);
  const rounded = [0.1, 0.05, 0.01, 0.001].includes(Number(text)) && Number(text) !== p;
  return rounded ? pText(p) : text;
}

function fixed(value, decimals) {
  const size = Math.abs(value);
  if (size === 0) return value.toFixed(decimals);
  const places = Math.floor(Math.log10(size)) + 1 + decimals;
  if (places < 1 || places > 21) return value.toFixed(decimals);
  return Number(significant(value, places)).toFixed(decimals);
}

// Four significant digits, or a digit per power of ten.
function numberText(value) {
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size > 9 || size < -5) return exponential(value, 3);
  return value.toFixed(Math.max(0, 3 - size));
}

function plainStep(step) {
  return Number.isInteger(step) ? String(step) : String(Number(step.toPrecision(12)));
}

const LETTERS = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

// A step as people write it, 39M, and never rounded.
function stepText(step) {
  const size = Math.abs(step);
  const [factor, letter] = (size >= 1e4 && LETTERS.find(([own]) => size >= own)) || [0, ""];
  const shown = factor && Number((step / factor).toPrecision(4));
  return factor && shown < 1_000 && shown * factor === step ? `${shown}${letter}` : plainStep(step);
}

// The number that was typed, with or without a letter; NaN if there is none.
function typedNumber(text) {
  const [, digits, letter] = text.trim().replace(/,/g, "").match(/^(\S*?)\s*([kMGT]?)$/) || [];
  const factor = letter ? LETTERS.find(([, own]) => own === letter)[0] : 1;
  return digits ? Number(digits) * factor : NaN;
}

function grouped(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

// Ticks as people write them: 50k, 1.5M.
function tickTexts(ticks) {
  const largest = Math.max(...ticks.map(Math.abs));
  const [unit, letter] = LETTERS.find(([size]) => largest >= 10 * size || largest === size) || [1, ""];
  if (largest !== 0 && (largest < 1e-4 || largest >= 1e13)) return ticks.map((t) => exponential(t, 1));
  return ticks.map((tick) => {
    const text = String(Number((tick / unit).toPrecision(6)));
    return tick === 0 ? "0" : text.replace("-", "\u2212") + letter;
  });
}

// About so many round numbers between two others.
function roundTicks(low, high, about) {
  if (!(high > low)) return [low];
  const raw = (high - low) / about, power = 10 ** Math.floor(Math.log10(raw));
  const by = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw) * power;
  const ticks = [], first = Math.ceil(low / by - 1e-9);
  // Of numbers so large that the next is the same, there would be no end.
  for (let k = 0; k <= 2 * about && (first + k) * by <= high + 1e-9 * by; k++) ticks.push((first + k) * by);
  return [...new Set(ticks)];
}

function logTicks(low, high) {
  const ticks = [];
  if (!(low > 0 && high < Infinity)) return [low, high].filter(Number.isFinite);
  for (let e = Math.ceil(Math.log10(low) - 1e-9); e <= Math.log10(high) + 1e-9; e++) ticks.push(10 ** e);
  return ticks.length > 1 ? ticks : roundTicks(low, high, 4).filter((tick) => tick > 0);
}
