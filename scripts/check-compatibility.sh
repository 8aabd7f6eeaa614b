#!/usr/bin/env bash
# Tries earlier versions of footage against this one, over the network and in both directions, with the programs themselves.
set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C
cd "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."
. scripts/lib/packages.sh
. scripts/lib/earlier.sh

usage() {
  cat <<'USAGE'
Usage: check-compatibility.sh [--soak | COMMIT...]

Builds this program and those of the COMMITs. Without COMMITs, these are the commits that scripts/lib/earlier-versions marks
`release`; with --soak, all commits in that file. An app of either version lists, fetches and plays the recordings of a robot of
the other version. A robot that requires a certificate must tell the app so. The files that an earlier program leaves on disk
are tested elsewhere (make-old-state.sh). An earlier program is built once, which takes some minutes, and is kept in
$FOOTAGE_EARLIER (~/.cache/footage/earlier). A commit that this clone does not have is skipped; if FOOTAGE_RELEASE is 1, that is
a failure.
Exit status: 0 passed, 1 failed, 64 wrong usage.
USAGE
}

case ${1-} in
  --help) usage; exit 0 ;;
  --soak)
    [ $# = 1 ] || { usage >&2; exit 64; }
    listed=$(earlier_commits release soak)
    ;;
  -*) usage >&2; exit 64 ;;
  '') listed=$(earlier_commits release) ;;
  *) listed=$* ;;
esac

fail() {
  echo "compatibility: $*" >&2
  exit 1
}

commits=()
for commit in $listed; do
  if git rev-parse --quiet --verify "$commit^{commit}" >/dev/null; then
    commits+=("$commit")
  elif [ "${FOOTAGE_RELEASE:-}" = 1 ]; then
    fail "this clone does not have the commit $commit, which a release must be tested against: git fetch --unshallow"
  else
    echo "compatibility: $commit is skipped, because this clone does not have it: git fetch --unshallow" >&2
  fi
done
[ ${#commits[@]} -gt 0 ] || skip "this clone has none of the commits"

need_swift ffmpeg curl openssl python3 libssl-dev libsqlite3-dev
declare -A programs
for commit in "${commits[@]}"; do programs[$commit]=$(earlier_program "$commit"); done
export FOOTAGE_STRICT=1
new=$(built_program)

work=$(mktemp -d)
children=()
end() {
  for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap end EXIT

mkdir -p "$work/recordings/front"
ffmpeg -nostdin -loglevel error -f lavfi -i testsrc2=size=320x240:rate=10:duration=4 -c:v libx264 -g 10 \
  "$work/recordings/front/2026-11-20T10-15-30.mp4"
head -c 2000 "$work/recordings/front/2026-11-20T10-15-30.mp4" >"$work/recordings/front/broken.mp4"
# Without an end, that a rest of bytes is no movie.
scripts/gen-certs.sh --out "$work/certs" --ip 127.0.0.1 >"$work/certs.log" 2>&1
FOOTAGE_P12_PASSPHRASE=only-here scripts/gen-certs.sh --out "$work/certs" --client app >>"$work/certs.log" 2>&1
printf 'only-here\n' >"$work/passphrase"
pin=$(cat "$work/certs/server.pin")
name=front/2026-11-20T10-15-30

# serve PROGRAM OPTION…: sets `robot` to its address.
serve() {
  local program=$1 out
  shift
  out=$work/serve.$((${#children[@]} + 1))
  # What the last one said there must not be read.
  rm -f "$out"
  "$program" serve --recordings "$work/recordings" --certs "$work/certs" --state "$(mktemp -d "$work/stateXXXX")" \
    --listen 127.0.0.1:0 "$@" >"$out" 2>"$out.log" &
  children+=($!)
  for _ in $(seq 100); do
    robot=$(grep -so '127\.0\.0\.1:[0-9]*' "$out" | head -1) && break
    sleep 0.1
  done
  [ -n "$robot" ] || fail "the robot did not start: $(cat "$out.log")"
}

stop() {
  kill "${children[-1]}"
  wait "${children[-1]}" || true
  unset 'children[-1]'
}

# become_app PROGRAM COMMAND OPTION…: takes this process's place.
become_app() {
  local program=$1 command=$2
  shift 2
  exec env HOME="$work" XDG_CONFIG_HOME="$work/config" XDG_CACHE_HOME="$work/xdg" \
    "$program" "$command" --robot "$robot" --pin "$pin" "$@"
}

# app PROGRAM COMMAND OPTION…
app() (become_app "$@")

# try ROBOT APP WORDS OPTION…: with options that say who the app is.
try() {
  local robot_program=$1 app_program=$2 words=$3 listed player url
  shift 3
  for _ in $(seq 100); do
    listed=$(app "$app_program" list --json "$@") || fail "$words: the list cannot be fetched"
    [[ $listed == *'"state":"ready"'* && $listed == *'"state":"refused"'* ]] && break
    sleep 0.2
  done
  [[ $listed == *'"state":"ready"'* && $listed == *'"state":"refused"'* ]] || fail "$words: unexpected list: $listed"
  rm -rf "$work/got" "$work/cache"
  app "$app_program" fetch "$name" -o "$work/got" "$@" >"$work/fetch" 2>&1 || fail "$words: the fetch failed: $(cat "$work/fetch")"
  "$robot_program" export --recordings "$work/recordings" --state "$work/export" "$name" -o "$work/whole" >/dev/null 2>&1 ||
    fail "$words: the export failed"
  cmp "$work/got" "$work/whole" || fail "$words: the fetched file differs from the exported one"
  rm -f "$work/whole"
  # What the last one said there must not be read.
  rm -f "$work/play"
  become_app "$app_program" play "$name" --cache "$work/cache" "$@" >"$work/play" 2>"$work/play.log" &
  player=$!
  children+=("$player")
  for _ in $(seq 100); do
    url=$(head -1 "$work/play" 2>/dev/null) && [ -n "$url" ] && break
    sleep 0.1
  done
  curl -sS --max-time 20 -o "$work/played" "$url" || fail "$words: the playback failed: $(cat "$work/play.log")"
  cmp "$work/got" "$work/played" || fail "$words: the played bytes differ from the fetched file"
  kill "$player"
  wait "$player" || fail "$words: the playback ended with status $?"
  unset 'children[-1]'
  echo "compatibility: $words: listed, fetched, played" >&2
}

me=(--identity "$work/certs/clients/app.p12" --passphrase-file "$work/passphrase")

# compare COMMIT: this program and that of the commit.
compare() {
  local old=${programs[$1]} program
  rm -rf "$work/config" "$work/xdg"
  serve "$new"
  try "$new" "$old" "an app of $1 and this robot"
  stop
  serve "$old"
  try "$old" "$new" "this app and a robot of $1"
  stop
  serve "$new" --client-auth require
  try "$new" "$old" "an app of $1 with a certificate and this robot" "${me[@]}"
  for program in "$old" "$new"; do
    if app "$program" list >"$work/denied" 2>&1; then fail "a client without a certificate gets the list"; fi
    grep -qi certificate "$work/denied" || fail "a client without a certificate is not told that it needs one: $(cat "$work/denied")"
  done
  echo "compatibility: without a certificate both apps are told that they need one: $(app "$old" list 2>&1 || true)" >&2
  stop
  serve "$old" --client-auth require
  try "$old" "$new" "this app with a certificate and a robot of $1" "${me[@]}"
  if app "$new" list >"$work/denied" 2>&1; then fail "a client without a certificate gets the list of a robot of $1"; fi
  grep -qi certificate "$work/denied" || fail "a robot of $1 does not tell a client that it needs a certificate: $(cat "$work/denied")"
  stop
}

for commit in "${commits[@]}"; do compare "$commit"; done
echo "compatibility: all is well with ${commits[*]}" >&2
