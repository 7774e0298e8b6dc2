// Edges' thresholds: how they are found, or given, on the histogram of what they are held against.
import { box, choice, make, putInto, short, slider } from "./controls.js";
import { Histogram } from "./histogram.js";

export class Thresholds {
  /// `change(values, moves)`: what of threshold, low and high is set; those that are not are absent.
  constructor(controls, method, change) {
    this.change = change;
    this.method = method;
    this.rule = "otsu";
    this.percent = "90";
    this.low = 0;
    this.high = 0;
    this.byMode = controls.threshold.by_mode;
    this.usual = method === "log" ? Number(this.byMode[controls.options.find((one) => one.name === "mode").by.log.value])
               : Number(controls.threshold[method] ?? 0);
    this.level = method === "sobel" ? null : this.usual;
    this.histogram = new Histogram((name, value, moves) => this.#marked(name, value, moves));
    this.element = make("div", { className: "group" });
    const words = controls.threshold.words;
    if (method === "canny") {
      this.rules = choice("threshold", "Thresholds", { words }, [...controls.threshold.rules, "given"], (rule) => {
        this.rule = rule;
        this.#send(false);
      }, 5);
      this.percents = slider("percent", "Percent of all pixels below", { words: "for the rule percentile", kind: "number", low: 0, high: 100, value: "90" },
                             (text, moves) => { this.percent = text; this.#send(moves); });
      this.numbers = make("div", { className: "pair" });
      for (const name of ["low", "high"]) {
        const { element, id, describedby } = box("number", name, `${name[0].toUpperCase()}${name.slice(1)}`, controls[name].words);
        const number = make("input", { type: "number", id, min: 0, step: "any", aria: { describedby } });
        element.set = putInto(number);
        number.addEventListener("change", () => { if (number.value !== "" && number.checkValidity()) this.#marked(name, Number(number.value), false); });
        element.append(number);
        this[`${name}s`] = element;
        this.numbers.append(element);
      }
      this.rules.set(this.rule);
      this.percents.set(this.percent);
      this.element.append(this.rules, this.histogram.element, this.numbers, this.percents);
      this.histogram.have({ low: { label: "Low threshold", tag: "L" }, high: { label: "High threshold", tag: "H" } });
    } else {
      if (method === "sobel") {
        this.masks = choice("threshold", "Result", { words }, ["magnitudes", "mask"], (kind) => {
          this.level = kind === "mask" ? this.histogram.most / 4 : null;
          if (this.level !== null) this.level = Math.round(this.level);
          this.#send(false);
        });
        this.masks.set("magnitudes");
        this.element.append(this.masks);
      }
      const limits = method === "regions" ? { low: 0, high: 1 } : { low: 0 };
      this.levels = slider("level", "Threshold", { words, kind: "number", ...limits, value: String(this.usual), usual: this.usual ? String(this.usual) : "" },
                           (text, moves) => this.#marked("level", Number(text), moves), limits.high ?? 30);
      this.levels.set(String(this.level ?? 0));
      // That of boundaries is another at every pixel, that of regions is of whole contours.
      if (!["boundaries", "regions"].includes(method)) this.element.append(this.histogram.element);
      this.element.append(this.levels);
    }
    this.#arrange();
  }

  values() {
    if (this.method === "canny") {
      if (this.rule === "given") return { low: short(this.low), high: short(this.high) };
      if (this.rule === "otsu") return {};
      return { threshold: this.rule === "percentile" ? `auto:percentile:${this.percent}` : `auto:${this.rule}` };
    }
    if (this.level === null || (this.method !== "sobel" && this.level === this.usual)) return {};
    return { threshold: short(this.level) };
  }

  /// The mode of log has another default.
  inMode(mode) {
    const usual = Number(this.byMode[mode]), is = this.level === this.usual;
    this.usual = usual;
    this.levels.usually(String(usual));
    if (is) this.level = usual;
    this.#arrange();
  }

  setHistogram(strengths) {
    if (!strengths.bins.length) return;
    this.histogram.set(strengths);
    this.levels?.reach(strengths.most);
    this.#arrange();
  }

  /// What a result was made with.
  used({ low, high }) {
    if (this.method !== "canny" || this.rule === "given" || low === undefined) return;
    this.low = low;
    this.high = high;
    this.#arrange();
  }

  #marked(name, value, moves) {
    this[name] = value;
    if (this.method === "canny") {
      if (name === "low") this.high = Math.max(this.high, value);
      if (name === "high") this.low = Math.min(this.low, value);
      this.rule = "given";
      this.rules.set("given");
    }
    this.masks?.set("mask");
    this.#send(moves);
  }

  #send(moves) {
    this.#arrange();
    this.change(this.values(), moves);
  }

  #arrange() {
    if (this.method === "canny") {
      this.percents.hidden = this.rule !== "percentile";
      for (const name of ["low", "high"]) {
        this[`${name}s`].set(short(this[name]));
        this.histogram.place(name, this[name]);
      }
      for (const one of [this.lows, this.highs]) one.classList.toggle("off", this.rule !== "given");
    } else {
      this.levels.hidden = this.level === null;
      this.histogram.have(this.level === null ? {} : { level: { label: "Threshold", tag: "T" } });
      if (this.level !== null) { this.levels.set(short(this.level)); this.histogram.place("level", this.level); }
    }
  }
}
