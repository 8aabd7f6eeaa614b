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
      if [ -z "${2:-}" ] || [ ${#choice[@]} != 0 ]; then usage; fi
      choice=(--filter "$2")
      shift
      ;;
    --changed)
      [ ${#choice[@]} = 0 ] || usage
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
if [ ${#choice[@]} != 0 ]; then
  [ "$release" = no ] || { echo "test: a release must pass all tests: --filter and --changed cannot be combined with --release" >&2; exit 64; }
  [ "${choice[0]}" != --changed ] || git rev-parse --quiet --verify "${choice[1]}^{commit}" >/dev/null ||
    { echo "test: there is no commit ${choice[1]}" >&2; exit 64; }
fi
if [ "$release" = yes ] && [ -n "$(git status --porcelain)" ]; then
  echo "test: the working tree has uncommitted changes: commit or stash them, so that the result is that of a commit" >&2
  exit 1
fi
began=$SECONDS
commit=$(git rev-parse HEAD 2>/dev/null || true)
[ "$release" = no ] || export FOOTAGE_RELEASE=1
export FOOTAGE_STRICT=1
# What is tried is what is built here.
unset FOOTAGE_BINARY

need_swift libssl-dev libsqlite3-dev sqlite3 openssl curl wget ffmpeg chromium chromium-driver fonts-dejavu-core mpv \
  shellcheck tzdata nodejs python3 iproute2 gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good \
  nginx-light gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly gstreamer1.0-libav exfat-fuse exfatprogs groff-base \
  procps

want_packages "there is no qrencode or zbarimg here: pairing codes are not scanned" qrencode zbar-tools
want_packages "there is no Avahi here: discovery with it is not tested" avahi-daemon dbus-daemon
want_packages "there is no haproxy here: several servers of one store behind it are not tested" haproxy
want_packages "there is no prometheus here: scraping is not tested" prometheus
# The store's, asked for here, where somebody may have to type a password.
python3 -c 'import venv, ensurepip' 2>/dev/null || need_packages python3-venv || true

# A real store with the S3 API, for as long as the tests run. It is installed while everything is built.
mkdir -p .build
store=$(mktemp -d -p "$PWD/.build" store.XXXXXX)
end_store() {
  [ -z "${starting:-}" ] || wait "$starting" || true
  [ -z "${checking:-}" ] || wait "$checking" || true
  [ ! -e "$store/pids" ] || scripts/lib/object_store.sh stop "$store" || true
  rm -rf "$store"
}
trap end_store EXIT
scripts/lib/object_store.sh start "$store" >"$store/said" 2>"$store/trouble" &
starting=$!

# Beside the build, which does not keep both cores busy all the time.
scripts/check-sources.sh >"$store/sources" 2>&1 &
checking=$!
products=$(build_for_tests .build/tests --build-tests)
wait "$checking" || { cat "$store/sources" >&2; exit 1; }
checking=
cat "$store/sources" >&2
if wait "$starting"; then
  FOOTAGE_TEST_STORE=$(<"$store/said")
  export FOOTAGE_TEST_STORE FOOTAGE_TEST_STORE_KEY=$store/key
else
  cat "$store/trouble" >&2
  echo "there is no object store here: its client is tested only with a fake one" >&2
  [ "$release" = no ] || exit 1
fi
starting=
[ "$soak" = no ] || export FOOTAGE_SOAK=1
scripts/tools/run_tests.py "$products" .build/tests/log "${choice[@]}"
if [ "$sanitize" = yes ]; then
  export TSAN_OPTIONS="suppressions=$PWD/scripts/lib/tsan.supp halt_on_error=0 exitcode=66"
  # Swift tasks run on stacks of their own; leaks are looked for in the tests themselves.
  export ASAN_OPTIONS="detect_leaks=0"
  for sanitizer in address thread; do
    # By SwiftPM's native build system, from an empty folder: swiftbuild does not hand sanitizers on to the linker.
    options=(--build-system native -c release --scratch-path ".build/$sanitizer" --sanitize "$sanitizer"
      -Xswiftc -enable-testing -Xswiftc -gline-tables-only)
    rm -rf ".build/$sanitizer"
    swift_tool build "${options[@]}" --build-tests >&2
    products=$(swift_tool build "${options[@]}" --show-bin-path)
    scripts/tools/run_tests.py "$products" ".build/$sanitizer/log" "${choice[@]}"
  done
fi
echo "test: the suite took $((SECONDS - began)) s" >&2
if [ "$release" = yes ]; then
  rm -f .build/release-passed
  scripts/check-release.sh
  if [ "$(git rev-parse HEAD)" != "$commit" ] || [ -n "$(git status --porcelain)" ]; then
    echo "test: the working tree was changed meanwhile: the result is not that of a commit" >&2
    exit 1
  fi
  # Where scripts/release.sh looks for it.
  echo "$commit" >.build/release-passed
  echo "test: $commit has passed everything that a release must, in $((SECONDS - began)) s" >&2
fi
[ "$soak" = no ] || scripts/check-soak.sh
