# shellcheck shell=bash
# What the scripts have in common: Debian packages that are installed when they are missing, and what is built.

lib_folder=$(cd "${BASH_SOURCE[0]%/*}" && pwd)

# skip WORDS...: ends a check, and that is no failure: something cannot be had on this machine. A release must pass what it
# skips elsewhere: with FOOTAGE_RELEASE=1 in the environment it is a failure.
skip() {
  if [ "${FOOTAGE_RELEASE:-}" = 1 ]; then
    echo "$(basename "$0" .sh): a release needs this check: $*" >&2
    exit 1
  fi
  echo "$(basename "$0" .sh): skipped: $*" >&2
  [ -z "${FOOTAGE_SKIPPED:-}" ] || echo "$*" >>"$FOOTAGE_SKIPPED"
  exit 0
}

# want_packages WORDS NAME…: packages without which something is not tried, which the words say; a release needs them.
want_packages() {
  need_packages "${@:2}" || { [ "${FOOTAGE_RELEASE:-}" != 1 ] && echo "$1" >&2; }
}

# The exit status of a script that cannot download or find what it needs; every other failure is one (EX_TEMPFAIL).
# shellcheck disable=SC2034
cannot_be_had=75

# footage_version: prints the version that is built here.
footage_version() { sed -n 's/.*number = "\(.*\)"/\1/p' Sources/FootageBase/FootageVersion.swift; }

# need_packages NAME…: installs those that are not there, as root, or with sudo. Where that cannot be done one sentence names
# them, and the result is 1.
need_packages() {
  local missing=() name as_root=() words
  for name in "$@"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'install ok installed' || missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  words="these packages are missing: ${missing[*]}"
  if ! command -v apt-get >/dev/null; then
    echo "$words; there is no apt-get here, so install this system's packages for them" >&2
    return 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo)
    # Where nobody looks at a terminal, nobody could answer it.
    if [ ! -t 0 ] || [ ! -t 2 ]; then as_root=(sudo -n); fi
    if ! command -v sudo >/dev/null || ! "${as_root[@]}" true 2>/dev/null; then
      echo "$words; someone with the right must install them: apt-get install ${missing[*]}" >&2
      return 1
    fi
  fi
  echo "installing ${missing[*]}" >&2
  # sudo hands no environment on.
  if ! "${as_root[@]}" apt-get update -qq >&2 || ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2; then
    echo "apt-get could not install ${missing[*]} (its reason is above): install them and run this again" >&2
    return 1
  fi
}

# need_swift PACKAGE…: a Swift that starts, what its compiler and linker take from the system, and the packages: all of it at
# once, so that one sentence names everything. A toolchain that was unpacked from an archive brings neither the libraries
# that it is linked with nor a linker and a C library to link against.
need_swift() {
  local packages=("$@")
  if ! command -v swift >/dev/null; then
    echo "there is no 'swift' on the PATH: Footage needs the Swift toolchain 6.3 or later (https://www.swift.org/install)" >&2
    return 1
  fi
  if ! swift_starts 2>/dev/null; then packages+=(libcurl4 libedit2 libncurses6 libsqlite3-0 libxml2); fi
  # The names of the compiler's own packages carry a version, and g++ has the right ones behind it.
  if ! compgen -G '/usr/lib/gcc/*/*/libstdc++.so' >/dev/null || [ ! -e /usr/include/stdlib.h ]; then packages+=(g++); fi
  command -v ld >/dev/null || packages+=(binutils)
  command -v pkg-config >/dev/null || packages+=(pkg-config)
  need_packages "${packages[@]}" || return 1
  if ! swift_starts; then
    echo "$(command -v swift) does not start, see above: install what it lacks, or a toolchain made for this system" >&2
    return 1
  fi
}

# swift_version: prints the version of this machine's compiler.
swift_version() { swiftc --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p'; }

# `swift` alone is the compiler, and `swift build` another program with more libraries.
swift_starts() { swift --version >/dev/null && swift build --version >/dev/null; }

# need_ffmpeg: the program, and the font in which it writes; without the font it can do without words.
need_ffmpeg() {
  if ! command -v ffmpeg >/dev/null ||
    ! compgen -G '/usr/share/fonts/*/dejavu/DejaVuSansMono-Bold.ttf' >/dev/null &&
    ! [ -e /usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono-Bold.ttf ]; then
    need_packages ffmpeg fonts-dejavu-core || command -v ffmpeg >/dev/null
  fi
}

# swift_build OPTION…: builds by the build system that compiles everything again that has to be: where a structure of a module has
# got another layout, SwiftPM's older one does not (scripts/check-incremental.sh). No index for editors, which costs a quarter more.
swift_build() { swift_tool build --build-system swiftbuild --disable-index-store "$@"; }

# swift_tool WORD…: what scripts/lib/swift-tool says, from any folder.
swift_tool() { "$lib_folder/swift-tool" "$@"; }

# built_program [OPTION…]: builds the optimised program and prints where it lies. Without options $FOOTAGE_BINARY may name one that
# is there already, from the repository's root. Here and below a failure is handed on, since `$(…)` goes on after one.
built_program() {
  local folder
  if [ $# = 0 ] && [ -n "${FOOTAGE_BINARY:-}" ]; then
    if [ ! -x "$FOOTAGE_BINARY" ]; then
      echo "FOOTAGE_BINARY is $FOOTAGE_BINARY, but there is no such program" >&2
      return 1
    fi
    echo "using $FOOTAGE_BINARY, as set in FOOTAGE_BINARY" >&2
    echo "$FOOTAGE_BINARY"
    return
  fi
  swift_build -c release --product footage "$@" >&2 || return 1
  folder=$(swift_build -c release --show-bin-path "$@") || return 1
  echo "$folder/footage"
}

# build_for_tests SCRATCH OPTION…: builds what the options name as it is released, but for what tests may reach into, and prints
# where it lies.
build_for_tests() {
  local options=(-c release --scratch-path "$1" -Xswiftc -enable-testing -Xswiftc -gline-tables-only)
  swift_build "${options[@]}" "${@:2}" >&2 || return 1
  swift_build "${options[@]}" --show-bin-path
}

# name_commit: has the builds that follow say what commit they are (`footage --version`), where git can tell.
name_commit() {
  export FOOTAGE_COMMIT=${FOOTAGE_COMMIT:-$(git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null || true)}
}

# tool NAME ARGUMENT…: a Python module of scripts/tools, from any folder.
tool() { python3 -B "${lib_folder%/*}/tools" "$@"; }
