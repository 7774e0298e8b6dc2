// Zones and counting lines, drawn on the picture or by the keyboard: relative places, as the scene file of
// `cuesta detect` has them.
import { make, title } from "./controls.js";

const colors = { include: "#4cc38a", exclude: "#ff6f61", line: "#7cc0ff" };
const round = (value) => Math.round(Math.min(1, Math.max(0, value)) * 10000) / 10000;

export class Zones {
  constructor(view, changed) {
    this.view = view;
    this.changed = changed;
    this.all = [];       // {kind, name, points}
    this.begun = null;   // that is being drawn
    this.element = make("details", { id: "zones", open: true }, make("summary", { textContent: "Zones and lines" }));
    this.list = make("ul");
    const add = (kind, text, words) => {
      const button = make("button", { type: "button", textContent: text, dataset: { draw: kind, help: words } });
      button.addEventListener("click", () => this.begin(kind));
      return button;
    };
    this.hint = make("p", { className: "usual", aria: { live: "polite" } });
    this.save = make("button", { type: "button", textContent: "Save the scene", hidden: true, id: "save-scene" });
    this.save.addEventListener("click", () => this.download());
    this.element.append(this.list, make("div", { className: "row" },
      add("include", "Count here", "a zone: with one, what stands in none does not count"),
      add("exclude", "Never here", "a zone in which nothing counts"),
      add("line", "Line", "objects that cross it are counted")), this.hint, make("div", { className: "row" }, this.save));
    view.drawing = (event) => this.#pressed(event);
    view.canvas.addEventListener("pointermove", (event) => {
      if (this.begun) { this.over = this.view.inPicture(event.clientX, event.clientY); this.view.draw(); }
      if (this.held) { this.#moveCorner(event); }
    });
    view.canvas.addEventListener("pointerup", () => { if (this.held) { this.held = null; this.#tell(); } });
    view.canvas.addEventListener("dblclick", () => this.finish());
    document.addEventListener("keydown", (event) => {
      if (!this.begun) return;
      if (event.key === "Escape") { this.begun = null; this.#hint(); this.view.draw(); }
      if (event.key === "Enter" && event.target === this.view.canvas) { this.finish(); event.preventDefault(); }
    });
  }

  clear() { this.all = []; this.begun = null; this.#hint(); this.#rows(); }

  begin(kind) {
    const count = this.all.filter((one) => (one.kind === "line") === (kind === "line")).length + 1;
    this.begun = { kind, name: `${kind === "line" ? "line" : "zone"} ${count}`, points: [] };
    this.#hint();
    this.view.canvas.focus();
  }

  #hint() {
    this.hint.textContent = !this.begun ? "" : this.begun.kind === "line"
      ? "Click where it begins and where it ends. Escape gives it up."
      : "Click its corners; a double click or Enter closes it, Escape gives it up.";
  }

  #pressed(event) {
    const at = this.view.inPicture(event.clientX, event.clientY).map(round);
    if (this.begun) {
      this.begun.points.push(at);
      if (this.begun.kind === "line" && this.begun.points.length === 2) this.finish();
      this.view.draw();
      return true;
    }
    const near = 9 * devicePixelRatio, { shownWidth } = this.view, high = this.view.size.height * this.view.scale;
    for (const one of this.all) {
      const corner = one.points.findIndex(([x, y]) => Math.hypot((x - at[0]) * shownWidth, (y - at[1]) * high) < near);
      if (corner >= 0) { this.held = { one, corner }; this.view.canvas.setPointerCapture(event.pointerId); return true; }
    }
    return false;
  }

  #moveCorner(event) {
    this.held.one.points[this.held.corner] = this.view.inPicture(event.clientX, event.clientY).map(round);
    this.view.draw();
  }

  finish() {
    if (!this.begun) return;
    const { kind } = this.begun;
    // A double click leaves its corner twice.
    const points = this.begun.points.filter((p, i, all) => i === 0 || p[0] !== all[i - 1][0] || p[1] !== all[i - 1][1]);
    if (points.length >= (kind === "line" ? 2 : 3)) {
      this.all.push({ ...this.begun, points });
      this.begun = null;
      this.#hint();
      this.#tell();
    }
    this.#rows();
    this.view.draw();
  }

  #tell() { this.#rows(); this.changed(); }

  lineName(i) { return this.all.filter((one) => one.kind === "line")[i]?.name ?? ""; }

  scene() {
    const zones = this.all.filter((one) => one.kind !== "line")
      .map(({ name, kind, points }) => ({ name, kind, polygon: points }));
    const lines = this.all.filter((one) => one.kind === "line")
      .map(({ name, points: [from, to] }) => ({ name, from, to }));
    return { ...(zones.length ? { zones } : {}), ...(lines.length ? { lines } : {}) };
  }

  #rows() {
    this.save.hidden = this.all.length === 0;
    this.list.replaceChildren(...this.all.map((one, i) => {
      const name = make("input", { type: "text", value: one.name, aria: { label: `Name of ${one.name}` } });
      name.addEventListener("change", () => { one.name = name.value.trim() || one.name; this.#tell(); });
      // Corners by the keyboard, too.
      const places = make("input", { type: "text", value: one.points.map((p) => p.join(" ")).join(", "),
                                     aria: { label: `Corners of ${one.name}, x y from 0 to 1, with commas between` } });
      places.addEventListener("change", () => {
        const points = places.value.split(",").map((pair) => pair.trim().split(/\s+/).map(Number));
        const good = points.length >= (one.kind === "line" ? 2 : 3) && points.every((p) => p.length === 2 && p.every((v) => v >= 0 && v <= 1));
        places.setAttribute("aria-invalid", String(!good));
        if (!good) return;
        one.points = points;
        this.#tell();
        this.view.draw();
      });
      const gone = make("button", { type: "button", textContent: "×", aria: { label: `Remove ${one.name}` } });
      gone.addEventListener("click", () => { this.all.splice(i, 1); this.#tell(); this.view.draw(); });
      return make("li", { dataset: { kind: one.kind } }, name, places, gone);
    }));
  }

  paint(context, place) {
    const ratio = devicePixelRatio, put = ([x, y]) => [place.x + x * place.width, place.y + y * place.height];
    context.lineWidth = 2 * ratio;
    context.font = `${12 * ratio}px system-ui, sans-serif`;
    for (const one of [...this.all, ...(this.begun ? [this.begun] : [])]) {
      const points = one === this.begun && this.over ? [...one.points, this.over] : one.points;
      if (points.length === 0) continue;
      const color = colors[one.kind];
      context.beginPath();
      points.map(put).forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
      if (one.kind !== "line" && one !== this.begun) context.closePath();
      context.strokeStyle = color;
      context.stroke();
      if (one.kind !== "line") { context.globalAlpha = 0.15; context.fillStyle = color; context.fill(); context.globalAlpha = 1; }
      context.fillStyle = color;
      for (const point of one.points) { const [x, y] = put(point); context.beginPath(); context.arc(x, y, 4 * ratio, 0, 7); context.fill(); }
      const [x, y] = put(points[0]);
      context.fillText(title(one.name), x + 7 * ratio, y - 7 * ratio);
    }
  }

  download() {
    const link = make("a", { download: this.file ?? "scene.json",
                             href: URL.createObjectURL(new Blob([this.text?.() ?? ""], { type: "application/json" })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
}
