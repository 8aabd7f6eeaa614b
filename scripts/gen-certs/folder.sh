# The folder of the certificates and how files get into it, the clock, and the openssl command.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154  # what the sourcing script sets and reads

readonly day_seconds=86400

# 2026-01-01: a clock that shows less was never set.
readonly earliest_plausible_time=1767225600

check_tools() {
  local version
  version=$(openssl version 2>/dev/null) || die "the openssl command is missing: install it (apt-get install openssl)"
  [[ $version =~ ^OpenSSL\ ([3-9]|[1-9][0-9])\. ]] || die "'$version' is not OpenSSL 3: install OpenSSL 3.0 or later \
and put it first on PATH"
}

open_folder() {
  if [[ ! -d $out ]]; then
    mkdir -p -- "$out" || die "cannot create the folder '$out': name one with --out that this user may write to"
    # Whatever a repository thinks of this folder: keys are not for it.
    printf '*\n' >"$out/.gitignore" || die "cannot write to '$out': run as the user who owns that folder"
  fi
  out=$(cd -- "$out" && pwd) || die "cannot enter '$out': run as the user who owns that folder"
  if command -v flock >/dev/null; then
    exec {lock}>"$out/.lock" || die "cannot write to $out: run as the user who owns that folder"
    flock -w 60 "$lock" || die "another run is still working in $out: wait for it or end it, then run this again"
  fi
  rm -rf -- "$out"/.stage.*
  stage=$(mktemp -d "$out/.stage.XXXXXX") || die "cannot write to $out: run as the user who owns that folder"
  trap 'rm -rf -- "$stage" ${site_stage:+"$site_stage"}' EXIT
  trap 'exit 1' HUP INT TERM
  mkdir "$stage/issued"
}

# Seconds since 1970 of a time written as digits only, YYYYMMDDhhmmss.
seconds_of() {
  local digits=$1
  local -i year=10#${digits:0:4} month=10#${digits:4:2} day=10#${digits:6:2}
  local -i hour=10#${digits:8:2} minute=10#${digits:10:2} second=10#${digits:12:2} days
  # Years begin in March here, so that a leap day is the last of its year.
  if ((month <= 2)); then year=$((year - 1)) month=$((month + 12)); fi
  days=$((365 * year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 + day - 719469))
  printf '%d\n' $((days * day_seconds + hour * 3600 + minute * 60 + second))
}

# A time as digits only, YYYYMMDDhhmmss: two of them compare as numbers do.
digits_of() { printf '%(%Y%m%d%H%M%S)T\n' "$1"; }

day_of() { printf '%s-%s-%s\n' "${1:0:4}" "${1:4:2}" "${1:6:2}"; }

read_clock() {
  printf -v now '%(%s)T' -1
  clock_is_set=yes
  if ((now < earliest_plausible_time)); then
    clock_is_set=no
    local shown
    shown=$(day_of "$(digits_of "$now")")
    now=$earliest_plausible_time
    if [[ -e $out/server.pem ]]; then
      local begin
      begin=$(certificate_date "$out/server.pem" startdate 2>/dev/null) || begin=$(digits_of "$now")
      begin=$(seconds_of "$begin")
      if ((begin > now)); then now=$begin; fi
    fi
    say "this machine's clock shows $shown, so dates are counted from $(day_of "$(digits_of "$now")"): set the clock \
and run this again if viewers reject the certificate as expired"
  fi
}

# Runs openssl; its chatter is shown only when it fails.
ssl() {
  openssl "$@" 2>"$stage/openssl.log" || die "'openssl $1' failed in $out: $(grep . "$stage/openssl.log" | tail -n 3)"
}

# Makes a staged file durable and puts it in the place of DESTINATION in one step.
publish() { # MODE STAGED DESTINATION
  chmod "$1" "$2"
  sync -- "$2" 2>/dev/null || true
  mv -f -- "$2" "$3" || die "cannot write $3: run as the user who owns $out"
}

# The same for a private key. A group that was let in to the one that is replaced, the server's own, can read the new one, too: else
# a running server could not take it up.
publish_key() { # STAGED DESTINATION
  local mode=0600
  chmod 0600 "$1"
  if [[ -n $(find "$2" -maxdepth 0 -type f -perm -040 2>/dev/null) ]] && chgrp --reference="$2" -- "$1" 2>/dev/null; then
    mode=0640
  fi
  publish "$mode" "$1" "$2"
}
