# web_worker.py WORKER.js: drives the WebAssembly worker under node, a line a request, and fails with what it saw. Every rung
# that the worker offers passes its gate at a small size, and what it does not offer says why; nothing of it is about times.
import json, os, pathlib, re, subprocess, sys

# Sizes by family. A training's are those at which its model is far better than guessing.
SMALL = {"gemm": {"n": 48}, "gemv": {"n": 128, "k": 128, "copies": 1}, "transpose": {"n": 64}, "rows": {"m": 16, "n": 64},
         "chain": {"width": 64, "height": 16}, "conv": {"h": 8, "w": 8, "n": 1, "c": 16, "m": 16},
         "loops": {"h": 8, "w": 8, "n": 1, "c": 4, "m": 4}, "attention": {"sequence": 64, "heads": 2, "heads_kv": 1, "d": 32},
         "attention_backward": {"sequence": 64, "heads": 2, "heads_kv": 1, "d": 32},
         "decode": {"length": 64, "heads": 2, "heads_kv": 1, "d": 32}, "chase": {"kib": 16}, "sums": {"kib": 16},
         "traps": {}, "claims": {}, "mlp": {"images": 64, "mlp_epochs": 1},
         "quantnet": {"images": 64, "model": "mlp", "width": 16, "train_epochs": 1, "tune_epochs": 1, "calibration": 64},
         "wisard": {"train_images": 1000, "images": 64}, "bloom": {"train_images": 1000, "images": 64},
         "weightless": {"luts": 100, "bits": 2, "candidates": 8, "epochs": 1, "train_images": 1000, "images": 64},
         "mixed": {"width": 16, "layers": 1, "batch": 256, "epochs": 1}, "probe": {}, "puzzles": {"n": 64}}
TRAINED = {"weightless": {"luts": 200, "bits": 2, "candidates": 8, "epochs": 4, "train_images": 4000}}
WRONG = {"conv.cpu.as_printed"}  # a rung that is there to be caught
LADDERS = {"gemm", "conv", "loops", "attention", "attention_backward", "decode", "rows", "chain", "transpose", "gemv", "mlp",
           "quantnet", "weightless", "wisard", "bloom", "mixed", "traps", "claims", "chase", "sums", "probe",
           "puzzles"}
# Why a rung of the CPU is not in a page: another processor's instructions, a library, another process.
REASONS = [r"needs \w+; this CPU has wasm128", r"needs \w+, which this CPU does not have", r"built without \w+",
           "a page in a browser starts no python3", "needs processes that share memory, which only Linux gives it"]
# Rungs that say when they run what this machine lacks.
REFUSED = {"chase.cpu.huge_pages": "the system gave no pages of 2 MiB",
           "traps.cpu.not_the_best_peer": "two libraries are needed"}
if os.cpu_count() == 1:
    REFUSED["claims.cpu.handicapped_baseline"] = "this machine has one core"

failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)
        print("FAILED:", what)


def answers(command, requests, limit_s=900, **environment):
    text = "".join(json.dumps(request) + "\n" for request in requests)
    run = subprocess.run(command, input=text, capture_output=True, text=True, timeout=limit_s,
                         env={**os.environ, "RIDGE_CEILINGS": "off", **environment})
    expect(run.returncode == 0, f"the worker ended with {run.returncode}: {run.stderr[-400:]}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def of(lines, request, kind):
    return [line for line in lines if line.get("request") == request and line["type"] == kind]


def params(rung):
    small = {**SMALL[rung["family"]], **(TRAINED.get(rung["family"], {}) if rung["kind"] == "training" else {})}
    if rung["family"] == "probe":
        small["what"] = rung["id"].split(".")[-1].split("_")[0]  # fma_wasm128 measures fma
    known = {param["name"] for param in rung["params"]}
    return {name: value for name, value in small.items() if name in known}


def check_catalogue(rungs):
    here = [rung for rung in rungs if rung["available"]]
    expect({rung["family"] for rung in here} == LADDERS, f"the ladders are {sorted({rung['family'] for rung in here})}")
    expect(any(rung["id"] == "gemm.cpu.packed_wasm128" for rung in here), "the tile in WebAssembly's vectors can run")
    for rung in rungs:
        known = rung["available"] or rung["backend"] != "cpu" or any(re.fullmatch(one, rung["reason"]) for one in REASONS)
        expect(known, f"{rung['id']} is not here because: {rung['reason']!r}")
        expect(rung["available"] or rung["reason"], f"{rung['id']} says why it is not here")
    return here


def check_gates(worker, here):
    # A training goes to its end; of the others fifty milliseconds are enough to be checked and timed.
    lines = answers(worker, [{"type": "run", "id": i, "lab": rung["family"], "mode": "live",
                              "limit_s": 120 if rung["kind"] == "training" else 0.05,
                              "kernels": [{"kernel": rung["id"], "params": params(rung)}]} for i, rung in enumerate(here)])
    for i, rung in enumerate(here):
        checks = [line["check"] for line in of(lines, i, "check")]
        outcomes = [line["outcome"] for line in of(lines, i, "result") if "outcome" in line]
        said = [line["error"] for line in of(lines, i, "error")] + [outcome.get("reason", "") for outcome in outcomes]
        passed = bool(checks) and all(check["passed"] for check in checks)
        status = outcomes[0]["status"] if outcomes else "without an outcome"
        if rung["id"] in REFUSED:
            expect(status == "skipped" and REFUSED[rung["id"]] in outcomes[0]["reason"], f"{rung['id']} says what it lacks: {said}")
        elif rung["id"] in WRONG:
            expect(not passed and status == "failed", f"{rung['id']}, which is wrong, is caught: {said}")
        else:
            expect(passed, f"{rung['id']} passes the gate: {said}")
            expect(status == "ok", f"{rung['id']} is timed, and not {status}: {said}")
    print(len(here), "rungs gated")
    return lines


def check_ceilings(worker):
    lines = answers(worker, [{"type": "probe", "id": 1}])
    ceilings = [ceiling for line in of(lines, 1, "result") for ceiling in line.get("ceilings", [])]
    expect(of(lines, 1, "done")[0]["status"] == "ok", f"the ceilings are measured: {[line.get('error') for line in lines]}")
    names = {ceiling["name"] for ceiling in ceilings}
    expect(any("FMA" in name for name in names), f"the ceiling of multiply-adds is measured: {sorted(names)}")
    expect({ceiling["threads"] for ceiling in ceilings} == {1, os.cpu_count()}, f"of one thread and of all: {ceilings}")
    expect(all(ceiling["value"] > 0 for ceiling in ceilings), f"none is nothing: {ceilings}")


def check_hashes(rungs):
    """A recorded figure is held against its rung's hash: the page's have to be the desktop's."""
    native = pathlib.Path(os.environ.get("RIDGE_BIN", ""), "../ridgepoint-worker")
    if not os.path.exists(native):
        return
    listed = answers([native, "--stdio"], [{"type": "list", "id": 1}, {"type": "quit"}])
    desktop = {line["kernel"]["id"]: line["kernel"]["hash"] for line in listed if line["type"] == "kernel"}
    other = [rung["id"] for rung in rungs if desktop.get(rung["id"], rung["hash"]) != rung["hash"]]
    expect(desktop and not other, f"{len(other)} rungs have another hash than on a desktop: {other[:5]}")


worker = ["node", sys.argv[1]]
catalogue = answers(worker, [{"type": "list", "id": 1}])
expect(catalogue[0]["type"] == "hello", "the first line is hello")
rungs = [line["kernel"] for line in catalogue if line["type"] == "kernel"]
here = check_catalogue(rungs)
check_hashes(rungs)
lines = check_gates(worker, here)
check_ceilings(worker)

garments = [line["problem"]["note"] for line in lines if line["type"] == "problem" and "garments" in line["problem"]["note"]]
expect(not garments, f"the data sets of the page are read: {garments[:1]}")

environment = [line["environment"] for line in lines if line["type"] == "env"][0]
expect(environment["cpu"]["model"].startswith("WebAssembly in node "), "the environment names the engine")
expect("clock in steps of" in environment["os"], "the environment says how coarse the clock is")

unknown = answers(worker, [{"type": "run", "id": 1, "lab": "gemm", "kernels": [{"kernel": "gemm.cpu.nothing"}]},
                           {"type": "nothing"}, {"type": "build", "id": 2, "kernel": "gemm.cpu.naive_o1", "text": "x"}])
said = [line["error"]["what"] for line in unknown if line["type"] == "error"]
expect("no rung is called 'gemm.cpu.nothing'" in said, f"an unknown rung is answered with its sentence: {said}")
expect("type nothing is unknown" in said, f"an unknown type is answered with its sentence: {said}")
expect("a page has no compiler for a rung of your own" in said, f"a learner's text is refused in a sentence: {said}")

sides = [{"kernel": "gemm.cpu.naive_o1", "params": {"n": 64}}, {"kernel": "gemm.cpu.packed_wasm128", "params": {"n": 64}}]
compared = answers(worker, [{"type": "compare", "id": 1, "lab": "gemm", "kernels": sides}, {"type": "quit"}])
found = [one for line in of(compared, 1, "result") for one in line.get("comparisons", [])]
expect(len(found) == 1 and found[0]["ci"] and found[0]["ci"]["low"] <= found[0]["ratio"] <= found[0]["ci"]["high"],
       f"a comparison of two rungs has an interval: {found}")

sys.exit(1 if failures else 0)
