#!/usr/bin/env python3
"""Draws the rooms of the house and who includes whom: docs/images/rooms.svg, from the #include lines of the tree.

  docs/rooms.py          writes the picture
  docs/rooms.py --check  exit 1 where the picture in the tree is another (tests/rooms_test.sh)

An arrow leads from a room down to one that it includes. An include that another way down implies is not drawn.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs/images/rooms.svg"
# What one box stands for, and the program that it belongs to. The first match holds.
ROOMS = [
    (r"common/(core|record|stats)", None, "both"),
    (r"common/harness/(kernel|measure|quality|data)", None, "measuring"),
    (r"common/view/(chart|diagram|figure|report)", None, "showing"),
    (r"worker/edit", None, "measuring"),
    (r"worker", None, "measuring"),
    (r"kernels/runtime", None, "measuring"),
    (r"kernels/[a-z_]+", "kernels/<family>", "measuring"),
    (r"labs", None, "showing"),
    (r"app/(session|study|query|history|sweep|platform|cli)", None, "showing"),
    (r"app/window", None, "showing"),
]
FILL = {"both": "#e8e8e8", "measuring": "#fde3c8", "showing": "#d6e6fb"}
SAYS = {"both": "both programs", "measuring": "ridgepoint-worker measures", "showing": "ridgepoint shows"}
BOX_W, BOX_H, GAP_X, GAP_Y, MARGIN = 176, 36, 20, 66, 24


def room_of(path):
    for pattern, name, side in ROOMS:
        found = re.match(f"({pattern})/", path)
        if found:
            return name or found.group(1), side
    return None


def read_includes():
    """Counts of includes from room to room, and the side of each room."""
    counts, sides = collections.Counter(), {}
    for top in ("app", "common", "kernels", "labs", "worker"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix not in (".cpp", ".h", ".cu", ".cuh", ".inc"):
                continue
            source = room_of(path.relative_to(ROOT).as_posix())
            if not source:
                continue
            sides[source[0]] = source[1]
            text = path.read_text(errors="replace")
            for included in re.findall(r'^ *# *include "([^"]+)"', text, re.M):
                target = room_of(included)
                if target and target[0] != source[0]:
                    counts[source[0], target[0]] += 1
    return counts, sides


def drop_back_edges(counts):
    """Of two rooms that include each other, the way with more includes is the way down."""
    return {edge: n for edge, n in counts.items() if n >= counts.get(edge[::-1], 0)}


def reduced(edges):
    """Without the edges that a longer way implies."""
    below = collections.defaultdict(set)
    for a, b in edges:
        below[a].add(b)
    kept = []
    for a, b in edges:
        around, todo = set(), [c for c in below[a] if c != b]
        while todo:
            room = todo.pop()
            if room not in around:
                around.add(room)
                todo += below[room]
        if b not in around:
            kept.append((a, b))
    return kept


def layers_of(rooms, edges):
    """A room stands one layer over the highest that it includes."""
    below = collections.defaultdict(set)
    for a, b in edges:
        below[a].add(b)
    height = {}

    def high(room):
        if room not in height:
            height[room] = 0
            height[room] = max((high(b) + 1 for b in below[room]), default=0)
        return height[room]

    layers = collections.defaultdict(list)
    for room in sorted(rooms):
        layers[high(room)].append(room)
    return [layers[i] for i in sorted(layers, reverse=True)]


def place(layers, edges, sides):
    """Measuring to the left, showing to the right; within a side below what includes it."""
    width = max(len(layer) for layer in layers) * (BOX_W + GAP_X) - GAP_X
    order = {"measuring": 0, "both": 1, "showing": 2}
    at = {}
    for i, layer in enumerate(layers):
        def wish(room):
            above = [at[a][0] for a, b in edges if b == room and a in at]
            return order[sides[room]], sum(above) / len(above) if above else 0, room
        layer = sorted(layer, key=wish)
        left = MARGIN + (width - len(layer) * (BOX_W + GAP_X) + GAP_X) / 2
        for j, room in enumerate(layer):
            at[room] = (left + j * (BOX_W + GAP_X), MARGIN + i * (BOX_H + GAP_Y))
    return at, width + 2 * MARGIN, MARGIN * 2 + len(layers) * (BOX_H + GAP_Y)


def draw(counts, sides):
    edges = drop_back_edges(counts)
    at, width, height = place(layers_of(sides, edges), edges, sides)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
           'font-family="Inter,system-ui,sans-serif" font-size="14">',
           '<title>The rooms and who includes whom</title>',
           f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>']
    for a, b in sorted(reduced(edges)):
        (xa, ya), (xb, yb) = at[a], at[b]
        x1, y1, x2, y2 = xa + BOX_W / 2, ya + BOX_H, xb + BOX_W / 2, yb
        bend = (y2 - y1) / 2
        out.append(f'<path d="M{x1:.0f} {y1:.0f}C{x1:.0f} {y1 + bend:.0f} {x2:.0f} {y2 - bend:.0f} {x2:.0f} {y2:.0f}" '
                   f'fill="none" stroke="#8a8a8a"><title>{escape(a)} includes {escape(b)}</title></path>')
    for room, (x, y) in sorted(at.items()):
        out.append(f'<rect x="{x:.0f}" y="{y:.0f}" width="{BOX_W}" height="{BOX_H}" rx="6" '
                   f'fill="{FILL[sides[room]]}" stroke="#666666"/>')
        out.append(f'<text x="{x + BOX_W / 2:.0f}" y="{y + BOX_H / 2 + 5:.0f}" text-anchor="middle" '
                   f'fill="#111111">{escape(room)}</text>')
    for i, (side, words) in enumerate(SAYS.items()):
        x, y = MARGIN + i * 250, height - 30
        out.append(f'<rect x="{x}" y="{y:.0f}" width="16" height="16" rx="3" fill="{FILL[side]}" stroke="#666666"/>')
        out.append(f'<text x="{x + 24}" y="{y + 13:.0f}" fill="#111111">{words}</text>')
    return "\n".join(out) + "\n</svg>\n"


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def main():
    picture = draw(*read_includes())
    if "--check" in sys.argv[1:]:
        if PICTURE.exists() and PICTURE.read_text() == picture:
            return 0
        print("docs/images/rooms.svg is another than the includes say: run docs/rooms.py")
        return 1
    PICTURE.write_text(picture)
    print(f"{PICTURE.relative_to(ROOT)} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
