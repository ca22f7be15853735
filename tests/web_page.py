#!/usr/bin/env python3
"""The page in a headless Chromium: web_page.py FOLDER [CHECK...]; without a CHECK all of them. FOLDER is web/build's page.

RIDGE_WEB_PICTURES names a folder that pictures are kept in. Exit code 1: a check failed.
"""
import base64
import functools
import gzip
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True  # the sources stay as they are

from web_browser import Page, Silent, colours, keep

ROOT = pathlib.Path(__file__).resolve().parent.parent
SAVED = ROOT / "tests/golden/screens/run.jsonl"
LAB = "#lab=gemm&rung=gemm.cpu.naive_o3&n=64"

# What the worker says, kept beside what the program takes.
KEEP_LINES = """
window.said = [];
const start = ridgepoint.worker.take;
ridgepoint.worker.take = id => { const line = start(id); if (line !== undefined) said.push(line); return line; };
"""


def is_idle(look):
    return look.running == "0" and look.worker == "idle"


def show_all(page):
    """The level at which every rung and size stands in sight."""
    page.click("level")
    page.click("level=Lab")
    page.there("n=128")


def run_selected(page, limit_s=120):
    """With the keyboard, and no other rung. The look then."""
    rung = page.look().selected
    page.browser.chord("F5", 116)
    page.until("the run begins", 20, lambda look: look.running == "1" or look.rows[rung][0] == "verified")
    look = page.until("the rung has its result", limit_s, is_idle)
    assert look.rows[rung][0] == "verified", (rung, look.rows[rung], look.notice)
    return look


def ready(page):
    """The worker has listed its rungs and what they take: nothing moves."""
    seen = {"text": "", "since": time.monotonic()}

    def is_still(look):
        text = f"{look.said} {look.places}"
        if text != seen["text"]:
            seen.update(text=text, since=time.monotonic())
        return is_idle(look) and time.monotonic() - seen["since"] > 1.5 and any(
            state == "empty" for state, _ in look.rows.values())
    return page.until("the worker's rungs", 60, is_still)


def export(page):
    """A report of what is shown, by its key: the look when it is written."""
    page.browser.chord("e", 69)
    return page.until("the report is written", 60, lambda look: look.written.endswith("report.html"))


def check_paints(page):
    page.open()
    painted_s = page.begun()
    page.browser.wait("document.title.includes('Ridgepoint')", 10, "the title")
    time.sleep(2)
    png = page.browser.picture()
    keep(png, "home.png")
    assert colours(png) > 40, f"the page shows {colours(png)} colours"
    print(f"the first picture stood {painted_s:.2f} s after the page's start")


def check_fragment(page):
    page.open("#lab=gemm&rung=gemm.cpu.loop_order&n=512")
    page.begun()
    page.browser.wait("document.title.startsWith('GEMM · loop_order')", 30, "the lab of the address")
    page.browser.wait("ridgepoint.times.recorded", 60, "the recordings")
    time.sleep(3)
    keep(page.browser.picture(), "gemm.png")
    page.open("#lab=gemm&fast%")
    page.begun()
    look = page.until("the sentence about the address", 20, lambda look: "address" in look.notice)
    assert look.lab == "gemm", look.said


def check_worker(page):
    page.begin(LAB)
    page.browser.value(KEEP_LINES)
    ready(page)
    run_selected(page)
    checks = page.browser.value("said.map(line => JSON.parse(line)).find(line => line.outcome).outcome.checks")
    assert checks and all(one["guard_ok"] and one["nmse"] <= one["nmse_limit"] for one in checks), checks
    print(f"a rung's result has passed its {len(checks)} checks")


def run_lines(page):
    """What the worker said of the run, as the program heard it."""
    return page.browser.value("said.map(line => JSON.parse(line))")


HIDE_ISOLATION = "Object.defineProperty(navigator, 'serviceWorker', {value: undefined});"


def check_threads(page):
    """A plain server's page becomes isolated; a rung then runs on two threads, and a cancel is heard by the worker at work."""
    page.begin("#lab=gemm&rung=gemm.cpu.threads&n=256&threads=2")
    page.browser.value(KEEP_LINES)
    assert page.browser.value("crossOriginIsolated"), page.browser.said
    if page.browser.value("navigator.hardwareConcurrency") < 2:
        return print("threads: skipped, this machine has one core")
    ready(page)
    run_selected(page)
    lines = run_lines(page)
    outcome = next(line for line in lines if line.get("outcome", {}).get("kernel") == "gemm.cpu.threads")
    assert outcome["outcome"]["params"]["threads"] == 2, outcome
    system = next(line["environment"]["os"] for line in lines if "environment" in line)
    assert "isolated" in system and "not isolated" not in system and "one thread" not in system, system
    print(f"two threads: {outcome['outcome']['stats']['median_ns'] / 1e6:.2f} ms; {system}")
    assert cancel(page) == 1, "the worker was started again"


def check_not_isolated(page):
    """Without service workers: one thread, which says so; a cancel starts another worker."""
    page.begin("#lab=gemm&rung=gemm.cpu.naive_o3&n=64", HIDE_ISOLATION)
    page.browser.value(KEEP_LINES)
    assert not page.browser.value("crossOriginIsolated")
    ready(page)
    run_selected(page)
    system = next(line["environment"]["os"] for line in run_lines(page) if "environment" in line)
    assert "not isolated, one thread" in system, system
    print(f"without isolation: {system}")
    page.begin("#lab=gemm&rung=gemm.cpu.packed_wasm128&n=256&threads=2")
    ready(page)
    page.browser.chord("F5", 116)
    look = page.until("the sentence about threads", 20, lambda look: look.error == "1")
    assert "not isolated" in look.notice, look.notice
    print(f"two threads: {look.notice}")
    count = cancel(page)
    assert count > 1, "a cancel has to start another"


def check_drop(page):
    page.begin()
    with tempfile.TemporaryDirectory() as folder:
        foreign = pathlib.Path(folder, "holiday.jpg")
        foreign.write_bytes(bytes(range(256)) * 100)
        page.drop(foreign)
        look = page.until("the sentence about a foreign file", 20, lambda look: look.error == "1")
        assert "holiday.jpg" in look.notice and look.screen == "home", look.said
        print(f"a foreign file: {look.notice}")
        page.drop(folder)
        look = page.until("the sentence about a folder", 20, lambda look: pathlib.Path(folder).name in look.notice)
        print(f"a folder: {look.notice}")
        page.drop(SAVED)
        look = page.until("the saved run is open", 20, lambda look: look.worker == "replay")
        assert look.screen == "lab" and "kept_bar" in look.places and look.error == "0", look.said
        # What is there besides goes on: back to the worker, and the run is among what was opened.
        page.click("kept")
        page.until("back at the worker", 20, lambda look: look.worker in ("idle", "busy"))


def native(*words):
    """What the desktop's program prints; None where none is named."""
    program = os.environ.get("RIDGE_BIN")
    if not program or not os.path.exists(program):
        return None
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=True).stdout


def downloads(page, folder):
    page.browser.of_browser("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)


def arrived(folder, name, limit_s=20):
    end = time.monotonic() + limit_s
    while not pathlib.Path(folder, name).exists():
        assert time.monotonic() < end, f"{name} was not downloaded: {os.listdir(folder)}"
        time.sleep(0.1)
    return pathlib.Path(folder, name).read_text(encoding="utf-8")


def check_report(page):
    page.begin()
    with tempfile.TemporaryDirectory() as folder:
        downloads(page, folder)
        page.drop(SAVED)
        page.until("the saved run is open", 20, lambda look: look.worker == "replay")
        look = export(page)
        page.click("open_written")
        report = arrived(folder, "report.html")
        keep(report.encode(), "report.html")
        assert report.startswith("<!doctype html>") and "</html>" in report[-20:], report[:80]
        page.click("written_folder")
        transcript = arrived(folder, "run.jsonl")
        *lines, seal = transcript.splitlines(keepends=True)
        assert "".join(lines) == SAVED.read_text(encoding="utf-8"), "the saved run that is downloaded is not the one dropped"
        assert json.loads(seal)["type"] == "seal", seal[:80]
        summary = json.loads(arrived(folder, "report.json"))
        keep(json.dumps(summary).encode(), "report.json")
        if native("report", SAVED, "--out", pathlib.Path(folder, "desktop.json")) is not None:
            desktop = json.loads(pathlib.Path(folder, "desktop.json").read_text(encoding="utf-8"))
            assert summary == desktop, [key for key in desktop if summary.get(key) != desktop[key]]
    print(f"a report of {len(report)} letters, its numbers and its run downloaded")


def saved(page):
    """The browser's store has taken what was written."""
    page.browser.wait("ridgepoint.store.kept === ridgepoint.store.state(kHome)", 20, "the store")


def check_kept(page):
    page.begin(LAB)
    ready(page)
    page.click("level")
    page.click("level=Lab")
    page.there("rung:gemm.cpu.naive_o3")
    run_selected(page)
    time.sleep(1.5)
    saved(page)
    page.begin()
    look = page.until("the lab of the visit before", 20, lambda look: look.lab == "gemm" and look.screen == "lab")
    page.there("rung:gemm.cpu.naive_o3")
    page.click("kept")
    look = page.until("the run of the visit before", 20, lambda look: look.worker == "replay")
    assert look.rows["gemm.cpu.naive_o3"][0] == "verified", look.rows["gemm.cpu.naive_o3"]


def check_store_refused(page):
    for refuses in ("Object.defineProperty(window, 'indexedDB', {value: undefined});",
                    "IDBFactory.prototype.open = () => { throw new DOMException('no', 'SecurityError'); };",
                    "IDBFactory.prototype.open = () => { const asked = new EventTarget(); setTimeout(() => asked.onerror(new Event('error')), 9); return asked; };"):
        page.begin(LAB, refuses)
        look = page.until("the sentence about the store", 20, lambda look: "keeps nothing" in look.notice)
        ready(page)
    run_selected(page)
    print(f"the store refused: {look.notice}")


def cancel(page):
    """In the middle of a run of seconds, whose calls are short; the next run works. The number of workers that it took."""
    page.begin("#lab=gemm&rung=gemm.cpu.naive_o1&n=256")
    ready(page)
    show_all(page)
    page.browser.press("F5", 116)
    page.until("the run begins", 20, lambda look: look.running == "1")
    time.sleep(1)
    page.browser.press("Escape", 27)
    look = page.until("the run is cancelled", 10, lambda look: look.running == "0" and look.worker in ("idle", "starting"))
    print(f"a cancel: {look.notice or look.rows['gemm.cpu.naive_o1'][1]}")
    page.click("n=128")
    run_selected(page)
    return page.browser.value("ridgepoint.worker.count")



def end_worker(page):
    """As the browser may do it: the one that lives. After a cancel it is another than before."""
    page.browser.wait("ridgepoint.worker.workers.get(ridgepoint.worker.count).is_ended === undefined", 20, "a worker that lives")
    page.browser.value("ridgepoint.worker.workers.get(ridgepoint.worker.count).web.terminate()")


def check_lost_worker(page):
    page.begin("#lab=gemm&rung=gemm.cpu.naive_o1&n=256")
    ready(page)
    show_all(page)
    page.browser.press("F5", 116)
    page.until("the run begins", 20, lambda look: look.running == "1" and look.worker == "busy")
    time.sleep(1)
    end_worker(page)
    look = page.until("the loss is told", 20, lambda look: look.worker == "lost" and look.running == "0")
    assert "ended" in look.reason, look.said
    print(f"lost while it measured: {look.reason}")
    page.click("n=128")
    run_selected(page)
    ready(page)
    end_worker(page)
    page.until("the loss of an idle worker is told", 20, lambda look: look.worker == "lost")
    run_selected(page)


def sleep_for(page, seconds):
    page.browser.call("Page.setWebLifecycleState", state="frozen")
    time.sleep(seconds)
    page.browser.call("Page.setWebLifecycleState", state="active")


def check_sleep(page):
    page.open("#lab=gemm&rung=gemm.cpu.naive_o1&n=64")
    page.begun()
    sleep_for(page, 22)  # longer than a worker may take to say hello
    ready(page)
    page.browser.press("F5", 116)
    page.until("the run begins", 20, lambda look: look.running == "1")
    sleep_for(page, 4)
    page.until("the run goes on", 120, lambda look: look.rows["gemm.cpu.naive_o1"][0] == "verified")
    # Behind another tab there are no frames. A quick machine may have ended the ladder by now.
    if page.look().running != "1":
        page.browser.press("F5", 116)
        page.until("the run begins again", 20, lambda look: look.running == "1")
    page.browser.of_browser("Target.activateTarget", targetId=page.browser.of_browser("Target.createTarget", url="about:blank")["targetId"])
    page.browser.wait("document.hidden", 10, "the page is behind another")
    page.until("the run ends behind another tab", 120, is_idle)


def check_hidpi(page):
    page.browser.call("Emulation.setDeviceMetricsOverride", width=1000, height=700, deviceScaleFactor=2, mobile=False)
    page.begin(LAB)
    ready(page)
    pixels = page.browser.value("[canvas.width, canvas.height, canvas.clientWidth, canvas.clientHeight]")
    assert pixels[:2] == [2000, 1400] and pixels[2:] == [1000, 700], pixels
    page.click("level")
    page.there("level=Lab")
    page.browser.press("Escape", 27)
    page.browser.call("Emulation.setDeviceMetricsOverride", width=900, height=600, deviceScaleFactor=1.5, mobile=False)
    page.browser.wait("canvas.width === 1350 && canvas.height === 900", 10, "the canvas follows the window")
    page.click("level")
    page.there("level=Lab")


def touch(page, kind, *points):
    page.browser.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y} for x, y in points])


def check_touch(page):
    page.browser.call("Emulation.setTouchEmulationEnabled", enabled=True)
    page.browser.call("Emulation.setDeviceMetricsOverride", width=1000, height=500, deviceScaleFactor=1, mobile=False)
    page.begin()
    name, place = next((name, place) for name, place in page.there("menu").places.items() if name.startswith("lab:"))
    x, y = page.rests(name)
    for step in range(0, 120, 10):
        touch(page, "touchMove" if step else "touchStart", (x, y - step))
        time.sleep(0.03)
    touch(page, "touchEnd")
    look = page.until("the page has scrolled", 10, lambda look: name not in look.places or look.places[name][1] < place[1] - 60)
    assert look.screen == "home", f"a finger that scrolls has opened {look.lab}"
    page.begin(LAB)
    ready(page)
    x, y = page.rests("level")
    touch(page, "touchStart", (x, y))
    time.sleep(0.05)
    touch(page, "touchEnd")
    page.there("level=Lab")
    time.sleep(1)
    assert "level=Lab" in page.look().places, "one tap pressed twice"


def check_keys(page):
    page.browser.of_browser("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    page.begin(LAB)
    ready(page)
    page.click("predict")
    page.click("predict_field")
    page.browser.value("navigator.clipboard.writeText('7 ms')")
    page.browser.chord("v", 86, ["paste"])
    time.sleep(0.5)
    page.browser.press("Enter", 13)
    run_selected(page)
    page.there("predict_said")
    export(page)
    page.click("copy_written_path")
    time.sleep(0.5)
    copied = page.browser.value("navigator.clipboard.readText()")
    assert copied == page.look().written, copied
    report = page.browser.value("FS.readFile(ridgepoint.look().match(/^written (.*)$/m)[1], {encoding: 'utf8'})")
    assert "7 ms" in report or "7.00 ms" in report, "the report does not hold the prediction that was pasted"


def check_loop(page):
    """The teaching loop: predict, run, reveal, explain, compare, report, with a mouse and a keyboard."""
    page.begin("#lab=gemm")
    ready(page)
    show_all(page)
    page.click("n=128")
    page.click("rung:gemm.cpu.naive_o1")
    page.click("predict")
    page.click("predict_field")
    page.type("5 ms")
    look = run_selected(page)
    page.there("predict_said")
    page.click("lesson")
    if answer := next((name for name in page.look().places if name.startswith("answer:")), None):
        page.click(answer)
    page.type("b")
    page.until("the baseline", 10, lambda look: look.baseline == "gemm.cpu.naive_o1")
    page.click("rung:gemm.cpu.loop_order")
    run_selected(page)
    asked = page.look().asked
    page.click("compare")
    page.until("the comparison begins", 20, lambda look: look.asked != asked)
    page.until("the comparison ends", 120, is_idle)
    look = export(page)
    keep(page.browser.picture(), "loop.png")
    folder = look.written.rsplit("/", 1)[0]
    lines = page.browser.value(f"FS.readFile('{folder}/run.jsonl', {{encoding: 'utf8'}})").splitlines()
    messages = [json.loads(line) for line in lines]
    said = [one for one in messages if one.get("type") == "predict"]
    assert [one["kernel"] for one in said] == ["gemm.cpu.naive_o1"] and abs(said[0]["value"] - 5e6) < 1, said
    compared = [one for message in messages if message["type"] == "result" for one in message.get("comparisons", [])]
    assert len(compared) == 1 and compared[0]["candidate"] == "gemm.cpu.loop_order" and compared[0]["rounds"] >= 6, compared
    report = page.browser.value(f"FS.readFile('{look.written}', {{encoding: 'utf8'}})")
    for word in ("naive_o1", "loop_order", "redict", compared[0]["verdict"]):
        assert word in report, f"the report does not say {word}"
    print(f"predicted, ran, compared ({compared[0]['verdict']}, ratio {compared[0]['ratio']:.2f}), exported")


def check_link(page):
    run = gzip.compress((ROOT / "tests/golden/screens/edit.jsonl").read_bytes(), 9)
    word = base64.urlsafe_b64encode(run).decode()
    page.begin(f"#run={word}")
    look = page.until("the run of the link is open", 20, lambda look: look.worker == "replay")
    assert look.selected.endswith("_edit") and "claimed" in look.places, look.said
    keep(page.browser.picture(), "link.png")
    assert not [path for path in Quiet.paths if "run=" in path], "the link's run was sent"
    look = export(page)
    report = page.browser.value(f"FS.readFile('{look.written}', {{encoding: 'utf8'}})")
    assert "claimed elsewhere" in report, "the report does not say that it is claimed"
    page.click("kept")
    page.until("measuring is possible", 20, lambda look: look.worker in ("idle", "busy"))
    print(f"a link with a run has {len(word)} letters")
    page.begin(f"#lab=gemm&run={word[:2000]}")
    look = page.until("the sentence about a torn link", 20, lambda look: "not whole" in look.notice)
    assert look.lab == "gemm", look.said
    print(f"a torn link: {look.notice}")


def check_no_webgl(page):
    page.open(before="HTMLCanvasElement.prototype.getContext = () => null;")
    page.browser.wait("document.body && document.body.innerText.includes('no WebGL 2')", 20, "the sentence without WebGL 2")
    page.open(before="delete window.WebAssembly;")
    page.browser.wait("document.body && document.body.innerText.includes('no WebAssembly')", 20, "the sentence without WebAssembly")


def check_no_simd(page):
    page.begin("#lab=gemm")
    look = page.until("the sentence without SIMD", 30, lambda look: look.worker == "lost" and "SIMD" in look.reason)
    print(f"no SIMD: {look.reason}")
    page.until("recordings are shown", 20, lambda look: any(state == "recorded" for state, _ in look.rows.values()))


check_no_simd.flags = ["--js-flags=--no-enable-sse4-1"]


def check_start(page):
    """What is fetched before the first picture, and when that stands; each file as a server would send it, compressed."""
    page.begin()
    folder = pathlib.Path(page.folder)
    fetched = page.browser.value("""performance.getEntriesByType('resource').filter(one => one.startTime < 1000 * ridgepoint.times.begun)
        .map(one => one.name.split('/').pop())""")
    before = ["index.html"] + [name for name in fetched if (folder / name).exists()]
    sizes = {name: len(gzip.compress((folder / name).read_bytes(), 9)) for name in before if not name.endswith(".gz")}
    times = page.browser.value("ridgepoint.times")
    # A first visit loads the page twice: then it is isolated.
    first_s = page.browser.value("(performance.timeOrigin - sessionStorage.getItem('isolated')) / 1000")
    print(f"first picture after {first_s:.2f} + {times['painted']:.2f} s, {sum(sizes.values()) / 2**20:.2f} MiB compressed ({sizes}); "
          f"recordings there after {times['recorded']:.2f} s")
    assert "ridgepoint.wasm" in sizes and "recorded.tar.gz" not in fetched, fetched


KEEP_FRAMES = """
window.drawn = [];
const ask = window.requestAnimationFrame;
window.requestAnimationFrame = draw => ask(at => { const from = performance.now(); draw(at); drawn.push([from, performance.now() - from]); });
"""


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def processor_s(page):
    """Processor time of the browser's processes so far, by their kinds."""
    times = {}
    for one in page.browser.of_browser("SystemInfo.getProcessInfo")["processInfo"]:
        times[one["type"]] = times.get(one["type"], 0) + one["cpuTime"]
    return times


def check_frames(page):
    page.begin(LAB, KEEP_FRAMES)
    ready(page)
    page.click("level")
    page.click("level=Lab")
    time.sleep(2)
    page.browser.value("drawn.length = 0")
    end, step = time.monotonic() + 10, 0
    while time.monotonic() < end:
        page.browser.mouse("mouseMoved", 300 + 7 * step % 900, 200 + 5 * step % 500)
        step += 1
        time.sleep(0.01)
    drawn = page.browser.value("drawn")
    gaps = [later[0] - earlier[0] for earlier, later in zip(drawn, drawn[1:])]
    print(f"{len(drawn)} frames in 10 s under a moving mouse: from one to the next P50 {percentile(gaps, 0.5):.1f} ms, "
          f"P99 {percentile(gaps, 0.99):.1f} ms; the page's own part P50 {percentile([ms for _, ms in drawn], 0.5):.1f} ms, "
          f"P99 {percentile([ms for _, ms in drawn], 0.99):.1f} ms")
    page.browser.mouse("mouseMoved", 5, 5)
    time.sleep(5)
    kIdle_s = 20
    before, count = processor_s(page), len(page.browser.value("drawn"))
    time.sleep(kIdle_s)
    after, drawn = processor_s(page), page.browser.value("drawn")
    shares = {kind: f"{100 * (after[kind] - before.get(kind, 0)) / kIdle_s:.2f} %" for kind in after}
    print(f"idle for {kIdle_s} s: {len(drawn) - count} frames, of a core: {shares}")


def check_golden(page):
    """The pictures of tests/golden/screens, drawn by this browser (target golden-screens)."""
    folder = pathlib.Path(page.folder).parent / "golden"
    if not (folder / "golden-screens.wasm").exists():
        return print(f"golden: skipped, ninja golden-screens has not made {folder}")
    page.address = f"http://127.0.0.1:{serve(folder).server_port}"
    page.browser.answer_s = 600  # it draws all of them in one go
    page.open()
    page.browser.wait("said.some(line => /pictures of/.test(line))", 600, "the pictures")
    said = page.browser.value("said")
    moved = [(found[1], int(found[2]), int(found[3])) for line in said
             if (found := re.match(r"(.+)-\w+-\d: (\d+) of \d+ cells differ, by up to (\d+)", line))]
    print(said[-1], *(line for line in said if "cells differ" in line), sep="\n")
    if pictures := os.environ.get("RIDGE_WEB_PICTURES"):
        for name in page.browser.value("FS.readdir('/differences').filter(name => name.endsWith('.png'))"):
            data = page.browser.value(f"btoa(Array.from(FS.readFile('/differences/{name}'), one => String.fromCharCode(one)).join(''))")
            pathlib.Path(pictures, name).write_bytes(base64.b64decode(data))
    # Another rasteriser draws thin lines that cross, and a bar's end between two pixels, a little otherwise: few cells, and
    # by less than a letter that is cut off. A page keeps no history, and says so.
    kCells, kMoved = 6, 20
    strange = {scene for scene, cells, most in moved if cells > kCells or most > kMoved} - {"history"}
    count = int(re.search(r"(\d+) differ", said[-1])[1])
    assert count == len(moved), f"{count} pictures differ, and {len(moved)} say how"
    assert not strange, f"these are not as the desktop's: {sorted(strange)}"


CHECKS = {name[6:]: check for name, check in list(globals().items()) if name.startswith("check_")}


class Quiet(http.server.SimpleHTTPRequestHandler):
    paths = []  # that were asked for

    def log_message(self, *_):
        Quiet.paths.append(self.path)


def serve(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def passes(name, folder, address):
    """Whether a check passes in a browser of its own."""
    check = CHECKS[name]
    with Page(address, *getattr(check, "flags", [])) as page:
        page.folder = folder
        try:
            check(page)
            print(f"{name}: as it should be", flush=True)
            return True
        except Silent:
            raise
        except (AssertionError, RuntimeError, KeyError) as wrong:
            print(f"{name}: {wrong!r}", flush=True)
            return False


def passes_in_one_of_two(name, folder, address):
    """A browser that falls silent gets a second try: a page that hangs hangs again."""
    for tries in range(2):
        began = time.monotonic()
        try:
            return passes(name, folder, address)
        except Silent as silent:
            print(f"{name}: the browser fell silent {time.monotonic() - began:.0f} s after its start: {silent}", flush=True)
    return False


def main():
    folder, names = sys.argv[1], sys.argv[2:] or list(CHECKS)
    server = serve(folder)
    passed = [passes_in_one_of_two(name, folder, f"http://127.0.0.1:{server.server_port}") for name in names]
    server.shutdown()
    sys.exit(0 if all(passed) else 1)


if __name__ == "__main__":
    main()
