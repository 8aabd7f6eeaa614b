# shellcheck shell=bash
# Checks one after another: each is run whatever became of the others. Those that failed are named at the end.

guards_failed=()

# guard COMMAND OPTION…: runs a check, and says how long it took.
guard() {
  local began=$SECONDS result=passed
  FOOTAGE_SKIPPED=$(mktemp)
  export FOOTAGE_SKIPPED
  echo "== $*" >&2
  if ! "$@"; then
    guards_failed+=("$*")
    result=FAILED
  fi
  [ ! -s "$FOOTAGE_SKIPPED" ] || result=skipped
  rm -f "$FOOTAGE_SKIPPED"
  echo "== $* $result in $((SECONDS - began)) s" >&2
}

# end_guards: 1 where one failed.
end_guards() {
  [ ${#guards_failed[@]} != 0 ] || return 0
  printf 'failed: %s\n' "${guards_failed[@]}" >&2
  return 1
}
