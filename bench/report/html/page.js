"use strict";
// The page: what data.js and svg.js make of the result, put into the document.

function start() {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const result = read("result");
  const palette = read("palette");
  const main = document.getElementById("report");
  for (const part of [heading(result), ...chapters(result, palette), ...tables(result)]) if (part) main.append(part);
  document.title = `cuesta bench: ${placeOf(result)}, ${result.date}`;
  openNamed();
  addEventListener("hashchange", openNamed);
}

const placeOf = (result) => (result.gpu ? result.gpu.name : `${result.machine.cpu}, no GPU`);

/// An element with attributes (functions listen to events) and children; texts are texts, never markup.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (known(value) && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// What ran where.

function heading(result) {
  const { machine, gpu } = result;
  const facts = [
    ["GPU", gpu ? `${gpu.name}, driver ${gpu.driver}, CUDA ${gpu.runtime}, compute capability ${gpu.compute_capability}`
      : `none: ${result.why_no_gpu || "not told"}`],
    gpu && ["Ceilings", `${ceilingsText(gpu.ceilings)}; measured in this run`],
    ["CPU", `${machine.cpu}, ${machine.threads} threads, ${machine.simd}`],
    ["Peers", (machine.peers || []).join(", ") || "none found"],
    ["Built", `commit ${result.commit}, ${machine.compiler}; ${(result.libraries || []).join(", ")}`],
    ["System", machine.system],
    ["Date", result.date],
  ].filter(known);
  const differences = result.differences || [];
  const verdict = !differences.length
    ? make("p", { class: "equal" }, "Every strategy was verified before it was timed, and held against the reference on the very input " +
        "it was timed on: equal bytes, or floats within the bound that cuesta list tells.")
    : make("div", { class: "different" }, make("p", {}, "Not equal to the reference, so not timed:"),
        make("ul", {}, ...differences.map((text) => make("li", {}, text))));
  return make("header", {}, make("h1", {}, `cuesta bench: ${placeOf(result)}`),
    make("dl", {}, ...facts.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)])), verdict, contents(result));
}

function contents(result) {
  const names = [...CHAPTERS.filter(([, , views]) => views(result).length).map(([id, title]) => [id, title]),
    ...experimentsOf(result).map((name) => [idOf(name), name])];
  return make("nav", { "aria-label": "contents" }, ...names.map(([id, title]) => make("a", { href: `#${id}` }, title)));
}

const experimentsOf = (result) => [...new Set(result.rows.map((row) => row.experiment))];
const idOf = (experiment) => `rows-${experiment.replace(/\W+/g, "-")}`;

// Charts.

const CHAPTERS = [
  ["roofline", "Roofline: each rung at its own intensity", rooflineViews],
  ["theory", "Theory beside measured, by filter size", theoryViews],
  ["density", "Labelling by density and granularity", densityViews],
  ["stages", "Shares of the stages, by size", stageViews],
  ["model", "Predicted beside measured", modelViews],
];

function chapters(result, palette) {
  return CHAPTERS.map(([id, title, viewsOf]) => {
    const views = viewsOf(result);
    if (!views.length) return null;
    const place = make("div", {});
    const show = (view) => place.replaceChildren(...chartsOf(view, palette));
    const choice = views.length < 2 ? null : make("label", {}, "of ", make("select",
      { change: (event) => show(views[event.target.selectedIndex]) }, ...views.map((view) => make("option", {}, view.label))));
    show(views[0]);
    return make("section", { id }, make("h2", {}, title), choice, place);
  });
}

function chartsOf(view, palette) {
  const bars = view.panels.some((panel) => panel.bars);
  const shown = bars ? stageNames(view.panels) : [...new Set(view.panels.flatMap((panel) => panel.series.map((one) => one.name)))];
  const panels = make("div", { class: "panels" }, ...view.panels.map((panel) => {
    const drawing = make("figure", {}, make("figcaption", {}, panel.title));
    drawing.insertAdjacentHTML("beforeend", bars ? svgOfBars(panel, palette, shown) : svgOfPlot(panel, palette, shown));
    return drawing;
  }));
  const legend = make("ul", { class: "legend" }, ...shown.map((name) => {
    const item = make("li", { tabindex: 0 });
    const mark = bars ? `<rect width="12" height="12" fill="${stageColor(palette, shown, name)}"/>`
      : markerOf(styleOf(palette, shown, name), 6, 6);
    item.insertAdjacentHTML("beforeend", `<svg viewBox="0 0 12 12" aria-hidden="true">${mark}</svg>`);
    item.append(name);
    const only = (on) => () => panels.querySelectorAll(".series")
      .forEach((one) => one.classList.toggle("dim", on && one.dataset.name !== name));
    for (const event of ["pointerenter", "focus"]) item.addEventListener(event, only(true));
    for (const event of ["pointerleave", "blur"]) item.addEventListener(event, only(false));
    return item;
  }));
  return [panels, legend, view.note ? make("p", { class: "note" }, view.note) : null].filter(known);
}

// Tables.

const headOf = (name) => name.replace(/_/g, " ");

/// A part of the page for each experiment; its rows are laid out when it is opened.
function tables(result) {
  return experimentsOf(result).map((name) => {
    const content = make("div", {});
    const count = result.rows.filter((row) => row.experiment === name).length;
    let laidOut = false;
    const lay = (event) => {
      if (!event.target.open || laidOut) return;
      laidOut = true;
      content.replaceChildren(...sortable(tableOf(result, name), name), ...notesOf(result, name));
    };
    return make("section", { id: idOf(name) }, make("details", { toggle: lay },
      make("summary", {}, make("h2", {}, name), ` ${count} rows`), content));
  });
}

/// Of an experiment that the address names, the rows.
function openNamed() {
  const section = document.getElementById(location.hash.slice(1));
  const details = section && section.querySelector("details");
  if (details) details.open = true;
  if (section) section.scrollIntoView();
}

function sortable({ columns, rows }, name) {
  let [column, descending, words] = [null, false, ""];
  const status = make("span", { role: "status" });
  const body = make("tbody");
  const heads = columns.map((one) => make("th", { scope: "col" }, make("button", { type: "button", click: () => {
    [descending, column] = [column === one && !descending, one];
    show();
  } }, headOf(one))));
  const show = () => {
    const kept = filtered(rows, words);
    const lines = column === null ? kept : sortedBy(kept, column, descending);
    heads.forEach((head, at) => {
      if (columns[at] === column) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    body.replaceChildren(...lines.map((row) => make("tr", {}, ...columns.map((one) =>
      make("td", { class: typeof row[one] === "number" ? "number" : null }, figure(row[one]))))));
    status.textContent = `${lines.length} of ${rows.length} rows`;
  };
  show();
  const filter = make("input", { type: "search", placeholder: "words, !without", "aria-label": `filter the rows of ${name}`,
    input: (event) => { words = event.target.value; show(); } });
  return [make("p", { class: "filter" }, filter, status),
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `rows of ${name}` },
      make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body))];
}

function notesOf(result, name) {
  const own = (result.notes || []).filter((note) => note.startsWith(`${name}:`)).map((note) => note.slice(name.length + 1).trim());
  if (!own.length) return [];
  return [make("details", { class: "notes" }, make("summary", {}, `${own.length} notes`),
    make("ul", {}, ...own.map((note) => make("li", {}, note))))];
}

if (typeof document !== "undefined") start();
