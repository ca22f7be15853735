#!/usr/bin/env python3
"""Prints pages by headless Chromium and measures them. print_check.py CHROMIUM FOLDER PAGE.html ..."""

import re
import subprocess
import sys
from pathlib import Path

MM = 72 / 25.4  # points
CSS_PX = 96 / 25.4  # pixels a millimetre
BOX = '<input type="checkbox" id="everything">'
CHECKED = BOX.replace(">", " checked>")
FOLDED = '<details class="part results">'
UNFOLDED = FOLDED.replace(">", " open>")
PAPERS = {"A4": (210, 297), "letter": (215.9, 279.4)}
LEAST_FILL = 0.3
FIT_ROWS = 12  # a table of so many is kept whole: it fits on a page of either paper, its cells wrapped
LEAST_ROWS = 4  # of a table on either side of a page's end
LEAST_LETTER = {"report": 6.9, "handout": 6.5}  # points, of what a chart of page 1 says, or the one of a handout
MOST_PAGES = 12  # of a handout and of an article, on A4

# Left as an attribute of the root, which --dump-dom prints: every element whose content is wider than itself.
MEASURE = """<script>addEventListener('load', () => {
  const wide = [];
  for (const element of document.querySelectorAll('main, main *')) {
    if (element.closest('svg') || getComputedStyle(element).display === 'inline') continue;
    if (!element.getClientRects().length || element.scrollWidth <= element.clientWidth + 1) continue;
    wide.push(element.tagName + ' ' + element.scrollWidth + ' > ' + element.clientWidth + ': ' +
              element.textContent.trim().slice(0, 60));
  }
  let small = 99, said = '';
  for (const text of document.querySelectorAll('.front svg text, .measured figure:first-of-type svg text')) {
    const svg = text.ownerSVGElement;
    const size = parseFloat(getComputedStyle(text).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    if (size * 0.75 < small) small = size * 0.75, said = text.textContent;
  }
  document.documentElement.setAttribute('data-small', small + ' ' + said);
  document.documentElement.setAttribute('data-wide', wide.join(' | '));
  document.documentElement.setAttribute('data-measured', 'yes');
});</script>"""


def margins(page):
    """Vertical and horizontal, in millimetres, as the page's own style says."""
    found = re.search(r"@page\{margin:(\d+)mm (\d+)mm\}", page)
    assert found, "the page says no margins"
    return float(found[1]), float(found[2])


def chromium(program, folder, *arguments):
    command = [program, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile"]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=120)


def measured(program, folder, page, paper):
    """The page at the width of this paper, its print rules as the only ones: what is wider than its place, and the smallest
    letters of its charts, in points, with their words."""
    width = (PAPERS[paper][0] - 2 * margins(page)[1]) * CSS_PX
    page = page.replace("@media print", "@media all")
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)  # it refuses our own script too
    page = page.replace("</head>", f"<style>html{{width:{width:.0f}px}}</style>{MEASURE}</head>")
    path = folder / "measured.html"
    path.write_text(page)
    dom = chromium(program, folder, "--window-size=1200,1200", "--dump-dom", f"file://{path}").stdout
    if 'data-measured="yes"' not in dom:
        return "Chromium ran no script on it", ""
    return re.search(r'data-wide="([^"]*)"', dom)[1], re.search(r'data-small="([^"]*)"', dom)[1]


def printed(program, folder, page, paper, name="printed"):
    path, pdf = folder / f"{name}.html", folder / f"{name}.pdf"
    path.write_text(page.replace("</head>", f"<style>@page{{size:{paper}}}</style></head>"))
    pdf.unlink(missing_ok=True)
    chromium(program, folder, "--no-pdf-header-footer", f"--print-to-pdf={pdf}", f"file://{path}")
    return pdf if pdf.exists() else None


def run(*command):
    return subprocess.run(command, capture_output=True, check=True).stdout


def right_ends(pdf):
    """Of each page the right end of its last word, and the page's width, in points."""
    pages = run("pdftotext", "-bbox", pdf, "-").decode().split("<page ")[1:]
    for page in pages:
        ends = [float(end) for end in re.findall(r'xMax="([\d.]+)"', page)]
        yield max(ends, default=0), float(re.search(r'width="([\d.]+)"', page)[1])


def fills(pdf, margin_mm):
    """The share of each page's height that something reaches down to."""
    for page in run("pdftoppm", "-r", "36", "-gray", pdf).split(b"P5\n")[1:]:
        width, height = (int(number) for number in page.split(b"\n")[0].split())
        pixels = page[-width * height:]
        rows = [row for row in range(height) if min(pixels[row * width:(row + 1) * width]) < 200]
        margin = margin_mm * MM / 2  # 36 pixels an inch
        yield (max(rows, default=0) - margin) / (height - 2 * margin)


def last_lines(pdf):
    for text in run("pdftotext", "-layout", pdf, "-").decode().split("\f")[:-1]:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        yield lines[-1] if lines else ""


def cut_from_tables(pdf, page):
    """Pages that end with a heading, or with the words above a table that begins on the next."""
    letters = lambda text: re.sub(r"[^a-z]", "", text.lower())
    found = re.findall(r"<h[23][^>]*>([^<]*)</h[23]>|<p>([^<]*)</p>\n<div class=\"scroll\">", page)
    heads = {letters("".join(one))[-40:] for one in found} - {""}
    for number, line in enumerate(list(last_lines(pdf))[:-1], 1):
        end = letters(line)
        if end and any(head.endswith(end[-40:]) and len(end) > 12 for head in heads):
            yield f"page {number} ends with what belongs to the next: {line}"


def broken_tables(program, folder, page, paper):
    """Tables that a page's end breaks although they would fit on a page, or with fewer than four rows on a side: each row of a
    copy holds a mark that takes no room."""
    table, row, rows = 0, 0, {}

    def marked(found):
        nonlocal table, row
        if found[0].startswith("<table"):
            table, row = table + 1, 0
            return found[0]
        row += 1
        rows[table] = row
        return f'{found[0]}<span style="position:absolute;font-size:1px">@{table}.{row}@</span>'

    copy = re.sub(r"<table[^>]*>|<tr[^>]*><td[^>]*>", marked, page)
    pdf = printed(program, folder, copy, paper, "marked")
    places = {}
    for number, text in enumerate(run("pdftotext", pdf, "-").decode().split("\f")[:-1], 1):
        for one, _ in re.findall(r"@(\d+)\.(\d+)@", text):
            places.setdefault(int(one), {}).setdefault(number, 0)
            places[int(one)][number] += 1
    for one, counts in places.items():
        if len(counts) == 1:
            continue
        if min(counts.values()) < LEAST_ROWS:
            yield f"table {one}: a page's end leaves few rows on a side: {counts}"
        if len(counts) == 2 and rows[one] <= FIT_ROWS:
            yield f"table {one} of {rows[one]} rows would fit on a page and is broken: {counts}"


def torn_blocks(program, folder, page, paper):
    """Blocks that a page's end breaks although a reader takes each as one: the verdict and the commands that do it again. Their
    first and last words hold marks."""
    copy, blocks = page, 0
    for begin, end in [('<div class="verdict', "</div>\n<section"), ('<section id="again">', "</section>")]:
        start = copy.find(begin)
        if start < 0:
            continue
        mark = '<span style="position:absolute;font-size:1px">@{}{}@</span>'
        stop = copy.index(end, start)
        inside = copy.index(">", start) + 1
        copy = copy[:inside] + mark.format(blocks, "a") + copy[inside:stop] + mark.format(blocks, "z") + copy[stop:]
        blocks += 1
    pages = run("pdftotext", printed(program, folder, copy, paper, "torn"), "-").decode().split("\f")
    for block in range(blocks):
        places = [[number for number, text in enumerate(pages, 1) if f"@{block}{end}@" in text] for end in "az"]
        if places[0] != places[1] or not places[0]:
            yield f"block {block} is torn: it begins on page {places[0]} and ends on {places[1]}"


def first_answer_page(pdf):
    """Its number; 0: there is none."""
    pages = run("pdftotext", pdf, "-").decode().split("\f")
    return next((number for number, text in enumerate(pages, 1) if "Answers from this page on." in text), 0)


def answer_pages(pdf):
    """What is wrong with the pages of a handout that a lecturer takes out."""
    pages = ["".join(text.split()) for text in run("pdftotext", pdf, "-").decode().split("\f")[:-1]]
    first = [number for number, text in enumerate(pages) if "Answersfromthispageon." in text]
    if len(first) != 1 or not pages[first[0]].startswith("Answersfromthispageon."):
        yield f"the answers begin on no page of their own: {first}"
        return
    for number, text in enumerate(pages):
        if number < first[0] and "Answer." in text:
            yield f"page {number + 1}, before the answers' pages, has an answer"
        if number >= first[0] and "Yourprediction." in text:
            yield f"page {number + 1}, of the answers, has a part of the lesson"


def says(pdf, *pages):
    """All words, without what stands between them: pdftotext takes a hyphen at a line's end away."""
    return "".join(run("pdftotext", *pages, pdf, "-").decode().split())


def check(program, folder, name, page, paper):
    wide, small = measured(program, folder, page, paper)
    if wide:
        yield "wider than its place: " + wide
    least = max((size for kind, size in LEAST_LETTER.items() if f'class="{kind}"' in page), default=0)
    if float((small or "0").split()[0]) < least:
        yield "a chart's letters are small, in points: " + small
    pdf = printed(program, folder, page, paper)
    if not pdf:
        yield "Chromium printed nothing"
        return
    vertical, horizontal = margins(page)
    for number, (end, width) in enumerate(right_ends(pdf), 1):
        if number == 1 and abs(width - PAPERS[paper][0] * MM) > 2:
            yield f"the paper is {width:.0f} points wide"
        if end > width - horizontal * MM + 1:
            yield f"page {number}: a word ends at {end:.0f} of {width - horizontal * MM:.0f} points"
    if 'class="handout"' not in page:  # in its two columns no table is long
        yield from broken_tables(program, folder, page, paper)
    shares = list(fills(pdf, vertical))
    # A handout and an article end where their text ends, and so does a handout's lesson, before the pages of its answers.
    checked = shares if 'class="report"' in page and len(shares) > 1 else shares[:-1]
    lesson_end = first_answer_page(pdf) - 1
    is_asked_for = CHECKED in page  # then charts that stay whole leave gaps
    for number, share in enumerate(checked, 1):
        if share < LEAST_FILL and not is_asked_for and number != lesson_end:
            yield f"page {number} of {len(shares)} is {share:.0%} full"
    if 'class="handout"' in page or 'class="article"' in page:
        if paper == "A4" and len(shares) > MOST_PAGES:
            yield f"it has {len(shares)} pages"
        if 'class="handout"' in page:
            whole = says(pdf)
            has_answers = "paper answers" in page
            for folded in ["Whathappened,andtheanswers"] * has_answers + ["+floatacc"]:  # an answer, a line of code
                if folded not in whole:
                    yield f"what is folded is not printed: {folded}"
            if has_answers:
                yield from answer_pages(pdf)
            elif "Answer." in whole or "Whathappened" in whole:
                yield "a copy without answers has some"
    else:  # the command that does it again is the last of page 1 but for those of the pairs
        if not re.search(r"out[\w.-]+\.jsonl", says(pdf, "-l", "1")):
            yield "page 1 does not hold all of itself"
        is_whole, whole = CHECKED in page, says(pdf)
        if not is_whole:  # else long lists of charts and words
            yield from cut_from_tables(pdf, page)
        yield from torn_blocks(program, folder, page, paper)
        asked = {"Resultsintables": is_whole or UNFOLDED in page, "Howitwasmeasured": is_whole}
        for part, is_asked in asked.items():
            if part not in "".join(page.split()):
                continue
            if (part in whole) != is_asked:
                yield f"{part} is {'not ' if is_asked else ''}printed"
        if "Resultsintables" in says(pdf, "-l", "1"):
            yield "the appendix begins on page 1"
        if ("Notprinted:whatisfolded" in whole) == is_whole:
            yield "whether the appendix is printed is not said"
    print(f"{name}, {paper}: {len(shares)} pages, " + " ".join(f"{share:.0%}" for share in shares))


def main():
    program, folder, paths = sys.argv[1], Path(sys.argv[2]), [Path(path) for path in sys.argv[3:]]
    failures = 0
    for path in paths:
        page = path.read_text()
        copies = [(path.name, page)]
        if BOX in page:
            copies.append((path.name + ", results", page.replace(FOLDED, UNFOLDED)))
            copies.append((path.name + ", everything", page.replace(BOX, CHECKED)))
        for name, copy in copies:
            for paper in PAPERS:
                for problem in check(program, folder, name, copy, paper):
                    print(f"FAILED: {name}, {paper}: {problem}")
                    failures += 1
    # What looks for a clipped column has to find one.
    pages = (path.read_text() for path in paths)
    page = next(page for page in pages if 'class="report"' in page and "<table" in page)  # no folded one
    page = page.replace(BOX, CHECKED)
    planted = page.replace("</head>", "<style>td.label{min-width:900px}</style></head>")
    if not measured(program, folder, planted, "A4")[0]:
        print("FAILED: a column that is too wide was not found")
        failures += 1
    sys.exit(failures > 0)


main()
