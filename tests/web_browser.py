#!/usr/bin/env python3
"""A headless Chromium, driven through its DevTools protocol over pipes, and the page in it with hands and eyes.

Nothing but Python's own library. The page says itself what it shows (ridgepoint.look(), app/window/shell/look.h).
"""
import base64
import json
import os
import pathlib
import select
import shutil
import struct
import subprocess
import tempfile
import time
import zlib

FLAGS = ["--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-sandbox",
         "--remote-debugging-pipe", "--disable-dev-shm-usage", "--no-first-run", "--window-size=1600,1000"]


CONTROL = 2  # a modifier of keys
kPatience = 3  # a machine may have other work


class Silent(RuntimeError):
    """The browser does not answer any more."""


class Gone(RuntimeError):
    """The document that a script ran in was left for another: a first visit loads the page twice."""


class Browser:
    """Chromium, which takes commands from a pipe and answers on another, each message ended by a zero byte."""

    def __init__(self, *flags):
        self.events = []
        self.answer_s = 60  # a call is answered in this time
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        in_read, self.out = os.pipe()
        self.back, out_write = os.pipe()
        program = shutil.which("chromium") or shutil.which("google-chrome")

        def place():
            # 3 and 4 are where it looks; both are free of close-on-exec there.
            a, b = os.dup(in_read), os.dup(out_write)
            os.dup2(a, 3), os.dup2(b, 4)
        self.process = subprocess.Popen([program, *FLAGS, *flags, f"--user-data-dir={self.profile.name}", "about:blank"],
                                        preexec_fn=place, close_fds=False, stderr=subprocess.DEVNULL)
        os.close(in_read), os.close(out_write)
        self.count, self.rest, self.session, self.said = 0, b"", None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable"), self.call("Runtime.enable")

    def call(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + kPatience * self.answer_s
        while True:
            answer = self.read(end)
            if answer is None:
                raise Silent(f"{method} {str(params)[:200]}: no answer within {self.answer_s} s; its console: {self.said[-5:]}")
            if answer.get("id") == self.count:
                if "error" in answer:
                    gone = "navigated or closed" in answer["error"].get("message", "")
                    raise (Gone if gone else RuntimeError)(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events = self.events[-200:] + [answer]
            if answer.get("method") == "Runtime.consoleAPICalled":
                self.said.append(" ".join(str(one.get("value", "")) for one in answer["params"]["args"]))
            elif answer.get("method") == "Runtime.exceptionThrown":
                details = answer["params"]["exceptionDetails"]
                self.said.append(details.get("exception", {}).get("description", details["text"]))

    def read(self, end):
        """The next message; None where there is none by then."""
        while b"\0" not in self.rest:
            if not select.select([self.back], [], [], max(0, end - time.monotonic()))[0]:
                return None
            piece = os.read(self.back, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.rest += piece
        line, self.rest = self.rest.split(b"\0", 1)
        return json.loads(line)

    def value(self, script):
        return self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)["result"].get("value")

    def wait(self, script, limit_s, what):
        end = time.monotonic() + kPatience * limit_s
        while time.monotonic() < end:
            try:
                if found := self.value(script):
                    return found
            except Gone:
                pass  # the document that follows is asked next
            time.sleep(0.1)
        raise AssertionError(f"{what}: not within {limit_s} s; the page said: {self.value('document.body.innerText')!r}, "
                             f"its console: {self.said[-5:]}")

    def picture(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def press(self, key, code, modifiers=0, commands=()):
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, modifiers=modifiers,
                      commands=list(commands))
            time.sleep(0.05)

    def chord(self, key, code, commands=()):
        """With Control held."""
        control = {"key": "Control", "code": "ControlLeft", "windowsVirtualKeyCode": 17}
        self.call("Input.dispatchKeyEvent", type="rawKeyDown", modifiers=CONTROL, **control)
        self.press(key, code, CONTROL, commands)
        self.call("Input.dispatchKeyEvent", type="keyUp", **control)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def of_browser(self, method, **params):
        """A command to the browser in place of the page."""
        session, self.session = self.session, None
        try:
            return self.call(method, **params)
        finally:
            self.session = session

    def close(self):
        os.close(self.out), os.close(self.back)
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.profile.cleanup()


def colours(png):
    """How many colours a PNG has on every eighth row: a page that does not draw has a few."""
    width, height = struct.unpack(">II", png[16:24])
    channels = {2: 3, 6: 4}[png[25]]
    data, at = b"", 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        data += png[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    data, row = zlib.decompress(data), width * channels
    before, seen = bytearray(row), set()
    for y in range(height):
        line = bytearray(data[y * (row + 1) + 1:(y + 1) * (row + 1)])
        unfilter(data[y * (row + 1)], line, before, channels)
        if y % 8 == 0:
            seen.update(bytes(line[x:x + 3]) for x in range(0, row, channels))
        before = line
    return len(seen)


def unfilter(kind, line, above, step):
    for i in range(len(line) if kind else 0):
        left = line[i - step] if i >= step else 0
        corner = above[i - step] if i >= step else 0
        up = above[i]
        if kind == 4:
            near = left + up - corner
            guess = min((abs(near - left), 0, left), (abs(near - up), 1, up), (abs(near - corner), 2, corner))[2]
        else:
            guess = (0, left, up, (left + up) // 2)[kind]
        line[i] = (line[i] + guess) & 255



class Look:
    """What the window shows: see app/window/shell/look.h."""

    def __init__(self, text):
        self.places, self.rows, self.said = {}, {}, {}
        for line in text.splitlines():
            first, _, rest = line.partition(" ")
            if first == "row":
                rung, state, *reason = rest.split(" ", 2)
                self.rows[rung] = (state, "".join(reason))
            elif first[:1].isdigit() or first[:1] == "-":
                x, y, w, h, name = line.split(" ", 4)
                self.places[name] = tuple(map(float, (x, y, w, h)))
            else:
                self.said[first] = rest

    def __getattr__(self, name):
        return self.said.get(name, "")


class Page:
    def __init__(self, address, *flags):
        self.address, self.browser = address, Browser(*flags)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.close()

    def open(self, fragment="", before=""):
        """`before`: a script that runs before any of the page's."""
        self.browser.call("Page.navigate", url="about:blank")
        self.browser.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        self.browser.call("Page.navigate", url=f"{self.address}/index.html{fragment}")

    def begun(self):
        return self.browser.wait("typeof ridgepoint === 'object' && ridgepoint.times.painted", 60, "the window")

    def begin(self, fragment="", before=""):
        """Opened, drawn, and its recordings read."""
        self.open(fragment, before)
        self.begun()
        self.browser.wait("ridgepoint.times.recorded", 60, "the recordings")

    # ---- eyes ----

    def look(self):
        return Look(self.browser.value("ridgepoint.look()") or "")

    def until(self, what, limit_s, is_so):
        """Waits until is_so(look); returns that look."""
        end = time.monotonic() + kPatience * limit_s
        while True:
            look = self.look()
            if is_so(look):
                return look
            if time.monotonic() > end:
                keep(self.browser.picture(), "failed.png")
                raise AssertionError(f"not within {limit_s} s: {what}; it says {look.said}, its widgets: "
                                     f"{sorted(look.places)[:60]}, its console: {self.browser.said[-5:]}")
            time.sleep(0.1)

    def there(self, name, limit_s=20):
        return self.until(f"the widget {name}", limit_s, lambda look: name in look.places)

    def rests(self, name):
        """The widget's middle in the page's own pixels, once it stands still."""
        before = None
        for _ in range(50):
            place = self.there(name).places[name]
            if place == before:
                break
            before = place
            time.sleep(0.15)
        ratio = self.browser.value("devicePixelRatio")
        return (place[0] + place[2] / 2) / ratio, (place[1] + place[3] / 2) / ratio

    # ---- hands ----

    def move(self, name):
        x, y = self.rests(name)
        self.browser.mouse("mouseMoved", x, y)
        time.sleep(0.1)
        return x, y

    def click(self, name):
        x, y = self.move(name)
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.mouse(kind, x, y, button="left", buttons=1, clickCount=1)
            time.sleep(0.1)

    def type(self, text):
        for letter in text:
            self.browser.call("Input.dispatchKeyEvent", type="keyDown", text=letter, key=letter,
                              windowsVirtualKeyCode=ord(letter.upper()))
            self.browser.call("Input.dispatchKeyEvent", type="keyUp", key=letter, windowsVirtualKeyCode=ord(letter.upper()))
            time.sleep(0.07)

    def drop(self, *paths):
        """As a person does it with files of the desktop."""
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.browser.call("Input.dispatchDragEvent", type=kind, x=400, y=300, data=data)


def keep(png, name):
    if folder := os.environ.get("RIDGE_WEB_PICTURES"):
        pathlib.Path(folder, name).write_bytes(png)
