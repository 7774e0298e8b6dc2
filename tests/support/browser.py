"""A headless Chromium, driven by the DevTools protocol through a pipe, with Python's standard library."""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
KEYS = {
    "ArrowRight": 39,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowDown": 40,
    "Tab": 9,
    "Enter": 13,
    "Home": 36,
    "End": 35,
    "PageUp": 33,
    "PageDown": 34,
    "Escape": 27,
    "Backspace": 8,
    "Delete": 46,
}


def path():
    """Of a browser on this machine; None where there is none. CUESTA_BROWSER names one."""
    named = os.environ.get("CUESTA_BROWSER")
    return named or next((found for found in map(shutil.which, NAMES) if found), None)


def require(what):
    """Ends the program where there is no browser to test `what` with: with 77, or 1 if CUESTA_BROWSER_NEEDED is set."""
    if path() is None:
        print(
            f"no Chromium on this machine: {what} is not tested (scripts/install-deps tests)",
            file=sys.stderr,
        )
        sys.exit(1 if os.environ.get("CUESTA_BROWSER_NEEDED") else 77)


class Browser:
    """One page. What goes wrong in it, scripts and refused loads, gathers in `complaints`."""

    def __init__(self, size=(1440, 900), dark=False):
        # Its processes may still write while they end.
        self.folder = tempfile.TemporaryDirectory(
            prefix="cuesta-browser-", ignore_cleanup_errors=True
        )
        to_child, self.write_end = os.pipe()
        self.read_end, from_child = os.pipe()
        # No name but the loopback's: the page works without a network.
        arguments = [
            path(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--remote-debugging-pipe",
            "--no-first-run",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--hide-scrollbars",
            "--lang=en",
            "--force-device-scale-factor=1",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            f"--user-data-dir={self.folder.name}",
            "about:blank",
        ]

        def place_pipes():
            # The browser reads at 3 and writes at 4.
            high_in, high_out = os.dup(to_child), os.dup(from_child)
            os.dup2(high_in, 3)
            os.dup2(high_out, 4)

        self.process = subprocess.Popen(
            arguments,
            preexec_fn=place_pipes,
            pass_fds=(3, 4, to_child, from_child),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_child)
        os.close(from_child)
        self.buffer, self.number, self.session = b"", 0, None
        self.complaints, self.events = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.resize(*size)
        if dark:
            self.call(
                "Emulation.setEmulatedMedia",
                features=[{"name": "prefers-color-scheme", "value": "dark"}],
            )

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _message(self):
        while b"\0" not in self.buffer:
            more = os.read(self.read_end, 1 << 20)
            if not more:
                raise RuntimeError(f"the browser ended ({self.process.poll()})")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._event(answer)

    def _event(self, event):
        parameters = event.get("params", {})
        if event["method"] == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif event["method"] == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.complaints.append(
                f"{parameters['entry']['text']} ({parameters['entry'].get('url', '')})"
            )

    def run(self, script):
        """The value of an expression; promises are waited for."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(
                f"{script}: {answer['exceptionDetails'].get('exception', {}).get('description')}"
            )
        return answer["result"].get("value")

    def open(self, address):
        self.call("Page.navigate", url=address)

    def wait(self, script, seconds=120):
        """Until the expression is true."""
        end = time.monotonic() + seconds
        while True:
            try:
                if self.run(script):
                    return
            except RuntimeError:
                if time.monotonic() > end:
                    raise
            if time.monotonic() > end:
                raise TimeoutError(f"{script} stays {self.run(script)!r}; {self.complaints}")
            time.sleep(0.01)

    def resize(self, width, height):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def key(self, name, times=1, modifiers=0):
        text = {"text": name} if len(name) == 1 else {"text": "\r"} if name == "Enter" else {}
        code = KEYS.get(name, ord(name.upper()) if len(name) == 1 else 0)
        for _ in range(times):
            for kind in ("keyDown", "keyUp"):
                self.call(
                    "Input.dispatchKeyEvent",
                    type=kind,
                    key=name,
                    windowsVirtualKeyCode=code,
                    modifiers=modifiers,
                    **(text if kind == "keyDown" else {}),
                )

    def type(self, text):
        self.call("Input.insertText", text=text)

    def mouse(self, kind, x, y, button="left", **more):
        self.call(
            "Input.dispatchMouseEvent",
            type=kind,
            x=x,
            y=y,
            button=button,
            clickCount=1,
            buttons=0 if kind == "mouseReleased" else 1,
            **more,
        )

    def middle_of(self, selector):
        return self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'nearest'}});"
            "const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()"
        )

    def click(self, selector):
        self.click_at(*self.middle_of(selector))

    def click_at(self, x, y):
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def drag(self, begin, end, steps=8):
        self.mouse("mousePressed", *begin)
        for i in range(1, steps + 1):
            self.mouse("mouseMoved", *(a + (b - a) * i / steps for a, b in zip(begin, end)))
        self.mouse("mouseReleased", *end)

    def screenshot(self, file):
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        with open(file, "wb") as out:
            out.write(data)
