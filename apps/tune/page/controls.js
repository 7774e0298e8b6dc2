// A control for an option, as the server describes it: a slider with its number, a choice, a switch.

let counter = 0;

export function make(tag, properties = {}, ...children) {
  const { dataset, aria, ...others } = properties;
  const element = Object.assign(document.createElement(tag), others);
  Object.assign(element.dataset, dataset ?? {});
  for (const [name, value] of Object.entries(aria ?? {})) element.setAttribute(name === "role" ? name : `aria-${name}`, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function title(name) {
  const words = name.replaceAll("_", " ");
  return words[0].toUpperCase() + words.slice(1);
}

/// As short as keeps it to a part in ten thousand.
export function short(number) {
  return String(Number(Number(number).toPrecision(5)));
}

// Where a limit is open, or so far away that a slider would be of no use: a reach that is.
function reach(spec, hint) {
  const low = spec.own !== undefined ? 0 : spec.low ?? 0, usual = Number(spec.value) || 0;
  const far = spec.high === undefined || spec.high > 1000 || spec.odd;
  return [low, hint ?? (far ? Math.max(spec.odd ? 31 : 10, 8 * usual) : spec.high)];
}

// Odd numbers, and 0 where it is the library's choice, one step of a slider each.
const odds = (spec) => spec.own !== undefined
  ? { of: (n) => (n <= 0 ? 0 : (n + 1) / 2), at: (i) => (i <= 0 ? 0 : 2 * i - 1) }
  : { of: (n) => (n - 1) / 2, at: (i) => 2 * i + 1 };

/// A labelled box: head, then what `fill` puts in. `words` explain it.
export function box(kind, name, text, words, usual = "") {
  const id = `${name}-${++counter}`;
  const help = make("span", { id: `${id}-help`, className: "unseen", textContent: words });
  const label = make("label", { htmlFor: id }, make("span", { textContent: text }),
                     make("span", { className: "usual", textContent: usual }));
  const element = make("div", { className: `control ${kind}`, dataset: { name, help: words } }, label, help);
  element.inForce = (used) => { element.querySelector(".usual").textContent = used ? `in force: ${used}` : usual; };
  return { element, label, id, describedby: help.id };
}

/// A function that puts a value into a box of numbers, but leaves alone what is being typed there until it is sent; whether
/// it did. Results come at any moment.
export function putInto(number) {
  let known = number.value;
  number.addEventListener("change", () => { known = number.value; });
  return (value) => {
    if (document.activeElement === number && number.value !== known) return false;
    number.value = value;
    known = number.value;
    return true;
  };
}

/// `change(text, moves)`: a new value as it is typed, and whether the control still moves. The box gets
/// `set(text)`.
export function slider(name, text, spec, change, hint) {
  const { element, id, describedby } = box("slider", name, text, `${spec.words}${spec.forms ? "; " + spec.forms : ""}`,
                                           spec.usual ? `default ${spec.usual}` : "");
  const [low, high] = reach(spec, hint), odd = spec.odd ? odds(spec) : { of: Number, at: Number };
  const whole = spec.kind === "whole", span = high - low;
  const step = spec.step ?? (whole ? 1 : span <= 2 ? 0.01 : span <= 12 ? 0.1 : span <= 120 ? 0.5 : 1);
  const range = make("input", { type: "range", min: odd.of(low), max: odd.of(high), step: spec.odd ? 1 : step, id,
                                aria: { describedby } });
  const number = make("input", { type: "number", step: whole ? (spec.odd ? 1 : 1) : "any", min: low,
                                 aria: { label: `${text}, as a number`, describedby } });
  if (spec.high !== undefined) number.max = spec.high;
  const put = putInto(number), found = spec.value === "auto";  // an empty box: found from the picture
  const say = (value) => {
    if (!put(value === "auto" ? "" : value)) return false;
    range.value = odd.of(Number(value) || 0);
    range.setAttribute("aria-valuetext", value === "auto" || (Number(value) === 0 && spec.own !== undefined && !found) ? `chosen: ${spec.own}` : value);
    return true;
  };
  const slid = (moves) => {
    const value = short(odd.at(Number(range.value)));
    say(value);
    change(value, moves);
  };
  range.addEventListener("input", () => slid(true));
  range.addEventListener("change", () => slid(false));
  number.addEventListener("change", () => {
    const good = (found || number.value !== "") && number.checkValidity();
    number.setAttribute("aria-invalid", String(!good));
    if (!good) return;
    const value = number.value === "" ? "auto" : number.value;
    say(value);
    change(value, false);
  });
  if (found) number.placeholder = "auto";
  element.append(range, number);
  element.set = (value) => { if (say(value)) number.setAttribute("aria-invalid", "false"); };
  element.usually = (value) => { element.querySelector(".usual").textContent = `default ${value}`; };
  element.reach = (most) => { range.max = odd.of(most); };
  return element;
}

/// One of `choices`: in a row for at most `most` choices, otherwise in a list that opens.
export function choice(name, text, spec, choices, change, most = 4) {
  const words = `${spec.words}${spec.forms ? "; " + spec.forms : ""}`;
  const { element, label, id, describedby } = box("choice", name, text, words, "");
  if (choices.length > most) {
    const select = make("select", { id, aria: { describedby } },
                        ...choices.map((one) => make("option", { value: one, textContent: one })));
    select.addEventListener("change", () => change(select.value, false));
    element.append(select);
    element.set = (value) => { select.value = value; };
    return element;
  }
  label.removeAttribute("for");
  label.id = `${id}-label`;
  const radios = choices.map((one) => make("input", { type: "radio", name: id, value: one }));
  radios.forEach((radio) => radio.addEventListener("change", () => change(radio.value, false)));
  element.append(make("div", { className: "segments", aria: { role: "radiogroup", labelledby: label.id, describedby } },
                      ...radios.map((radio) => make("label", {}, radio, radio.value))));
  element.set = (value) => { for (const radio of radios) radio.checked = radio.value === value; };
  return element;
}

export function toggle(name, text, spec, change) {
  const { element, label, id, describedby } = box("toggle", name, text, spec.words, "");
  const input = make("input", { type: "checkbox", id, aria: { describedby } });
  input.addEventListener("change", () => change(input.checked, false));
  label.prepend(input);
  element.set = (value) => { input.checked = value === true || value === "true"; };
  return element;
}

// Two parts of one text, "disk:9": a choice, and a number that some of them have.
function parts(name, text, spec, { choices, numbered, join, split, low, high, odd }, change) {
  const element = choice(name, text, spec, choices, (kind) => send(kind, false));
  const select = element.querySelector("select");
  const range = make("input", { type: "range", min: low, max: high, step: odd ? 2 : 1, aria: { label: `${text}: size` } });
  const number = make("input", { type: "number", min: low, max: 255, step: odd ? 2 : 1, aria: { label: `${text}: size, as a number` } });
  const send = (kind, moves) => {
    const has = numbered.includes(kind);
    range.disabled = number.disabled = !has;
    change(has ? join(kind, number.value) : kind, moves);
  };
  range.addEventListener("input", () => { number.value = range.value; send(select.value, true); });
  range.addEventListener("change", () => send(select.value, false));
  number.addEventListener("change", () => { range.value = number.value; send(select.value, false); });
  element.append(range, number);
  element.set = (value) => {
    const [kind, size] = split(value);
    select.value = kind;
    number.value = range.value = size;
    range.disabled = number.disabled = !numbered.includes(kind);
  };
  return element;
}

function border(name, text, spec, change) {
  return parts(name, text, spec, {
    choices: ["replicate", "symmetric", "reflect101", "wrap", "ignore", "constant"], numbered: ["constant"], low: 0, high: 255,
    join: (kind, value) => `${kind}:${value || 0}`,
    split: (value) => { const [kind, number] = value.split(":"); return [kind, number ?? 0]; },
  }, change);
}

function element(name, text, spec, change) {
  return parts(name, text, spec, {
    choices: ["none", "disk", "ellipse", "rect", "cross"], numbered: ["disk", "ellipse", "rect", "cross"], low: 1, high: 31, odd: true,
    join: (kind, value) => (kind === "rect" ? `rect:${value}x${value}` : `${kind}:${value}`),
    split: (value) => { const [kind, number] = value.split(":"); return [kind, parseInt(number ?? "5", 10)]; },
  }, change);
}

function difference(name, text, spec, change) {
  const whole = slider(name, text, { ...spec, low: 0, forms: "" }, (value, moves) => send(value, moves), 100);
  const set = whole.set, automatic = make("input", { type: "checkbox" });
  let last = "16";
  const send = (value, moves) => { last = value; change(automatic.checked ? `auto:${value}` : value, moves); };
  automatic.addEventListener("change", () => send(last, false));
  whole.append(make("label", { className: "switch" }, automatic, "Otsu's of each frame, never below it"));
  whole.set = (value) => {
    automatic.checked = value.startsWith("auto");
    last = automatic.checked ? value.split(":")[1] ?? "25" : value;
    set(last);
  };
  return whole;
}

function typed(name, text, spec, change) {
  const { element, id, describedby } = box("text", name, text, `${spec.words}; ${spec.forms ?? ""}`, spec.usual ? `default ${spec.usual}` : "");
  const input = make("input", { type: "text", id, aria: { describedby } });
  input.addEventListener("change", () => change(input.value, false));
  element.append(input);
  element.set = (value) => { input.value = value; };
  return element;
}

/// The control for a described option of one owner.
export function control(name, spec, change, hint) {
  const text = title(name);
  const made = spec.choices ? choice(name, text, spec, spec.choices, change)
    : spec.kind === "toggle" ? toggle(name, text, spec, change)
    : spec.kind === "border" ? border(name, text, spec, change)
    : spec.kind === "element" ? element(name, text, spec, change)
    : spec.kind === "difference" ? difference(name, text, spec, change)
    : spec.kind === "text" ? typed(name, text, spec, change)
    : slider(name, text, spec, change, hint);
  made.set(spec.value);
  return made;
}
