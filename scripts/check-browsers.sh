#!/usr/bin/env bash
# Uses the robot's page in a WebKitGTK, which is as near to Safari as this system gets, and in a Firefox: scripts/check-browsers.sh [FOLDER]
#
# Then plays the recordings of Tests/Fixtures/Playback in both, to the end: every picture is shown, every sound is heard, nothing stands
# still. Exits with 1 where something does not work. Takes about ten minutes after the build.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

if [ $# -gt 1 ] || [[ ${1:-} == -* ]]; then
  echo "usage: scripts/check-browsers.sh [FOLDER]" >&2
  exit 64
fi
need_swift libssl-dev libsqlite3-dev openssl ffmpeg python3 webkit2gtk-driver xvfb dbus-daemon fonts-dejavu-core gstreamer1.0-plugins-good \
  gstreamer1.0-libav gstreamer1.0-plugins-bad gstreamer1.0-pulseaudio pulseaudio pulseaudio-utils firefox-esr python3-websocket
footage=$(built_program)

work=$(mktemp -d "${1:-${TMPDIR:-/tmp}}/footage-check-XXXXXX")
trap 'rm -rf "$work"' EXIT
scripts/gen-certs.sh --out "$work/certs" --name localhost --ip 127.0.0.1 >/dev/null 2>&1
# Debian's own, which finds Debian's modules.
/usr/bin/python3 -B scripts/tools check.browsers "$footage" "$work"
