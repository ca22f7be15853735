#!/bin/sh
# Starts Ridgepoint in the folder that this archive was unpacked to, wherever that is. To uninstall delete the folder.
case $(uname -m) in
@CMAKE_SYSTEM_PROCESSOR@) ;;
*)
  echo "ridgepoint: this archive is for @CMAKE_SYSTEM_PROCESSOR@ and this machine is $(uname -m): build it from source (README.md)" >&2
  exit 69
  ;;
esac
libc=$(getconf GNU_LIBC_VERSION 2>/dev/null)
case $libc in
"glibc 2."*) minor=${libc#glibc 2.} && minor=${minor%%.*} ;;
"glibc "*) minor=@RIDGE_LIBC_MINOR@ ;;
*) minor=0 libc="another C library" ;;
esac
if [ "$minor" -lt @RIDGE_LIBC_MINOR@ ]; then
  echo "ridgepoint: needs glibc @RIDGE_LIBC@ or later and this system has $libc: build it here from source (README.md), or use Debian 12, Ubuntu 24.04 or later" >&2
  exit 69
fi
here=$(readlink -f "$0")
exec "${here%/*}/bin/ridgepoint" "$@"
