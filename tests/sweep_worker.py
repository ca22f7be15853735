#!/usr/bin/env python3
"""A worker with made-up figures for sweeps: two rungs, each run answered at once. Used by tests/sweep_test.cpp.

argv[1] is JSON: {"seconds": 0.02 (of a run), "pids": FOLDER (where it leaves a file of its number), "dies_at": 32 (each
run with this n ends it), "wrong_at": 32 (the check fails), "refused_at": 32, "hash": "..."}. Nothing in it was measured.
"""
import json
import os
import sys
import time

OPTIONS = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
RUNGS = ("gemm.cpu.naive_o3", "gemm.cpu.loop_order")
seq = 0


def say(kind, **fields):
    global seq
    seq += 1
    print(json.dumps({"ridgepoint": 1, "type": kind, "seq": seq, "t_s": time.monotonic(), **fields},
                     separators=(",", ":")), flush=True)


def kernel(rung):
    return {"id": rung, "family": "gemm", "backend": "cpu", "kind": "kernel", "dtypes": ["fp32"], "available": True,
            "hash": OPTIONS.get("hash", "0123456789abcdef"), "path": "made-up.cpp", "flags": "",
            "params": [{"name": "n", "min": 1, "max": 8192, "fallback": 512, "is_size": True},
                       {"name": "k", "min": 1, "max": 8192, "fallback": 512, "same_as": "n"}]}


def environment(request, when):
    say("env", request=request, when=when, environment={
        "os": "made-up OS", "cpu": {"model": "made-up CPU", "cores": 2}, "version": "0.1.0", "commit": "0123456789ab",
        "time_utc": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "quiet": {"quiet": True, "reasons": []}})


def run(asked):
    request, one = asked["id"], asked["kernels"][0]
    n = one["params"]["n"]
    if n == OPTIONS.get("refused_at"):
        say("error", request=request, error={"code": 69, "what": "its data set is not here", "where": "", "hint": ""})
        return say("done", request=request, status="failed")
    environment(request, "before")
    facts = {"kind": "kernel", "dtype": "fp32", "params": one["params"], "flop": 2.0 * n**3, "bytes_min": 8.0}
    say("problem", request=request, series=0, problem=facts)
    # Never the same twice: a sample that is lost or there twice would be seen.
    first = 1000.0 + (time.monotonic_ns() % 1000003) / 7
    times = [first + i / 3 for i in range(3)]
    say("samples", request=request, series=0, phase="call",
        samples=[{"index": i, "calls": 1, "t_ns": t} for i, t in enumerate(times)])
    time.sleep(OPTIONS.get("seconds", 0))
    if n == OPTIONS.get("dies_at"):
        print("the matrix is on fire", file=sys.stderr, flush=True)
        os._exit(3)
    wrong = n == OPTIONS.get("wrong_at")
    say("check", request=request, series=0, check={
        "what": "timed shape", "nmse": 1e-3 if wrong else 1e-16, "nmse_limit": 1e-12, "passed": not wrong,
        "reason": "error 0.001 (NMSE) is over the limit 1e-12" if wrong else ""})
    say("result", request=request, series=0, outcome={
        **facts, "kernel": one["kernel"], "lab": asked["lab"], "mode": asked["mode"], "cache": asked["cache"],
        "hash": OPTIONS.get("hash", "0123456789abcdef"), "status": "failed" if wrong else "ok",
        "reason": "its output is wrong" if wrong else "",
        "stats": {"n": 3, "min_ns": times[0], "q1_ns": times[0] + 0.5, "median_ns": times[1], "q3_ns": times[1] + 0.5,
                  "max_ns": times[2], "flags": ["few"]}})
    environment(request, "after")
    say("done", request=request, status="ok")


if "pids" in OPTIONS:
    open(os.path.join(OPTIONS["pids"], str(os.getpid())), "w").close()
say("hello", version="0.1.0", pid=os.getpid(), build={})
for line in iter(sys.stdin.readline, ""):
    message = json.loads(line)
    kind, number = message.get("type"), message.get("id", 0)
    if kind == "quit":
        break
    if kind == "ping":
        say("pong", request=number)
    if kind == "list":
        for rung in RUNGS:
            say("kernel", request=number, kernel=kernel(rung))
        say("end", request=number)
    if kind == "source":
        say("result", request=number, source={"kernel": message["kernel"], "path": "made-up.cpp", "flags": "",
                                              "hash": OPTIONS.get("hash", "0123456789abcdef"), "text": "int made_up;\n"})
    if kind == "run":
        run(message)
    elif kind in ("list", "source", "probe"):
        say("done", request=number, status="ok")
