#!/usr/bin/env bash
# Has this footage live with keys and certificates that an earlier gen-certs.sh made: scripts/check-old-certs.sh [COMMIT]
#
# Without COMMIT they are the first one's. They are served to the viewer who was let in then and not to the one who was shut
# out; a viewer is let in beside them; the server's certificate is renewed with its key, and the old viewer still is let in.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

commit=${1:-efbe074}
git rev-parse --quiet --verify "$commit^{commit}" >/dev/null || skip "this clone does not have the commit $commit"
need_swift libssl-dev libsqlite3-dev openssl curl
footage=$(built_program)

work=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
mkdir "$work/earlier" "$work/recordings"
git archive "$commit" scripts | tar -x -C "$work/earlier"
certs=$work/certs
earlier() { bash "$work/earlier/scripts/gen-certs.sh" --out "$certs" "$@" >>"$work/said" 2>&1; }
present() { scripts/gen-certs.sh --out "$certs" "$@" >>"$work/said" 2>&1; }
# passphrase NAME: of that viewer, which was shown once.
passphrase() { sed -n "s|.*passphrase of clients/$1.p12, shown this once: ||p" "$work/said"; }
earlier --name robot.example --ip 127.0.0.1 --days 30
earlier --days 30 --client old --client gone
earlier --days 30 --revoke gone
pin=$(cat "$certs/server.pin")

serve() {
  "$footage" serve --recordings "$work/recordings" --state "$work/state" --certs "$certs" --client-auth require \
    --listen 127.0.0.1:0 >"$work/out" 2>"$work/log" </dev/null &
  server=$!
  for _ in $(seq 300); do
    [ "$(wc -l <"$work/out")" -ge 2 ] && break
    kill -0 "$server" || { cat "$work/log" >&2; exit 1; }
    sleep 0.1
  done
  url=$(head -n 1 "$work/out")
  [ "$(sed -n 2p "$work/out")" = "$pin" ]
}
# status NAME: what the robot answers to that viewer, 000 where it does not let them in.
status() {
  curl -s --max-time 30 -o /dev/null -w '%{http_code}' --cacert "$certs/server.pem" --cert-type P12 \
    --cert "$certs/clients/$1.p12:$(passphrase "$1")" "${url}recordings" || true
}
# shut_out NAME: whether the robot refuses that viewer, and for that reason.
shut_out() { [ "$(status "$1")" = 000 ] && grep -q 'revoked' "$work/log"; }

serve
[ "$(status old)" = 200 ]
shut_out gone
present --days 30 --client new
before=$(openssl x509 -in "$certs/server.pem" -noout -fingerprint)
present --renew
[ "$(cat "$certs/server.pin")" = "$pin" ]
[ "$(openssl x509 -in "$certs/server.pem" -noout -fingerprint)" != "$before" ]
kill "$server"
wait "$server" || true
serve
for name in old new; do [ "$(status "$name")" = 200 ]; done
shut_out gone
present --revoke old
kill "$server"
wait "$server" || true
serve
shut_out old
[ "$(status new)" = 200 ]
echo "certificates made by gen-certs.sh of $commit are served and renewed, and viewers are admitted and revoked"
