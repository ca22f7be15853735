#!/usr/bin/env python3
"""Gives recordings the new hash of kernels whose text changed and whose machine code did not.

usage: tests/restamp.py REVISION [RUNG ...]

REVISION is the commit that the recordings belong to. For each RUNG (all of them where none is named) whose hash differs
between REVISION and the working tree, replaces the old hash in assets/recorded by the new one, and says so. A rung goes
here after tests/sass_diff.py has found its kernels the same, or where only files moved or comments outside strings
changed; a rung whose machine code changed is measured again instead (tests/gpu).

The hash is that of common/harness/kernel/registry.cpp (hash_closure()): the text of the rung's file and of the headers
under kernels/ that it includes, without comments and white space, and the flags of its build line.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

BEGIN, PRIME, MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1
TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|\s+|"(?:\\.|[^"\\\n])*(?:"|\n|\Z)|'(?:\\.|[^'\\\n])*(?:'|\n|\Z)|[^\s"'/]+|/""", re.S
)
RUNG = re.compile(r"^RIDGE_(KERNEL|TRAINING|PIPELINE|TRAP)\(", re.M)


def fnv1a(text, value):
    for byte in text.encode():
        value = ((value ^ byte) * PRIME) & MASK
    return value


def strip_comments(text):
    out, space = [], False
    for token in TOKEN.findall(text):
        if token.isspace() or token.startswith(("//", "/*")):
            space = True
            continue
        out.append(" " + token if space and out else token)
        space = False
    return "".join(out)


class Kernels:
    """The files of kernels/ under `root`, as the build embeds them."""

    def __init__(self, root):
        self.text, self.parts = {}, {}
        for pattern in ("kernels/*/*", "kernels/*/*/*"):
            for extension in (".cpp", ".cu", ".h"):
                for path in glob.glob(os.path.join(root, pattern + extension)):
                    with open(path, encoding="utf-8") as file:
                        self.text[os.path.relpath(path, root)] = file.read()

    def part(self, path):
        """The hash of one file's own text, and what it includes."""
        if path not in self.parts:
            lines = self.text[path].splitlines()
            included = [line.split('"')[1] for line in lines if line.startswith('#include "')]
            rest = "".join(line + "\n" for line in lines if not line.startswith('#include "'))
            self.parts[path] = fnv1a(strip_comments(rest), BEGIN), included
        return self.parts[path]

    def closure(self, path):
        found, open_ = [], [path]
        while open_:
            path = open_.pop()
            if path in found or path not in self.text:
                continue
            found.append(path)
            open_ += self.part(path)[1]
        return found

    def hashes(self):
        """Of every rung, by id."""
        found = {}
        for path, text in self.text.items():
            if path.endswith(".h") or not RUNG.search(text):
                continue
            name, extension = os.path.splitext(os.path.basename(path))
            rung = path.split("/")[1] + (".cuda." if extension == ".cu" else ".cpu.") + name
            first = text.splitlines()[0]
            items = first.removeprefix("// ridge:").split() if first.startswith("// ridge:") else []
            flags, variants = [], [""]
            for item in items:
                if item.startswith("variants="):
                    variants = item.removeprefix("variants=").split(",")
                elif item.startswith("flags="):
                    flags += item.removeprefix("flags=").split(",")
                elif not item.startswith("needs="):
                    flags.append(item)
            own, *headers = (self.part(p)[0] for p in self.closure(path))
            value = BEGIN
            for part in [own, *sorted(headers)]:
                value = fnv1a(f"{part:016x}", value)
            for variant in variants:
                suffix, _, flag = variant.partition(":")
                words = " ".join(flags + ([flag] if flag else []))
                found[rung + ("_" + suffix if suffix else "")] = f"{fnv1a(words, value):016x}"
        return found


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", sys.argv[1], "kernels"], cwd=root, check=True, capture_output=True)
        subprocess.run(["tar", "x", "-C", folder], input=archive.stdout, check=True)
        old = Kernels(folder).hashes()
    new = Kernels(root).hashes()
    if unknown := [rung for rung in sys.argv[2:] if rung not in new or rung not in old]:
        sys.exit("not in both: " + " ".join(unknown))
    asked = sys.argv[2:] or sorted(new.keys() & old.keys())
    changed = {old[rung]: (rung, new[rung]) for rung in asked if old[rung] != new[rung]}
    times = dict.fromkeys(changed, 0)
    for path in sorted(glob.glob(os.path.join(root, "assets/recorded/*.jsonl"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()

        def replace(match):
            if match[1] not in changed:
                return match[0]
            times[match[1]] += 1
            return f'"hash":"{changed[match[1]][1]}"'

        stamped = re.sub(r'"hash":"([0-9a-f]{16})"', replace, text)
        if stamped != text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(stamped)
    for hash_, (rung, now) in sorted(changed.items(), key=lambda item: item[1]):
        print(f"{rung}: {hash_} is {now}, {times[hash_]} times")


main()
