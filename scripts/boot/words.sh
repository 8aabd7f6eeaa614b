# shellcheck shell=bash
# What the scripts that run in a booted Debian have in common.
set -eEuo pipefail

tell_and_stop() {
  echo "failed in line $1: $2"
  journalctl -u footage -u avahi-daemon --no-pager | tail -n 40
}
trap 'tell_and_stop "$LINENO" "$BASH_COMMAND"' ERR

# until_true SECONDS COMMAND...: tries it again and again.
until_true() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS <= end)) || return 1
    sleep 0.1
  done
}
# not COMMAND...: fails where it succeeds, which `!` does not do for errexit.
not() { if "$@" >/dev/null 2>&1; then false; fi; }
pid() { systemctl show -p MainPID --value footage; }
restarts() { systemctl show -p NRestarts --value footage; }
say() { echo "$SECONDS s: $*"; }
ask() { curl -sS --fail --cacert /etc/footage/server.pem "https://localhost:8443$1" "${@:2}"; }
