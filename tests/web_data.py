#!/usr/bin/env python3
"""The page's data sets in a headless Chromium: web_data.py FOLDER, web/build's page. A Web Worker fetches them when a rung first
opens them and not before; one that the host does not give is said, and the rung makes its pictures up. Exit code 1: it is not so.
"""
import functools
import http.server
import json
import sys
import threading

from web_page import Page

# What the worker says of one request.
RUN = """new Promise(done => {
  const worker = new Worker('/worker.js'), said = [];
  worker.onerror = event => done([{type: 'fault', text: event.message}]);
  worker.onmessage = message => {
    if (typeof message.data !== 'string') return;
    said.push(JSON.parse(message.data));
    if (said[said.length - 1].type === 'done') { worker.terminate(); done(said); }
  };
  worker.postMessage(JSON.stringify(REQUEST));
})"""
LIST = {"type": "list", "id": 1}
TRAINED = {"type": "run", "id": 1, "lab": "wisard", "mode": "live", "limit_s": 0.05,
           "kernels": [{"kernel": "wisard.cpu.packed", "params": {"train_images": 1000, "images": 64}}]}


class Host(http.server.SimpleHTTPRequestHandler):
    asked, lost = [], ""

    def log_message(self, *_):
        pass

    def do_GET(self):
        Host.asked.append(self.path)
        if Host.lost and Host.lost in self.path:
            return self.send_error(404)
        super().do_GET()


def ask(page, request):
    """The lines of a new worker's answer, and the data sets that were fetched for it."""
    Host.asked.clear()
    said = page.browser.value(RUN.replace("REQUEST", json.dumps(request)))
    return said, [path for path in Host.asked if path.endswith(".gz")]


def outcome(said):
    """The note on the problem, and whether the rung was timed after its checks."""
    notes = [line["problem"]["note"] for line in said if line["type"] == "problem"]
    results = [line["outcome"] for line in said if "outcome" in line]
    assert notes and results and results[0]["status"] == "ok", said[-3:]
    return notes[0]


def check(page):
    page.browser.call("Page.navigate", url=f"{page.address}/data/list.json")
    page.browser.wait("document.readyState === 'complete' && location.pathname.startsWith('/data')", 20, "the list")
    files = page.browser.value("fetch('/data/list.json').then(answer => answer.json())")
    assert len(files) == 4, f"the page lists {files}"

    said, fetched = ask(page, LIST)
    assert said[-1]["type"] == "done" and not fetched, f"a list of rungs fetches {fetched}"
    Host.lost = "train-images"
    said, _ = ask(page, TRAINED)
    assert "it cannot be read" in outcome(said), f"without a file the rung says: {outcome(said)!r}"
    Host.lost = ""
    said, fetched = ask(page, TRAINED)
    assert outcome(said) == "", f"the data set is not the page's: {outcome(said)}"
    assert sorted(fetched) == sorted(f"/data/{file}" for file in files), f"a training fetches {fetched}"


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Host, directory=sys.argv[1]))
threading.Thread(target=server.serve_forever, daemon=True).start()
with Page(f"http://127.0.0.1:{server.server_port}") as page:
    check(page)
server.shutdown()
