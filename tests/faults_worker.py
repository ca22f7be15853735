#!/usr/bin/env python3
"""A worker that misbehaves as argv[1] says: stands in for the real one in tests/faults."""
import json
import os
import sys
import time

mode = sys.argv[1] if len(sys.argv) > 1 else "ok"
out = sys.stdout.buffer


def raw(data):
    try:
        out.write(data)
        out.flush()
    except BrokenPipeError:
        os._exit(1)


def say(kind, **fields):
    raw((json.dumps({"ridgepoint": 1, "type": kind, **fields}, separators=(",", ":")) + "\n").encode())


def hello():
    if mode == "otherver":
        raw(b'{"ridgepoint":2,"type":"hello"}\n')
        time.sleep(60)
    say("hello", version="0.1.0", pid=os.getpid(), build={})


def samples(request, times, series=0):
    say("samples", request=request, series=series, phase="call",
        samples=[{"index": i, "t_ns": t, "calls": 1} for i, t in enumerate(times)])


def end(request, series=0, times=None, check=True):
    if times:
        samples(request, times, series)
    if check:
        say("check", request=request, series=series, check={"what": "timed shape", "nmse": 1e-16, "nmse_limit": 1e-12,
                                                            "passed": True})
        say("result", request=request, series=series, outcome={"kernel": "gemm.cpu.packed", "status": "ok"})
    say("done", request=request, status="ok")


GOOD = [1000 + i % 3 for i in range(20)]


def flood(line):
    while True:
        raw(line)


def run(request):
    deep = b'{"ridgepoint":1,"type":"telemetry","x":' + b"[" * 30000 + b"]" * 30000 + b"}\n"
    deeds = {
        "dieline": lambda: (raw(b'{"ridgepoint":1,"type":"samp'), os._exit(255)),
        "longline": lambda: raw(b"x" * 200_000 + b"\n"),
        "endless": lambda: flood(b"x" * 65536),
        "garbage": lambda: raw(os.urandom(200_000).replace(b"\n", b" ")[:60_000] + b"\n"),
        "nul": lambda: raw(b"a\0b\n"),
        "nan": lambda: raw(b'{"ridgepoint":1,"type":"samples","request":%d,"series":0,"samples":[{"t_ns":NaN}]}\n' % request),
        "deep": lambda: raw(deep),
        "huge": lambda: samples(request, [1e300, 1e308]),
        "neg": lambda: samples(request, [-5] * 20),
        "zero": lambda: samples(request, [0] * 20),
        "tiny": lambda: samples(request, [1e-300] * 20),
        "dupid": lambda: end(request, times=GOOD),
        "otherid": lambda: end(request + 1000, times=GOOD),
        "bigseries": lambda: samples(request, GOOD, 2_000_000_000),
        "hugecalls": lambda: say("samples", request=request, series=0, samples=[{"t_ns": 5, "calls": 2**62}]),
        "midver": lambda: raw(b'{"ridgepoint":7,"type":"samples"}\n'),
        "closeout": lambda: (os.close(1), time.sleep(60)),
        "flood": lambda: flood(b"\n" * 4096),
        "floodkernel": lambda: flood(b"".join(
            b'{"ridgepoint":1,"type":"kernel","kernel":{"id":"gemm.cpu.k%d"}}\n' % i for i in range(1000))),
        "escape": lambda: say("error", request=request, error={"code": 70, "what": "\x1b[2J\u009b31mred", "where": "\x07"}),
        "hangmid": lambda: time.sleep(60),
        "inf": lambda: raw(b'{"ridgepoint":1,"type":"telemetry","t_s":1e999,"values":{"load":1e999}}\n'),
        "badutf8": lambda: raw(b'{"ridgepoint":1,"type":"error","error":{"what":"caf\xe9"}}\n'),
    }
    if mode == "grandchild" and os.fork() == 0:
        os.setsid()
        devnull = os.open("/dev/null", os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(devnull, fd)
        time.sleep(60)
        os._exit(0)
    if mode == "grandchild":
        time.sleep(0.2)
    if mode == "nochecknoresult":
        return end(request, check=False)
    deeds.get(mode, lambda: None)()
    end(request, times=None if mode in ("neg", "zero", "tiny", "huge") else GOOD)


if mode == "sshfail":
    print("ssh: Could not resolve hostname gpubox: Name or service not known", file=sys.stderr)
    sys.exit(255)
if mode == "dieearly":
    raw(b'{"ridgepoint":1,"ty')
    sys.exit(255)
if mode == "loginshell":
    sys.exit(127)
if mode == "endless_first":
    flood(b"x" * 65536)
if mode == "latehello":
    time.sleep(3)
if mode == "banner":
    raw(b"*** Welcome ***\nLast login: today\n")
if mode == "noquit":
    import signal
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
hello()
for line in sys.stdin:
    try:
        asked = json.loads(line)
    except ValueError:
        continue
    kind, number = asked.get("type"), asked.get("id", 0)
    if kind == "quit" and mode not in ("noquit", "ignoreeof"):
        break
    if kind == "ping" and mode not in ("nopong", "hangmid", "flood", "floodkernel"):
        say("pong", request=number)
    if kind == "list":
        if mode == "slowlist":
            time.sleep(7)
        say("kernel", request=number, kernel={"id": "gemm.cpu.packed", "family": "gemm", "backend": "cpu", "kind": "kernel",
                                              "dtypes": ["fp32"], "available": True,
                                              "params": [{"name": "n", "min": 1, "max": 8192, "fallback": 512,
                                                          "is_size": True}]})
        say("end", request=number)
        say("done", request=number, status="ok")
    if kind == "run":
        run(number)
    if kind in ("probe", "source", "assembly", "build", "inspect"):
        say("result", request=number, ceilings=[])
        say("done", request=number, status="ok")
if mode == "noquit":
    time.sleep(60)
