#!/usr/bin/env python3
"""Finds measured figures that an author typed where the program could render them.

usage: tests/typed_figures.py           exit 1 where the texts and tests/typed_figures.txt differ
       tests/typed_figures.py --write   writes the list anew; exit 1, and the list as it was, where a figure is new

Looked at: assets/lessons/*.md, README.md, and in assets/cards/*.json and assets/tours/*.json what a learner reads. Left
out: {{...}}, code (fenced, or between backquotes), comments, what `ridgepoint figures` writes, and links' targets.

A figure is a number with a unit of a measurement (FLOP/s, B/s, s, J, W, Hz, with a prefix or none), a ratio ("1.22×" or
"1.22 times", but not "8 × 8" and not the "2×" of "2×2"), a percentage, or a number before an interval ("0.945 [0.933, 0.955]"). The
interval belongs to the figure before it.

A constant, {{spec SOURCE: VALUE}}, has a source outside this program: a data sheet, a paper, an estimate. One whose source
is a recording, its ceilings, counters and guards, a measurement, or the program itself is refused: it is looked up.
"""
import collections
import glob
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIST = os.path.join(ROOT, "tests", "typed_figures.txt")
READ = ("front", "back", "question", "words", "why")  # of cards and steps
NUMBER = r"(?<![\w.,/\^·-])\d+(?:[.,]\d+)*"
UNIT = r"(?:[TGMPk]?FLOP/s|[TGMkPE]?i?B/s|[num\u00b5]?s|[mk\u00b5]?J|k?W|[MG]?Hz|%)(?![\w²³/])"
INTERVAL = r"\[\s*\d[\d.,]*,\s+\d[\d.,]*\s*\]"
FIGURE = re.compile(
    rf"{NUMBER}(?:×(?!\d)|\s(?:{UNIT}|times\b)|%)(?:\s+{INTERVAL})?|{NUMBER}\s+{INTERVAL}|{INTERVAL}"
)
LEFT_OUT = re.compile(
    r"^[ >]*```.*?^[ >]*```|<!-- figures\n.*?<!-- /figures -->|<!-- figure .*?<!-- /figure -->|<!--.*?-->"
    r"|\{\{.*?\}\}|`[^`\n]*`|\]\(<[^>\n]*>\)|\]\([^)\n]*\)",
    re.S | re.M,
)

SPEC = re.compile(r"\{\{spec\s+(.*?)\}\}", re.S)
OURS = re.compile(  # the sources that are ours
    r"\b(?:record\w*|ceilings?|counters?|guards?|measure\w*|ridgepoint|program|lab|rung|inspect|cache model"
    r"|reports?|this (?:machine|run|lesson))\b",
    re.I,
)


def own_constants(text):
    return [spec for spec in (" ".join(one.split()) for one in SPEC.findall(text))
            if OURS.search(spec.rpartition(":")[0])]


def figures(text):
    # A blank in place of what is left out: its neighbours do not become one figure.
    text = LEFT_OUT.sub(" \u241f ", text)
    return [" ".join(found.group(0).split()) for found in FIGURE.finditer(text)]


def strings(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in READ and isinstance(inner, str):
                yield inner
            else:
                yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def texts():
    """Each text that a reader gets, with the path of its file."""
    paths = ["README.md"]
    for pattern in ("assets/lessons/*.md", "assets/cards/*.json", "assets/tours/*.json"):
        paths += sorted(os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, pattern)))
    for path in paths:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = file.read()
        for one in strings(json.loads(text)) if path.endswith(".json") else [text]:
            yield path, one


def found_in_texts(find):
    return sorted(f"{path}:{one}" for path, text in texts() for one in find(text))


def listed():
    with open(LIST, encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip()]


REFERENCES = (  # a figure's last characters, and the reference that gives such a figure
    ("×", "{{h200 RUNG n=4096 vs=BASELINE}}"),
    (" times", "{{h200 RUNG n=4096 vs=BASELINE}}"),
    ("FLOP/s", "{{h200 RUNG n=4096 metric=throughput}}"),
    ("B/s", "{{h200 RUNG n=4096 metric=memory_bandwidth}}"),
    ("%", "{{h200 RUNG n=4096 metric=utilization}}"),
    ("J", "{{h200 RUNG n=4096 metric=energy}}"),
    ("B", "{{h200 RUNG n=4096 metric=memory}}"),
    ("s", "{{h200 RUNG n=4096}}"),
)


def reference(figure):
    figure = re.sub(INTERVAL, "", figure).strip()
    for end, named in REFERENCES:
        if figure.endswith(end):
            return named
    return "{{h200 RUNG n=4096 metric=NAME}}"


def say_new(new):
    for line in new:
        named = reference(line.partition(":")[2])
        print(f"typed: {line}\n  write {named} in its place. Arithmetic on it is {{{{calc ...}}}}, a constant"
              " {{spec SOURCE: VALUE}} (docs/teaching.md).\n  What no recording can hold goes to docs/dated_figures.md")


def say_ours(ours):
    for line in ours:
        print(f"a constant whose source is ours: {line}\n  name it: {{{{h200 RUNG n=4096 metric=ceiling.dram_read}}}}, or"
              " counters.NAME, machine.l2, parameter.threads, trap_guard, margin (docs/teaching.md)")


def without_moved(new, gone):
    """A figure that is gone from one text and new in another was moved and not typed."""
    moved = collections.Counter(line.partition(":")[2] for line in gone.elements())
    left = []
    for line in sorted(new.elements()):
        figure = line.partition(":")[2]
        if moved[figure] > 0:
            moved[figure] -= 1
        else:
            left.append(line)
    return left


def main():
    ours = found_in_texts(own_constants)
    say_ours(ours)
    have = found_in_texts(figures)
    wanted, here = collections.Counter(listed()), collections.Counter(have)
    new, gone = here - wanted, wanted - here
    if "--write" in sys.argv[1:]:
        grown = without_moved(new, gone)
        if grown:
            say_new(grown)
            print(f"the list may only become shorter: it is not written, {len(grown)} figures are new")
            return 1
        with open(LIST, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in have)
        print(f"{len(have)} typed figures")
        return 0
    say_new(sorted(new.elements()))
    for line in sorted(gone.elements()):
        print(f"gone, so take it off tests/typed_figures.txt: {line}")
    print(f"{len(have)} typed figures, {sum(wanted.values())} listed")
    return 1 if new or gone or ours else 0


if __name__ == "__main__":
    sys.exit(main())
