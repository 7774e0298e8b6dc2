"use strict";
// What tables and charts show of a result of `cuesta bench --json`: plain data, no document.
//
// A view is {label, panels, note}. A panel is a plot {title, x, y, series, lines} or bars {title, bars}:
//   x, y     {label, log, ticks}; ticks where they are not to be chosen
//   series   [{name, points: [{x, y, hint, open, small, error}], line, dash}]; open: a hollow marker
//   lines    [{points: [[x, y], [x, y]], label, faint}], ceilings
//   bars     [{label, total, parts: [{name, value}]}], shares of the total

const known = (value) => value !== null && value !== undefined && value !== "";
const by = (key) => (a, b) => (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0);
const sizeOf = (row) => `${row.width}x${row.height}`;
const requestOf = (row) => `${row.operation} ${row.parameters}, ${row.type}`;
/// Its strategy; a host's with what it ran on, where it was timed on one thread beside all.
function labelOf(row) {
  if (row.space !== "host") return row.strategy;
  return `${row.strategy} (CPU${row.threads === 1 && row.strategy !== "serial" ? ", 1 thread" : ""})`;
}
const variantOf = (row) => [labelOf(row), row.strategy_parameters].filter(known).join(" ");
const isCopy = (row) => row.operation === "copy";

/// Map of lists, in the order of their first.
function groups(list, keyOf) {
  const found = new Map();
  for (const item of list) {
    const key = keyOf(item);
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(item);
  }
  return found;
}

const leastTime = (rows) => rows.reduce((a, b) => (b.ms < a.ms ? b : a));

/// Of each strategy's variants for a request, the fastest.
function fastest(rows) {
  const key = (row) => [row.experiment, requestOf(row), sizeOf(row), labelOf(row)].join("|");
  return [...groups(rows, key).values()].map(leastTime);
}

/// At most so many of a list, evenly, with its ends.
function thinned(list, most) {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.round((i * (list.length - 1)) / (most - 1))]);
}

// Numbers, as report.py prints them.

/// Four significant digits; times in ms.
function milliseconds(value) {
  if (!(value > 0)) return "-";
  const before = Math.floor(Math.log10(value)) + 1;
  return value.toFixed(Math.min(Math.max(4 - before, 0), 6));
}

function figure(value) {
  if (!known(value)) return "";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return String(value);
  const size = Math.abs(value);
  return size >= 1e-6 && size < 1e15 ? (value < 0 ? "-" : "") + milliseconds(size) : value.toExponential(3);
}

/// What a pointer over a point tells.
function hintOf(row, ...more) {
  return [
    variantOf(row),
    `${requestOf(row)}, ${sizeOf(row)}`,
    `${milliseconds(row.ms)} ms, spread ${milliseconds(row.ms_spread)}`,
    ...more,
  ].join("\n");
}

// The roofline.

/// Operations a byte of the accesses that a rung makes; null where it counts none, or where its accesses are not all of
/// four bytes.
function countedIntensity(row) {
  const counted = row.accesses ? row.accesses.counted : null;
  if (!counted || row.type !== "f32" || !row.intensity) return null;
  return (row.intensity * row.bytes_per_pixel * row.width * row.height) / (4 * counted);
}

/// GB/s of a copy and GFLOP/s of fused multiply-adds; of a host the copy alone, the largest there is.
function ceilingsOf(result, space) {
  if (space === "device") return { copy: result.gpu.ceilings.copy_gbs, peak: result.gpu.ceilings.fma_gflops };
  const pixels = (row) => row.width * row.height;
  const copies = result.rows.filter((row) => isCopy(row) && row.space === "host");
  if (!copies.length) return { copy: null, peak: null };
  const row = copies.reduce((a, b) => (pixels(b) * b.bytes_per_pixel > pixels(a) * a.bytes_per_pixel ? b : a));
  return { copy: (pixels(row) * row.bytes_per_pixel) / (row.ms * 1e6), peak: null };
}

/// "copy 4222 GB/s, fma ...": every ceiling that the run measured, without the spreads; a field's last word is its unit.
function ceilingsText(ceilings) {
  const units = { gbs: "GB/s", gflops: "GFLOP/s", us: "µs" };
  return Object.entries(ceilings).filter(([name, value]) => value && !name.endsWith("_spread")).map(([name, value]) => {
    const words = name.split("_");
    const last = words.pop();
    return `${words.join(" ")} ${figure(value)} ${units[last] || last.replace(/^g(?=\w{4})(.*)/, "10⁹ $1/s")}`;
  }).join(", ");
}

function roofOf({ copy, peak }, low, high) {
  if (!copy) return [];
  const ridge = peak ? Math.min(Math.max(peak / copy, low), high) : high;
  const lines = [];
  if (ridge > low) lines.push({ points: [[low, low * copy], [ridge, ridge * copy]], label: `copy ${copy.toFixed(0)} GB/s` });
  if (peak && ridge < high) lines.push({ points: [[ridge, peak], [high, peak]], label: `FMA ${peak.toFixed(0)} GFLOP/s` });
  return lines;
}

/// Each rung at its own operations a byte: by the paper's formula, else as counted, else the request's.
function rungPoints(row) {
  const counted = countedIntensity(row);
  const facts = [
    `${figure(row.gflops)} GFLOP/s`,
    `FLOP/byte: ${figure(row.intensity_paper) || "-"} by the paper, ${figure(counted) || "-"} counted, ` +
      `${figure(row.intensity)} by the request`,
  ];
  const at = (x, open, words) => ({ x, y: row.gflops, open, hint: hintOf(row, ...facts, `drawn: ${words}`) });
  const points = [];
  if (row.intensity_paper) points.push(at(row.intensity_paper, false, "by the paper's formula"));
  if (counted) points.push(at(counted, true, "as counted"));
  if (!points.length) points.push(at(row.intensity, true, "by the request"));
  return points;
}

function rooflineViews(result) {
  const space = result.gpu ? "device" : "host";
  const all = result.rows.filter((row) => row.gflops && row.intensity && !isCopy(row));
  // The experiment of that name first, then the ladders whose rungs have a formula.
  const experiments = [...groups(all, (row) => row.experiment)]
    .filter(([name, rows]) => name === "roofline" || rows.some((row) => row.intensity_paper))
    .sort(([a], [b]) => (b === "roofline") - (a === "roofline"));
  const ceilings = ceilingsOf(result, space);
  return [...groups(experiments.flatMap(([, rows]) => rows), (row) => `${row.experiment} ${sizeOf(row)}`)].map(([label, rows]) => ({
    label,
    panels: [...groups(rows, requestOf)]
      .map(([title, request]) => rooflinePanel(title, fastest(request), space, ceilings))
      .filter((panel) => panel.series.length),
    note:
      "Filled: operations a byte by the paper's formula. Hollow: by the accesses that the rung makes (where all are of four " +
      "bytes), or the request's, at the dotted line, where there is neither. Above the roof: caches serve what was charged to memory.",
  }));
}

function rooflinePanel(title, rows, space, ceilings) {
  const host = rows.filter((row) => row.space === "host").sort(by("ms"));
  const drawn = space === "host" ? host : [...rows.filter((row) => row.space === "device"), ...host.slice(0, 1)];
  const series = drawn.map((row) => ({ name: labelOf(row), points: rungPoints(row), line: true }));
  if (!series.length) return { title, series };
  const xs = series.flatMap((one) => one.points.map((point) => point.x));
  const least = Math.min(...drawn.map((row) => row.gflops));
  const [{ intensity }] = drawn;
  const above = Math.min(ceilings.peak || Infinity, intensity * ceilings.copy || Infinity);
  const request = Number.isFinite(above) && above > least
    ? [{ points: [[intensity, least], [intensity, above]], label: "request", faint: true }] : [];
  return {
    title,
    x: { label: "operations a byte", log: true },
    y: { label: "GFLOP/s", log: true },
    series,
    lines: [...roofOf(ceilings, Math.min(...xs, intensity) / 2, Math.max(...xs, intensity) * 4), ...request],
  };
}

// Theory beside measured.

const filterOf = (row) => {
  const found = /(\d+)x(\d+)/.exec(row.parameters);
  return found && found[1] === found[2] ? Number(found[1]) : null;
};

/// Of a strategy's variants the one with the theory's T, else the fastest.
function withTiles(rows, tiles) {
  const same = rows.filter((row) => row.statistics && row.statistics.tiles === tiles);
  return leastTime(tiles > 1 && same.length ? same : rows);
}

const tiledWords = (theory) =>
  [...new Set(theory.filter((point) => point.tiles > 1).map((point) => `${point.strategy}: T = ${point.tiles}.`))];

function theorySeries(theory, field) {
  return [...groups(theory, (point) => `${point.strategy}|${point.tiles}`).values()].map((curve) => ({
    name: curve[0].strategy,
    line: true,
    points: curve.filter((point) => point[field]).map((point) => ({
      x: point.filter,
      y: point[field],
      small: true,
      hint: [point.tiles > 1 ? `${point.strategy}, T = ${point.tiles}` : point.strategy, `${point.filter}x${point.filter}`,
        `${figure(point[field])} GFLOP/s by the formula`].join("\n"),
    })),
  })).filter((one) => one.points.length);
}

function theoryViews(result) {
  const theory = result.theory || [];
  if (!theory.length) return [];
  const ticks = [...new Set(theory.map((point) => point.filter))];
  const axes = { x: { label: "filter, taps a side", log: false, ticks }, y: { label: "GFLOP/s", log: true } };
  const printed = theory.filter((point) => point.printed_gflops).map((point) => ({
    x: point.filter, y: point.printed_gflops, open: true,
    hint: `${point.strategy}\n${point.printed_gflops} GFLOP/s printed in the paper`,
  }));
  const note = [...tiledWords(theory), ...(theory.some((point) => point.printed_gflops === 546.52)
    ? ["The paper's 546.52 at 5x5 stands for 456.52: digits swapped."] : [])].join(" ");
  const theirs = { title: "the formulas on the paper's GPU", ...axes, lines: [], series: [
    ...theorySeries(theory, "paper_gpu_gflops"), { name: "printed in the paper", points: printed }].filter((one) => one.points.length) };
  const formula = theorySeries(theory, "gflops");
  if (!formula.length) return [{ label: "theory", panels: [theirs], note }];

  const tiles = new Map(theory.map((point) => [point.strategy, point.tiles]));
  const rows = result.rows.filter((row) => row.space === "device" && row.type === "f32" && row.gflops && filterOf(row) &&
    row.operation === "convolve" && tiles.has(row.strategy));
  const family = (row) => `${row.experiment} ${row.parameters.replace(/\s*\d+x\d+/, "")} ${sizeOf(row)}`;
  const measured = [...groups(rows, family)].filter(([, some]) => new Set(some.map(filterOf)).size > 1);
  const views = measured.map(([label, some]) => ({
    label,
    panels: [theirs, { title: `${result.gpu.name}: formulas (lines), ${label} (hollow, dashed)`, ...axes, lines: [],
      series: [...formula, ...measuredSeries(some, tiles)] }],
    note: `${note} Measured with that T where it was timed, else with the fastest. Where a rung stands above its line, caches serve ` +
      "what the formula charges to memory.",
  }));
  const ours = { title: `${result.gpu.name}: formulas`, ...axes, lines: [], series: formula };
  // The one with the most points first, of those alike the largest size.
  const measuredPoints = (view) => view.panels[1].series.filter((one) => one.dash).reduce((sum, one) => sum + one.points.length, 0);
  views.reverse().sort((a, b) => measuredPoints(b) - measuredPoints(a));
  return views.length ? views : [{ label: "theory", panels: [theirs, ours], note }];
}

function measuredSeries(rows, tiles) {
  return [...groups(rows, (row) => row.strategy)].map(([name, own]) => ({
    name,
    line: true,
    dash: true,
    points: [...groups(own, filterOf).values()].map((variants) => withTiles(variants, tiles.get(name))).map((row) => ({
      x: filterOf(row), y: row.gflops, open: true, hint: hintOf(row, `${figure(row.gflops)} GFLOP/s measured`),
    })).sort(by("x")),
  }));
}

// Labelling, by what its pictures hold: squares of one size, as many as `components` says.

const PAPERS_SQUARE = 20;
const squareOf = (row) => (known(row.statistics.square) ? row.statistics.square : PAPERS_SQUARE);

function timesBy(rows, label, x, valueOf) {
  return { label, note: "Bars: the distance between the quartiles.", panels: [{
    title: `time ${label}`,
    x,
    y: { label: "ms", log: true },
    lines: [],
    series: [...groups(rows, labelOf)].map(([name, own]) => ({
      name,
      line: true,
      points: [...groups(own, valueOf).values()].map(leastTime).map((row) => ({
        x: valueOf(row), y: row.ms, error: row.ms_spread / 2, small: own.length > 30,
        hint: hintOf(row, Object.entries(row.statistics).map(([what, value]) => `${what} ${figure(value)}`).join("; ")),
      })).sort(by("x")),
    })),
  }] };
}

/// By the number of squares, for each size of them with three or more; then by their size, for each quarter of the most that was timed.
function densityViews(result) {
  const all = result.rows.filter((row) => row.experiment === "label-density" && row.statistics && known(row.statistics.components));
  const countOf = (row) => row.statistics.components;
  return [...groups(all, sizeOf)].flatMap(([size, rows]) => {
    const squares = [...groups(rows, squareOf)].filter(([, own]) => new Set(own.map(countOf)).size > 2)
      .sort(([a], [b]) => (b === PAPERS_SQUARE) - (a === PAPERS_SQUARE) || a - b);
    const most = new Map(squares.map(([square, own]) => [square, Math.max(...own.map(countOf))]));
    const byCount = squares.map(([square, own]) =>
      timesBy(own, `by number of squares of ${square}x${square}, ${size}`, { label: "components", log: false }, countOf));
    const bySquare = [1, 2, 3, 4].map((quarters) => {
      const own = rows.filter((row) => countOf(row) === Math.floor((most.get(squareOf(row)) * quarters) / 4));
      const sides = [...new Set(own.map(squareOf))].sort((a, b) => a - b);
      const x = { label: "granularity: side of the squares", log: true, ticks: sides };
      return sides.length > 1 ? timesBy(own, `by granularity, ${25 * quarters} % of the squares that fit, ${size}`, x, squareOf) : null;
    });
    return [...byCount, ...bySquare.filter(known)];
  });
}

// Shares of stages.

/// Of a grid search the fastest variant alone, as of a strategy in more than four variants.
function withoutSearches(rows) {
  const key = (row) => [requestOf(row), sizeOf(row), labelOf(row)].join("|");
  return [...groups(rows, key).values()].flatMap((all) => (all.length > 4 ? fastest(all) : all));
}

function stageViews(result) {
  const rows = result.rows.filter((row) => row.stages && Object.keys(row.stages).length);
  return [...groups(rows, (row) => row.experiment)].map(([label, all]) => ({
    label,
    panels: [...groups(withoutSearches(all), variantOf)].map(([title, own]) => ({
      title,
      bars: thinned([...own].sort(by("width")), 13).map((row) => ({
        label: own.every((other) => other.width === row.width) && own.length > 1 ? row.parameters : sizeOf(row),
        total: Object.values(row.stages).reduce((a, b) => a + b, 0),
        parts: Object.entries(row.stages).map(([name, value]) => ({ name, value })),
      })),
    })),
    note: "Shares of the sum of the stages; its milliseconds stand beside the bar.",
  }));
}

/// All names of an experiment's stages in the order of a call: what a row adds stands behind its neighbour.
function stageNames(panels) {
  const names = [];
  for (const panel of panels) {
    for (const bar of panel.bars) {
      let at = 0;
      for (const { name } of bar.parts) {
        if (!names.includes(name)) names.splice(at, 0, name);
        at = names.indexOf(name) + 1;
      }
    }
  }
  return names;
}

// Predicted beside measured.

function modelViews(result) {
  const rows = result.rows.filter((row) => row.predicted_ms > 0 && row.ms > 0);
  return [...groups(rows, (row) => row.experiment)].map(([label, own]) => {
    const ends = [Math.min(...own.map((row) => row.predicted_ms)), Math.max(...own.map((row) => row.predicted_ms))];
    const within = own.filter((row) => Math.abs(row.predicted_ms / row.ms - 1) <= 0.2).length;
    const line = (ratio, label, faint) => ({ points: ends.map((ms) => [ms, ratio]), label, faint });
    return { label, note: `${within} of ${own.length} predictions lie within 20 % of what was measured, between the dotted lines.`, panels: [{
      title: `${label}: measured over predicted`,
      x: { label: "predicted ms", log: true },
      y: { label: "measured / predicted", log: true },
      lines: [line(1, ""), line(1 / 1.2, "", true), line(1 / 0.8, "", true)],
      series: [...groups(own, (row) => row.bound_by || "predicted")].map(([name, some]) => ({
        name,
        points: some.map((row) => ({ x: row.predicted_ms, y: row.ms / row.predicted_ms,
          hint: hintOf(row, `${milliseconds(row.predicted_ms)} ms predicted`) })),
      })),
    }] };
  });
}

// Tables.

const OWN_FIELDS = ["experiment", "width", "height", "kernels", "stages", "statistics", "accesses", "paper_figure"];

/// A row's cells by column: text, or numbers, which sort as such.
function cellsOf(row, peers) {
  const cells = {};
  const put = (name, value) => { if (known(value)) cells[name] = value; };
  const listed = (object) => Object.entries(object || {}).map(([name, value]) => `${name} ${figure(value)}`).join(", ");
  const first = ["operation", "parameters", "type"];
  for (const name of first) put(name, row[name]);
  cells.size = sizeOf(row);
  for (const [name, value] of Object.entries(row)) {
    if (OWN_FIELDS.includes(name) || first.includes(name) || (name === "threads" && row.space !== "host")) continue;
    put(name, typeof value === "object" && value ? listed(value) : value);
  }
  const kernels = row.kernels || [];
  if (kernels.length) {
    cells.registers = Math.max(...kernels.map((use) => use.registers));
    cells.shared_bytes = Math.max(...kernels.map((use) => use.static_shared_bytes + use.dynamic_shared_bytes));
    cells.occupancy_percent = 100 * Math.min(...kernels.map((use) => use.occupancy));
  }
  if (row.accesses) {
    put("accesses_paper", row.accesses.paper);
    put("accesses_counted", row.accesses.counted);
  }
  const { paper_figure: theirs } = row;
  if (theirs) cells.paper_figure = `${figure(theirs.value)} ${theirs.unit} ${theirs.what}`;
  put("stages_ms", listed(row.stages));
  put("statistics", listed(row.statistics));
  // What differs from the reference is not timed: a strategy's row that is here was held against it.
  if (!isCopy(row)) cells.answer = peers.includes(row.strategy) ? "a peer's" : "verified";
  return cells;
}

/// {columns, rows} of an experiment; a column that is empty throughout is left out.
function tableOf(result, experiment) {
  const peers = (result.machine.peers || []).map((name) => name.split(" ")[0]);
  const rows = result.rows.filter((row) => row.experiment === experiment).map((row) => cellsOf(row, peers));
  return { columns: columnsOf(rows), rows };
}

/// Names in the order in which rows have them.
function columnsOf(rows) {
  const columns = [];
  for (const row of rows) {
    let at = 0;
    for (const name of Object.keys(row)) {
      if (!columns.includes(name)) columns.splice(at, 0, name);
      at = columns.indexOf(name) + 1;
    }
  }
  return columns;
}

const pixelsOf = (text) => text.split("x").reduce((a, b) => a * Number(b), 1);

/// A new list; equal rows keep their order, empty cells stand last in both directions.
function sortedBy(rows, column, descending) {
  const value = (row) => (column === "size" && known(row.size) ? pixelsOf(row.size) : row[column]);
  const sign = descending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [one, other] = [value(a), value(b)];
    if (!known(one) || !known(other)) return known(other) - known(one);
    if (typeof one === "number" && typeof other === "number") return sign * (one - other);
    return sign * String(one).localeCompare(String(other), "en", { numeric: true });
  });
}

/// Rows that have every word in some cell; "!word" leaves rows out.
function filtered(rows, words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(known);
  return rows.filter((row) => {
    const text = Object.values(row).map(figure).join(" ").toLowerCase();
    return wanted.every((word) => (word[0] === "!" && word.length > 1 ? !text.includes(word.slice(1)) : text.includes(word)));
  });
}
