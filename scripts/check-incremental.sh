#!/usr/bin/env bash
# Checks that what is built again after a change is what a build from nothing would be: Tests/Incremental is built, changed
# in three ways and built again, and its program has to print the right values each time.
#
# A module Program imports a module Outer, which holds a structure of a module Inner. When that structure gets another stored
# property, Program has to be compiled again although its own imports did not change. SwiftPM's native build system does not
# do that (swiftlang/swift#89636, swiftlang/swift-package-manager#10502), and the program crashes. The check fails if
# `swift_build` does the same, and prints whether the native one still does.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

need_swift
work=$(mktemp -d "${TMPDIR:-/tmp}/footage-incremental-XXXXXX")
trap 'rm -rf "$work"' EXIT

native_build() { swift_tool build --build-system native "$@"; }

# expect BUILD CONFIGURATION WORDS EXPECTED: builds, runs the program and compares what it prints.
expect() {
  local build=$1 configuration=$2 words=$3 expected=$4 printed status=0
  local options=(--scratch-path "$work/scratch" -c "$configuration")
  if ! (cd "$work/package" && "$build" "${options[@]}") >"$work/log" 2>&1; then
    problem="$words it does not build: $(grep -m 1 -E 'error:|undefined reference' "$work/log" || tail -n 1 "$work/log")"
    return 1
  fi
  # A shell that reports the crash of a command does so on its own standard error.
  printed=$( (cd "$work/package" && SWIFT_BACKTRACE=enable=no exec "$("$build" "${options[@]}" --show-bin-path)/Program") \
    2>"$work/errors") || status=$?
  if [ "$status" -ne 0 ]; then
    problem="$words the program ends with status $status"
  elif [ "$printed" != "$expected" ]; then
    problem="$words the program prints: $printed; expected: $expected"
  else
    return 0
  fi
  return 1
}

# rows SIZE: what the program prints of its structures.
rows() { printf '%s\n' "$1 1 last" "$1 1 a text that is too long to lie within the structure" "$1 1 last"; }

# changes FILE WORDS: whether a change was made: else the check itself is at fault.
changes() {
  grep -q "$2" "$1" && return
  changed=no
  problem="$1 was not changed: it has no '$2'"
  return 1
}

# sound BUILD CONFIGURATION: 1 where a build is wrong, with the reason in $problem, and in $changed whether that was after a
# change.
sound() {
  local build=$1 configuration=$2 sources=$work/package/Sources/Inner
  changed=no
  rm -rf "$work/package" "$work/scratch"
  cp -r Tests/Incremental "$work/package"
  expect "$build" "$configuration" "before any change" "$(rows 24)"$'\nhello' || return 1
  changed=yes
  sed -i 's|// another property|package var zero = (7, 8, 9)|' "$sources/Layout.swift"
  changes "$sources/Layout.swift" 'var zero' || return 1
  expect "$build" "$configuration" "after a stored property was added," "$(rows 48)"$'\nhello' || return 1
  sed -i 's|greeting()|greeting(_ name: String = embeddedName)|; s|"hello"|"hello \\(name)"|' "$sources/Greeting.swift"
  changes "$sources/Greeting.swift" embeddedName || return 1
  expect "$build" "$configuration" "after a parameter was added," "$(rows 48)"$'\nhello everybody' || return 1
  printf 'nobody' >"$work/package/Sources/CName/name.txt"
  expect "$build" "$configuration" "after an embedded file was changed," "$(rows 48)"$'\nhello nobody' || return 1
}

failed=no
for configuration in debug release; do
  if sound swift_build "$configuration"; then
    echo "check-incremental: swift_build rebuilds what it must in $configuration" >&2
  else
    echo "check-incremental: swift_build, $configuration: $problem" >&2
    failed=yes
  fi
done
for configuration in debug release; do
  if sound native_build "$configuration"; then
    echo "check-incremental: the native build system now rebuilds what it must in $configuration" >&2
  elif [ "$changed" = no ]; then
    echo "check-incremental: the native build system, $configuration: $problem" >&2
    failed=yes
  else
    echo "check-incremental: the native build system still does not rebuild what it must in $configuration: $problem" >&2
  fi
done
[ "$failed" = no ]
