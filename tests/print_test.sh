#!/usr/bin/env bash
# What report, handout and article look like on paper: printed by headless Chromium on A4 and letter, and measured. Page 1 holds
# all that it should, no cell is wider than its place, and no page is nearly empty, a report's last one neither.
# Exit 77: skipped, with the reason.
set -u
bin=${RIDGE_BIN:?set by ctest}
source=${RIDGE_SOURCE:?set by ctest}
skip() { echo "skipped: $*"; exit 77; }
chromium=
for name in chromium chromium-browser google-chrome google-chrome-stable; do
  command -v "$name" >/dev/null && { chromium=$name; break; }
done
[ -n "$chromium" ] || skip "no Chromium is installed (Debian: chromium)"
for tool in python3 pdfinfo pdftotext pdftoppm; do
  command -v "$tool" >/dev/null || skip "$tool is not installed (Debian: python3, poppler-utils)"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
export HOME="$work" XDG_CONFIG_HOME="$work"

recorded="$source/assets/recorded"
mkdir "$work/pages"
# A ladder of one size, one of many sizes with comparisons, long names, traps, and one comparison alone.
for name in pipeline.h100_80gb_hbm3 gemm.h200.fp32_large attention.h200 quant.h200 traps.h100_80gb_hbm3 \
  gemm.intel_r_xeon_r_processor; do
  "$bin" report "$recorded/$name.jsonl" --out "$work/pages/$name.html" >/dev/null 2>"$work/err" ||
    fail "report $name: $(cat "$work/err")"
done
python3 - "$recorded/gemm.h200.fp32_large.jsonl" >"$work/one" <<'END' || fail "the recording holds no comparison"
import json, sys
for line in open(sys.argv[1]):
    for one in json.loads(line).get("comparisons", []):
        print(one["baseline"], one["candidate"], one["candidate_params"]["n"])
        sys.exit(0)
sys.exit(1)
END
read -r baseline candidate n <"$work/one"
"$bin" report "$recorded/gemm.h200.fp32_large.jsonl" --set "n=$n" --baseline "$baseline" --candidate "$candidate" \
  --out "$work/pages/comparison.html" >/dev/null 2>"$work/err" || fail "report: $(cat "$work/err")"
"$bin" handout gemm "$recorded/gemm.h200.fp32_large.jsonl" --out "$work/pages/handout.html" \
  >/dev/null 2>"$work/err" || fail "handout: $(cat "$work/err")"

"$bin" handout gemm "$recorded/gemm.h200.fp32_large.jsonl" --without-answers --out "$work/pages/students.html" \
  >/dev/null 2>"$work/err" || fail "handout: $(cat "$work/err")"

# The climb of one size, with many comparisons.
"$bin" article gemm "$recorded/gemm.h200.fp32_large.jsonl" --out "$work/pages/article.html" \
  >/dev/null 2>"$work/err" || fail "article: $(cat "$work/err")"

python3 "$source/tests/print_check.py" "$chromium" "$work" "$work"/pages/*.html || fail "see above"
