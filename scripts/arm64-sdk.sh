#!/usr/bin/env bash
# Makes a Swift SDK with which this machine's Swift builds for a robot with arm64 and Debian 12 or later:
# scripts/arm64-sdk.sh [FOLDER=.build/arm64-sdk]
#
#   swift build --swift-sdks-path FOLDER --swift-sdk debian12-arm64 ...    with the PKG_CONFIG_PATH that is printed
#
# The C library, OpenSSL and SQLite are Debian 12's. Swift's own libraries for arm64 come from Debian's swiftlang, whose
# interfaces this machine's compiler compiles again. All of it is downloaded by apt from wherever this machine gets its
# packages, and unpacked: nothing is installed, and no right is needed for it. What is there already is kept.
#
# FOLDER/complete holds the version of Swift's library. It has to be one that the code and this machine's compiler can use.
# Exits with 75 where something cannot be had, and with 1 for every other fault.
set -euo pipefail
. "$(dirname "$0")/lib/packages.sh"
. "$(dirname "$0")/lib/debian.sh"

# The lowest version of Swift's library that the code may use. It is Debian's, whose swiftlang is the only build of that
# library for arm64 which a machine of another kind can get from a package mirror. scripts/check-arm64.sh compiles the
# program against what was downloaded, so a call that only a newer library has is found there.
lowest_library=6.2

folder=${1:-$(dirname "$0")/../.build/arm64-sdk}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
bundle=$folder/debian12-arm64.artifactbundle
root=$bundle/debian12-arm64/sysroot
said="PKG_CONFIG_PATH=$root/usr/lib/aarch64-linux-gnu/pkgconfig"

fail() {
  echo "arm64-sdk: $*" >&2
  exit 1
}

# cannot WORDS…: ends where something cannot be had on this machine.
cannot() {
  echo "arm64-sdk: $*" >&2
  exit "$cannot_be_had"
}

# is_at_most VERSION VERSION: by their numbers.
is_at_most() { printf '%s\n%s\n' "$1" "$2" | sort -C -V; }

# check_library VERSION: fails where the code or this compiler cannot use a library of that version.
check_library() {
  local compiler
  compiler=$(swift_version)
  is_at_most "$lowest_library" "$1" ||
    fail "Debian's Swift library for arm64 is $1, but the code needs $lowest_library or later (scripts/arm64-sdk.sh)"
  # This compiler compiles that library's interfaces, and knows nothing of later ones.
  is_at_most "$1" "$compiler" ||
    fail "Debian's Swift library for arm64 is $1, but this machine's compiler is $compiler: the compiler must not be older"
  echo "arm64-sdk: Swift's library for arm64 is Debian's $1; the code needs $lowest_library or later" >&2
}

command -v swiftc >/dev/null || cannot "there is no swiftc on the PATH"
# Of two that come at once the second finds what the first has made.
exec 9>"$folder/lock"
flock 9
if [ -s "$folder/complete" ]; then
  check_library "$(cat "$folder/complete")"
  echo "$said"
  exit 0
fi

command -v apt-get >/dev/null || cannot "there is no apt-get here to download Debian's packages"
tools=$(dirname "$(readlink -f "$(command -v swiftc)")")
[ -x "$tools/clang" ] || cannot "there is no clang beside swiftc"
[ -x "$tools/ld.lld" ] || cannot "there is no lld beside swiftc"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# fetch FOLDER RELEASE PACKAGE...
fetch() {
  local status=0
  debian_download "$work/$1" "$2" arm64 "${@:3}" || status=$?
  [ "$status" != 1 ] || cannot "packages of Debian's $2 for arm64 cannot be downloaded"
  [ "$status" = 0 ] || fail "Debian's $2 no longer has one of these packages for arm64: ${*:3}"
}
fetch robot bookworm libc6 libc6-dev linux-libc-dev libgcc-s1 libgcc-12-dev libstdc++6 \
  libstdc++-12-dev libssl3 libssl-dev libsqlite3-0 libsqlite3-dev libcrypt1 libcrypt-dev zlib1g
fetch swift sid swiftlang libswiftlang

rm -rf "$bundle"
mkdir -p "$root/usr/lib"
ln -s usr/lib "$root/lib"
for package in "$work"/robot/packages/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$root"
done
# A link that begins at / would lead out of it, to this machine's own libraries.
find "$root" -type l -lname '/*' | while read -r link; do
  ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$root$(readlink "$link")")" "$link"
done
for package in "$work"/swift/packages/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -x -C "$work" --wildcards './usr/libexec/swift/lib/swift/linux/*' \
    './usr/libexec/swift/lib/swift/shims/*' './usr/libexec/swift/lib/swift_static/*' 2>/dev/null || true
done
libraries=$work/usr/libexec/swift/lib
[ -d "$libraries/swift_static/linux" ] || fail "Debian's swiftlang has a different layout than before: it contains no swift_static"
rm -rf "$libraries/swift_static/embedded"
cp -a "$libraries/swift" "$libraries/swift_static" "$root/usr/lib/"
library=$(sed -n 's/^\/\/ swift-compiler-version:.*Swift version \([0-9.]*\).*/\1/p' \
  "$root/usr/lib/swift/linux/Swift.swiftmodule/aarch64-unknown-linux-gnu.swiftinterface") || library=
[ -n "$library" ] || fail "Debian's swiftlang contains no interface of the Swift library, or the interface names no version"
check_library "$library"
# What has an interface is compiled again by this compiler; the binary form is another compiler's.
for interface in "$root"/usr/lib/swift*/linux/*.swiftmodule/*-gnu.swiftinterface; do
  rm -f "${interface%.swiftinterface}.swiftmodule"
done
for kind in swift swift_static; do
  rm -rf "$root/usr/lib/$kind/clang"
  ln -s "$(dirname "$tools")/lib/swift/clang" "$root/usr/lib/$kind/clang"
done
[ -e "$root/usr/lib/swift_static/shims" ] || ln -s ../swift/shims "$root/usr/lib/swift_static/shims"

# Four functions that Debian's build of Swift wants of a newer glibc than Debian 12's.
cat >"$work/glibc.c" <<'C'
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }
long long __isoc23_strtoll(const char *text, char **end, int base) { return strtoll(text, end, base); }
int __isoc23_sscanf(const char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vsscanf(text, format, arguments);
  va_end(arguments);
  return count;
}
size_t strlcpy(char *to, const char *from, size_t size) {
  size_t length = strlen(from);
  if (size > 0) {
    size_t count = length < size - 1 ? length : size - 1;
    memcpy(to, from, count);
    to[count] = 0;
  }
  return length;
}
C
"$tools/clang" --target=aarch64-unknown-linux-gnu --sysroot="$root" -O2 -c "$work/glibc.c" -o "$root/usr/lib/newer-glibc.o"

cat >"$bundle/info.json" <<'JSON'
{"schemaVersion": "1.0", "artifacts": {"debian12-arm64": {"type": "swiftSDK", "version": "1",
 "variants": [{"path": "debian12-arm64"}]}}}
JSON
cat >"$bundle/debian12-arm64/swift-sdk.json" <<'JSON'
{"schemaVersion": "4.0", "targetTriples": {"aarch64-unknown-linux-gnu": {"sdkRootPath": "sysroot",
 "swiftResourcesPath": "sysroot/usr/lib/swift", "swiftStaticResourcesPath": "sysroot/usr/lib/swift_static",
 "toolsetPaths": ["toolset.json"]}}}
JSON
cat >"$bundle/debian12-arm64/toolset.json" <<JSON
{"schemaVersion": "1.0",
 "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld", "-Xclang-linker", "--gcc-toolchain=$root/usr"]},
 "cCompiler": {"extraCLIOptions": ["--gcc-toolchain=$root/usr"]},
 "linker": {"extraCLIOptions": ["$root/usr/lib/newer-glibc.o"]}}
JSON
echo "$library" >"$folder/complete"
echo "$said"
