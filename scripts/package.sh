#!/usr/bin/env bash
# Makes what a robot installs: a Debian package, a tarball and an image of a container, with man pages, completion, unit,
# notices, a bill of materials and checksums, into .build/packages: scripts/package.sh [--arch amd64|arm64]...
#
# Without --arch both are made. arm64 is skipped, with a message, when its libraries cannot be downloaded (scripts/arm64-sdk.sh),
# unless FOOTAGE_RELEASE=1 asks for everything; a build that fails is a failure of this script. The tree has to be clean. The same
# commit and toolchain give the same bytes, wherever the repository lies. The image's lower layer is Debian's, with what Debian has
# mended by the day it is made, and is left out with a message where that cannot be had.
# FOOTAGE_MAINTAINER names who answers for the package: "Name <address>".
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh
. scripts/lib/debian.sh

usage() {
  echo "usage: scripts/package.sh [--arch amd64|arm64]..." >&2
  exit 64
}

architectures=()
while (($# > 0)); do
  case $1 in
  --arch)
    [[ ${2:-} =~ ^(amd64|arm64)$ ]] || usage
    architectures+=("$2")
    shift
    ;;
  *) usage ;;
  esac
  shift
done
[ ${#architectures[@]} -gt 0 ] || architectures=(amd64 arm64)

if [ -n "$(git status --porcelain)" ]; then
  echo "package: the working tree has uncommitted changes: commit or stash them, so that the package matches a commit" >&2
  exit 1
fi
need_swift libssl-dev libsqlite3-dev dpkg-dev xz-utils python3 binutils gzip
name_commit
maintainer=${FOOTAGE_MAINTAINER:-Footage <footage@example.org>}
version=$(footage_version)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC0
umask 022

output=$PWD/.build/packages
work=$(mktemp -d "${TMPDIR:-/tmp}/footage-package-XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$output"

# Nothing in the program says where it was built, and where its parts lie is read-only once it runs.
options=(
  -c release --product footage --static-swift-stdlib
  -Xswiftc -gnone -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc -g0 -Xcc "-ffile-prefix-map=$PWD=."
  # Else each object holds a hash of how it was made.
  -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
  -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xlinker -s -Xlinker --build-id=none)

# The version of Swift's library in each program, and who built it.
declare -A library origin
machine=$(dpkg --print-architecture)

# build ARCHITECTURE: leaves the program in $work/ARCHITECTURE/footage; nothing when there are no libraries for it here. It is
# called outside of conditions, so that each command in it that fails ends this script.
build() {
  local arch=$1 status=0 scratch=$PWD/.build/package-$1
  local build_options=("${options[@]}" --scratch-path "$scratch")
  mkdir -p "$work/$arch"
  library[$arch]=$(swift_version)
  origin[$arch]="the compiler's own"
  if [ "$arch" != "$machine" ]; then
    if [ "$arch" != arm64 ]; then
      echo "package: cannot build for $arch here" >&2
      return 0
    fi
    local sdk=$PWD/.build/arm64-sdk
    scripts/arm64-sdk.sh "$sdk" >&2 || status=$?
    [ "$status" != "$cannot_be_had" ] || return 0
    [ "$status" = 0 ] || exit "$status"
    library[$arch]=$(cat "$sdk/complete")
    origin[$arch]="Debian's build of it, to which Swift $(swift_version) compiled the program"
    # Else this machine's own libraries would be linked.
    local -x PKG_CONFIG_PATH=$sdk/debian12-arm64.artifactbundle/debian12-arm64/sysroot/usr/lib/aarch64-linux-gnu/pkgconfig
    build_options+=(--swift-sdks-path "$sdk" --swift-sdk debian12-arm64)
  fi
  # What is shipped has nothing in it of an earlier build, which SwiftPM's native build system would go on from wrongly. From an
  # empty folder it is sound. It is used here because it was not seen that swiftbuild makes the same bytes in any folder, or
  # links with the Swift SDK for arm64.
  rm -rf "$scratch"
  swift_tool build "${build_options[@]}" >&2
  cp "$(swift_tool build "${build_options[@]}" --show-bin-path)/footage" "$work/$arch/footage"
  rm -rf "$scratch"
}

# What help says, as man pages and completion: of the program for this machine, which is the same for all.
manual() {
  local program=$1 name
  mkdir -p "$work/man"
  "$program" help --man | gzip -9n >"$work/man/footage.1.gz"
  while read -r name; do
    "$program" help --man "$name" | gzip -9n >"$work/man/footage-$name.1.gz"
  done < <("$program" --help | sed -n '/^usage:/,/--help explains/ s/^  \([a-z][a-z]*\)  .*/\1/p')
  "$program" help --bash-completion >"$work/completion"
  {
    printf '.TH FOOTAGE\\-GEN\\-CERTS 1 "" "footage %s" "Footage"\n.SH NAME\n' "$version"
    printf 'footage\\-gen\\-certs \\- creates the keys and certificates by which a robot and its viewers identify each other\n.SH DESCRIPTION\n.nf\n'
    scripts/gen-certs.sh --help | sed -e 's/\\/\\e/g; s/-/\\-/g; s/^[.'"'"']/\\\&&/'
    printf '.fi\n.SH SEE ALSO\n.BR footage\\-serve (1)\n'
  } | gzip -9n >"$work/man/footage-gen-certs.1.gz"
}

# lay ARCHITECTURE ROOT: what is installed, as it lies below /.
lay() {
  local root=$2
  mkdir -p "$root"/{etc/default,usr/{bin,lib/footage,lib/systemd/system},usr/share/{footage/gen-certs,man/man1}} \
    "$root"/usr/share/{bash-completion/completions,doc/footage/examples}
  install -m755 "$work/$1/footage" "$root/usr/bin/footage"
  install -m755 scripts/gen-certs.sh "$root/usr/share/footage/gen-certs.sh"
  install -m644 scripts/gen-certs/*.sh "$root/usr/share/footage/gen-certs/"
  ln -s ../share/footage/gen-certs.sh "$root/usr/bin/footage-gen-certs"
  install -m755 scripts/package/{prepare,own,switch,origins} "$root/usr/lib/footage/"
  install -m644 scripts/package/switches "$root/usr/lib/footage/switches"
  install -m644 scripts/package/footage{,-renew}.service scripts/package/footage-renew.timer "$root/usr/lib/systemd/system/"
  install -m644 scripts/package/footage.default "$root/etc/default/footage"
  install -m644 scripts/package/avahi.service "$root/usr/share/footage/avahi.service"
  install -m644 "$work"/man/*.gz "$root/usr/share/man/man1/"
  install -m644 "$work/completion" "$root/usr/share/bash-completion/completions/footage"
  install -m644 scripts/package/retention.conf "$root/usr/share/doc/footage/examples/retention.conf"
  install -m644 scripts/package/copyright "$root/usr/share/doc/footage/copyright"
  cp -r Documentation/monitoring "$root/usr/share/doc/footage/monitoring"
  gzip -9n <CHANGELOG.md >"$root/usr/share/doc/footage/NEWS.gz"
  printf 'footage (%s) stable; urgency=medium\n\n  * As NEWS says.\n\n -- %s  %s\n' "$version" "$maintainer" \
    "$(date -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$root/usr/share/doc/footage/changelog.gz"
  tool ship.sbom "$root/usr/bin/footage" "$version" "$FOOTAGE_COMMIT" "${library[$1]}" "${origin[$1]}" \
    >"$root/usr/share/doc/footage/sbom.cdx.json"
  chmod -R u=rwX,go=rX "$root"
}

same_times() { find "$1" -print0 | xargs -0 touch -h -d "@$SOURCE_DATE_EPOCH"; }

deb() {
  local arch=$1 root=$work/$1/deb name
  mkdir -p "$root/DEBIAN"
  lay "$arch" "$root"
  cat >"$root/DEBIAN/control" <<CONTROL
Package: footage
Version: $version
Architecture: $arch
Maintainer: $maintainer
Depends: $(tool ship.oldest --depends), openssl, tzdata, adduser, init-system-helpers (>= 1.54)
Recommends: avahi-daemon
Suggests: qrencode
Section: video
Priority: optional
Installed-Size: $(du -sk --apparent-size --exclude=DEBIAN "$root" | cut -f1)
Description: shows what a robot saw
 Serves the H.264 recordings in a folder over HTTPS: each of them plays from
 any position a moment after the recorder has closed it. Viewers recognize the
 robot by a self-signed certificate that they pin, and may have to present a
 certificate of their own.
CONTROL
  echo /etc/default/footage >"$root/DEBIAN/conffiles"
  for name in postinst prerm postrm; do install -m755 "scripts/package/$name" "$root/DEBIAN/$name"; done
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  same_times "$root"
  dpkg-deb --root-owner-group -Zxz --build "$root" "$output/footage_${version}_$arch.deb" >&2
}

tarball() {
  local arch=$1 name=footage-$version-linux-$1 root
  root=$work/$arch/tar/$name
  mkdir -p "$root"
  lay "$arch" "$root"
  cp LICENSE README.md CHANGELOG.md SECURITY.md "$root/"
  chmod 644 "$root"/*.md "$root/LICENSE"
  (cd "$root" && find . -type f -print0 | sort -z | xargs -0 sha256sum) >"$work/sums"
  install -m644 "$work/sums" "$root/SHA256SUMS"
  same_times "$root"
  tar -C "$work/$arch/tar" --sort=name --owner=0 --group=0 --numeric-owner --format=ustar -cf - "$name" |
    xz -9e -T1 >"$output/$name.tar.xz"
}

# skipped WORDS…: says what is not made; for a release all of it is.
skipped() {
  echo "package: $*" >&2
  [ "${FOOTAGE_RELEASE:-}" != 1 ] || exit 1
}

image() {
  local arch=$1
  if ! debian_download "$work/$arch/image" bookworm "$arch" base-files gcc-12-base libc6 libgcc-s1 libssl3 libsqlite3-0 \
    libstdc++6 tzdata; then
    skipped "the image for $arch is skipped, because Debian's packages cannot be downloaded: see above"
    return
  fi
  tool ship.oci_image "$output/footage_${version}_$arch.oci.tar" "$arch" "$version" "$FOOTAGE_COMMIT" \
    "$work/$arch/deb" "$work/$arch"/image/packages/*.deb
}

build "$machine"
manual "$work/$machine/footage"
for arch in "${architectures[@]}"; do
  # A package of an earlier run is not taken for one of this run.
  rm -f "$output/footage_${version}_$arch".{deb,oci.tar} "$output/footage-$version-linux-$arch.tar.xz"
  [ -e "$work/$arch/footage" ] || build "$arch"
  if [ ! -e "$work/$arch/footage" ]; then
    skipped "$arch is skipped: see above"
    continue
  fi
  # Else somebody's system has not what the package says is enough.
  tool ship.oldest "$work/$arch/footage"
  deb "$arch"
  tarball "$arch"
  image "$arch"
done
(cd "$output" && sha256sum footage[_-]"$version"* >SHA256SUMS && cat SHA256SUMS)
