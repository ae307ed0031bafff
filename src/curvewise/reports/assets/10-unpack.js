// Arrays as text: what packing.py wrote. Whole numbers, or offset + scale * whole number.
function inflated(record) {
  const bytes = Uint8Array.from(atob(record.base64), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")));
}

async function unpack(record) {
  const planes = new Uint8Array(await inflated(record).arrayBuffer());
  const [rows, n] = record.shape;
  const size = rows * n;
  const shift = record.width === 2 ? 16 : 0;
  const out = [];
  for (let row = 0; row < rows; row++) {
    const values = new Float64Array(n);
    let sum = 0;
    for (let i = 0; i < n; i++) {
      let step = 0;
      for (let byte = 0; byte < record.width; byte++) {
        step |= planes[byte * size + row * n + i] << (8 * byte);
      }
      // Sums overflow as the differences did.
      sum = (((record.differences ? sum : 0) + step) << shift) >> shift;
      values[i] = record.scale === undefined ? sum : record.offset + record.scale * sum;
    }
    out.push(values);
  }
  return out;
}

function stepsOf(steps) {
  if (Array.isArray(steps)) return steps;
  return Array.from({ length: steps.n }, (_, i) => steps.first + steps.by * i);
}

// The index of the step nearest to x; steps increase.
function nearest(steps, x) {
  let low = 0, high = steps.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (steps[middle] <= x) low = middle; else high = middle;
  }
  return x - steps[low] <= steps[high] - x ? low : high;
}

// One table, unpacked: what charts and windows are made of.
async function openTable(record) {
  const table = { ...record, steps: stepsOf(record.steps) };
  table.means = await unpack(record.means);
  table.scores = record.scores && await unpack(record.scores);
  table.columns = record.scores && record.scores.columns;
  if (record.bands) {
    const { low, high, sd } = record.bands;
    table.spread = { low: await unpack(low), high: await unpack(high), sd: await unpack(sd) };
  } else {
    table.spread = spreadOf(table);
  }
  const where = record.location;
  if (where) {
    table.location = { ...where, counts: (await unpack(where.step_counts))[0] };
    if (where.band) table.location.band = { ...where.band, values: await unpack(where.band.values) };
    if (where.windows) {
      const { adjusted, planned } = where.windows;
      table.location.windows = {
        ...where.windows, adjusted: await unpack(adjusted), planned: await unpack(planned),
      };
    }
  }
  return table;
}

// Lowest and highest score and standard deviation of each algorithm's runs, for drawing.
function spreadOf(table) {
  const n = table.steps.length;
  const blank = (value) => table.algorithms.map(() => new Float64Array(n).fill(value));
  const low = blank(Infinity), high = blank(-Infinity), sd = blank(0);
  table.labels.forEach((code, run) => {
    const scores = table.scores[run];
    for (let i = 0; i < n; i++) {
      if (scores[i] < low[code][i]) low[code][i] = scores[i];
      if (scores[i] > high[code][i]) high[code][i] = scores[i];
      sd[code][i] += (scores[i] - table.means[code][i]) ** 2;
    }
  });
  table.algorithms.forEach(({ n_runs }, code) => {
    for (let i = 0; i < n; i++) sd[code][i] = Math.sqrt(sd[code][i] / Math.max(1, n_runs - 1));
  });
  return { low, high, sd };
}
