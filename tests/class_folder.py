#!/usr/bin/env python3
"""Makes up a class's folder of saved runs, to see how long reading one takes.

usage: tests/class_folder.py FOLDER [FILES=300] [KILOBYTES=500]

    tests/class_folder.py /tmp/class
    time build/bin/ridgepoint class /tmp/class --out /tmp/class.html --csv /tmp/class.csv

A folder for each of 30 people, in it their runs of the GEMM ladder with predictions and samples, without seals. No figure
in it was measured.
"""
import json
import os
import random
import sys

RUNGS = ["gemm.cpu.naive_o1", "gemm.cpu.naive_o3", "gemm.cpu.loop_order", "gemm.cpu.cache_blocks", "gemm.cpu.threads"]
CPUS = ["Test CPU A", "Test CPU B", "Test CPU C", "Test CPU D"]
PEOPLE = 30


class Transcript:
    def __init__(self):
        self.lines, self.bytes, self.seq = [], 0, 0

    def add(self, **fields):
        self.lines.append(json.dumps({"ridgepoint": 1, **fields}, separators=(",", ":"), sort_keys=True))
        self.bytes += len(self.lines[-1]) + 1

    def worker(self, type, **fields):
        self.seq += 1
        self.add(type=type, seq=self.seq, t_s=self.seq / 10, **fields)


def environment(chance, day):
    return {"os": "Test OS", "time_utc": f"2026-11-{day:02}T18:00:00Z", "no_gpu_reason": "none", "gpus": [],
            "cpu": {"model": chance.choice(CPUS), "isa": "avx2", "cores": 8}, "quiet": {"quiet": True, "reasons": []}}


def add_series(out, chance, request, n, rung, call_ns):
    place, kernel = rung
    params = {"n": n, "m": n, "k": n, "dtype": "fp32", "threads": 1}
    samples = [{"index": i, "t_ns": call_ns * chance.uniform(0.98, 1.05), "cpu_ns": call_ns} for i in range(60)]
    for _ in range(4):
        out.worker("samples", request=request, series=place, phase="call", samples=samples)
    times = {"n": 240, "min_ns": call_ns * 0.98, "q1_ns": call_ns * 0.99, "median_ns": call_ns,
             "q3_ns": call_ns * 1.01, "max_ns": call_ns * 1.05, "ci_ns": {"low": call_ns * 0.995, "high": call_ns * 1.005},
             "outliers": 0, "noise": 0.005, "correlation_samples": 1, "flags": []}
    check = {"what": "timed shape", "nmse": 1e-13, "nmse_limit": 2e-12, "checked": 4096, "passed": True}
    out.worker("result", request=request, series=place, outcome={
        "lab": "gemm", "kernel": kernel, "kind": "kernel", "dtype": "fp32", "cache": "hot", "mode": "measure",
        "params": params, "status": "ok", "checks": [check], "flop": 2.0 * n ** 3, "bytes_min": 12.0 * n * n,
        "memory_bytes": 12.0 * n * n, "stats": times})


def transcript(chance, day, size):
    out = Transcript()
    out.worker("hello", version="0.1.0", pid=1)
    request = 0
    n = 512
    while out.bytes < size:
        request += 1
        kernel = RUNGS[request % len(RUNGS)]
        out.add(**{"from": "app"}, type="predict", kernel=kernel, params={"n": n},
                value=1e6 * chance.uniform(0.2, 5))
        out.add(**{"from": "app"}, type="run", id=request, lab="gemm",
                kernels=[{"kernel": rung, "params": {"n": n}} for rung in RUNGS])
        if request == 1:
            out.worker("env", environment=environment(chance, day), when="before")
        for place, rung in enumerate(RUNGS):
            add_series(out, chance, request, n, (place, rung), 8e6 / (place + 1) ** 2)
        out.worker("done", request=request, status="ok")
    return out.lines


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = sys.argv[1]
    files, size = (int(word) for word in (sys.argv[2:] + ["300", "500"][len(sys.argv) - 2:]))
    chance = random.Random(1)
    for i in range(files):
        own = os.path.join(folder, f"person-{i % PEOPLE:02}")
        os.makedirs(own, exist_ok=True)
        with open(os.path.join(own, f"run-{i // PEOPLE:02}.jsonl"), "w", encoding="utf-8") as out:
            out.write("\n".join(transcript(chance, i // PEOPLE % 28 + 1, size * 1000)) + "\n")


if __name__ == "__main__":
    main()
