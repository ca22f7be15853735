#!/usr/bin/env python3
"""A worker with made-up figures: two rungs, compared as argv[1] says. Used by tests/check_test.cpp.

argv[1] is JSON, what a comparison at n=N comes to: {"N": {"ratio": 2.0, "low": 1.9, "high": 2.1, "p95_ns": 5e5,
"wrong": true, "dies": true, "waits": true, "reason": "..."}}. Nothing in it was measured.
"""
import json
import os
import sys

ANSWERS = json.loads(sys.argv[1])
RUNGS = ("gemm.cpu.naive_o3", "gemm.cpu.loop_order")
ROUNDS = 12


def say(kind, **fields):
    print(json.dumps({"ridgepoint": 1, "type": kind, **fields}, separators=(",", ":")), flush=True)


def kernel(rung):
    return {"id": rung, "family": "gemm", "backend": "cpu", "kind": "kernel", "dtypes": ["fp32"],
            "available": True, "params": [{"name": "n", "min": 1, "max": 8192, "fallback": 512, "is_size": True}]}


def environment(request):
    say("env", request=request, when="before", environment={
        "os": "made-up OS", "cpu": {"model": "made-up CPU", "cores": 2}, "version": "0.1.0", "commit": "0123456789ab",
        "time_utc": "2026-01-01T00:00:00Z", "quiet": {"quiet": True, "reasons": []}})


def outcome(rung, n, call_ns, answer, is_wrong):
    return {"kernel": rung, "kind": "kernel", "lab": "gemm", "mode": "compare", "cache": "hot", "params": {"n": n},
            "dtype": "fp32", "status": "failed" if is_wrong else "ok", "reason": "its output is wrong" if is_wrong else "",
            "memory_bytes": 4096.0,
            "latency": {"n": 109, "p50_ns": call_ns, "p95_ns": answer.get("p95_ns", call_ns * 1.2)}}


def compare(asked):
    request, n = asked["id"], asked["kernels"][0]["params"]["n"]
    answer = ANSWERS[str(n)]
    environment(request)
    if answer.get("dies"):
        print("the matrix is on fire", file=sys.stderr, flush=True)
        os._exit(3)
    slow, ratio = 1e6, answer.get("ratio", 2.0)
    rounds = [{"index": i, "order": "0110", "t_ns": [slow, slow / ratio, slow / ratio, slow]} for i in range(ROUNDS)]
    say("samples", request=request, phase="rounds", rounds=rounds)
    cancelled = answer.get("waits", False)
    for line in iter(sys.stdin.readline, "") if cancelled else ():
        message = json.loads(line)
        if message["type"] == "ping":
            say("pong", request=message["id"])
        if message["type"] == "cancel":
            break
    wrong = answer.get("wrong", False)
    for side in (0, 1):
        is_wrong = wrong and side == 1
        say("check", request=request, series=side, check={
            "what": "timed shape", "nmse": 1e-3 if is_wrong else 1e-16, "nmse_limit": 1e-12, "passed": not is_wrong,
            "reason": "error 0.001 (NMSE) is over the limit 1e-12" if is_wrong else ""})
        say("result", request=request, series=side,
            outcome=outcome(RUNGS[side], n, slow / (ratio if side else 1), answer, is_wrong))
    say("result", request=request, comparisons=[{
        "lab": "gemm", "request": request, "candidate_index": 1, "baseline": RUNGS[0], "candidate": RUNGS[1],
        "baseline_params": {"n": n}, "candidate_params": {"n": n}, "cache": "hot", "margin": 0.02, "rounds": ROUNDS,
        "ratio": ratio, "ci": {"low": answer.get("low", ratio), "high": answer.get("high", ratio)},
        "verdict": "invalid" if wrong else "unresolved" if cancelled else "faster", "rounds_needed": 0,
        "reasons": ["cancelled"] * cancelled + ([answer["reason"]] if "reason" in answer else [])}])
    say("done", request=request, status="cancelled" if cancelled else "ok")


say("hello", version="0.1.0", pid=os.getpid(), build={})
for line in iter(sys.stdin.readline, ""):
    message = json.loads(line)
    kind, number = message.get("type"), message.get("id", 0)
    if kind == "quit":
        break
    if kind == "ping":
        say("pong", request=number)
    if kind == "list":
        for one in RUNGS:
            say("kernel", request=number, kernel=kernel(one))
        say("end", request=number)
    if kind == "compare":
        compare(message)
    elif kind in ("list", "source", "probe"):
        say("done", request=number, status="ok")
