#!/usr/bin/env bash
# Checks that an app can depend on Footage: the app of Tests/Dependency is built outside the tree and run, beside a package
# whose targets have names of the kind that collide. It has to resolve, to build without a warning, and to print what is
# expected.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

usage() {
  cat <<'USAGE'
Usage: check-dependency.sh [--all]

Builds the app of Tests/Dependency in a temporary folder: with swiftbuild and Footage as a file:// URL and a revision, and with
SwiftPM's native build system and Footage as a path. With --all, also the URL with the native system and the path with
swiftbuild. The check covers the commit and all uncommitted changes.
Exit status: 0 passed, 1 failed, 64 wrong usage.
USAGE
}

combinations=(url-swiftbuild path-native)
case ${1-} in
  '') ;;
  --all) combinations+=(url-native path-swiftbuild) ;;
  --help) usage; exit 0 ;;
  *) usage >&2; exit 64 ;;
esac
[ $# -le 1 ] || { usage >&2; exit 64; }

fail() {
  echo "check-dependency: $*" >&2
  exit 1
}

need_swift libssl-dev libsqlite3-dev git python3
# An app's developer does not set it, and swiftbuild refuses to build a dependency that has it.
unset FOOTAGE_STRICT

# Names that modules of other packages and of Apple's SDKs have. Two targets of one name do not resolve, and a module of
# Footage hides the SDK's module of that name, also from the SDK's own interfaces.
taken=$(swift_tool package dump-package | python3 -c '
import json, sys
print(*sorted({target["name"] for target in json.load(sys.stdin)["targets"]} & {"CSQLite", "SQLite", "System"}))')
[ -z "$taken" ] || fail "Package.swift has targets with names that apps and Apple's SDKs use: $taken. Give them the prefix Footage."

work=$(mktemp -d "${TMPDIR:-/tmp}/footage-dependency-XXXXXX")
trap 'rm -rf "$work"' EXIT

# The name of the folder is the package's identity.
git clone -q --no-checkout "file://$PWD" "$work/footage"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
  [ ! -e "$file" ] || printf '%s\0' "$file"
done | tar -c --null --verbatim-files-from -T - | tar -x -C "$work/footage"
git -C "$work/footage" add -A
tried="the commit $(git -C "$work/footage" rev-parse --short=12 HEAD)"
if ! git -C "$work/footage" diff --cached --quiet; then
  git -C "$work/footage" -c user.name=check -c user.email=check@localhost commit -q -m "Changes that no commit has"
  tried+=" with changes that no commit has"
fi
revision=$(git -C "$work/footage" rev-parse HEAD)
echo "check-dependency: trying $tried" >&2

cat >"$work/expected" <<'EXPECTED'
database: true
listed: front/2026-11-20T10-15-38
listed: front/2026-11-20T10-15-30
downloaded: front/2026-11-20T10-15-30
without a robot: the robot cannot be reached: 127.0.0.1:9: cannot connect: Connection refused
EXPECTED

# try FORM-BUILDSYSTEM
try() {
  local form=${1%-*} system=${1#*-} folder=$work/$1 began=$SECONDS options dependency program
  mkdir "$folder"
  cp -r Tests/Dependency/App Tests/Dependency/Neighbors "$folder/"
  dependency='.package(path: "../footage")'
  if [ "$form" = url ]; then
    dependency=".package(url: \"file://$work/footage\", revision: \"$revision\")"
    sed -i "s|\.package(path: \"\.\./footage\")|$dependency|" "$folder/App/Package.swift"
  else
    ln -s "$work/footage" "$folder/footage"
  fi
  grep -qF "$dependency" "$folder/App/Package.swift" || fail "the app's manifest has no line for Footage"
  # A cache of their own: else clones of folders that are gone stay in the user's.
  options=(--build-system "$system" --package-path "$folder/App" --cache-path "$work/cache")
  # With -v the log has the compiler's options.
  swift_tool build -v "${options[@]}" --product App >"$folder/log" 2>&1 || {
    grep -E 'error:|undefined reference' "$folder/log" | head -n 20 >&2 || tail -n 20 "$folder/log" >&2
    fail "an app that uses Footage by $form does not build with $system: see above"
  }
  # swiftbuild gives the compiler an option of the linker when it links a target's objects into one; that warning is of its own
  # making, for any package.
  # With -v SwiftPM tells by a warning how it compiles each manifest.
  if grep -F warning: "$folder/log" | grep -vF "argument unused during compilation: '-rdynamic'" |
    grep -vE "^warning: '[a-z]+': [^ ]*/swift-frontend " >"$folder/warnings"; then
    cut -c -400 "$folder/warnings" >&2
    fail "an app that uses Footage by $form builds with warnings with $system: see above"
  fi
  grep -q -e '-module-name FootageCore ' "$folder/log" || fail "the log of $system does not show how FootageCore is compiled"
  if grep -q -e '-warnings-as-errors' -e '-strict-memory-safety' "$folder/log"; then
    fail "an app that uses Footage by $form is built with the settings of FOOTAGE_STRICT by $system"
  fi
  program=$(swift_tool build "${options[@]}" --show-bin-path)/App
  mkdir "$folder/data"
  "$program" "$folder/data" >"$folder/printed" 2>"$folder/errors" ||
    fail "the app that uses Footage by $form, built with $system, ends with status $?: $(tail -n 5 "$folder/errors")"
  diff -u "$work/expected" "$folder/printed" >&2 || fail "the app's output is not as expected: see above"
  echo "check-dependency: Footage by $form, built with $system: resolved, built without a warning and run in $((SECONDS - began)) s" >&2
  rm -rf "$folder"
}

for combination in "${combinations[@]}"; do try "$combination"; done
