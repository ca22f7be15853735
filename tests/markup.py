#!/usr/bin/env python3
"""Markup in every text of a run, and what is left of it in pages: markup.py plant RUN.jsonl OUT.jsonl | check PAGE.html ...

`plant` appends markup to every string of the run that is no word of the protocol. `check` reads pages: no element that
runs or loads anything, no attribute that does, the policy against both, every tag closed.
"""
import html.parser
import json
import sys

MARKUP = "\"'><script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">]]></style></title></svg>" \
         "<a href=\"javascript:document.title='broken'\">&amp;`${}`"
# Words of the protocol: with another there the part would not be shown at all.
WORDS = {"type", "from", "status", "mode", "cache", "verdict", "kind", "backend", "resource", "source", "dtype", "phase",
         "order", "unit", "of", "lab", "when", "bias", "flags"}
VOID = {"meta", "br", "wbr", "col", "hr", "img", "link", "input", "path", "rect", "line", "circle", "polyline", "polygon", "use"}


def planted(value, name=""):
    if isinstance(value, dict):
        return {k: planted(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [planted(v, name) for v in value]
    return value + MARKUP if isinstance(value, str) and name not in WORDS else value


def plant(source, target):
    """The kernels' ids change too, everywhere alike."""
    count = 0
    with open(target, "w") as out:
        for text in open(source):
            line = json.loads(text)
            made = planted(line)
            count += made != line
            out.write(json.dumps(made) + "\n")
    print(f"markup in {count} lines")
    assert count > 10


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.wrong, self.open, self.policy, self.texts = [], [], False, 0

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag in ("script", "iframe", "object", "embed", "base", "form") or tag == "img":
            self.wrong.append(f"<{tag}>")
        for name, value in attributes:
            if name.startswith("on") or (value or "").strip().lower().startswith("javascript:"):
                self.wrong.append(f"<{tag} {name}={value!r}>")
        if tag == "meta" and values.get("http-equiv") == "Content-Security-Policy":
            self.policy = "default-src 'none'" in values["content"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes another")

    def handle_data(self, data):
        self.texts += "onerror=" in data


def check(paths):
    failed = False
    for path in paths:
        page = Page()
        page.feed(open(path).read())
        wrong = page.wrong + ([f"never closed: {page.open}"] if page.open else [])
        wrong += [] if page.policy else ["no Content-Security-Policy"]
        wrong += [] if page.texts else ["the markup is not in it: nothing was tested"]
        print(f"{path}: {page.texts} texts with markup, {wrong[:5] or 'none of it is obeyed'}")
        failed |= bool(wrong)
    return failed


if sys.argv[1] == "plant":
    plant(sys.argv[2], sys.argv[3])
else:
    sys.exit(check(sys.argv[2:]))
