#!/usr/bin/env bash
# Fast typing in Your turn's editor, with real keys: letters, Enter, Backspace, arrows and chords that arrive between
# two frames apply in the order in which they were typed. What was typed is saved and read from the file.
set -u
close_after_s=${RIDGE_CLOSE_AFTER_S:-150}
. "${RIDGE_SOURCE:?set by ctest}/tests/hands.sh"
file=$work/data/ridgepoint/exercises/turned_loops.cpp

open_window --lab gemm
wait_for 40 "the first idle moment" is_idle
click menu
click menu:show_class
click exercise:turned_loops
wait_for 20 "what is to be done" there task
click editor

# Before the text's first byte, as one burst each time.
chord Control_L Home
xdotool key --delay 1 a b Return c BackSpace d Left e Right f Return
xdotool type --delay 1 'for (int i = 0; i < 9; ++i) {'
xdotool key --delay 1 Return space space x Return y BackSpace z semicolon Return BackSpace BackSpace braceright Return
xdotool key --delay 1 q q q BackSpace BackSpace Tab Tab r Up Down End
xdotool sleep 1
picture typed
# Chords among letters: a line is selected and written over, and the save has what was typed before it.
xdotool key --delay 1 ctrl+Home shift+End x Return ctrl+Home y ctrl+s
wait_for 20 "the saved file" grep -q '^q' "$file"
cat > "$work/expected" <<'END'
yx

edf
for (int i = 0; i < 9; ++i) {
  x
  z;
}
END
printf 'q    r' >> "$work/expected"
head -c "$(stat -c %s "$work/expected")" "$file" > "$work/got"
diff "$work/expected" "$work/got" || fail "it was typed in another order"
picture saved
close_window
echo "what was typed stands in the order in which it was typed"
