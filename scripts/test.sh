#!/usr/bin/env bash
# Installs what the tests need, checks the sources, builds everything once, optimised, and runs all tests. CONTRIBUTING.md says more.
#   --filter REGEX      only the tests whose name it finds: TARGET.SUITE/TEST
#   --changed [COMMIT]  only the targets downstream of what differs from COMMIT (HEAD), by the module graph
#   --sanitize          once more under the address and the thread sanitizer
#   --release           everything that a release has to pass
#   --soak              what takes hours, too
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

usage() {
  echo "usage: scripts/test.sh [--filter REGEX | --changed [COMMIT]] [--sanitize] [--release] [--soak]" >&2
  exit 64
}

sanitize=no release=no soak=no choice=()
while (($# > 0)); do
  case $1 in
    --filter)
      [ -n "${2:-}" ] || usage
      choice=(--filter "$2")
      shift
      ;;
    --changed)
      since=HEAD
      if [[ ${2:--} != -* ]]; then since=$2; shift; fi
      choice=(--changed "$since")
      ;;
    --sanitize) sanitize=yes ;;
    --release) release=yes ;;
    --soak) release=yes soak=yes ;;
    *) usage ;;
  esac
  shift
done
if [ "$release" = yes ] && [ -n "$(git status --porcelain)" ]; then
  echo "test: the tree has changes that no commit has: commit or stash them, so that a commit is what passes" >&2
  exit 1
fi
began=$SECONDS
export FOOTAGE_STRICT=1

need_swift libssl-dev libsqlite3-dev sqlite3 openssl curl wget ffmpeg chromium chromium-driver fonts-dejavu-core mpv \
  shellcheck tzdata nodejs python3 iproute2 gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good \
  nginx-light gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly gstreamer1.0-libav exfat-fuse exfatprogs groff-base

need_packages qrencode zbar-tools || echo "there is no qrencode or zbarimg here: codes to pair by are not scanned" >&2
need_packages avahi-daemon dbus-daemon || echo "there is no Avahi here: it is not asked for robots" >&2
need_packages haproxy || echo "there is no haproxy here: several servers of one store are not tried behind one" >&2
need_packages prometheus || echo "there is no prometheus here: what it would scrape is not tried" >&2

# A real store with the S3 API, for as long as the tests run. It is installed while everything is built.
mkdir -p .build
store=$(mktemp -d -p "$PWD/.build" store.XXXXXX)
end_store() {
  [ -z "${starting:-}" ] || wait "$starting" || true
  [ ! -e "$store/pids" ] || scripts/lib/object_store.sh stop "$store" || true
  rm -rf "$store"
}
trap end_store EXIT
scripts/lib/object_store.sh start "$store" >"$store/said" 2>"$store/trouble" &
starting=$!

scripts/check-sources.sh

# run_tests SCRATCH OPTION…
run_tests() { scripts/lib/run_tests.py "$(build_for_tests "$@" --build-tests)" "$1/log" "${choice[@]}"; }

build_for_tests .build/tests --build-tests >/dev/null
if wait "$starting"; then
  FOOTAGE_STORE=$(<"$store/said")
  export FOOTAGE_STORE FOOTAGE_STORE_KEY=$store/key
else
  cat "$store/trouble" >&2
  echo "there is no object store here: the client of one is tried at a fake alone" >&2
fi
starting=
[ "$soak" = no ] || export FOOTAGE_SOAK=1
run_tests .build/tests
if [ "$sanitize" = yes ]; then
  export TSAN_OPTIONS="suppressions=$PWD/scripts/lib/tsan.supp halt_on_error=0 exitcode=66"
  # Swift tasks run on stacks of their own; leaks are looked for in the tests themselves.
  export ASAN_OPTIONS="detect_leaks=0"
  for sanitizer in address thread; do run_tests ".build/$sanitizer" --sanitize "$sanitizer"; done
fi
echo "test: the suite took $((SECONDS - began)) s" >&2
[ "$release" = no ] || scripts/check-release.sh
[ "$soak" = no ] || scripts/check-soak.sh
