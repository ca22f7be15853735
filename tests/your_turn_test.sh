#!/usr/bin/env bash
# Your turn as a person uses it: an exercise from the Class screen, a wrong save with its picture of wrong elements, a
# right one with its time and its verdict, and the tick. The worker compiles and measures what is saved.
# RIDGE_KEEP=FILE keeps the transcript.
set -u
close_after_s=${RIDGE_CLOSE_AFTER_S:-280}
. "${RIDGE_SOURCE:?set by ctest}/tests/hands.sh"
command -v objdump >/dev/null || skip "objdump is not installed (Debian: binutils)"
file=$work/data/ridgepoint/exercises/turned_loops.cpp
reference=$RIDGE_SOURCE/assets/exercises/gemm/turned_loops.cpp

open_window --lab gemm
wait_for 40 "the first idle moment" is_idle
click menu
click menu:show_class
click exercise:turned_loops
wait_for 20 "what is to be done" there task
wait_for 60 "its listing" there listing
picture opened
[ -s "$file" ] || fail "there is no $file"
grep -q 'YOUR TURN' "$file" || fail "the file has no hole"
click hint
picture hint

# One column wrong, then right.
sed '/row\[j\] += /s/;$/; if (g.n > 2) row[g.n - 1] += 1;/' "$reference" > "$work/wrong.cpp"
cmp -s "$work/wrong.cpp" "$reference" && fail "the reference has no line to spoil"
cp "$work/wrong.cpp" "$file"
wait_for 60 "the picture of wrong elements" there error_map
picture wrong
cp "$reference" "$file"
wait_for 90 "the verdict" there save_verdict
picture verdict
xdotool mousemove $(place editor) sleep 0.3
picture linked
click menu
click menu:show_class
wait_for 10 "the tick" there solved:turned_loops
picture class
close_window
grep -q '"turned_loops": *{' "$work/config/ridgepoint/settings.json" || fail "the exercise is not remembered"
grep -q '"solved": true' "$work/config/ridgepoint/settings.json" || fail "that it is solved is not remembered"
[ -n "${RIDGE_KEEP:-}" ] && cp "$(find "$work/state" -name '*.jsonl' | head -1)" "$RIDGE_KEEP"
echo "an exercise was opened, failed, solved and ticked"
