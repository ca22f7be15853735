#!/usr/bin/env python3
"""The page in a headless Chromium: web_page.py FOLDER [CHECK...]; without a CHECK all of them. FOLDER is web/build's page.

Driven through the browser's DevTools protocol over pipes, with nothing but Python's own library. Exit code 1: a check failed.
"""
import base64
import functools
import http.server
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

FLAGS = ["--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-sandbox",
         "--remote-debugging-pipe", "--no-first-run", "--window-size=1600,1000"]


class Browser:
    """Chromium, which takes commands from a pipe and answers on another, each message ended by a zero byte."""

    def __init__(self, *flags):
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
        self.count, self.rest, self.session = 0, b"", None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.said = []
        self.call("Page.enable"), self.call("Runtime.enable")

    def call(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if answer.get("method") == "Runtime.consoleAPICalled":
                self.said.append(" ".join(str(one.get("value", "")) for one in answer["params"]["args"]))
            elif answer.get("method") == "Runtime.exceptionThrown":
                details = answer["params"]["exceptionDetails"]
                self.said.append(details.get("exception", {}).get("description", details["text"]))

    def read(self):
        while b"\0" not in self.rest:
            piece = os.read(self.back, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.rest += piece
        line, self.rest = self.rest.split(b"\0", 1)
        return json.loads(line)

    def value(self, script):
        return self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)["result"].get("value")

    def wait(self, script, limit_s, what):
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            if found := self.value(script):
                return found
            time.sleep(0.1)
        raise AssertionError(f"{what}: not within {limit_s} s; the page said: {self.value('document.body.innerText')!r}, "
                             f"its console: {self.said[-5:]}")

    def picture(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def press(self, key, code, modifiers=0):
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, modifiers=modifiers)

    def close(self):
        os.close(self.out), os.close(self.back)
        self.process.terminate()
        self.process.wait(10)
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


# What the worker says, kept beside what the program takes.
KEEP_LINES = """
window.said = [];
const start = ridgepoint.worker.take;
ridgepoint.worker.take = id => { const line = start(id); if (line !== undefined) said.push(line); return line; };
"""


class Page:
    def __init__(self, address, *flags):
        self.browser, self.address = Browser(*flags), address

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.close()

    def open(self, fragment="", before=""):
        """`before`: a script that runs when page.js has been read and the program has not begun."""
        self.browser.call("Page.navigate", url="about:blank")
        self.browser.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        self.browser.call("Page.navigate", url=f"{self.address}/index.html{fragment}")

    def begun(self):
        return self.browser.wait("typeof ridgepoint === 'object' && ridgepoint.times.begun", 60, "the window")


def check_paints(page):
    page.open()
    begun_s = page.begun()
    page.browser.wait("document.title.includes('Ridgepoint')", 10, "the title")
    time.sleep(2)
    png = page.browser.picture()
    keep(png, "home.png")
    assert colours(png) > 40, f"the page shows {colours(png)} colours"
    print(f"the window stood {begun_s:.2f} s after the page's start")


def check_fragment(page):
    page.open("#lab=gemm&rung=gemm.cpu.loop_order&n=512")
    page.begun()
    page.browser.wait("document.title.startsWith('GEMM · loop_order')", 30, "the lab of the address")
    page.browser.wait("ridgepoint.times.recorded", 60, "the recordings")
    time.sleep(3)
    keep(page.browser.picture(), "gemm.png")


def check_worker(page):
    page.open("#lab=gemm&rung=gemm.cpu.naive_o3&n=64")
    page.begun()
    page.browser.value(KEEP_LINES)
    # What a run takes is known when the rungs are.
    page.browser.wait("said.some(line => JSON.parse(line).around_s)", 90, "the worker's rungs and their estimates")
    time.sleep(1)
    page.browser.press("F5", 116)
    page.browser.wait("said.some(line => JSON.parse(line).outcome)", 120, "a rung's result")
    checks = page.browser.value("said.map(line => JSON.parse(line)).find(line => line.outcome).outcome.checks")
    assert checks and all(one["guard_ok"] and one["nmse"] <= one["nmse_limit"] for one in checks), checks
    print(f"a rung's result has passed its {len(checks)} checks")


def check_refusal(page):
    page.open(before="HTMLCanvasElement.prototype.getContext = () => null;")
    page.browser.wait("document.body && document.body.innerText.includes('no WebGL 2')", 20, "the sentence without WebGL 2")


CHECKS = {"paints": check_paints, "fragment": check_fragment, "worker": check_worker, "refusal": check_refusal}


def keep(png, name):
    if folder := os.environ.get("RIDGE_WEB_PICTURES"):
        pathlib.Path(folder, name).write_bytes(png)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main():
    folder, names = sys.argv[1], sys.argv[2:] or list(CHECKS)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    failed = False
    for name in names:
        with Page(f"http://127.0.0.1:{server.server_port}") as page:
            try:
                CHECKS[name](page)
                print(f"{name}: as it should be")
            except AssertionError as wrong:
                failed = True
                print(f"{name}: {wrong}")
    server.shutdown()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
