#!/usr/bin/env bash
# Makes the commit of a release, and names the tag to set and what to do then. It pushes nothing and sets no tag.
set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C
cd "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."
. scripts/lib/packages.sh

usage() {
  cat <<'USAGE'
Usage: release.sh [--dry-run] VERSION

VERSION is MAJOR.MINOR.PATCH. Checks that the tree is clean and on the branch main, and that `scripts/test.sh --release` has
passed for its commit. Writes the version into Sources/FootageBase/FootageVersion.swift and into the documents' examples, closes
the section "Unreleased" of CHANGELOG.md, commits, and prints the commands to run next. With --dry-run it changes nothing and
shows what it would change.
Exit status: 0 done, 1 the release cannot be made, 64 wrong usage.
USAGE
}

dry_run=no
version=
for argument in "$@"; do
  case $argument in
    --help) usage; exit 0 ;;
    --dry-run) dry_run=yes ;;
    -*) usage >&2; exit 64 ;;
    *)
      [ -z "$version" ] || { usage >&2; exit 64; }
      version=$argument
      ;;
  esac
done
[ -n "$version" ] || { usage >&2; exit 64; }
if ! [[ $version =~ ^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$ ]]; then
  echo "release: '$version' is not a version. Give three numbers, as in 1.2.3." >&2
  exit 64
fi

problems=0
problem() {
  echo "release: $*" >&2
  problems=$((problems + 1))
}

if ! commit=$(git rev-parse --verify --quiet 'HEAD^{commit}'); then
  echo "release: $PWD is not a git repository with a commit. Run this script in a clone of Footage." >&2
  exit 1
fi
branch=$(git symbolic-ref --quiet --short HEAD || true)
[ "$branch" = main ] || problem "the branch is ${branch:-none}, but a release is made on main: git switch main"
changes=$(git status --porcelain)
[ -z "$changes" ] ||
  problem "the working tree has uncommitted changes ($(head -n 1 <<<"$changes" | cut -c 4-), …). Commit or stash them."
! git rev-parse --quiet --verify "refs/tags/$version" >/dev/null ||
  problem "the tag $version already exists. Give a later version, or delete the tag if it was never pushed."
current=$(footage_version)
if [ -z "$current" ]; then
  problem "Sources/FootageBase/FootageVersion.swift has no line 'number = \"…\"'. Restore it."
elif [ "$(printf '%s\n' "$current" "$version" | sort -V | tail -n 1)" != "$version" ]; then
  problem "the version is already $current, and $version is an earlier one. Give $current or a later one."
fi
entries=$(sed -n '/^## Unreleased$/,/^## [^U]/ s/^- //p' CHANGELOG.md)
if [ "$(grep -c '^## Unreleased$' CHANGELOG.md)" != 1 ]; then
  problem "CHANGELOG.md does not have exactly one line '## Unreleased'. Correct it: that section becomes the one of $version."
elif [ -z "$entries" ]; then
  problem "the section 'Unreleased' of CHANGELOG.md is empty. Describe what users will notice in this release."
fi
! grep -q "^## ${version//./\\.}\b" CHANGELOG.md ||
  problem "CHANGELOG.md already has a section $version. Give a later version."
passed=$(cat .build/release-passed 2>/dev/null || true)
if [ -z "$passed" ]; then
  problem "the release checks have not passed here (.build/release-passed is missing). Run scripts/test.sh --release."
elif [ "$passed" != "$commit" ]; then
  problem "the release checks have passed for ${passed:0:12}, but this is ${commit:0:12}. Run scripts/test.sh --release."
fi

# Pages whose examples name the version that is released.
mapfile -t pages < <(git ls-files README.md 'Documentation/*.md' 'Sources/*.docc/*.md' Tests/Documentation/Viewer/Package.swift)

# changed FILE: prints what the file will be.
changed() {
  local old=${current//./\\.}
  case $1 in
    CHANGELOG.md) sed "s/^## Unreleased\$/&\n\n## $version ($(date -u +%F))/" "$1" ;;
    *.swift) sed "s/\(number = \|from: \)\"$old\"/\1\"$version\"/" "$1" ;;
    *) sed "s/footage_${old}_/footage_${version}_/g; s/footage-$old-/footage-$version-/g; s/footage:$old\b/footage:$version/g
      s/\"version\": \"$old\"/\"version\": \"$version\"/g; s/from: \"$old\"/from: \"$version\"/g" "$1" ;;
  esac
}

work=$(mktemp -d "${TMPDIR:-/tmp}/footage-release-XXXXXX")
trap 'rm -rf "$work"' EXIT
written=()
[ -n "$current" ] || pages=()
for file in Sources/FootageBase/FootageVersion.swift CHANGELOG.md "${pages[@]}"; do
  changed "$file" >"$work/changed"
  ! cmp -s "$file" "$work/changed" || continue
  written+=("$file")
  if [ "$dry_run" = yes ]; then
    diff -u --label "$file" --label "$file" "$file" "$work/changed" || true
  elif [ "$problems" = 0 ]; then
    cat "$work/changed" >"$file"
  fi
done

if [ "$problems" != 0 ]; then
  echo "release: $version cannot be made, see above; nothing was changed" >&2
  exit 1
fi
if [ "$dry_run" = yes ]; then
  echo "release: --dry-run: nothing was changed; these files would be: ${written[*]}" >&2
elif ! git commit -q -m "Release $version" -- "${written[@]}"; then
  git checkout -q HEAD -- "${written[@]}"
  echo "release: git could not commit, see above; nothing was changed" >&2
  exit 1
fi
cat <<NEXT
The tag of this release is $version. Next, run:
    git tag -a $version -m "Footage $version"
    git push origin main $version
    scripts/package.sh
scripts/package.sh leaves packages, tarballs and images in .build/packages. Then add the commit to scripts/lib/earlier-versions,
so that later versions are tested against it.
NEXT
