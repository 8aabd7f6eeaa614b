#!/usr/bin/env bash
# Makes recordings of many kinds and compares what Footage serves of each with the recorder's file, packet by packet, as ffprobe
# reads both: scripts/check-media.sh [--count N] [--seed N] [--play N] [--keep FOLDER] [--only NAMES] [FOLDER]
#
# Looks at the recording, its film and three clips of it. Prints the failures by kind, and exits with 1 if there are any. Without
# --count it makes 500 files, for which it needs about five minutes after the build. --play plays so many of them on the robot's
# page in Chromium, each to its end: every picture is shown, every sound is heard, nothing stands still. --keep copies the files
# that fail into a folder; --only looks at some files alone, such as 0012,0031. FOLDER is the working folder, with 1 GiB free.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

usage() {
  echo "usage: scripts/check-media.sh [--count N] [--seed N] [--play N] [--keep FOLDER] [--only NAMES] [FOLDER]" >&2
  exit 64
}

count=500
seed=$RANDOM
options=()
packages=(libssl-dev libsqlite3-dev openssl ffmpeg python3)
while [[ ${1:-} == -* ]]; do
  [ $# -ge 2 ] || usage
  case $1 in
    --count | --seed | --play) [[ $2 =~ ^[0-9]+$ ]] || usage ;;&
    --count) count=$2 ;;
    --seed) seed=$2 ;;
    --play | --keep | --only) options+=("$1" "$2") ;;
    *) usage ;;
  esac
  shift 2
done
[ $# -le 1 ] || usage
if [[ " ${options[*]} " == *" --play "* ]]; then packages+=(chromium chromium-driver); fi
need_swift "${packages[@]}"
footage=$(built_program)

work=$(mktemp -d "${1:-${TMPDIR:-/tmp}}/footage-check-XXXXXX")
trap 'rm -rf "$work"' EXIT
scripts/gen-certs.sh --out "$work/certs" --name localhost --ip 127.0.0.1 >/dev/null 2>&1
tool check.media "$footage" "$work" "$count" "$seed" "${options[@]}"
