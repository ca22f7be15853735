# web_worker.py WORKER.js: drives the WebAssembly worker under node, a line a request, and fails with what it saw. Every rung
# that can run there passes the gate at a small size; nothing of it is about times.
import json, os, subprocess, sys

SMALL = {"gemm": {"n": 48}, "conv": {"image": 8, "batch": 1}, "attention": {"sequence": 64, "heads": 1},
         "rows": {"m": 16, "n": 64}, "loops": {"n": 48}, "transpose": {"n": 64}, "gemv": {"n": 128}}
UNGATED = {"probe", "chase", "roofline", "copy", "chains", "sums"}  # what they measure are ceilings, over seconds

failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)
        print("FAILED:", what)


def answers(worker, requests, limit_s=900):
    text = "".join(json.dumps(request) + "\n" for request in requests)
    run = subprocess.run(["node", worker], input=text, capture_output=True, text=True, timeout=limit_s,
                         env={**os.environ, "RIDGE_CEILINGS": "off"})
    expect(run.returncode == 0, f"the worker ended with {run.returncode}: {run.stderr[-400:]}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def of(lines, request, kind):
    return [line for line in lines if line.get("request") == request and line["type"] == kind]


def fits(rung):
    known = {param["name"]: param for param in rung["params"]}
    small = SMALL.get(rung["family"], {})
    return {name: value for name, value in small.items() if name in known and not known[name]["is_choice"]}


worker = sys.argv[1]
catalogue = answers(worker, [{"type": "list", "id": 1}])
expect(catalogue[0]["type"] == "hello", "the first line is hello")
rungs = [line["kernel"] for line in catalogue if line["type"] == "kernel"]
here = {rung["id"]: rung for rung in rungs if rung["available"] and rung["kind"] == "kernel"}
expect("gemm.cpu.packed_wasm128" in here, "the tile in WebAssembly's vectors can run")
avx2 = [rung for rung in rungs if rung["id"] == "gemm.cpu.packed_avx2"]
expect(avx2 and avx2[0]["reason"] == "needs avx2; this CPU has wasm128", "a rung of another processor says why it is not here")

gated = [rung for rung in here.values() if rung["family"] not in UNGATED and not rung["external"]]
lines = answers(worker, [{"type": "run", "id": i, "lab": rung["family"], "mode": "live",
                          "kernels": [{"kernel": rung["id"], "params": fits(rung)}]} for i, rung in enumerate(gated)])
for i, rung in enumerate(gated):
    checks = [line["check"] for line in of(lines, i, "check")]
    outcomes = [line["outcome"] for line in of(lines, i, "result") if "outcome" in line]
    said = [line["error"] for line in of(lines, i, "error")] + [outcome.get("reason", "") for outcome in outcomes]
    expect(checks and all(check["passed"] for check in checks), f"{rung['id']} passes the gate: {said}")
    expect(outcomes and outcomes[0]["status"] == "ok", f"{rung['id']} is timed: {said}")
print(len(gated), "rungs gated")

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
