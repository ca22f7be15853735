#!/usr/bin/env bash
# Figures that texts have typed are on tests/typed_figures.txt, which may only become shorter (tests/typed_figures.py).
set -euo pipefail
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
cd "$RIDGE_SOURCE"
tests/typed_figures.py

# --write takes what is gone off the list, and refuses what is new.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/tests" "$copy/assets/lessons"
cp tests/typed_figures.py "$copy/tests"
printf 'It is 1.22× as fast, 30 %% of the peak.\n' >"$copy/README.md"
printf 'README.md:1.22×\nREADME.md:30 %%\nREADME.md:5 ms\n' >"$copy/tests/typed_figures.txt"
write() { "$copy/tests/typed_figures.py" --write; }
fail() { echo "$1"; exit 1; }
write >/dev/null || fail "a shorter list is refused"
[ "$(wc -l <"$copy/tests/typed_figures.txt")" = 2 ] || fail "what is gone stays on the list"
cp "$copy/tests/typed_figures.txt" "$copy/before"
printf 'It needs 7 ms.\n' >>"$copy/README.md"
said=$(write) && fail "a list that grew is written"
cmp -s "$copy/before" "$copy/tests/typed_figures.txt" || fail "a refused list is changed"
grep -q 'typed: README.md:7 ms' <<<"$said" && grep -qF 'write {{h200 RUNG n=4096}}' <<<"$said" ||
  fail "it does not say what to write in its place: $said"
# One for another is no shorter list; one that moved to another text is the same.
printf 'It is 1.23× as fast, 30 %% of the peak.\n' >"$copy/README.md"
write >/dev/null && fail "another figure takes the place of one that is gone"
printf 'It is 30 %% of the peak.\n' >"$copy/README.md"
printf 'It is 1.22× as fast.\n' >"$copy/assets/lessons/gemm.md"
write >/dev/null || fail "a figure that moved is refused"

# A constant of a data sheet may be typed; what is ours is looked up.
check() { "$copy/tests/typed_figures.py"; }
write >/dev/null
printf 'It is {{spec NVIDIA H200 data sheet: 4.8 TB/s}}, or {{spec an estimate: 3 TB/s}}.\n' >>"$copy/assets/lessons/gemm.md"
check >/dev/null || fail "a constant of a data sheet is refused"
cp "$copy/assets/lessons/gemm.md" "$copy/before"
for source in "the H200's ceiling DRAM read" "the recording's counters" "measured on that Xeon" "the recorded CPU" \
  "the guard's sentence" "ridgepoint inspect, seed 1" "the program's default" "the rung's header"; do
  { cat "$copy/before"; printf '{{spec %s:\n4.66 TB/s}}\n' "$source"; } >"$copy/assets/lessons/gemm.md"
  said=$(check) && fail "a constant may have our own source: $source"
  grep -qF "ours: assets/lessons/gemm.md:$source: 4.66 TB/s" <<<"$said" && grep -q 'metric=ceiling' <<<"$said" ||
    fail "it does not say which, or what to write in its place: $said"
done
