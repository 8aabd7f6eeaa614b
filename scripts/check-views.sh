#!/usr/bin/env bash
# Reads films, key frames, clips and seeks of a running server by ffprobe, ffmpeg and GStreamer, and compares them with the
# recorder's files: scripts/check-views.sh [--clips N] [--seed N] [FOLDER]
#
# Prints how much was compared, and exits with 1 where something differs, which it says. 1,000 clips, which is what is
# taken where nothing is said, need about ten minutes after the build. FOLDER is where it works, and has 2 GiB free.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

usage() {
  echo "usage: scripts/check-views.sh [--clips N] [--seed N] [FOLDER]" >&2
  exit 64
}

clips=1000
seed=$RANDOM
while [[ ${1:-} == -* ]]; do
  [[ ${2:-} =~ ^[0-9]+$ ]] || usage
  case $1 in
    --clips) clips=$2 ;;
    --seed) seed=$2 ;;
    *) usage ;;
  esac
  shift 2
done
[ $# -le 1 ] || usage
need_swift libssl-dev libsqlite3-dev openssl ffmpeg python3 gstreamer1.0-tools gstreamer1.0-plugins-base \
  gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly gstreamer1.0-libav
footage=$(built_program)

work=$(mktemp -d "${1:-${TMPDIR:-/tmp}}/footage-check-XXXXXX")
trap 'rm -rf "$work"' EXIT
scripts/make-zoo.sh .build/zoo
scripts/gen-certs.sh --out "$work/certs" --name localhost --ip 127.0.0.1 >/dev/null 2>&1
tool check.views "$footage" .build/zoo "$work" "$clips" "$seed"
