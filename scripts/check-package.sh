#!/usr/bin/env bash
# Tries this machine's package in a Debian that is booted for it: scripts/check-package.sh [--release bookworm|trixie]
#
# Made by scripts/package.sh before. In a container with systemd and without a network: installed, started, asked over HTTPS
# with the robot's certificate, given a recording and files that mean harm, killed, hung, upgraded, removed and purged
# (scripts/boot/life.sh); asked how it is while one thing after another is wrong (health.sh); and set to make room (room.sh).
# What cannot be had on a machine is said, and is no failure.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh
. scripts/lib/debian.sh
. scripts/lib/boot.sh

boot_check "$@"
need_packages mmdebstrap systemd-container lintian ffmpeg python3 || skip "the packages that it needs cannot be installed"

lintian --allow-root --fail-on error --suppress-tags initial-upload-closes-no-bugs "${package%_*}"_*.deb
for unit in footage footage-renew; do
  exposure=$(SYSTEMD_COLORS=0 systemd-analyze security --offline=yes "scripts/package/$unit.service" | tail -n 1)
  echo "systemd-analyze security: $exposure"
  points=$(grep -oE '[0-9]+\.[0-9]+' <<<"$exposure" | head -n 1)
  awk -v points="$points" 'BEGIN { exit !(points != "" && points <= 1.5) }'
done

work=$(mktemp -d "${TMPDIR:-/tmp}/footage-boot-XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/check/hostile"
# What the scripts in there find in /check.
cp "$package" "$work/check/footage.deb"
ffmpeg -v error -f lavfi -i testsrc2=size=320x240:rate=10 -t 3 -c:v libx264 -pix_fmt yuv420p "$work/check/clip.mp4"
head -c 3000 "$work/check/clip.mp4" >"$work/check/broken.mp4"
# A box of 32 MiB behind it, for no other purpose.
{ cat "$work/check/clip.mp4" && printf '\2\0\0\0free' && head -c $(((32 << 20) - 8)) /dev/zero; } >"$work/check/large.mp4"
tool hostile_files "$work/check/hostile"

# What the package needs of Debian, and what a person looks with.
base=$(boot_base "$release" systemd-sysv dbus libssl3 libsqlite3-0 libstdc++6 openssl tzdata adduser init-system-helpers \
  curl procps) || skip "there is no mirror with $release"
for script in life health room; do
  root=$work/$script
  mkdir "$root"
  tar -C "$root" -xf "$base"
  status=0
  boot "$root" "scripts/boot/$script.sh" 300 --private-network --bind-ro="$work/check:/check" || status=$?
  [ "$status" != 2 ] || skip "a container cannot be booted here"
  [ "$status" = 0 ] || exit "$status"
  rm -rf "$root"
done
