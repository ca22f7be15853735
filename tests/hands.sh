# Sourced by tests that use the window as a person does: a display of their own (Xvfb), empty folders, and
# hands (xdotool) that aim at what window-probe says is there. `open_window OPTION...` starts the window.
# Exit 77: skipped, with the reason. RIDGE_PICTURES=FOLDER keeps a picture after every step.
probe=${RIDGE_WINDOW_PROBE:?set by ctest}
skip() { echo "skipped: $*"; exit 77; }
[ -x "$probe" ] || skip "built without the window"
command -v Xvfb >/dev/null || skip "Xvfb is not installed (Debian: xvfb)"
command -v xdotool >/dev/null || skip "xdotool is not installed (Debian: xdotool)"

work=$(mktemp -d)
xvfb= window=
trap '[ -n "$window" ] && kill "$window" 2>/dev/null; [ -n "$xvfb" ] && kill "$xvfb" 2>/dev/null; rm -rf "$work"' EXIT
fail() { picture failed; echo "FAILED: $*"; [ -s "$widgets" ] && head -12 "$widgets"; cat "$work/err"; exit 1; }

Xvfb -displayfd 3 -screen 0 1600x1000x24 -noreset 3>"$work/display" 2>"$work/xvfb.log" &
xvfb=$!
for _ in $(seq 100); do
  [ -s "$work/display" ] && break
  kill -0 "$xvfb" 2>/dev/null || skip "Xvfb does not start: $(tail -1 "$work/xvfb.log")"
  sleep 0.1
done
[ -s "$work/display" ] || skip "Xvfb gives no display"
export DISPLAY=":$(cat "$work/display")" HOME="$work"
export XDG_CONFIG_HOME="$work/config" XDG_STATE_HOME="$work/state" XDG_DATA_HOME="$work/data"
export XDG_DOCUMENTS_DIR="$work/documents"
unset WAYLAND_DISPLAY RIDGE_CEILINGS  # as a user has it

widgets=$work/widgets
open_window() {
  "$probe" "$widgets" --close-after "${close_after_s:-100}" "$@" 2>"$work/err" &
  window=$!
}
close_window() { kill "$window"; wait "$window" 2>/dev/null; window=; }

# ---- hands and eyes ----
place() { # the widget's middle: its name is the line's rest, spaces included
  awk -v name="$1" '{ at = $1 " " $2 " " $3 " " $4 " " } substr($0, length(at) + 1) == name && NF > 4 {
    printf "%d %d", $1 + $3 / 2, $2 + $4 / 2 }' "$widgets" 2>/dev/null
}
says() { grep -q -- "$1" "$widgets" 2>/dev/null; }
wait_for() { # seconds, what it is, command ...
  local tenths=$(($1 * 10)) what=$2; shift 2
  for _ in $(seq "$tenths"); do
    "$@" && return
    kill -0 "$window" 2>/dev/null || { grep -q OpenGL "$work/err" && skip "$(cat "$work/err")"; fail "the window is gone: $what"; }
    sleep 0.1
  done
  fail "not within $((tenths / 10)) s: $what"
}
there() { [ -n "$(place "$1")" ]; }
step=0
picture() {
  step=$((step + 1))
  [ -n "${RIDGE_PICTURES:-}" ] && command -v import >/dev/null &&
    import -window root "$RIDGE_PICTURES/$(printf %02d $step)-$1.png"
}
# Where a widget comes to rest: words above it may take their place a frame later.
rests() {
  local before=$(place "$1")
  sleep 0.15
  [ "$(place "$1")" = "$before" ]
}
click() {
  wait_for 10 "a widget $1" there "$1"
  wait_for 10 "a widget $1 that stays where it is" rests "$1"
  xdotool mousemove $(place "$1") sleep 0.15 mousedown 1 sleep 0.08 mouseup 1 sleep 0.15
}
key() { xdotool keydown "$1" sleep 0.06 keyup "$1" sleep 0.12; }
chord() { xdotool keydown "$1" sleep 0.05 keydown "$2" sleep 0.06 keyup "$2" sleep 0.05 keyup "$1" sleep 0.12; }
is_idle() { says "^running 0"; }
# How many requests the run holds: a short one may be over before anybody looks.
asked() { awk '$1 == "asked" { print $2 }' "$widgets"; }
has_more() { local now; now=$(asked); [ -n "$now" ] && [ "$now" -gt "$1" ]; }
