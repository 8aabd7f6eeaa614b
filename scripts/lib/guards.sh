# shellcheck shell=bash
# Checks one after another: each is run whatever became of the others. Those that failed are named at the end. What is mostly
# compiling may run aside.

guards_failed=()
declare -A guards_aside=() guards_said=()

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

# aside COMMAND OPTION…: begins a check that takes what the others leave of the processors: they wait for clocks, players and
# people, and are measured. A kernel may share its processors among sessions first, so it has one of its own.
aside() {
  guards_said[$*]=$(mktemp)
  setsid nice -n 10 bash -c 'echo 10 2>/dev/null >/proc/self/autogroup || true; exec "$@"' aside "$@" >"${guards_said[$*]}" 2>&1 &
  guards_aside[$*]=$!
}

# joined COMMAND OPTION…: waits for a check that runs aside, and prints what it said.
joined() {
  local result=0
  wait "${guards_aside[$*]}" || result=$?
  cat "${guards_said[$*]}" >&2
  rm -f "${guards_said[$*]}"
  unset "guards_aside[$*]" "guards_said[$*]"
  return "$result"
}

# end_asides: ends those that were not waited for, and what they have started, and prints the end of what they said. Builds start
# processes in groups of their own, and in the session of the check.
end_asides() {
  local each
  for each in "${!guards_aside[@]}"; do
    pkill -s "${guards_aside[$each]}" || true
    wait "${guards_aside[$each]}" || true
    echo "== $each was ended; its last output:" >&2
    tail -n 20 "${guards_said[$each]}" >&2
    rm -f "${guards_said[$each]}"
  done
}

# end_guards: 1 where one failed.
end_guards() {
  [ ${#guards_failed[@]} != 0 ] || return 0
  printf 'failed: %s\n' "${guards_failed[@]}" >&2
  return 1
}
