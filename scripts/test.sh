#!/usr/bin/env bash
# Installs what the tests need and runs all of them.
#   --sanitize  once more under the address and the thread sanitizer
#   --soak      what takes long, too, and five minutes of each fuzzer
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

sanitize=no
for option in "$@"; do
  case $option in
    --sanitize) sanitize=yes ;;
    --soak) export FOOTAGE_SOAK=1 ;;
    *) echo "usage: scripts/test.sh [--sanitize] [--soak]" >&2; exit 64 ;;
  esac
done

need_swift libssl-dev libsqlite3-dev sqlite3 openssl curl wget ffmpeg chromium chromium-driver fonts-dejavu-core mpv \
  shellcheck tzdata nodejs python3 iproute2 gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good \
  nginx-light gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly gstreamer1.0-libav exfat-fuse exfatprogs groff-base

need_packages qrencode zbar-tools || echo "there is no qrencode or zbarimg here: codes to pair by are not scanned" >&2
need_packages avahi-daemon dbus-daemon || echo "there is no Avahi here: it is not asked for robots" >&2
need_packages haproxy || echo "there is no haproxy here: several servers of one store are not tried behind one" >&2
need_packages prometheus || echo "there is no prometheus here: what it would scrape is not tried" >&2

shellcheck -x scripts/*.sh scripts/lib/*.sh scripts/boot/*.sh scripts/package/{prepare,postinst,prerm,postrm} .ci/run
scripts/check-arm64.sh
scripts/lib/check-graph.py
scripts/lib/check-pages.py
scripts/lib/check-comments.py
scripts/check-imports.sh
swift format lint --strict --recursive Package.swift Sources Tests
# What of the page needs no browser.
node --experimental-default-type=module --test Tests/PageModules/*.test.js

# forget_other_commits OPTION…: removes what was built of another commit. A build that goes on from there does not notice that
# a structure of another module has got another layout, and what was not compiled again crashes.
forget_other_commits() {
  local folder=.build commit
  [[ $* != *--scratch-path* ]] || folder=${*##*--scratch-path }
  commit=$(git rev-parse HEAD 2>/dev/null || true)
  [ "$(cat "$folder/tests-commit" 2>/dev/null || true)" = "$commit" ] || rm -rf "$folder"/*/debug
  mkdir -p "$folder"
  echo "$commit" >"$folder/tests-commit"
}

# run_part NAME OPTION…: some tests. What failed is said again at the end, where a reader of a long log looks first.
run_part() {
  local name=$1 log
  shift
  log=$(mktemp)
  echo "== $name"
  if ! swift test --skip-build "$@" 2>&1 | tee "$log"; then
    failed+=("$name: $(grep -E '✘|SUMMARY: |Fatal error' "$log" | head -n 40 || true)")
  fi
  rm -f "$log"
}

# run_tests OPTION…: a target after the other, since tests that block on clients and child processes would keep the deadlines
# of others waiting. In FootageTests most block: suites that await have a run of their own, and four tests begin at once, for
# one that was suspended gets its turn behind whatever has been begun.
run_tests() {
  local target awaiting failed=() four=(--experimental-maximum-parallelization-width 4)
  forget_other_commits "$@"
  swift build --build-tests "$@"
  awaiting=$(grep -l 'async throws' Tests/FootageTests/*Tests.swift | sed 's|.*/||; s|\.swift$||' | paste -sd'|')
  for target in Tests/*Tests; do
    target=$(basename "$target")
    if [ "$target" = FootageTests ]; then
      run_part "$target" "${four[@]}" "$@" --filter "^$target\\." --skip "^$target\\.($awaiting)/"
      run_part "$target that await" "${four[@]}" "$@" --filter "^$target\\.($awaiting)/"
    else
      run_part "$target" "$@" --filter "^$target\\."
    fi
  done
  [ "${#failed[@]}" = 0 ] && return
  printf '\n== failed in %s\n' "${failed[@]}" >&2
  return 1
}

# A real store with the S3 API, for as long as the tests run.
mkdir -p .build
store=$(mktemp -d -p "$PWD/.build" store.XXXXXX)
end_store() {
  [ ! -e "$store/pids" ] || scripts/lib/object_store.sh stop "$store" || true
  rm -rf "$store"
}
trap end_store EXIT
if FOOTAGE_STORE=$(scripts/lib/object_store.sh start "$store"); then
  export FOOTAGE_STORE FOOTAGE_STORE_KEY=$store/key
else
  unset FOOTAGE_STORE
  echo "there is no object store here: the client of one is tried at a fake alone" >&2
fi

# All of it as it is released, tests' kit included: an optimised build sees imports that another one does not.
swift build -c release
run_tests
scripts/check-apple.sh
scripts/docs.sh
if [ "$sanitize" = yes ]; then
  export TSAN_OPTIONS="suppressions=$PWD/scripts/lib/tsan.supp halt_on_error=0 exitcode=66"
  # Swift tasks run on stacks of their own; leaks are looked for in the tests themselves.
  export ASAN_OPTIONS="detect_leaks=0"
  for sanitizer in address thread; do
    run_tests --sanitize "$sanitizer" --scratch-path ".build/$sanitizer"
  done
fi
if [ -n "${FOOTAGE_SOAK:-}" ]; then
  scripts/check-compatibility.sh
  scripts/check-views.sh
  scripts/check-mse.sh
  scripts/check-page.sh
  scripts/check-browsers.sh
  scripts/check-old-certs.sh
  scripts/check-stores.sh debian ceph
  scripts/check-store-kills.sh
  scripts/bench-stalled.sh
  scripts/bench-pacing.sh
  scripts/bench-retention.sh
  scripts/bench-views.sh
  if [ -z "$(git status --porcelain)" ]; then
    scripts/package.sh
    scripts/check-package.sh --release bookworm
    scripts/check-package.sh --release trixie
    scripts/check-first-picture.sh --release bookworm
    scripts/check-first-picture.sh --release trixie
    scripts/check-package-arm64.sh
    scripts/check-image.sh
  else
    echo "the packages are not tried: the tree has changes that no commit has" >&2
  fi
  scripts/fuzz.sh 300
fi
