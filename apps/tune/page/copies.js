// "Copy as": tabs of texts, each of which gives the picture that is shown.
import { make, title } from "./controls.js";

export class Copies {
  /// `more` are tabs beside those of every subject.
  constructor(more = []) {
    const list = document.querySelector("#copies [role=tablist]");
    for (const name of more) {
      list.append(make("button", { type: "button", id: `tab-${name}`, textContent: title(name), tabIndex: -1, dataset: { copy: name },
                                   aria: { role: "tab", controls: "copy-text", selected: "false" } }));
    }
    this.tabs = [...document.querySelectorAll("[data-copy]")];
    this.text = document.getElementById("copy-text");
    this.button = document.getElementById("copy");
    this.all = {};
    this.shown = "command";
    this.tabs.forEach((tab, i) => {
      tab.addEventListener("click", () => this.select(tab.dataset.copy));
      tab.addEventListener("keydown", (event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!by) return;
        const next = this.tabs[(i + by + this.tabs.length) % this.tabs.length];
        this.select(next.dataset.copy);
        next.focus();
      });
    });
    this.button.addEventListener("click", () => this.copy());
  }

  set(all) {
    this.all = all;
    this.select(this.shown);
  }

  select(name) {
    this.shown = name;
    for (const tab of this.tabs) {
      const is = tab.dataset.copy === name;
      tab.setAttribute("aria-selected", String(is));
      tab.tabIndex = is ? 0 : -1;
      if (is) this.text.setAttribute("aria-labelledby", tab.id);
    }
    this.text.textContent = this.all[name] || "";
  }

  async copy() {
    const status = document.getElementById("status");
    try {
      await navigator.clipboard.writeText(this.text.textContent);
      status.textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(this.text);
      status.textContent = "The browser lets no page copy here: the text is selected.";
    }
  }
}
