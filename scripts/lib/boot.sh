# shellcheck shell=bash
# A Debian that is booted for a check, in a container: its own systemd, no network but what it is given.
# Wants packages.sh and debian.sh, and mmdebstrap and systemd-container installed.

# boot_check [--release NAME]: leaves in $release which Debian is asked for on the command line, and in $package the path of
# this machine's package, which scripts/package.sh has made. Ends the script where one of them is wrong.
boot_check() {
  release=bookworm
  if [ $# = 2 ] && [ "$1" = --release ] && [[ $2 =~ ^(bookworm|trixie)$ ]]; then
    release=$2
  elif [ $# != 0 ]; then
    echo "usage: $0 [--release bookworm|trixie]" >&2
    exit 64
  fi
  [ "$(id -u)" = 0 ] || skip "only root can boot a container"
  package=$PWD/.build/packages/footage_$(footage_version)_$(dpkg --print-architecture).deb
  if [ ! -e "$package" ]; then
    echo "$(basename "$0" .sh): there is no $package: scripts/package.sh makes it" >&2
    exit 1
  fi
}

# boot_base RELEASE PACKAGE...: prints the path of a tar with a Debian that has these packages, and makes it where it is not
# there.
boot_base() {
  local release=$1 base sources
  shift
  base=$PWD/.build/debian-$release-$(cksum <<<"$*" | cut -d' ' -f1).tar
  if [ -e "$base" ]; then
    echo "$base"
    return 0
  fi
  sources=$(debian_sources "$release") || return 1
  mkdir -p .build
  if ! mmdebstrap --quiet --variant=minbase --format=tar --aptopt='Acquire::Languages "none"' \
    --include="$(IFS=, && echo "$*")" "$release" "$base.new" - <<<"$sources"; then
    rm -f "$base.new"
    return 1
  fi
  mv "$base.new" "$base"
  echo "$base"
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
