#!/usr/bin/env bash
# Every screen as it was when it was last looked at: golden-screens under Xvfb, on a run that is kept
# (tests/golden/screens/run.jsonl) with one recording, no clock and nothing of this machine.
# RIDGE_UPDATE_GOLDEN=1 writes the goldens anew. Exit 77: skipped, with the reason.
set -u
program=${RIDGE_GOLDEN_SCREENS:?set by ctest}
golden=${RIDGE_SOURCE:?set by ctest}/tests/golden/screens
skip() { echo "skipped: $*"; exit 77; }
[ -x "$program" ] || skip "built without the window"
command -v Xvfb >/dev/null || skip "Xvfb is not installed (Debian: xvfb)"

# Another font, or another way of drawing it, is another picture: that is no fault of the window.
made_with() {
  "$program" --made-with
  for font in opentype/inter/Inter-Medium.otf opentype/inter/Inter-SemiBold.otf \
    truetype/jetbrains-mono/JetBrainsMono-Regular.ttf truetype/dejavu/DejaVuSans.ttf; do
    printf '%s %s\n' "$(sha256sum < "/usr/share/fonts/$font" 2>/dev/null | cut -c1-16)" "$font"
  done
}
here=$(made_with 2>/dev/null)
if [ -n "${RIDGE_UPDATE_GOLDEN:-}" ]; then
  echo "$here" > "$golden/made_with.txt"
else
  [ "$here" = "$(cat "$golden/made_with.txt")" ] ||
    skip "the goldens were made with $(diff <(echo "$here") "$golden/made_with.txt" | sed -n 's/^> //p' | paste -sd, -)"
fi

# Two equal pictures test one scene: the other could show nothing of its own. Goldens that are written anew are not asked.
equal=$(cd "$golden" && md5sum ./*.png | sort | awk '{ sub(/^\.\//, "", $2); sub(/\.png$/, "", $2) }
  $1 == last { print name "=" $2 } { last = $1; name = $2 }')
[ -n "${RIDGE_UPDATE_GOLDEN:-}" ] || [ -z "$equal" ] || { echo "FAILED: pictures that are equal: $equal"; exit 1; }

work=$(mktemp -d)
differences=${RIDGE_BUILD:-$work}/golden_screens
rm -rf "$differences"; mkdir -p "$differences"
xvfb=
trap '[ -n "$xvfb" ] && kill "$xvfb" 2>/dev/null; rm -rf "$work"' EXIT
Xvfb -displayfd 3 -screen 0 2048x1200x24 -noreset 3>"$work/display" 2>"$work/xvfb.log" &
xvfb=$!
for _ in $(seq 100); do
  [ -s "$work/display" ] && break
  kill -0 "$xvfb" 2>/dev/null || skip "Xvfb does not start: $(tail -1 "$work/xvfb.log")"
  sleep 0.1
done
[ -s "$work/display" ] || skip "Xvfb gives no display"
export DISPLAY=":$(cat "$work/display")" HOME="$work" XDG_CONFIG_HOME="$work" TZ=UTC
export RIDGEPOINT_ASSETS="$golden"
unset WAYLAND_DISPLAY

"$program" "$golden" "$differences"; rc=$?
[ $rc = 69 ] && skip "no OpenGL here"
[ $rc = 0 ] || { echo "FAILED: pictures that differ are in $differences"; exit 1; }
echo "passed"
