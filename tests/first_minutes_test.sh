#!/usr/bin/env bash
# The first minutes of a person who has never seen the program, with a real mouse and a real keyboard: the one big
# button, Esc twice, every lab by Ctrl and its number and F5, a tour taken and ended. No crash, no error that is not
# their own doing, no lab without results.
# RIDGE_WALK=full (tests/first_minutes): every lab's ladder to its end, instead of to its first results.
set -u
close_after_s=${RIDGE_WALK_S:-300}
source "$(dirname "$0")/hands.sh"
is_full() { [ "${RIDGE_WALK:-}" = full ]; }
kResults=2  # of a lab, before its run is cancelled in the short walk

# What makes a lab's first results small: widgets to click, of the lab's own parameters.
small_problem() {
  case $1 in
    gemm) echo n=128 ;;
    quant) echo model=mlp train_epochs=1 ;;
  esac
}

rows() { awk -v state="$1" '$1 == "row" && $3 == state' "$widgets"; }
has_results() { [ "$( (rows verified; rows partial) | wc -l)" -ge "$1" ]; }
# Of a lab with a single rung that runs here: all of them.
has_first_results() { has_results "$kResults" || { is_idle && has_results 1; }; }
has_rungs() { [ -n "$(rows empty)$(rows verified)" ]; }
is_ready() { says "^worker idle" && is_idle; }
in_lab() { says "^lab $1\$"; }
no_error() {
  says "^error 1" && fail "an error that nobody caused: $(grep ^notice "$widgets")"
  says "^worker lost" && fail "the worker was lost"
  [ -z "$(rows refused)" ] || fail "refused: $(rows refused)"
}
seconds_since() { awk -v from="$1" -v to="$(date +%s.%N)" 'BEGIN { printf "%.1f", to - from }'; }

open_window
wait_for 20 "Home" there begin
wait_for 20 "the worker's catalogue" is_ready
picture home

# ---- the one big button, Esc twice ----
begun=$(date +%s.%N)
before=$(asked)
click begin
wait_for 10 "the run begins" has_more "$before"
key Escape; key Escape
wait_for 15 "Esc ends the run" is_idle
no_error
picture cancelled
begun=$(date +%s.%N)
key F5
wait_for 60 "the first verified bar" has_results 1
echo "first verified bar: $(seconds_since "$begun") s after F5"

# ---- Esc in the middle of a call that takes many seconds ----
key Escape
wait_for 15 "Esc ends the run" is_ready
click level; click level=Lab                           # where every parameter stands
click n=4096
before=$(asked)
chord Control_L F5
wait_for 10 "the run begins" has_more "$before"
sleep 2
key Escape; key Escape
wait_for 15 "Esc ends the long call" is_idle
no_error
[ -z "$(rows verified)" ] || fail "a result at n = 4096 was not there to be had"
picture killed
click n=512

# ---- keys that are down and up again before a frame is drawn ----
xdotool key ctrl+k
wait_for 5 "the palette" there palette:0
xdotool key Escape
wait_for 5 "the palette is gone" sh -c "! grep -q ' palette:0\$' '$widgets'"

# ---- every lab ----
lab=0
while there "lab:$((lab + 1))" || [ "$lab" -lt 9 ]; do
  lab=$((lab + 1))
  before_lab=$(awk '$1 == "lab" { print $2 }' "$widgets")
  chord Control_L "$lab"
  [ "$lab" = 1 ] || wait_for 10 "lab $lab" sh -c "! grep -q '^lab $before_lab\$' '$widgets'"
  name=$(awk '$1 == "lab" { print $2 }' "$widgets")
  wait_for 60 "the worker is ready for $name" is_ready
  wait_for 10 "a rung of $name that this machine can run" has_rungs
  is_full || for widget in $(small_problem "$name"); do click "$widget"; done
  begun=$(date +%s.%N)
  before=$(asked)
  key F5
  wait_for 10 "the run of $name begins" has_more "$before"
  if is_full; then
    wait_for "${RIDGE_WALK_LAB_S:-600}" "the run of $name ends" is_idle
    no_error
    [ -z "$(rows empty)" ] || fail "$name: no result of $(rows empty)"
  else
    wait_for 60 "the first results of $name" has_first_results
    is_idle || key Escape
    wait_for 15 "Esc ends the run of $name" is_idle
    no_error
  fi
  echo "$name: $(rows verified | wc -l) verified, $(rows wrong | wc -l) refused by design, $(seconds_since "$begun") s"
  picture "$name"
done

# ---- a tour ----
key j
click tour:first_hour
wait_for 5 "the tour" there answer_field
before=$(asked)
# Twice: the first may come while the field is still being given the keyboard, and its words still find their place.
click answer_field
sleep 0.7
click answer_field
xdotool type --delay 70 "80 ms"
click advance
wait_for 10 "the tour's run begins" has_more "$before"
picture tour
key Escape
wait_for 15 "Esc ends the tour's run" is_idle
click end_tour
wait_for 5 "the tour ends" sh -c "! grep -q ' canvas\$' '$widgets'"
no_error
kill -0 "$window" 2>/dev/null || fail "the window is gone"
close_window
echo "passed"
