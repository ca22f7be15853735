#!/usr/bin/env bash
# `ridgepoint shot` draws the window off screen: under Xvfb, from a transcript made up by
# tests/shot_transcript.py (round numbers, nothing measured). Exit 77: skipped, with the reason.
set -u
bin=${RIDGE_BIN:?set by ctest}
source=${RIDGE_SOURCE:?set by ctest}
skip() { echo "skipped: $*"; exit 77; }
command -v Xvfb >/dev/null || skip "Xvfb is not installed (Debian: xvfb)"
command -v python3 >/dev/null || skip "python3 is not installed"

work=$(mktemp -d)
xvfb=
trap '[ -n "$xvfb" ] && kill "$xvfb" 2>/dev/null; rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

# -displayfd: the server picks a free display and says which, once it answers.
Xvfb -displayfd 3 -screen 0 1920x1200x24 -noreset 3>"$work/display" 2>"$work/xvfb.log" &
xvfb=$!
for _ in $(seq 100); do
  [ -s "$work/display" ] && break
  kill -0 "$xvfb" 2>/dev/null || skip "Xvfb does not start: $(tail -1 "$work/xvfb.log")"
  sleep 0.1
done
[ -s "$work/display" ] || skip "Xvfb gives no display"
export DISPLAY=":$(cat "$work/display")"
export HOME="$work" XDG_CONFIG_HOME="$work"

python3 "$source/tests/shot_transcript.py" > "$work/run.jsonl" || fail "the transcript was not made"

shot() { # scene, size, further options
  local scene=$1 size=$2; shift 2
  rm -f "$work/out.png"
  "$bin" shot "$scene" "$work/out.png" --replay "$work/run.jsonl" --size "$size" "$@" 2>"$work/err"
}

"$bin" shot lab "$work/out.png" 2>&1 | grep -q "without its window" && skip "built without the window"

if ! shot lab 1200x800; then
  grep -q "OpenGL" "$work/err" && skip "$(cat "$work/err")"
  fail "shot lab: $(cat "$work/err")"
fi
cp "$work/out.png" "$work/dark.png"
shot lab 1200x800 --theme light || fail "shot --theme light: $(cat "$work/err")"
cp "$work/out.png" "$work/light.png"
shot verdict 1000x640 --scale 1.6 || fail "shot verdict: $(cat "$work/err")"
cp "$work/out.png" "$work/compare.png"

# Each look in one process; what every scene looks like is golden_screens_test's.
charts=roofline,sizes,error,workload,lesson
screens=home,cards,card_back,quiz,compare,timeline,machine,report,settings,shortcuts
pictures=()
for look in "1280x720 dark 1 $charts,$screens" "1600x1000 light 2 $screens"; do
  read -r size theme scale scenes <<< "$look"
  "$bin" shot "$scenes" "$work/pictures" --replay "$work/run.jsonl" --size "$size" --theme "$theme" \
    --scale "$scale" 2>"$work/err" || fail "shot --theme $theme: $(cat "$work/err")"
  for scene in ${scenes//,/ }; do
    pictures+=("$work/pictures/$scene-$theme-$scale.png:$size:-")
  done
done
same() { cmp -s "$work/pictures/$1-dark-1.png" "$work/pictures/$2-dark-1.png"; }
same home machine && fail "home and machine are the same picture"
same cards card_back && fail "a card's front and back are the same picture"
same roofline error && fail "roofline and error are the same picture"

# Decoding in Python takes a second a picture: three are enough.
python3 "$source/tests/shot_check.py" "$work/dark.png:1200x800:14171C" \
  "$work/light.png:1200x800:FFFFFF" "$work/compare.png:1000x640:14171C" "${pictures[@]}" ||
  fail "a picture is not what it should be"

shot nowhere 800x600; rc=$?
[ $rc = 64 ] || fail "an unknown scene exits $rc, not 64"
grep -q "there are: home, lab, .*, verdict, .*, assembly, .*; or all" "$work/err" || fail "the scenes that exist are not named: $(cat "$work/err")"
shot lba 800x600; rc=$?
[ $rc = 64 ] || fail "a mistyped scene exits $rc, not 64"
grep -q "there is no scene 'lba'; did you mean lab?" "$work/err" || fail "a mistyped scene: $(cat "$work/err")"
echo '{"hello":1}' > "$work/foreign.jsonl"
"$bin" shot lab "$work/out.png" --replay "$work/foreign.jsonl" 2>"$work/err"; rc=$?
[ $rc = 65 ] || fail "a foreign file exits $rc, not 65"
"$bin" shot lab "$work/none/out.png" --replay "$work/run.jsonl" 2>"$work/err"; rc=$?
[ $rc = 73 ] || fail "an unwritable picture exits $rc, not 73: $(cat "$work/err")"
# A run without counts: the other scenes are drawn, and the missing one is named.
rm -rf "$work/some"
"$bin" shot home,counts,machine "$work/some" --replay "$work/run.jsonl" --size 800x600 2>"$work/err"; rc=$?
[ $rc = 65 ] || fail "a scene that the run has nothing for exits $rc, not 65"
grep -q "no picture of counts: the run holds no counts to show; the other scenes are drawn" "$work/err" ||
  fail "the missing scene is not named: $(cat "$work/err")"
[ -f "$work/some/home-dark-1.png" ] && [ -f "$work/some/machine-dark-1.png" ] ||
  fail "a missing scene kept the others from being drawn"
unset DISPLAY WAYLAND_DISPLAY
shot lab 800x600; rc=$?
[ $rc = 69 ] || fail "no display exits $rc, not 69: $(cat "$work/err")"
echo "passed"
