#!/usr/bin/env bash
# Fails, and names the file, when the program would not compile for arm64: scripts/check-arm64.sh
#
# The C shims are compiled with the headers of Debian's arm64 C library, whose kernel lays out some structures in another way.
# The Swift modules are compiled against Debian's arm64 Swift library, which is older than swift.org's, without generating
# code (scripts/tools/check/arm64.py). Both come from scripts/arm64-sdk.sh, which downloads them once, into .build.
# Where they cannot be downloaded, or on an arm64 machine, which compiles all of it anyway, the check says so and succeeds.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

[ "$(uname -m)" != aarch64 ] || skip "this machine is already arm64"
sdk=$PWD/.build/arm64-sdk
status=0
scripts/arm64-sdk.sh "$sdk" >/dev/null || status=$?
[ "$status" != "$cannot_be_had" ] || skip "the libraries for arm64 are not available: see above"
[ "$status" = 0 ] || exit "$status"
sysroot=$sdk/debian12-arm64.artifactbundle/debian12-arm64/sysroot
# The compiler of the Swift toolchain, which has every processor in it.
clang=$(dirname "$(readlink -f "$(command -v swiftc)")")/clang

includes=(Sources/*/include)

# compile FILE OPTION…
compile() {
  local file=$1
  shift
  "$clang" --target=aarch64-unknown-linux-gnu --sysroot="$sysroot" --gcc-toolchain="$sysroot/usr" -Wall -Wextra -Werror \
    "${includes[@]/#/-I}" -x c -c "$file" "$@" -o /dev/null
}

for shim in Sources/*/*.c; do compile "$shim"; done
# A header alone uses none of the functions in it.
for shim in Sources/*/shim.h; do compile "$shim" -Wno-unused-function; done
echo "check-arm64: the C shims compile for arm64" >&2
tool check.arm64 "$sysroot"
