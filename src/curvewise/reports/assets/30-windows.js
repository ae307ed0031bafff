// Windows are looked up: p is a count over the relabellings visited, as Python counted them.

function lowest(counts, first, last) {
  let least = counts[first];
  for (let i = first + 1; i <= last; i++) if (counts[i] < least) least = counts[i];
  return least;
}

// The place of the last portion that begins at or before a step.
function placeOf(starts, step) {
  if (!starts) return step;
  let low = 0, high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= step) low = middle; else high = middle - 1;
  }
  return low;
}

// The three answers about the window of steps first to last (their indices).
function windowTest(table, first, last) {
  const where = table.location, windows = where.windows;
  const test = {
    first, last, somewhere: lowest(where.counts, first, last) / where.visited,
    from: first, to: last, height: null, shape: null,
  };
  if (!windows) return test;
  const { starts, n_places } = windows;
  const i = placeOf(starts, first), j = placeOf(starts, last);
  if (starts) {
    test.from = starts[i];
    test.to = (j + 1 < n_places ? starts[j + 1] : table.steps.length) - 1;
  }
  const cell = i * n_places - (i * (i - 1)) / 2 + (j - i);
  const effect = (row) => ({
    p: windows.adjusted[row][cell] / where.visited, planned: windows.planned[row][cell] / where.visited,
  });
  test.height = effect(0);
  test.shape = test.to > test.from ? effect(1) : null;
  return test;
}

function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// A p that no shuffle reached is only known to be no larger.
function atFloor(p, { exact, visited }) {
  return !exact && p * visited < 1.5;
}

function pPhrase(p, where, explained = false) {
  if (!atFloor(p, where)) return `p = ${pShort(p)}`;
  return `p \u2264 ${pShort(p)}${explained ? `, none of ${grouped(where.visited - 1)} shuffles` : ""}`;
}

// What the command says of a window, in the same words.
function windowSentence(table, test) {
  const where = table.location, { words, alpha } = where, steps = table.steps;
  const asked = test.from !== test.first || test.to !== test.last;
  const start = stepText(steps[test.first]), stop = stepText(steps[test.last]);
  const p = pPhrase(test.somewhere, where, true), found = test.somewhere <= alpha;
  if (test.first === test.last) {
    const planned = asked || !test.height
      ? "" : fill(words["step planned"], { p: pPhrase(test.height.planned, where) });
    return fill(words[found ? "step differs" : "step alike"], { step: start, p, planned });
  }
  const parts = [fill(words[found ? "somewhere" : "nowhere"], { p })];
  let wider = asked
    ? fill(words.wider, { start: stepText(steps[test.from]), stop: stepText(steps[test.to]) }) : "";
  const pairs = [[test.height, "on average", "not on average"], [test.shape, "gap changes", "gap alike"]];
  for (const [effect, yes, no] of pairs) {
    if (!effect) continue;
    const text = words[effect.p <= alpha ? yes : no];
    const values = { p: pPhrase(effect.p, where), planned: pPhrase(effect.planned, where) };
    parts.push(wider + fill(text, values));
    wider = "";
  }
  return fill(words.window, { start, stop, parts: parts.join("; ") });
}

// The mean scores over a window, the best first.
function meansOver(table, first, last) {
  const means = table.algorithms.map(({ name }, code) => {
    let sum = 0;
    for (let i = first; i <= last; i++) sum += table.means[code][i];
    return { name, mean: sum / (last - first + 1) };
  });
  const sign = table.higher_is_better ? -1 : 1;
  return means.sort((a, b) => sign * (a.mean - b.mean));
}

function capitalised(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
