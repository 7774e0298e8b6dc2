// Moving objects of a video: scrubbing through frames, and zones drawn by hand.
import { control, make } from "./controls.js";
import { Copies } from "./copies.js";
import { canvasOf } from "./pixels.js";
import { get, getPicture, isIdle, latest } from "./transport.js";
import { View } from "./view.js";
import { Zones } from "./zones.js";

const hints = { threshold: 100, blur: 31, blur_sigma: 6, min_area: 2000, max_area: 50000, warm_up: 100, absorb: 1500, join: 60, min_hits: 15,
                max_age: 60, min_moved: 200, max_aspect: 8, min_aspect: 4, min_score: 20 };
// What says when, not who: nothing of a frame follows from it.
const ofEvents = ["min_score", "merge_window", "pre_roll", "post_roll", "min_event", "max_event"];

export class Film {
  constructor(about, say) {
    this.about = about;
    this.say = say;
    this.values = {};
    this.frame = Math.min(about.frames, 60) - 1;
    this.mode = "boxes";
    this.view = new View(about);
    this.#divide();
    this.copies = new Copies(["scene"]);
    this.zones = new Zones(this.view, () => this.changed(false));
    this.zones.file = about.scene;
    this.zones.text = () => this.copies.all.scene;
    const failed = (problem) => this.#busy(false, problem);
    const arrived = (answer, asked) => this.#arrived(answer, asked);
    this.exact = latest("result", arrived, failed);
    this.quick = latest("result", arrived, failed);
    this.copiesOf = latest("copies", (all, asked) => {
      this.copies.set(all);
      this.copiedFor = JSON.stringify([asked.values, asked.scene]);
    }, failed);
    this.view.paint = (context, place) => this.#paint(context, place);
    document.getElementById("reset").addEventListener("click", () => { this.values = {}; this.zones.clear(); this.#build(); this.changed(false); });
    document.getElementById("overlay").addEventListener("change", (event) => { this.view.overlay = event.target.checked; this.#put(); });
    document.getElementById("left-tag").textContent = "video";
    this.#timeline();
    this.#modes();
    this.#build();
    this.seek(this.frame, false);
    this.#more();
  }

  // Frames come while the video is read.
  async #more() {
    while (this.about.loading) {
      await new Promise((done) => setTimeout(done, 300));
      this.about = await get("about");
      this.slider.max = this.about.frames - 1;
      this.#tell();
    }
  }

  #modes() {
    const field = document.getElementById("stages");
    field.replaceChildren(field.querySelector("legend"), ...["boxes", "mask"].map((name) => {
      const radio = make("input", { type: "radio", name: "stage", value: name, checked: name === this.mode });
      radio.addEventListener("change", () => { this.mode = name; this.#divide(); this.#put(); });
      return make("label", {}, radio, name);
    }));
  }

  // Boxes are drawn on the frame itself: there is nothing to divide.
  #divide() {
    this.view.setDivide(this.mode === "mask" ? 0.5 : 0);
    this.view.divider.hidden = this.mode !== "mask";
    document.getElementById("left-tag").hidden = this.mode !== "mask";
  }

  #timeline() {
    const bar = document.getElementById("film");
    bar.hidden = false;
    document.getElementById("stage-area").classList.add("with-film");
    this.slider = make("input", { type: "range", id: "frame", min: 0, max: this.about.frames - 1, step: 1, value: this.frame, aria: { label: "Frame" } });
    this.place = make("output", { aria: { live: "off" } });
    this.slider.addEventListener("input", () => this.seek(Number(this.slider.value), true));
    this.slider.addEventListener("change", () => this.seek(Number(this.slider.value), false));
    const next = make("button", { type: "button", id: "next-object", textContent: "Next object" });
    next.addEventListener("click", () => this.#seekObject());
    bar.replaceChildren(this.slider, next, this.place);
  }

  #tell() {
    const { rate, frames, whole, loading, expected } = this.about, seconds = this.frame / rate;
    const all = whole ? frames : loading ? `${frames}…` : expected ? `${frames} of ${expected}` : frames;
    this.place.textContent = `${this.frame + 1} / ${all} · ${seconds.toFixed(2)} s`;
    this.slider.setAttribute("aria-valuetext", `frame ${this.frame}, ${seconds.toFixed(2)} seconds`);
  }

  seek(frame, moves) {
    this.frame = frame;
    this.slider.value = frame;
    this.#tell();
    this.#source();
    this.changed(moves);
  }

  #seekObject() {
    clearTimeout(this.later);
    this.#busy(true);
    this.exact({ ...this.#asked(), level: 0, next: 1 });
  }

  async #source() {
    if (this.fetching) return;
    this.fetching = true;
    while (this.sourceFrame !== this.frame) {
      const frame = this.frame;
      this.sourceCanvas = canvasOf(await getPicture(`source?of=${frame}`), 0, this.sourceCanvas);
      this.sourceFrame = frame;
      this.view.show({ source: this.sourceCanvas });
    }
    this.fetching = false;
  }

  #build() {
    const area = document.getElementById("options"), { controls } = this.about;
    area.replaceChildren();
    this.made = {};
    // What one sample of more than 8 bits differs from the next by, in gray levels.
    const step = Math.max(1 / 16, 2 ** (8 - this.about.bits)), deep = this.about.bits > 8;
    const controlOf = (option) => {
      const spec = { ...option.by[""] };
      if (deep && option.name === "threshold") Object.assign(spec, { step, words: `${spec.words}; a step of this video's ${this.about.bits} bits is ${2 ** (8 - this.about.bits)}` });
      const made = control(option.name, spec, (text, moves) => {
        // The background and the sensitivity choose defaults of their own.
        const usual = this.shown?.about.chosen[option.name] ?? spec.value;
        if (text === usual || text === false) delete this.values[option.name]; else this.values[option.name] = text;
        made.classList.toggle("changed", option.name in this.values);
        this.changed(moves);
      }, hints[option.name]);
      this.made[option.name] = made;
      return made;
    };
    const groupOf = (name, options, ...more) => make("details", { dataset: { group: name } }, make("summary", { textContent: name }), ...more, ...options.map(controlOf));
    const known = new Set(controls.options.map((one) => one.name));
    const tracking = controls.tracking.filter((one) => !known.has(one.name));
    area.append(
      ...controls.options.map(controlOf), this.zones.element,
      groupOf("Objects over time", tracking.filter((one) => !ofEvents.includes(one.name))),
      groupOf("Events", tracking.filter((one) => ofEvents.includes(one.name))));
  }

  #asked() { return { values: { ...this.values }, scene: this.zones.scene(), frame: this.frame }; }

  changed(moves) {
    const asked = this.#asked();
    clearTimeout(this.later);
    this.#busy(true);
    if (moves) {
      this.quick({ ...asked, level: 1 });
      this.later = setTimeout(() => this.changed(false), 250);
      return;
    }
    this.exact({ ...asked, level: 0 });
    this.copiesOf({ values: asked.values, scene: asked.scene });
  }

  #arrived(answer, asked) {
    const { about, bytes } = answer, of = (one) => JSON.stringify([one.values, one.scene, one.frame]);
    if (asked.next && of(asked) === of(this.#asked()) && about.found) {
      this.frame = about.frame;
      this.slider.value = about.frame;
      this.#tell();
      this.#source();
      asked = { ...asked, frame: about.frame };
    }
    const now = of(this.#asked());
    if (about.level === 0 && of(asked) !== now) return;
    if (about.level > 0 && this.shown?.about.level === 0 && this.shownFor === now) return;
    answer.objects = JSON.parse(new TextDecoder().decode(bytes.subarray(0, about.skip)));
    answer.bytes = bytes.subarray(about.skip);
    this.shown = answer;
    this.shownFor = of(asked);
    this.#put();
    this.say({ answer, exact: about.level === 0, stage: this.mode });
    if (about.level === 0) { this.#busy(false); this.#report(about, answer.objects); }
    if (asked.next && !about.found) document.getElementById("status").textContent = "no object in the frames after this one";
  }

  #report(about, objects) {
    // What stands in for a 0 that leaves it to the library.
    for (const [name, made] of Object.entries(this.made)) made.inForce?.(about.in_force?.[name]);
    const facts = [about.warming_up ? "the background is being learned" : about.changed ? "most of the picture changed" :
      objects.length === 1 ? "1 object" : `${objects.length} objects`];
    about.counts.forEach(([right, left], i) => facts.push(`${this.zones.lineName(i)}: ${right} to the right, ${left} to the left`));
    document.getElementById("status").textContent = facts.join(" · ");
  }

  #put() {
    if (!this.shown) return;
    this.maskCanvas = canvasOf(this.shown, this.view.overlay || this.mode === "boxes" ? 0xff2ac3ff : 0xffffffff, this.maskCanvas);
    this.view.show({ result: this.maskCanvas });
    document.getElementById("right-tag").textContent = this.mode;
  }

  #paint(context, place) {
    const by = place.width / this.about.width, ratio = devicePixelRatio;
    if (this.mode === "boxes") {
      // Over the divide too: boxes are of the frame.
      if (this.sourceCanvas) context.drawImage(this.sourceCanvas, place.x, place.y, place.width, place.height);
      if (this.view.overlay && this.maskCanvas) { context.globalAlpha = 0.5; context.drawImage(this.maskCanvas, place.x, place.y, place.width, place.height); context.globalAlpha = 1; }
      context.lineWidth = 2 * ratio;
      context.font = `${12 * ratio}px system-ui, sans-serif`;
      for (const { box: [x, y, width, height], id } of this.shown?.objects ?? []) {
        context.strokeStyle = "#ffc32a";
        context.strokeRect(place.x + x * by, place.y + y * by, width * by, height * by);
        if (id === undefined) continue;
        const text = String(id), wide = context.measureText(text).width + 8 * ratio;
        context.fillStyle = "#ffc32a";
        context.fillRect(place.x + x * by - ratio, place.y + y * by - 17 * ratio, wide, 17 * ratio);
        context.fillStyle = "#1b1f24";
        context.fillText(text, place.x + x * by + 3 * ratio, place.y + y * by - 4 * ratio);
      }
    }
    this.zones.paint(context, place);
  }

  isSettled() {
    const { values, scene, frame } = this.#asked();
    return this.shown?.about.level === 0 && this.shownFor === JSON.stringify([values, scene, frame]) &&
      this.copiedFor === JSON.stringify([values, scene]) && isIdle();
  }

  #busy(is, problem) {
    document.getElementById("stage-area").setAttribute("aria-busy", String(is));
    const text = document.getElementById("problem");
    text.hidden = !problem;
    if (problem) text.textContent = problem.message;
  }
}
