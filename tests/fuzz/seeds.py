#!/usr/bin/env python3
"""Seeds for the targets of tests/fuzz, made of what the repository holds: seeds.py FOLDER (4 KiB a file at most).

Each target also starts from tests/fuzz/findings/TARGET: inputs that once broke it.
"""
import json
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
out = pathlib.Path(sys.argv[1])
MOST = 4096
assets = root / "assets"


def seed(target, name, text):
    folder = out / target
    folder.mkdir(parents=True, exist_ok=True)
    data = text if isinstance(text, bytes) else text.encode()
    (folder / name).write_bytes(data[:MOST])


def files(target, pattern):
    for path in sorted(assets.glob(pattern)):
        text = path.read_text()
        seed(target, path.stem, text)
        seed(target, path.stem + ".end", text.encode()[-MOST:])


def shortened(value):
    """The first two entries of each list, and texts of a line."""
    if isinstance(value, dict):
        return {k: shortened(v) for k, v in value.items()}
    if isinstance(value, list):
        return [shortened(v) for v in value[:2]]
    return value[:160] if isinstance(value, str) else value


def transcripts():
    """Of each recording a file with one short line of each type: what the loader and the exporters read."""
    paths = sorted((assets / "recorded").glob("*.jsonl")) + sorted((root / "tests/fixtures/runs").glob("*.jsonl"))
    for path in paths:
        lines, seen = [], set()
        for line in path.read_text(errors="replace").splitlines():
            try:
                message = json.loads(line)
            except ValueError:
                continue
            result = [k for k in message if k not in ("ridgepoint", "seq", "t_s", "request", "series")]
            kind = (message.get("type"), message.get("from"), *(result if message.get("type") == "result" else ()))
            if kind in seen:
                continue
            short = json.dumps(shortened(message), separators=(",", ":"))
            if len(short) > 1500:
                continue
            seen.add(kind)
            lines.append(short)
        text = ""
        for line in lines:
            if len(text) + len(line) < MOST:
                text += line + "\n"
        for target in ("run", "lines"):
            seed(target, path.stem, text)
        for line in lines:
            if '"from":"app"' in line:
                seed("request", path.stem + str(len(line)), line)


def lists():
    files("markdown", "lessons/*.md")
    files("deck", "cards/*")
    files("quiz", "quiz/*")
    files("tour", "tours/*")
    files("glossary", "glossary.md")
    files("metrics", "metrics.json")
    files("exercise", "exercises/gemm/*.cpp")
    seed("progress", "one", '{"format":"ridgepoint-study","version":1,"cards":{"a":{"box":1,"seen":2,"again":0,'
         '"answered_s":1,"due_s":2}},"questions":{"q":{"right":1,"wrong":0}}}')
    for i, word in enumerate(("ssh -T gpubox ridgepoint-worker --stdio", "'a b' \"c\\\"d\" e\\ f")):
        seed("command", str(i), word)
    for i, word in enumerate(("n=4096", "n=64..1024", "dtype=fp16", "m=3,k=4")):
        seed("params", str(i), word)
    for i, word in enumerate(("p99=2ms,memory=1GiB", "error=1e-3", "speedup=1.1")):
        seed("budget", str(i), word)
    seed("note", "0", "question=why is it slow?")
    for path in (root / "tests/fixtures/imports").glob("*"):
        if path.is_file():
            seed("import", path.name, path.read_bytes())
    rungs = sorted((root / "kernels/gemm/rungs").glob("*.c*"))
    for before, after in zip(rungs, rungs[1:]):
        seed("diff", before.stem, before.read_bytes()[:2000] + b"\0" + after.read_bytes()[:2000])
    lessons = "".join(p.read_text() for p in (assets / "lessons").glob("*.md"))
    for i, found in enumerate(re.finditer(r"```diagram[^\n]*\n(.*?)```", lessons, re.S)):
        source = rungs[i % len(rungs)].read_bytes()[:3000]
        for kind in b"01234":  # of every kind, whatever the lesson's is
            seed("diagram", f"{i}.{kind}", bytes([kind]) + found.group(1).encode() + b"\0" + source)
    for i, found in enumerate(re.finditer(r"\{\{(.*?)\}\}", lessons)):
        if i < 200:
            seed("reference", str(i), found.group(1))


def dictionary():
    """Names of fields, from where they are read."""
    names = set()
    for path in (root / "common/record").glob("*.cpp"):
        names |= set(re.findall(r'(?:io(?:\.brief)?|_field)\((?:\w+, )?"(\w+)"', path.read_text()))
    (out / "fields.dict").write_text("".join(f'"\\"{n}\\":"\n' for n in sorted(names)))


transcripts()
lists()
dictionary()
print(sum(1 for p in out.rglob("*") if p.is_file()), "seeds")
