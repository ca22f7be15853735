# Sourced by app/run and tests/run: installs what is missing, configures and builds.
#
#   setup_packages GROUP...     installs the groups of cmake/packages.txt that are missing; what cannot
#                               be installed is said, and the build decides whether it can do without
#   setup_build DIR TARGET...   configures DIR and builds the targets (none: everything)
#
# RIDGE_CUDA=AUTO|ON|OFF, RIDGE_WINDOW=ON|OFF, RIDGE_KERNELS=FOLDER;... (none: all) and RIDGE_WERROR=ON|OFF (CI) in
# the environment choose the build.

setup_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# A build without the window needs none of its packages.
setup_window_group() { [ "${RIDGE_WINDOW:-ON}" = OFF ] || echo window; }

setup_missing() {
  local group package rest
  while read -r group package rest; do
    case " $* " in *" $group "*) ;; *) continue ;; esac
    if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' &&
      ! { [ "$package" = cmake ] || [ "$package" = ninja-build ] && setup_has_tool "$package"; }; then
      echo "$package"
    fi
  done < <(grep -v '^#' "$setup_root/cmake/packages.txt")
}

# A cmake or ninja that did not come from a package serves as well.
setup_has_tool() {
  case $1 in cmake) command -v cmake ;; ninja-build) command -v ninja ;; esac >/dev/null 2>&1
}

setup_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "ridgepoint: no apt here; needed (see cmake/packages.txt): the packages of: $*" >&2
    return 0
  fi
  local missing sudo=
  missing=$(setup_missing "$@")
  [ -z "$missing" ] && return 0
  [ "$(id -u)" = 0 ] || sudo=sudo
  echo "ridgepoint: installing:" $missing
  if [ -n "$sudo" ]; then
    if ! command -v sudo >/dev/null; then
      echo "ridgepoint: cannot install as this user; ask for: apt-get install" $missing >&2
      return 0
    fi
    echo "ridgepoint: this asks for your password (sudo apt-get install)"
  fi
  # Package lists may be absent or old: refresh them only when the first try fails.
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing \
    >/dev/null 2>&1 && return 0
  $sudo apt-get update -qq || true
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing \
    >/dev/null || {
    echo "ridgepoint: could not install; try: ${sudo:+sudo }apt-get install" $missing >&2
  }
}

setup_build() {
  local dir=$1
  shift
  local options=(-G Ninja -DCMAKE_BUILD_TYPE=Release "-DRIDGE_CUDA=${RIDGE_CUDA:-AUTO}"
    "-DRIDGE_WINDOW=${RIDGE_WINDOW:-ON}" "-DRIDGE_TESTS=${RIDGE_TESTS:-ON}"
    "-DRIDGE_WERROR=${RIDGE_WERROR:-OFF}" "-DRIDGE_KERNELS=${RIDGE_KERNELS:-}"
    -DRIDGE_UNTIMED=-Og)  # what is not timed compiles in two thirds of the time: a first number comes sooner
  if ! cmake -S "$setup_root" -B "$dir" "${options[@]}" >"$dir.configure.log" 2>&1; then
    grep -A6 'CMake Error' "$dir.configure.log" >&2
    echo "ridgepoint: configuring failed; the whole log is $dir.configure.log" >&2
    return 1
  fi
  mv "$dir.configure.log" "$dir/configure.log"
  setup_how_long "$dir" "$@"
  ninja -C "$dir" "$@"
}

# Says how long compiling what is not there yet takes. The seconds that one core takes for a file were measured:
# 274 for the 208 files of a build for the terminal, 80 for the window's 11, 550 for the tests' 107; four seconds
# for a .cu is the mean of a sample.
setup_how_long() {
  local dir=$1 object
  shift
  for object in $(ninja -C "$dir" -t commands "$@" | sed -nE 's/.* -o ([^ ]+\.(o|gch))( .*)?$/\1/p'); do
    [ -e "$dir/$object" ] || echo "$object"
  done | awk -v cores="$(nproc)" '
    /\.cu\.o$/ { seconds += 4; next }
    /^tests\// { seconds += 5; next }
    /\/ridge_window\.dir\// { seconds += 7; next }
    { seconds += 1.3 }
    END {
      seconds /= cores
      if (seconds < 10) exit
      time = seconds < 90 ? 10 * int(seconds / 10 + 0.5) " seconds" : int(seconds / 60 + 0.5) " minutes"
      printf "ridgepoint: compiling %d files takes about %s on %d %s; later starts compile what has changed\n",
        NR, time, cores, cores == 1 ? "core" : "cores"
    }'
}

# One line that says what a GPU build would need; silent when it is one.
setup_cuda_hint() {
  local dir=$1 reason
  reason=$(sed -n 's/^-- ridgepoint: CUDA OFF (\(.*\)), window.*/\1/p' "$dir/configure.log")
  [ -z "$reason" ] && return 0
  case $reason in
  "no NVIDIA device found")
    echo "ridgepoint: built for the CPU: $reason. On a machine with one: RIDGE_CUDA=ON app/run" ;;
  "RIDGE_CUDA=OFF")
    echo "ridgepoint: built for the CPU: $reason. To change that: RIDGE_CUDA=AUTO app/run" ;;
  *)
    echo "ridgepoint: built for the CPU: $reason. With NVIDIA's apt repository set up" \
      "(developer.nvidia.com/cuda-downloads): sudo apt-get install cuda-toolkit-13-0 && app/run" ;;
  esac
}
