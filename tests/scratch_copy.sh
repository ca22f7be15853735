# A copy of the tree to change and build, in seconds. Sourced by tests that follow a page of docs/ to the letter.
# All that a change does not touch was compiled for these tests already, from the same text: a stand-in for the
# compiler hands those objects out.

# make_copy: copies the tree to $copy, a folder that goes when the test ends.
make_copy() {
  copy=$(mktemp -d)
  trap 'rm -rf "$copy"' EXIT
  (cd "$RIDGE_SOURCE" && tar -c --exclude=assets/recorded CMakeLists.txt cmake app assets labs kernels common include worker packaging) |
    tar -x -C "$copy"
}

# build_copy TARGET...: configures the copy as $RIDGE_BUILD is, since objects of another would not fit, and builds the
# targets. $copy/compiled then names the files that were really compiled.
build_copy() {
  cat >"$copy/reuse.sh" <<'REUSE'
copy=$1 source= object= previous=
shift
for word; do
  case $previous in -c) source=$word ;; -o) object=$word ;; esac
  previous=$word
done
back="s#$copy/build#$RIDGE_BUILD#g; s#$copy#$RIDGE_SOURCE#g"
# Files that are compiled together are as new as the newest of them.
files=$source
case $source in */Unity/*) files+=" $(sed -n 's/^#include "\(.*\)"$/\1/p' "$source")" ;; esac
same=1
for file in $files; do
  sed "$back" "$file" | cmp -s - "$(sed "$back" <<<"$file")" || same=0
done
# A build with CUDA defines what one without does not.
ours() { tr -d '\\"' | grep -o -- '-DRIDGE_[^ ]*' | sort -u; }
[ "$(sed "$back" <<<"$*" | ours)" = "$(grep -F -- " -o $object " "$copy/as_built" | ours)" ] || same=0
if [ $same = 1 ] && [ -f "$RIDGE_BUILD/$object" ]; then
  exec ln -sf "$RIDGE_BUILD/$object" "$object"
fi
printf '%s\n' $files >>"$copy/compiled"
exec "$@"
REUSE
  # A new file in the middle of a batch would move all that follow it: none would be as it was.
  local new
  new=$(cd "$copy" && find app common worker labs -name '*.cpp' |
    while read -r file; do [ -e "$RIDGE_SOURCE/$file" ] || printf '%s;' "$file"; done)
  mkdir "$copy/build"
  sed "s#$RIDGE_BUILD#$copy/build#g; s#$RIDGE_SOURCE#$copy#g" "$RIDGE_BUILD/CMakeCache.txt" >"$copy/build/CMakeCache.txt"
  ninja -C "$RIDGE_BUILD" -t commands | sed "s/$/ /" >"$copy/as_built"  # each word ends with a space
  local launcher="bash;$copy/reuse.sh;$copy"
  cmake -S "$copy" -B "$copy/build" -G Ninja -DRIDGE_TESTS=OFF "-DRIDGE_ALONE=$new" "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher" \
    "-DCMAKE_CUDA_COMPILER_LAUNCHER=$launcher" >/dev/null
  ninja -C "$copy/build" "$@" >"$copy/build.log" || { tail -30 "$copy/build.log"; exit 1; }
}

# was_compiled FILE...
was_compiled() {
  for file; do
    grep -q "$file" "$copy/compiled" || { echo "$file was not compiled"; exit 1; }
  done
}
