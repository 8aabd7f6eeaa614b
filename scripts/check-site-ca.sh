#!/usr/bin/env bash
# Follows what certs/README.md says of a root for a site, in a Chromium and a Firefox: scripts/check-site-ca.sh [FOLDER]
#
# A robot's certificate by the root opens where the root is installed and nowhere else, and one for a name that the root may not vouch
# for never does. A self-signed one opens in Chromium as a trusted peer (P,,), and in Firefox as an authority (C,,). Exits with 1 where
# something is otherwise. Needs no build, and takes about a minute.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

if [ $# -gt 1 ] || [[ ${1:-} == -* ]]; then
  echo "usage: scripts/check-site-ca.sh [FOLDER]" >&2
  exit 64
fi
need_packages openssl python3 chromium chromium-driver firefox-esr libnss3-tools python3-websocket ||
  skip "the browsers cannot be installed"

work=$(mktemp -d "${1:-${TMPDIR:-/tmp}}/footage-check-XXXXXX")
trap 'rm -rf "$work"' EXIT
make() { scripts/gen-certs.sh "$@" >/dev/null 2>&1; }
make --out "$work/robot" --site-ca "$work/site" --name robot7.local --ip 127.0.0.1
make --out "$work/alone" --only server --name robot7.local --ip 127.0.0.1
# What whoever has the root's key could try.
mkdir "$work/bank"
openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/bank/server.key" -subj /CN=bank.example \
  -out "$work/bank/server.csr" 2>/dev/null
printf '%s\n' subjectAltName=DNS:bank.example basicConstraints=critical,CA:FALSE keyUsage=critical,digitalSignature \
  extendedKeyUsage=serverAuth authorityKeyIdentifier=keyid subjectKeyIdentifier=hash >"$work/bank/extensions"
openssl x509 -req -in "$work/bank/server.csr" -CA "$work/site/site-ca.pem" -CAkey "$work/site/site-ca.key" -days 100 \
  -extfile "$work/bank/extensions" -out "$work/bank/leaf.pem" 2>/dev/null
cat "$work/bank/leaf.pem" "$work/site/site-ca.pem" >"$work/bank/server.pem"
# Debian's own, which finds Debian's modules.
/usr/bin/python3 -B scripts/tools check.site_ca "$work"
