# shellcheck shell=bash
# A Debian that is booted for a check, in a container: its own systemd, no network but what it is given.
# Wants packages.sh and debian.sh, and mmdebstrap and systemd-container installed.

# boot_base RELEASE NAME PACKAGE...: makes .build/NAME-RELEASE.tar where it is not there, a Debian with these packages and
# the lists of the others.
boot_base() {
  local release=$1 base=$PWD/.build/$2-$1.tar mirror
  shift 2
  [ ! -e "$base" ] || return 0
  mirror=$(debian_mirror) || return 1
  mkdir -p .build
  # shellcheck disable=SC2154 # Of debian.sh.
  if ! mmdebstrap --quiet --variant=minbase --format=tar --skip=cleanup/apt/lists --aptopt='Acquire::Languages "none"' \
    --keyring="$debian_keyring" --include="$(IFS=, && echo "$*")" "$release" "$base.new" "$mirror"; then
    rm -f "$base.new"
    return 1
  fi
  mv "$base.new" "$base"
}

# boot ROOT SCRIPT SECONDS OPTION...: boots the folder ROOT and runs SCRIPT in it as root, with the functions of
# scripts/boot/words.sh. OPTIONs are systemd-nspawn's. Prints what SCRIPT says; the last line has to be "all is well".
# 2 where nothing was booted.
boot() {
  local root=$1 script=$2 seconds=$3 machine
  shift 3
  cp scripts/boot/words.sh "$script" "$root/root/"
  cat >"$root/etc/systemd/system/check.service" <<UNIT
[Unit]
After=multi-user.target
[Service]
Type=idle
Environment=DEBIAN_FRONTEND=noninteractive HOME=/root
WorkingDirectory=/root
ExecStart=/bin/bash /root/$(basename "$script")
ExecStopPost=/bin/systemctl poweroff
StandardOutput=file:/result
StandardError=file:/result
UNIT
  mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
  ln -sf ../check.service "$root/etc/systemd/system/multi-user.target.wants/check.service"
  : >"$root/result"
  # Systemd from 256 on wants one hierarchy of control groups, and this makes it one, whatever this machine has.
  SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 timeout --kill-after=10 "$seconds" systemd-nspawn --quiet --boot --register=no \
    --keep-unit --directory="$root" --machine="footage-check-$$" --console=pipe "$@" </dev/null >"$root/console" 2>&1 &
  machine=$!
  # shellcheck disable=SC2064 # The number of this one.
  trap "kill $machine 2>/dev/null || true" RETURN
  wait "$machine" || true
  cat "$root/result"
  if ! grep -q . "$root/result"; then
    tail -n 20 "$root/console" >&2
    return 2
  fi
  grep -qx 'all is well' "$root/result"
}
