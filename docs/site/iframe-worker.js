// Browsers refuse to start a worker from a page opened from disk. This class runs the worker's
// script, which searches the pages, in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      const inner = this.frame.contentWindow;
      inner.document.open();
      inner.document.write("<!doctype html><body></body>");
      inner.document.close();
      inner.postMessage = (data) => this.dispatch(data);
      // Scripts in the order they are named; a worker waits for them, a frame for their promise.
      inner.importScripts = (...addresses) =>
        addresses.reduce((before, one) => before.then(() => this.load(one)), Promise.resolve());
      this.ready = this.load(address);
    }

    load(address) {
      return new Promise((resolve, reject) => {
        const inner = this.frame.contentDocument;
        const script = inner.createElement("script");
        script.src = address;
        script.onload = resolve;
        script.onerror = reject;
        inner.body.appendChild(script);
      });
    }

    dispatch(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      this.onmessage?.(event);
    }

    postMessage(message) {
      // A query is a text: to the search "-low" means without "low", and to a reader an option.
      const query = typeof message.data === "string";
      const data = query
        ? { ...message, data: message.data.replace(/(^|\s)-+(?=\w)/g, "$1") }
        : message;
      this.ready.then(() => {
        const inner = this.frame.contentWindow;
        inner.dispatchEvent(new inner.MessageEvent("message", { data }));
      });
    }

    terminate() {
      this.frame.remove();
    }
  };
}
