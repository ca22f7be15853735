#!/usr/bin/env bash
# What is left behind when the image files cannot be made: a full disk, Ctrl-C, a killed worker; and that a
# deleted file comes back. Through the command line, as a user would meet it.
set -u
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
export XDG_CACHE_HOME=$cache
failed=0
fail() { echo "FAILED: $*"; failed=1; }
sets() { find "$cache/ridgepoint/jpeg" -mindepth 1 -maxdepth 1 2>/dev/null; }
command=("$RIDGE_BIN" --worker "$RIDGE_WORKER --stdio" run pipeline --rungs pipeline.cpu.serial --mode live)
run() { "${command[@]}" "$@"; }

if "$RIDGE_BIN" list 2>/dev/null | grep -q "pipeline.cpu.serial.*built without"; then
  echo "skipped: built without libjpeg-turbo"
  exit 77
fi

# A file-size limit stands for a full disk: the packed file passes it.
out=$(trap '' XFSZ; ulimit -f 200; run --set images=600 --set side=64 2>&1)
code=$?
[ $code -ne 0 ] || fail "a full disk ended with 0"
grep -q "images.pack" <<<"$out" || fail "a full disk is not named: $out"
[ -z "$(sets)" ] || fail "a full disk left $(sets)"

# Ctrl-C while the files are written.
"${command[@]}" --set images=20000 --set side=256 >"$cache/log" 2>&1 &
app=$!
for _ in $(seq 200); do
  [ -n "$(sets)" ] && break
  sleep 0.05
done
[ -n "$(sets)" ] || fail "writing did not begin: $(cat "$cache/log")"
kill -INT $app
wait $app
code=$?
[ $code -eq 130 ] || fail "Ctrl-C ended with $code: $(tail -3 "$cache/log")"
[ -z "$(sets)" ] || fail "Ctrl-C left $(sets)"

# A worker killed outright cannot tidy up: the next run does.
mkdir -p "$cache/ridgepoint/jpeg/256x20000-v1-0.part-999999999"
run --set images=64 --set side=64 >"$cache/log" 2>&1 || fail "a small set: $(cat "$cache/log")"
[ "$(sets | wc -l)" -eq 1 ] || fail "after a killed worker: $(sets)"

# A deleted file comes back; a broken one is named.
set_folder=$(sets)
before=$(cat "$set_folder"/*.jpg | cksum)
rm "$set_folder/00007.jpg"
run --set images=64 --set side=64 >"$cache/log" 2>&1 || fail "after a deletion: $(cat "$cache/log")"
[ "$(cat "$set_folder"/*.jpg | cksum)" = "$before" ] || fail "a deleted file did not come back as it was"
size=$(stat -c %s "$set_folder/00007.jpg")
head -c "$size" /dev/zero >"$set_folder/00007.jpg"
out=$(run --set images=64 --set side=64 2>&1)
grep -q "skipped, first 00007.jpg: Not a JPEG file" <<<"$out" || fail "a broken file is not named: $out"

[ $failed -eq 0 ] && echo ok
exit $failed
