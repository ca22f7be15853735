#!/usr/bin/env python3
"""Gives recordings the new hash of rungs whose code changed and whose machine code did not.

usage: tests/restamp.py REVISION [RUNG ...]

REVISION is the commit that the recordings belong to. For each RUNG (all of them where none is named) whose hash differs
between REVISION and the working tree, replaces the old hash in assets/recorded by the new one, and says so. A rung goes
here after tests/sass_diff.py has found its kernels the same; one whose machine code changed is measured again instead
(tests/gpu). A rung of which only comments, names of files or their folders changed has the hash that it had.

The hashes are those of the build: rung-hashes, in build-tests/bin or in the bin of $RIDGE_BUILD, reads both trees.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.environ.get("RIDGE_SOURCE") or os.path.join(os.path.dirname(__file__), ".."))
BUILD = os.environ.get("RIDGE_BUILD") or os.path.join(ROOT, "build-tests")


def hashes(root):
    """Of every rung of the tree under `root`, by id."""
    tool = os.path.join(BUILD, "bin/rung-hashes")
    if not os.path.exists(tool):
        sys.exit(f"restamp.py: {tool} is not built: build it with 'ninja -C {BUILD} rung-hashes'")
    said = subprocess.run([tool, root], check=True, capture_output=True, text=True).stdout
    return dict(line.split() for line in said.splitlines())


def rung_of(line):
    """Which rung a line of a recording holds a hash of; None for lines without one."""
    message = json.loads(line)
    for part in ("kernel", "source", "outcome"):
        if isinstance(message.get(part), dict) and "hash" in message[part]:
            return message[part].get("id") or message[part]["kernel"]
    return None


def restamp(path, changed):
    """Replaces hashes in one recording: {rung: (old, new)}; how often, by rung."""
    times, lines = dict.fromkeys(changed, 0), []
    with open(path, encoding="utf-8") as file:
        for line in file:
            rung = rung_of(line) if '"hash":"' in line else None
            if rung in changed and (found := re.search(r'"hash":"([^"]*)"', line))[1] == changed[rung][0]:
                line = line.replace(found[0], f'"hash":"{changed[rung][1]}"')
                times[rung] += 1
            lines.append(line)
    if any(times.values()):
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines)
    return times


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", sys.argv[1], "kernels"], cwd=ROOT, check=True, capture_output=True)
        subprocess.run(["tar", "x", "-C", folder], input=archive.stdout, check=True)
        old = hashes(folder)
    new = hashes(ROOT)
    if unknown := [rung for rung in sys.argv[2:] if rung not in new or rung not in old]:
        sys.exit("not in both: " + " ".join(unknown))
    asked = sys.argv[2:] or sorted(new.keys() & old.keys())
    changed = {rung: (old[rung], new[rung]) for rung in asked if old[rung] != new[rung]}
    times = dict.fromkeys(changed, 0)
    for path in sorted(glob.glob(os.path.join(ROOT, "assets/recorded/*.jsonl"))):
        for rung, count in restamp(path, changed).items():
            times[rung] += count
    for rung, (was, now) in sorted(changed.items()):
        print(f"{rung}: {was} is {now}, {times[rung]} times")


if __name__ == "__main__":
    main()
