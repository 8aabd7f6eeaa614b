# shellcheck shell=bash
# Programs of earlier commits, built once and kept outside the tree. Needs scripts/lib/packages.sh.

# earlier_commits WHEN…: prints the commits of scripts/lib/earlier-versions that are tried then: `release`, `soak`.
earlier_commits() { awk -v whens=" $* " '!/^#/ && NF && index(whens, " " $2 " ") { print $1 }' scripts/lib/earlier-versions; }

# earlier_program COMMIT: prints where the optimised program of that commit lies, and builds it if it is not there:
# $FOOTAGE_EARLIER/COMMIT/TOOLCHAIN/footage, where $FOOTAGE_EARLIER is footage/earlier in the user's folder for caches if it is
# not set.
earlier_program() {
  local commit toolchain folder sources
  commit=$(git rev-parse --verify "$1^{commit}")
  toolchain=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([^ ]*\).*/swift-\1/p')-$(uname -m)
  folder=${FOOTAGE_EARLIER:-${XDG_CACHE_HOME:-$HOME/.cache}/footage/earlier}/$commit/$toolchain
  if [ ! -x "$folder/footage" ]; then
    echo "building the program of $1; it is kept in $folder" >&2
    mkdir -p "$folder"
    sources=$(mktemp -d "${TMPDIR:-/tmp}/footage-earlier-XXXXXX")
    # By the native build system, for which these manifests were written: nothing lies in the folder that it could go on from.
    if ! git archive "$commit" | tar -x -C "$sources" ||
      ! swift_tool build --build-system native --package-path "$sources" -c release --product footage --static-swift-stdlib >&2 ||
      ! cp "$sources/.build/release/footage" "$folder/footage.new"; then
      rm -rf "$sources"
      echo "the program of $1 cannot be built: see above" >&2
      return 1
    fi
    rm -rf "$sources"
    mv "$folder/footage.new" "$folder/footage"
  fi
  echo "$folder/footage"
}
