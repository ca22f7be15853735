# Sourced by tests/sanitizers and tests/fuzz/run: a build whose every object is instrumented, by clang-19 or by the compiler
# that RIDGE_SANITIZER_CXX names.
#
#   sanitized_build address|thread    configures build-sanitized (ASan, UBSan; of clang libFuzzer too) or build-thread (TSan)
#                                     and sets $build; RIDGE_WINDOW=ON: with the window; exit 77 without the compiler;
#                                     RIDGE_SANITIZED_LEVEL=-O0: compiled in half of the time, its programs are slower
#   cost begin, cost WHAT             says how long it took since the last call: seconds, and those of the processor, which a
#                                     busy machine does not stretch
compiler=${RIDGE_SANITIZER_CXX:-clang++-19}

sanitized_build() {
  command -v "$compiler" >/dev/null || { echo "skipped: no $compiler here (Debian: clang-19, libclang-rt-19-dev)"; exit 77; }
  local level=${RIDGE_SANITIZED_LEVEL:--O1}
  local sanitizers=address,undefined fuzz=OFF c_compiler=${compiler/clang++/clang}
  c_compiler=${c_compiler/g++/gcc}
  build=build-sanitized
  case ${compiler##*/} in clang*) sanitizers+=,fuzzer-no-link fuzz=ON ;; esac
  [ "$1" = address ] || { sanitizers=$1 fuzz=OFF build=build-$1; }
  # A few rungs are enough: what is looked at is the app, the harness and the worker round them.
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_COMPILER=$compiler" \
    "-DCMAKE_C_COMPILER=$c_compiler" "-DCMAKE_CXX_FLAGS_RELEASE=$level" "-DRIDGE_UNTIMED=$level" -DRIDGE_CUDA=OFF "-DRIDGE_WINDOW=${RIDGE_WINDOW:-OFF}" \
    "-DRIDGE_KERNELS=gemm;conv;chain;rows;probe;runtime/cpu;runtime/problems" "-DRIDGE_SANITIZE=$sanitizers" "-DRIDGE_FUZZ=$fuzz" \
    >"$build.configure.log" 2>&1 || { tail -20 "$build.configure.log"; exit 1; }
  mv "$build.configure.log" "$build/configure.log"
}

cost() {
  local now=$SECONDS cpu_s
  # Of all that this script started and that has ended.
  cpu_s=$(awk -v ticks="$(getconf CLK_TCK)" '{ printf "%d", ($16 + $17) / ticks }' "/proc/$$/stat")
  [ "$1" = begin ] || echo "$1 in $((now - cost_from)) s, $((cpu_s - cost_from_cpu)) s of processor time"
  cost_from=$now cost_from_cpu=$cpu_s
}
