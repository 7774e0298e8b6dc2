// Edges of a picture: while a control moves, of a smaller one; then exactly.
import { choice, control, make } from "./controls.js";
import { Copies } from "./copies.js";
import { canvasOf } from "./pixels.js";
import { Thresholds } from "./thresholds.js";
import { getPicture, latest, post } from "./transport.js";
import { View } from "./view.js";

const white = 0xffffffff, amber = 0xff2ac3ff;
const comfortable = 2_500_000;  // pixels of which a result is there before a frame has passed

export class Photo {
  constructor(about, say) {
    this.about = about;
    this.say = say;
    this.values = {};
    this.method = about.controls.method.value;
    this.stage = "edges";
    this.shown = null;      // the last picture of the server: {about, bytes}
    this.view = new View(about.levels[0]);
    this.copies = new Copies();
    const failed = (problem) => this.#busy(false, problem);
    const exactly = (path) => latest(path, (answer, asked) => this.#arrived(answer, asked), failed);
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
    const method = choice("method", "Method", { words: controls.method.words }, controls.method.choices, (name) => {
      this.method = name;
      this.values = {};
      this.#build();
      document.querySelector(`[data-name="method"] [value="${name}"]`)?.focus();
      this.changed(false);
    });
    method.set(this.method);
    this.thresholds = new Thresholds(controls, this.method, (_, moves) => this.changed(moves));
    area.append(method, this.thresholds.element);
    for (const option of controls.options) {
      const spec = option.by[this.method];
      if (!spec) continue;
      const made = control(option.name, spec, (text, moves) => {
        if (text === spec.value || text === false) delete this.values[option.name]; else this.values[option.name] = text;
        made.classList.toggle("changed", option.name in this.values);
        this.changed(moves);
      }, option.name === "sigma" ? 8 : undefined);
      area.append(made);
    }
    this.#stages();
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
    if (this.method !== this.about.controls.method.value) values.method = this.method;
    return values;
  }

  // What a moving control is answered with: no more pixels than are seen, or are comfortable.
  #quickLevel() {
    const { levels } = this.about, seen = this.view.shownWidth;
    let level = 0;
    while (level + 1 < levels.length &&
           (levels[level].width * levels[level].height > comfortable || levels[level + 1].width >= seen)) ++level;
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
    const { low, high, threshold, ...others } = values, of = JSON.stringify(others);
    if (of !== this.histogramFor) { this.histogramFor = of; this.histogramOf({ values: others }); }
  }

  #arrived(answer, asked) {
    const now = JSON.stringify(this.#values()), of = JSON.stringify(asked.values);
    if ((now !== of || asked.stage !== this.stage) && asked.level === 0) return;
    if (asked.level > 0 && this.shown?.about.level === 0 && this.shownFor === now) return;  // the exact one is there
    this.shown = answer;
    this.shownFor = of;
    this.shownStage = asked.stage;
    const { about } = answer;
    this.#put();
    this.thresholds.used(about.level === 0 || about.low === undefined ? about : this.#scaled(about));
    this.say({ answer, exact: about.level === 0, stage: this.stage });
    if (about.level === 0) this.#busy(false);
  }

  // Thresholds of a smaller picture would be those of steeper slopes.
  #scaled(about) {
    const steeper = Number(this.values.sigma ?? 1.4) >= 0.8 ? 2 ** about.level : 1;
    return { low: about.low / steeper, high: about.high / steeper };
  }

  #put() {
    if (!this.shown) return;
    const color = this.view.overlay ? amber : white;
    // Two canvases in turn, for pictures on release and while something moves.
    const key = this.shown.about.level === 0 ? "whole" : "small";
    this.canvases = this.canvases ?? {};
    this.canvases[key] = canvasOf(this.shown, color, this.canvases[key]);
    this.view.show({ result: this.canvases[key] });
    document.getElementById("right-tag").textContent = this.stage;
  }

  /// Whether the picture shown and the texts to copy are exactly those of the controls.
  isSettled() {
    const now = JSON.stringify(this.#values());
    return this.shown?.about.level === 0 && this.shownFor === now && this.shownStage === this.stage &&
      this.copiedFor === now;
  }

  #busy(is, problem) {
    document.getElementById("stage-area").setAttribute("aria-busy", String(is));
    const text = document.getElementById("problem");
    text.hidden = !problem;
    if (problem) text.textContent = problem.message;
  }
}
