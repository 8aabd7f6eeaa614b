#!/usr/bin/env bash
# Runs every fuzzer for so many seconds, two at a time, with address sanitizer: scripts/fuzz.sh [SECONDS=60] [TARGET…]
#
# TARGET is boxes, ingest, heads, tables, growing, json, stored, certificates, answers or manifests; all of them unless some are named. Recordings are changed by libFuzzer's own mutator and,
# in turns, by one that knows boxes; of what is served of them every sample is compared with the file's own.
# What was learned stays in .build/fuzz-corpus, so that the next run goes on from there. An input that finds something stays
# in .build/fuzz-findings, and the exit status is 1: fix the code, and put the input into Tests/Fuzz/Corpus, where the tests
# run over it from then on.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

seconds=60
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
  seconds=$1
  shift
fi
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(boxes ingest heads tables growing json stored certificates answers manifests)
for target in "${targets[@]}"; do
  case $target in
    boxes | ingest | heads | tables | growing | json | stored | certificates | answers | manifests) ;;
    *) echo "usage: scripts/fuzz.sh [SECONDS] [boxes|ingest|heads|tables|growing|json|stored|certificates|answers|manifests]…" >&2; exit 64 ;;
  esac
done

need_swift libssl-dev libsqlite3-dev
export FOOTAGE_FUZZ=1
# By SwiftPM's native build system, from an empty folder: swiftbuild does not hand the sanitizers on to the linker.
options=(--build-system native -c release --scratch-path .build/fuzz)
rm -rf .build/fuzz
# Not --sanitize twice: of two the compiler takes one.
for target in "${targets[@]}"; do
  swift_tool build "${options[@]}" -Xswiftc -sanitize=fuzzer,address --product "Fuzz${target^}" >&2
done
built=$(swift_tool build "${options[@]}" --show-bin-path)

# fuzz TARGET: prints a line and fails where something was found.
fuzz() {
  local target=$1 seeds=recordings dictionary=boxes max_length=16384 status=0
  case $target in
    heads) seeds=heads dictionary=http max_length=4096 ;;
    json | stored | certificates | answers | manifests) seeds=$target dictionary=$target max_length=4096 ;;
  esac
  local corpus=.build/fuzz-corpus/$target findings=.build/fuzz-findings/$target log=.build/fuzz-log/$target.log
  mkdir -p "$corpus" "$findings" .build/fuzz-log
  # Into a file and with an end: what prints a crash's stack may hold a pipe open for minutes.
  timeout --kill-after=10 $((seconds + 120)) "$built/Fuzz${target^}" "$corpus" "Tests/Fuzz/Corpus/$seeds" \
    -max_total_time="$seconds" -max_len="$max_length" -dict="Tests/Fuzz/$dictionary.dict" -artifact_prefix="$findings/" \
    -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=192 -use_value_profile=1 -print_final_stats=1 \
    >"$log" 2>&1 || status=$?
  if [ "$status" -ne 0 ]; then
    echo "$target: found a problem (status $status): see $log and $findings" >&2
    return 1
  fi
  echo "$target: no problem found in $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs"
}

failed=0
running=()
finish() {
  wait "${running[0]}" || failed=1
  running=("${running[@]:1}")
}
for target in "${targets[@]}"; do
  [ ${#running[@]} -lt 2 ] || finish
  fuzz "$target" &
  running+=($!)
done
while [ ${#running[@]} -gt 0 ]; do finish; done
exit "$failed"
