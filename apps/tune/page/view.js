// The source and what is made of it, in one place: a divide between them, zoom, pan.

const keys = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export class View {
  /// `size` is the source's, in pixels. `moved` is called when the visible part has changed.
  constructor(size, { moved = () => {} } = {}) {
    this.size = size;
    this.moved = moved;
    this.canvas = document.getElementById("view");
    this.divider = document.getElementById("divide");
    this.context = this.canvas.getContext("2d");
    this.source = this.result = this.lines = null;
    this.overlay = false;
    this.divide = 0.5;
    this.fits = true;
    this.scale = 1;
    this.x = this.y = 0;  // of the picture's corner, in device pixels
    this.paint = null;    // (context, place) draws on top
    new ResizeObserver(() => this.resized()).observe(this.canvas);
    this.#listen();
  }

  /// `lines`: {path, width}, in pixels of a picture so wide.
  show({ source, result, lines }) {
    if (source) this.source = source;
    if (result) { this.result = result; this.lines = lines ?? null; }
    this.draw();
  }

  /// How many device pixels the whole picture takes, across.
  get shownWidth() { return this.size.width * this.scale; }

  resized() {
    const ratio = devicePixelRatio;
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    this.#place();
    if (this.fits) this.fit(); else this.#settle();
  }

  fit() {
    const { width, height } = this.canvas;
    this.scale = Math.min(width / this.size.width, height / this.size.height);
    this.x = (width - this.size.width * this.scale) / 2;
    this.y = (height - this.size.height * this.scale) / 2;
    this.fits = true;
    this.#settle();
  }

  zoomTo(scale, atX = this.canvas.width / 2, atY = this.canvas.height / 2) {
    const least = Math.min(1, this.canvas.width / this.size.width, this.canvas.height / this.size.height) / 2;
    const next = Math.min(64, Math.max(least, scale)), by = next / this.scale;
    this.x = atX - (atX - this.x) * by;
    this.y = atY - (atY - this.y) * by;
    this.scale = next;
    this.fits = false;
    this.#settle();
  }

  pan(byX, byY) {
    this.x += byX;
    this.y += byY;
    this.fits = false;
    this.#settle();
  }

  setDivide(part) {
    this.divide = Math.min(1, Math.max(0, part));
    const percent = Math.round(this.divide * 100);
    this.divider.setAttribute("aria-valuenow", percent);
    this.divider.setAttribute("aria-valuetext", `${percent} % source`);
    this.#place();
    this.draw();
  }

  get #cut() { return Math.round(this.canvas.width * this.divide); }
  #place() { this.divider.style.left = `${this.#cut / devicePixelRatio}px`; }

  /// A place on the canvas, in CSS pixels, as a place in the picture, 0 to 1.
  inPicture(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect(), ratio = devicePixelRatio;
    return [((clientX - box.left) * ratio - this.x) / this.shownWidth,
            ((clientY - box.top) * ratio - this.y) / (this.size.height * this.scale)];
  }

  #settle() {
    // Some of the picture stays in sight.
    const margin = 40, { width, height } = this.canvas;
    this.x = Math.min(width - margin, Math.max(margin - this.size.width * this.scale, this.x));
    this.y = Math.min(height - margin, Math.max(margin - this.size.height * this.scale, this.y));
    this.draw();
    this.moved();
  }

  draw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => { this.frame = 0; this.#draw(); });
  }

  #draw() {
    const { context: c, canvas } = this, width = this.shownWidth, height = this.size.height * this.scale;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, canvas.width, canvas.height);
    const cut = this.#cut;
    const put = (picture) => {
      if (!picture) return;
      c.imageSmoothingEnabled = width < picture.width * 1.5;
      c.imageSmoothingQuality = "high";
      c.drawImage(picture, this.x, this.y, width, height);
    };
    const within = (left, right, paint) => {
      c.save();
      c.beginPath();
      c.rect(left, 0, right - left, canvas.height);
      c.clip();
      paint();
      c.restore();
    };
    within(0, cut, () => put(this.source));
    within(cut, canvas.width, () => {
      c.fillStyle = "#000";
      c.fillRect(this.x, this.y, width, height);
      if (this.overlay) {
        put(this.source);
        c.fillStyle = "rgb(0 0 0 / 55%)";
        c.fillRect(this.x, this.y, width, height);
      }
      if (!this.lines) { put(this.result); return; }
      c.globalAlpha = 0.35;
      put(this.result);
      c.globalAlpha = 1;
      const by = width / this.lines.width;
      c.translate(this.x, this.y);
      c.scale(by, by);
      c.lineWidth = Math.max(1.25 * devicePixelRatio, Math.min(2 * devicePixelRatio, by / 3)) / by;
      c.lineJoin = c.lineCap = "round";
      c.strokeStyle = "#ffc32a";
      c.stroke(this.lines.path);
    });
    this.paint?.(c, { x: this.x, y: this.y, width, height });
  }

  #listen() {
    const { canvas, divider } = this;
    let held = null;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || this.drawing?.(event)) return;
      canvas.setPointerCapture(event.pointerId);
      held = [event.clientX, event.clientY];
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!held) return;
      this.pan((event.clientX - held[0]) * devicePixelRatio, (event.clientY - held[1]) * devicePixelRatio);
      held = [event.clientX, event.clientY];
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { held = null; });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = canvas.getBoundingClientRect(), ratio = devicePixelRatio;
      this.zoomTo(this.scale * Math.exp(-event.deltaY * 0.0015),
                  (event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio);
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const step = 60 * devicePixelRatio;
      if (keys[event.key]) this.pan(keys[event.key][0] * step, keys[event.key][1] * step);
      else if (event.key === "+" || event.key === "=") this.zoomTo(this.scale * 1.25);
      else if (event.key === "-") this.zoomTo(this.scale / 1.25);
      else if (event.key === "0") this.fit();
      else if (event.key === "1") this.zoomTo(1);
      else return;
      event.preventDefault();
    });

    let slides = false;
    divider.addEventListener("pointerdown", (event) => {
      divider.setPointerCapture(event.pointerId);
      slides = true;
    });
    divider.addEventListener("pointermove", (event) => {
      if (!slides) return;
      const box = canvas.getBoundingClientRect();
      this.setDivide((event.clientX - box.left) / box.width);
    });
    for (const end of ["pointerup", "pointercancel"]) divider.addEventListener(end, () => { slides = false; });
    divider.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -0.02, ArrowDown: -0.02, ArrowRight: 0.02, ArrowUp: 0.02, PageDown: -0.1, PageUp: 0.1 }[event.key];
      if (step) this.setDivide(this.divide + step);
      else if (event.key === "Home") this.setDivide(0);
      else if (event.key === "End") this.setDivide(1);
      else return;
      event.preventDefault();
    });
  }
}
