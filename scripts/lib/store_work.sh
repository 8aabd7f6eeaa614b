# shellcheck shell=bash
# What the scripts that try or measure a robot with a store have in common. Needs packages.sh.

# begin_store_work FOLDER NAME ADDRESS…: makes the folder $work within FOLDER, removed at the end, with a store that runs in
# $work/store until then, and certificates for these addresses in $work/certs. Skips the script where no store can be had.
begin_store_work() {
  local parent=$1 name=$2 status=0 addresses=() address
  shift 2
  for address in "$@"; do addresses+=(--ip "$address"); done
  work=$(mktemp -d "$parent/footage-$name-XXXXXX")
  trap end_store_work EXIT
  scripts/lib/object_store.sh start "$work/store" >/dev/null || status=$?
  [ "$status" != 69 ] || skip "no store is available"
  [ "$status" = 0 ] || exit "$status"
  scripts/gen-certs.sh --out "$work/certs" --name localhost "${addresses[@]}" >/dev/null 2>&1
}

end_store_work() {
  [ ! -e "$work/store/pids" ] || scripts/lib/object_store.sh stop "$work/store" || true
  rm -rf "$work"
}
