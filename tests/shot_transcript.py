"""A made-up transcript for the shot test: round numbers, nothing in it was measured."""
import json

seq = 0


def worker(kind, **fields):
    global seq
    seq += 1
    print(json.dumps({"ridgepoint": 1, "type": kind, "seq": seq, **fields}))


def app(kind, **fields):
    print(json.dumps({"ridgepoint": 1, "from": "app", "type": kind, **fields}))


names = ["naive_o1", "naive_o3", "loop_order", "cache_blocks", "onednn"]
ids = ["gemm.cpu." + name for name in names]
params = {"n": 512, "m": 512, "k": 512, "dtype": "fp32", "threads": 1}
whole = {"is_choice": False, "choices": [], "min": 1, "max": 65536, "help": "", "fallback": 512,
         "same_as": ""}
app("list", id=1)
worker("hello", version="0", pid=1, build={}, capabilities=[])
for kernel in ids:
    worker("kernel", request=1, kernel={
        "id": kernel, "family": "gemm", "backend": "cpu", "kind": "kernel", "dtypes": ["fp32"],
        "available": True, "path": "kernels/test.cpp", "flags": "-O1", "hash": "00beef00",
        "params": [{"name": "n", **whole}, {"name": "threads", **whole, "max": 2, "fallback": 1}]})
worker("end", request=1)
worker("done", request=1, status="ok")
for i, kernel in enumerate(ids):
    app("source", id=2 + i, kernel=kernel)
    text = "// Idea: a test.\nfor (int i = 0; i < n; ++i)\n  sum += a[i] * b[%d];\n" % i
    worker("result", request=2 + i, source={
        "kernel": kernel, "path": "kernels/test.cpp", "text": text, "flags": "-O%d" % (i + 1),
        "hash": "00beef00"})
    worker("done", request=2 + i, status="ok")
asked = [{"kernel": kernel, "params": params} for kernel in ids]
app("run", id=20, lab="gemm", kernels=asked, mode="measure", cache="hot")
worker("env", when="before", environment={
    "os": "Test OS", "time_utc": "2000-01-01T00:00:00Z", "cpu": {"model": "Test CPU", "cores": 2},
    "gpus": [], "no_gpu_reason": "a made-up machine", "quiet": {"quiet": True, "reasons": []}})
for i, kernel in enumerate(ids):
    t = 1e8 / 4 ** i
    samples = [{"index": n, "t_ns": t * (1 + n % 5 / 100), "cpu_ns": t, "calls": 1}
               for n in range(20)]
    worker("samples", request=20, series=i, phase="call", samples=samples)
    worker("result", request=20, series=i, outcome={
        "request": 20, "index": i, "lab": "gemm", "kernel": kernel, "kind": "kernel",
        "dtype": "fp32", "cache": "hot", "mode": "measure", "hash": "00beef00", "params": params,
        "status": "ok", "flop": 2.0 * 512 ** 3, "bytes_min": 3 * 4.0 * 512 ** 2,
        "stats": {"n": 20, "min_ns": t, "q1_ns": t, "median_ns": t * 1.02, "q3_ns": t * 1.03,
                  "max_ns": t * 1.04, "ci_ns": {"low": t, "high": t * 1.04}, "noise": 0.01,
                  "correlation_samples": 1, "flags": []},
        "checks": [{"what": "timed shape", "nmse": 1e-13, "nmse_limit": 2e-12, "checked": 4096,
                    "passed": True}]})
worker("done", request=20, status="ok")
app("compare", id=21, lab="gemm", kernels=asked[1:3], cache="hot", margin=0.02)
worker("samples", request=21, series=0, phase="rounds",
       rounds=[{"index": r, "order": "0110", "t_ns": [4e7, 1e7, 1e7, 4e7]} for r in range(8)])
worker("result", request=21, comparisons=[{
    "request": 21, "candidate_index": 1, "lab": "gemm", "baseline": ids[1], "candidate": ids[2],
    "cache": "hot", "baseline_params": params, "candidate_params": params, "rounds": 8, "ratio": 4.0,
    "ci": {"low": 3.9, "high": 4.1}, "margin": 0.02, "verdict": "faster", "rounds_needed": 0,
    "reasons": []}])
worker("done", request=21, status="ok")
