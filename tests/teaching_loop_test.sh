#!/usr/bin/env bash
# The teaching loop with a real mouse and a real keyboard: a window under Xvfb, driven by xdotool, aimed at
# what window-probe says is there (hands.sh). Choose a rung, predict, run, reveal, explain, baseline, compare, export;
# then what was left behind is read. Exit 77: skipped, with the reason.
# RIDGE_KEEP=FILE keeps the transcript.
set -u
bin=${RIDGE_BIN:?set by ctest}
source "$(dirname "$0")/hands.sh"
command -v python3 >/dev/null || skip "python3 is not installed"

open_window --lab gemm
run_selected() { # with the keyboard, and to its end
  local before
  before=$(asked)
  chord Control_L F5
  wait_for 10 "the run begins" has_more "$before"
  wait_for 90 "the run ends" is_idle  # the first measures the ceilings too
}
choose() { click "rung:$1"; wait_for 5 "$1 is selected" says "^selected $1\$"; }

# ---- the loop ----
wait_for 20 "the first frame" there level
click level; click level=Lab                         # where the rungs stand in a list
wait_for 20 "the worker's catalogue" there "rung:gemm.cpu.naive_o1"
wait_for 20 "parameters of the worker" there "n=128"
click "n=128"; click "mode=live"; click "threads=1"
choose gemm.cpu.naive_o1
click predict
click predict_field
xdotool type --delay 70 "5 ms"
picture predict
run_selected                                    # what is typed but not entered counts
wait_for 5 "the prediction beside the result" there predict_said
picture reveal
click lesson                                    # explain: the lesson, its question answered
answer=$(awk '$5 ~ /^answer:/ { print $5; exit }' "$widgets")
[ -n "$answer" ] && click "$answer"
picture explain
key b
wait_for 5 "the baseline" says "^baseline gemm.cpu.naive_o1$"
choose gemm.cpu.loop_order
key u                                           # the field closes and opens where it was open
sleep 1                                         # a busy machine draws late: a second u would go into the field
there predict_field || key u
click predict_field
xdotool type --delay 70 "3x"
key Return
run_selected
picture second
before=$(asked)
click compare
wait_for 10 "the comparison begins" has_more "$before"
wait_for 60 "the comparison ends" is_idle
picture verdict
click export
wait_for 20 "the report" says "^written $work/.*report.html"
picture exported

# ---- what it left ----
run=$(find "$work/state" -name '*.jsonl' | head -1)
report=$(find "$work" -name 'report.html' | head -1)
[ -s "$run" ] || fail "no transcript was kept"
[ -s "$report" ] || fail "no report was written"
[ -n "${RIDGE_KEEP:-}" ] && cp "$run" "$RIDGE_KEEP"
python3 - "$run" "$report" <<'PY' || fail "what was left behind is not the loop that was walked"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
app = [m for m in lines if m.get("from") == "app"]
def first(what):
    return next(i for i, m in enumerate(lines) if what(m))
predictions = [m for m in app if m["type"] == "predict"]
assert [p["kernel"] for p in predictions] == ["gemm.cpu.naive_o1", "gemm.cpu.loop_order"], predictions
assert abs(predictions[0]["value"] - 5e6) < 1, predictions[0]
assert predictions[0]["params"]["n"] == 128, predictions[0]
runs = [m for m in app if m["type"] == "run"]
assert [[k["kernel"] for k in m["kernels"]] for m in runs] == [["gemm.cpu.naive_o1"], ["gemm.cpu.loop_order"]]
assert first(lambda m: m["type"] == "predict") < first(lambda m: m["type"] == "run"), "locked after the run"
done = {}  # the runs' own: the sides of the comparison are measured again, later
for m in lines:
    if m["type"] == "result" and "outcome" in m:
        done.setdefault(m["outcome"]["kernel"], m["outcome"])
for kernel in ("gemm.cpu.naive_o1", "gemm.cpu.loop_order"):
    assert done[kernel]["status"] == "ok" and done[kernel]["stats"]["median_ns"] > 0, done.get(kernel)
# "3x" of the second is over the baseline, which is the first.
known = done["gemm.cpu.naive_o1"]["stats"]["median_ns"]
assert abs(predictions[1]["value"] * 3 / known - 1) < 1e-6, (predictions[1], known)
compared = [c for m in lines if m["type"] == "result" for c in m.get("comparisons", [])]
assert len(compared) == 1 and compared[0]["baseline"] == "gemm.cpu.naive_o1", compared
assert compared[0]["candidate"] == "gemm.cpu.loop_order" and compared[0]["rounds"] >= 6, compared
page = open(sys.argv[2], encoding="utf-8").read()
for word in ("naive_o1", "loop_order", "redict", compared[0]["verdict"]):
    assert word in page, "the report does not say " + word
print("predicted, ran, compared (%s, ratio %.2f), exported" % (compared[0]["verdict"], compared[0]["ratio"]))
PY
"$bin" report "$run" --out "$work/again.json" >/dev/null 2>"$work/err" || fail "the transcript does not open again"
close_window
echo "passed"
