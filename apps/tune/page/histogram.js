// How often each strength occurs, and thresholds on it that are dragged.
import { make, short } from "./controls.js";

export class Histogram {
  /// `moved(name, value, moves)`: a mark was moved.
  constructor(moved) {
    this.moved = moved;
    this.canvas = make("canvas", { aria: { hidden: "true" } });
    this.what = make("span", { className: "what" });
    this.element = make("div", { id: "plot" }, this.canvas, this.what);
    this.most = 1;
    this.bins = [];
    this.marks = new Map();
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  set({ bins, most, what }) {
    this.bins = bins;
    this.most = most;
    this.what.textContent = what;
    this.draw();
    for (const [name, mark] of this.marks) this.place(name, mark.value);
  }

  /// Marks by name: {low: {label, short}, ...}; others go.
  have(wanted) {
    for (const [name, mark] of this.marks) if (!wanted[name]) { mark.element.remove(); this.marks.delete(name); }
    for (const [name, { label, tag }] of Object.entries(wanted)) {
      if (this.marks.has(name)) continue;
      const element = make("div", { className: "mark", tabIndex: 0, dataset: { short: tag, mark: name },
                                    aria: { role: "slider", label, valuemin: 0, orientation: "horizontal" } });
      this.marks.set(name, { element, value: 0 });
      this.#listen(name, element);
      this.element.append(element);
    }
  }

  place(name, value) {
    const mark = this.marks.get(name);
    if (!mark) return;
    mark.value = value;
    mark.element.style.left = `${Math.min(1, value / this.most) * 100}%`;
    mark.element.setAttribute("aria-valuemax", short(this.most));
    mark.element.setAttribute("aria-valuenow", short(value));
  }

  get step() { return this.most > 60 ? 1 : 0.1; }

  #listen(name, element) {
    const rounded = (value) => Number((Math.round(Math.max(0, value) / this.step) * this.step).toFixed(4));
    let held = false;
    const at = (event) => {
      const area = this.element.getBoundingClientRect();
      return rounded(Math.min(1, Math.max(0, (event.clientX - area.left) / area.width)) * this.most);
    };
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      held = true;
      event.preventDefault();
      element.focus();
    });
    element.addEventListener("pointermove", (event) => { if (held) this.moved(name, at(event), true); });
    element.addEventListener("pointerup", (event) => { if (held) this.moved(name, at(event), false); held = false; });
    element.addEventListener("pointercancel", () => { held = false; });
    element.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
      if (!by) return;
      this.moved(name, rounded(this.marks.get(name).value + by * this.step), false);
      event.preventDefault();
    });
  }

  draw() {
    const { canvas } = this, ratio = devicePixelRatio;
    const width = canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    const height = canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    const c = canvas.getContext("2d");
    const top = Math.log1p(Math.max(1, ...this.bins));
    c.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--bar");
    const wide = width / this.bins.length;
    this.bins.forEach((count, i) => {
      const tall = (Math.log1p(count) / top) * (height - 14 * ratio);
      c.fillRect(Math.floor(i * wide), height - tall, Math.ceil(wide), tall);
    });
  }
}
