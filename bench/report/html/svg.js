"use strict";
// Panels (data.js) as SVG, in text. Colours of lines and words come from page.css, of series from palette.json.

const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const px = (value) => Number(value.toFixed(1));

/// Of the names in their order: a colour and a marker each, no two alike among 56.
function styleOf(palette, names, name) {
  const at = Math.max(names.indexOf(name), 0);
  return { color: palette.series[at % palette.series.length], marker: palette.markers[at % palette.markers.length] };
}

/// Of stages: seven colours, then their tints and shades.
function stageColor(palette, names, name) {
  const colors = [...palette.series, ...palette.tints, ...palette.shades];
  return colors[Math.max(names.indexOf(name), 0) % colors.length];
}

/// Black or white, whichever is read on the color.
function inkOn(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  return 0.3 * red + 0.59 * green + 0.11 * blue > 118 ? "#14171a" : "#fff";
}

/// Outlines within a circle of radius r, by matplotlib's letters.
const MARKERS = {
  s: (r) => [[-r, -r], [r, -r], [r, r], [-r, r]],
  D: (r) => [[0, -1.3 * r], [1.3 * r, 0], [0, 1.3 * r], [-1.3 * r, 0]],
  "^": (r) => [[0, -1.2 * r], [1.2 * r, r], [-1.2 * r, r]],
  v: (r) => [[0, 1.2 * r], [1.2 * r, -r], [-1.2 * r, -r]],
  "<": (r) => [[-1.2 * r, 0], [r, -1.2 * r], [r, 1.2 * r]],
  ">": (r) => [[1.2 * r, 0], [-r, -1.2 * r], [-r, 1.2 * r]],
  P: (r) => [[-0.5, -1.2], [0.5, -1.2], [0.5, -0.5], [1.2, -0.5], [1.2, 0.5], [0.5, 0.5], [0.5, 1.2], [-0.5, 1.2], [-0.5, 0.5],
    [-1.2, 0.5], [-1.2, -0.5], [-0.5, -0.5]].map(([x, y]) => [x * r, y * r]),
};

function markerOf({ color, marker }, x, y, { open = false, small = false, hint = "" } = {}) {
  const r = small ? 2.5 : 4.5;
  const paint = open ? `class="open" stroke="${color}"` : `class="mark" fill="${color}"`;
  const title = hint ? `<title>${escaped(hint)}</title>` : "";
  if (!MARKERS[marker]) return `<circle cx="${px(x)}" cy="${px(y)}" r="${r}" ${paint}>${title}</circle>`;
  const corners = MARKERS[marker](r).map(([dx, dy]) => `${px(x + dx)},${px(y + dy)}`);
  return `<polygon points="${corners.join(" ")}" ${paint}>${title}</polygon>`;
}

// Axes.

function linearTicks(low, high) {
  const rough = (high - low) / 6 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const ticks = [];
  for (let at = Math.ceil(low / step); at * step <= high; ++at) ticks.push(Number((at * step).toPrecision(12)));
  return ticks;
}

/// Powers of ten; 2 and 5 between them where the axis has few.
function logTicks(low, high) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power) {
    for (const factor of Math.log10(high / low) < 2.5 ? [1, 2, 5] : [1]) {
      const tick = Number((factor * 10 ** power).toPrecision(3));
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return ticks;
}

/// Thousands with commas, as claims.py has them.
const tickText = (value) => (value >= 1e-3 && value < 1e9 ? String(value).replace(/\B(?=(\d{3})+$)/g, value % 1 ? "" : ",")
  : value ? value.toExponential(0).replace("e+", "e") : "0");

/// From the values to pixels between `from` and `to`, with a little room at both ends.
function scaleOf(axis, values, from, to) {
  let [low, high] = [Math.min(...values), Math.max(...values)];
  if (axis.log) {
    if (high / low < 4) [low, high] = [low / 2, high * 2];
    [low, high] = [low / 1.15, high * 1.3];
    const at = (value) => from + ((to - from) * Math.log(value / low)) / Math.log(high / low);
    return { at, ticks: axis.ticks || logTicks(low, high) };
  }
  if (low === high) [low, high] = [low - 1, high + 1];
  const room = (high - low) * 0.04;
  [low, high] = [low - room, high + room];
  return { at: (value) => from + ((to - from) * (value - low)) / (high - low), ticks: axis.ticks || linearTicks(low, high) };
}

// Names beside points.

const overlaps = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

const textBox = (text) => ({ w: text.length * 6.1, h: 12 });

/// Of places, left and top, the first where a text covers nothing that is drawn; undefined where none is.
function placeFor(text, places, frame, taken) {
  const { w, h } = textBox(text);
  return places.map(([x, y]) => ({ x, y, w, h })).find((box) => box.x >= frame.left && box.x + w <= frame.right && box.y >= frame.top &&
    box.y + h <= frame.bottom && !taken.some((other) => overlaps(box, other)));
}

/// Around a point at (x, y), near ones first.
function placesAround(text, x, y) {
  const { w, h } = textBox(text);
  return [0, 7].flatMap((away) => [[x + 8 + away, y - h / 2], [x - w - 8 - away, y - h / 2], [x - w / 2, y - h - 6 - away],
    [x - w / 2, y + 6 + away], [x + 6, y - h - 3 - away], [x - w - 6, y - h - 3 - away], [x + 6, y + 3 + away], [x - w - 6, y + 3 + away]]);
}

/// Right of a curve's end at (x, y), above or below where ends are close.
const placesBehind = (x, y) => [0, -7, 7, -13, 13, -20, 20, -26, 26, -39, 39].map((dy) => [x + 9, y - 6 + dy]);

/// Boxes along a line.
function boxesAlong([x1, y1], [x2, y2]) {
  const steps = Math.max(Math.ceil(Math.hypot(x2 - x1, y2 - y1) / 6), 1);
  return Array.from({ length: steps + 1 }, (_, i) => ({ x: x1 + ((x2 - x1) * i) / steps - 2, y: y1 + ((y2 - y1) * i) / steps - 2, w: 4, h: 4 }));
}

// Plots.

const SIZE = { width: 600, height: 400 };
const FRAME = { left: 62, right: 594, top: 10, bottom: 352 };
const NAMES = 132;  // pixels right of curves, for their names

const svgOf = ({ title }, height, parts) =>
  `<svg viewBox="0 0 ${SIZE.width} ${height}" role="img" aria-label="${escaped(title)}">${parts.join("")}</svg>`;

function svgOfPlot(panel, palette, names) {
  const points = panel.series.flatMap((one) => one.points.map((point) => [point.x, point.y]));
  const every = [...points, ...panel.lines.flatMap((line) => line.points)];
  const curves = panel.series.some((one) => one.line) && (!panel.x.log || panel.x.ticks);  // else rungs
  const right = FRAME.right - (curves ? NAMES : 0);
  const x = scaleOf(panel.x, every.map((point) => point[0]), FRAME.left, right);
  const ends = ({ y: value, error }) => (error && error < value ? [value - error, value + error] : []);
  const bars = panel.series.flatMap((one) => one.points.flatMap(ends));
  const y = scaleOf(panel.y, [...every.map((point) => point[1]), ...bars], FRAME.bottom, FRAME.top);
  const parts = [];
  const line = (name, x1, y1, x2, y2) =>
    parts.push(`<line class="${name}" x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}"/>`);
  const text = (name, left, top, words, more = "") =>
    parts.push(`<text class="${name}" x="${px(left)}" y="${px(top)}" ${more}>${escaped(words)}</text>`);

  for (const tick of x.ticks) {
    line("grid", x.at(tick), FRAME.top, x.at(tick), FRAME.bottom);
    text("tick middle", x.at(tick), FRAME.bottom + 16, tickText(tick));
  }
  for (const tick of y.ticks) {
    line("grid", FRAME.left, y.at(tick), right, y.at(tick));
    text("tick end", FRAME.left - 6, y.at(tick) + 4, tickText(tick));
  }
  line("axis", FRAME.left, FRAME.bottom, right, FRAME.bottom);
  line("axis", FRAME.left, FRAME.top, FRAME.left, FRAME.bottom);
  text("name middle", (FRAME.left + right) / 2, SIZE.height - 10, panel.x.label);
  const middle = px((FRAME.top + FRAME.bottom) / 2);
  text("name middle", 14, middle, panel.y.label, `transform="rotate(-90 14 ${middle})"`);

  const at = (point) => [x.at(point.x), y.at(point.y)];
  const taken = points.map(([a, b]) => ({ x: x.at(a) - 4, y: y.at(b) - 4, w: 8, h: 8 }));
  for (const { points: curve } of panel.series.filter((one) => one.line)) {
    for (let i = 1; i < curve.length; ++i) taken.push(...boxesAlong(at(curve[i - 1]), at(curve[i])));
  }
  const named = (name, words, place) => {
    if (!place) return;  // the legend and the pointer tell it
    taken.push(place);
    text(name, place.x, place.y + 10, words);
  };
  const pixel = ([a, b]) => [x.at(a), y.at(b)];
  const roofs = panel.lines.map((one) => ({ ...one, from: pixel(one.points[0]), to: pixel(one.points[1]) }));
  for (const { from, to, faint } of roofs) {
    line(faint ? "roof faint" : "roof", ...from, ...to);
    taken.push(...boxesAlong(from, to));
  }
  for (const { from: [x1, y1], to: [x2, y2], label, faint } of roofs.filter((one) => one.label)) {
    const places = (faint ? [0.95, 0.85, 0.75, 0.65, 0.5] : [0.5, 0.7, 0.3, 0.9, 0.1])
      .flatMap((part) => placesAround(label, x1 + (x2 - x1) * part, y1 + (y2 - y1) * part));
    named("roof-name", label, placeFor(label, places, FRAME, taken));
  }

  for (const one of panel.series) {
    const style = styleOf(palette, names, one.name);
    parts.push(`<g class="series" data-name="${escaped(one.name)}">`);
    if (one.line && one.points.length > 1) {
      const path = one.points.map((point) => at(point).map(px).join(",")).join(" ");
      parts.push(`<polyline class="curve${one.dash ? " dash" : ""}" stroke="${style.color}" points="${path}"/>`);
    }
    for (const point of one.points) {
      const [cx, cy] = at(point);
      const [low, high] = ends(point).map((value) => px(y.at(value)));
      if (known(low)) parts.push(`<line stroke="${style.color}" x1="${px(cx)}" x2="${px(cx)}" y1="${low}" y2="${high}"/>`);
      parts.push(markerOf(style, cx, cy, point));
    }
    parts.push("</g>");
  }
  // A curve's name stands behind its end, a rung's beside its first point.
  for (const [name, [{ points: own }]] of groups(panel.series.filter((one) => one.line), (one) => one.name)) {
    const places = curves ? placesBehind(...at(own[own.length - 1])) : placesAround(name, ...at(own[0]));
    named("point-name", name, placeFor(name, places, FRAME, taken));
  }
  return svgOf(panel, SIZE.height, parts);
}

// Bars of shares.

const BARS = { left: 84, width: 420, height: 22 };

function svgOfBars(panel, palette, stages) {
  const parts = [];
  panel.bars.forEach((bar, at) => {
    const top = 4 + at * BARS.height;
    const label = bar.label.length > 12 ? `${bar.label.slice(0, 11)}…` : bar.label;
    parts.push(`<text class="tick end" x="${BARS.left - 6}" y="${top + 13}">${escaped(label)}<title>${escaped(bar.label)}</title></text>`);
    let left = BARS.left;
    for (const { name, value } of bar.parts) {
      const share = bar.total ? value / bar.total : 0;
      const width = share * BARS.width;
      const color = stageColor(palette, stages, name);
      const words = `${name}\n${milliseconds(value)} ms, ${(100 * share).toFixed(1)} %`;
      const place = `x="${px(left)}" y="${top}" width="${px(width)}" height="${BARS.height - 4}"`;
      parts.push(`<g class="series" data-name="${escaped(name)}">`,
        `<rect class="part" ${place} fill="${color}"><title>${escaped(words)}</title></rect>`);
      if (share >= 0.06) {
        const middle = px(left + width / 2);
        parts.push(`<text class="middle" style="fill: ${inkOn(color)}" x="${middle}" y="${top + 13}">${(100 * share).toFixed(0)}</text>`);
      }
      parts.push("</g>");
      left += width;
    }
    parts.push(`<text class="tick" x="${BARS.left + BARS.width + 6}" y="${top + 13}">${milliseconds(bar.total)} ms</text>`);
  });
  const height = 8 + panel.bars.length * BARS.height;
  return svgOf(panel, height, parts);
}
