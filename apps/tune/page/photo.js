// Edges of a picture: while a control moves, of a smaller one; then exactly.
import { choice, control, make, toggle } from "./controls.js";
import { Copies } from "./copies.js";
import { canvasOf } from "./pixels.js";
import { Thresholds } from "./thresholds.js";
import { getPicture, isIdle, latest } from "./transport.js";
import { View } from "./view.js";

const white = 0xffffffff, amber = 0xff2ac3ff;
// How far a slider goes.
const hints = { sigma: 8, line_tolerance: 3, min_length: 100 };
const comfortable = 2_500_000;  // pixels whose result is ready within a frame
const frameTime = 14;           // milliseconds, of the 16 of a frame

// The paths of an SVG file of lines.
function pathOf(svg) {
  return new Path2D([...svg.matchAll(/<path d="([^"]*)"/g)].map(([, d]) => d).join(""));
}

export class Photo {
  constructor(about, say) {
    this.about = about;
    this.say = say;
    this.values = {};
    this.method = about.controls.method.value;
    this.stage = "edges";
    this.paces = new Map();  // milliseconds a pixel, of each kind()
    this.shown = null;      // the last picture of the server: {about, bytes}
    this.view = new View(about.levels[0]);
    this.copies = new Copies();
    const failed = (problem) => this.#busy(false, problem);
    const exactly = (path) => latest(path, (answer, asked) => this.#arrived(answer, asked), failed, (asked) => this.#isWanted(asked));
    this.requests = { result: [exactly("result"), exactly("result")], stage: [exactly("stage"), exactly("stage")] };
    this.copiesOf = latest("copies", (all, asked) => {
      this.copies.set(all);
      this.copiedFor = JSON.stringify(asked.values);
    }, failed);
    this.histogramOf = latest("histogram", (strengths, asked) => {
      if (asked.values.method === this.#values().method) this.thresholds.setHistogram(strengths);
    }, failed);
    document.getElementById("reset").addEventListener("click", () => this.reset());
    const overlay = document.getElementById("overlay");
    overlay.addEventListener("change", () => { this.view.overlay = overlay.checked; this.#put(); });
    this.#build();
    this.#load();
  }

  reset() {
    this.values = {};
    this.#build();
    this.changed(false);
  }

  async #load() {
    const levels = this.about.levels.length - 1;
    this.changed(false);
    // The small one at once, then the whole one.
    for (const level of new Set([levels, 0]))
      this.view.show({ source: canvasOf(await getPicture(`source?of=${level}`)) });
  }

  #build() {
    const area = document.getElementById("options"), { controls } = this.about;
    area.replaceChildren();
    const method = choice("method", "Method", controls.method, controls.method.choices, (name) => {
      this.method = name;
      this.values = {};
      this.#build();
      document.querySelector(`[data-name="method"] [value="${name}"]`)?.focus();
      this.changed(false);
    }, 5);
    method.set(this.method);
    this.thresholds = new Thresholds(controls, this.method, (_, moves) => this.changed(moves));
    area.append(method);
    area.append(this.thresholds.element);
    this.byMode = [];  // controls whose defaults follow from the mode
    for (const { name, by } of controls.options) {
      const spec = by[this.method];
      if (!spec || (name === "color" && this.about.channels < 3)) continue;
      if (name === "mode") this.usualMode = spec.value;
      const made = control(name, spec, (text, moves) => this.#set(name, text, this.#usual(spec), moves), hints[name]);
      if (spec.by_mode) this.byMode.push([name, spec, made]);
      area.append(made);
    }
    if (["canny", "log"].includes(this.method)) area.append(this.#lines(controls));
    this.#stages();
  }

  // What a control is before it is touched.
  #usual(spec) { return spec.by_mode?.[this.values.mode ?? this.usualMode] ?? spec.value; }

  #set(name, text, usual, moves) {
    if (text === usual || text === false) delete this.values[name]; else this.values[name] = text;
    document.querySelector(`#options > [data-name="${name}"], #lines [data-name="${name}"]`).classList.toggle("changed", name in this.values);
    if (name === "mode") {
      for (const [other, spec, made] of this.byMode) {
        made.usually(this.#usual(spec));
        if (!(other in this.values)) made.set(this.#usual(spec));
      }
      this.thresholds.inMode(this.values.mode ?? this.usualMode);
    }
    this.changed(moves);
  }

  // A switch, and what there is to choose once it is on.
  #lines(controls) {
    const more = make("div", { hidden: true }, ...controls.tracing.map(({ name, by: { "": spec } }) =>
      control(name, spec, (text, moves) => this.#set(name, text, spec.value, moves), hints[name])));
    return make("fieldset", { id: "lines" }, make("legend", { className: "unseen", textContent: "Lines" }),
                toggle("lines", "Also as lines", controls.lines, (is) => { more.hidden = !is; this.#set("lines", is, false, false); }), more);
  }

  #stages() {
    const stages = [...(this.about.stages[this.method] ?? []), { name: "edges", words: "the result" }];
    if (!stages.some((one) => one.name === this.stage)) this.stage = "edges";
    const field = document.getElementById("stages");
    field.replaceChildren(field.querySelector("legend"), ...stages.map(({ name, words }) => {
      const radio = make("input", { type: "radio", name: "stage", value: name, checked: name === this.stage });
      radio.addEventListener("change", () => { this.stage = name; this.changed(false); });
      return make("label", { title: words }, radio, name);
    }));
  }

  #values() {
    const values = { ...this.values, ...this.thresholds.values() };
    if (!values.lines) for (const { name } of this.about.controls.tracing) delete values[name];
    if (this.method !== this.about.controls.method.value) values.method = this.method;
    return values;
  }

  // What takes about equally long.
  #kind() { return [this.method, this.values.color, this.values.lines].join(); }

  // The level that answers a control while it moves: no more pixels than the view shows, and no more
  // than this machine, as measured, computes within a frame.
  #quickLevel() {
    const { levels } = this.about, seen = this.view.shownWidth, pace = this.paces.get(this.#kind());
    const most = pace ? Math.min(comfortable, frameTime / pace) : comfortable;
    let level = 0;
    while (level + 1 < levels.length &&
           (levels[level].width * levels[level].height > most || levels[level + 1].width >= seen)) ++level;
    return level;
  }

  changed(moves) {
    const values = this.#values(), kind = this.stage === "edges" ? "result" : "stage";
    const [exact, quick] = this.requests[kind];
    const level = moves ? this.#quickLevel() : 0;
    clearTimeout(this.later);
    this.#busy(true);
    (level > 0 ? quick : exact)({ values, level, stage: this.stage });
    if (moves && level > 0) { this.later = setTimeout(() => this.changed(false), 200); return; }
    this.copiesOf({ values });
    const { low, high, threshold, lines, ...others } = values;
    for (const { name } of this.about.controls.tracing) delete others[name];
    const of = JSON.stringify(others);
    if (of !== this.histogramFor) { this.histogramFor = of; this.histogramOf({ values: others }); }
  }

  #isWanted(asked) {
    return asked.level === 0 && asked.stage === this.stage && JSON.stringify(asked.values) === JSON.stringify(this.#values());
  }

  #arrived(answer, asked) {
    const now = JSON.stringify(this.#values()), of = JSON.stringify(asked.values);
    if (asked.level === 0 && !this.#isWanted(asked)) return;
    if (asked.level > 0 && this.shown?.about.level === 0 && this.shownFor === now) return;  // the exact one is there
    const { about } = answer;
    if (about.level > 0) {
      const kind = this.#kind(), pace = about.ms / (about.width * about.height);
      this.paces.set(kind, 0.7 * (this.paces.get(kind) ?? pace) + 0.3 * pace);
    }
    if (about.lines_at !== undefined) {
      answer.lines = new TextDecoder().decode(answer.bytes.subarray(about.lines_at));
      answer.bytes = answer.bytes.subarray(0, about.lines_at);
    }
    this.shown = answer;
    this.shownFor = of;
    this.shownStage = asked.stage;
    this.#put();
    this.thresholds.used(about);
    this.say({ answer, exact: about.level === 0, stage: this.stage });
    if (about.level === 0) this.#busy(false);
  }

  #put() {
    if (!this.shown) return;
    const color = this.view.overlay ? amber : white;
    // Two canvases in turn, for pictures on release and while something moves.
    const key = this.shown.about.level === 0 ? "whole" : "small";
    this.canvases = this.canvases ?? {};
    this.canvases[key] = canvasOf(this.shown, color, this.canvases[key]);
    const { about, lines } = this.shown;
    this.view.show({ result: this.canvases[key], lines: lines === undefined ? null : { path: pathOf(lines), width: about.width } });
    document.getElementById("right-tag").textContent = lines === undefined ? this.stage : `${this.stage} and lines`;
  }

  /// Whether the picture shown and the texts to copy are exactly those of the controls, and nothing is still to come.
  isSettled() {
    const now = JSON.stringify(this.#values());
    return this.shown?.about.level === 0 && this.shownFor === now && this.shownStage === this.stage &&
      this.copiedFor === now && isIdle();
  }

  #busy(is, problem) {
    document.getElementById("stage-area").setAttribute("aria-busy", String(is));
    const text = document.getElementById("problem");
    text.hidden = !problem;
    if (problem) text.textContent = problem.message;
  }
}
