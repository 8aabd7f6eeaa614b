#!/usr/bin/env bash
# Compiles the C shims for arm64, whose kernel lays some structures out in another way, with the headers of Debian's arm64
# C library. They lie in packages for cross compilers, which are downloaded and unpacked, not installed.
# Where they cannot be had, or on an arm64 machine, which compiles the shims anyway, it says so and succeeds.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

[ "$(uname -m)" != aarch64 ] || skip "this is arm64 already"
command -v apt-get >/dev/null || skip "there is no apt-get to fetch arm64 headers with"
# The compiler of the Swift toolchain, which has every processor in it.
clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
[ -x "$clang" ] || clang=clang
command -v "$clang" >/dev/null || skip "there is no clang beside swift"

headers=$PWD/.build/arm64-headers
if [ ! -e "$headers/complete" ]; then
  rm -rf "$headers"
  mkdir -p "$headers"
  # _apt, who downloads where root asks, may not write into everybody's folders.
  (cd "$headers" && apt-get download -qq -o APT::Sandbox::User=root libc6-dev-arm64-cross linux-libc-dev-arm64-cross >&2) ||
    skip "libc6-dev-arm64-cross and linux-libc-dev-arm64-cross cannot be downloaded"
  for package in "$headers"/*.deb; do dpkg-deb -x "$package" "$headers"; done
  # OpenSSL's and SQLite's are the same for both processors, and taken from this system, apart from its own C library's.
  mkdir "$headers/libraries"
  cp -RL /usr/include/openssl /usr/include/sqlite3.h "$headers/libraries/"
  cp -RL "/usr/include/$(uname -m)-linux-gnu/openssl/." "$headers/libraries/openssl/"
  touch "$headers/complete"
fi

# compile FILE OPTION…
compile() {
  local file=$1
  shift
  "$clang" --target=aarch64-linux-gnu -Wall -Wextra -Werror -nostdlibinc -isystem "$headers/usr/aarch64-linux-gnu/include" \
    -isystem "$headers/libraries" -I Sources/CLinux/include -I Sources/CBuild/include -x c -c "$file" "$@" -o /dev/null
}

for shim in Sources/*/*.c; do compile "$shim"; done
# A header alone uses none of the functions in it.
for shim in Sources/*/shim.h; do compile "$shim" -Wno-unused-function; done
echo "check-arm64: the C shims compile for arm64" >&2
