#!/usr/bin/env bash
# Provisions the keys and certificates by which a robot and its viewers know each other, with the openssl command alone.
#
# Every file is made in a folder of its own beside the others and renamed into place, so a run that is cut off leaves
# whole files only, and the next run adds what is missing. The order of the renames matters where it is commented.
set -euo pipefail
shopt -s inherit_errexit 2>/dev/null || { echo 'gen-certs: install bash 4.4 or later' >&2; exit 1; }
umask 077
export LC_ALL=C TZ=UTC0
# With it `cd` goes to folders that nobody named, and says where.
unset CDPATH
# What is made depends on no configuration of the caller's or of the system.
export OPENSSL_CONF=/dev/null
unset OPENSSL_CONF_INCLUDE OPENSSL_MODULES OPENSSL_ENGINES
# Nobody here asks the system's authorities, and `openssl x509` reads all of them whenever it starts: most of its time.
export SSL_CERT_FILE=/dev/null SSL_CERT_DIR=/dev/null

# Apple's systems refuse a TLS server certificate that is valid for longer.
readonly maximum_server_days=825
readonly maximum_client_days=36500
readonly client_name_pattern='^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$'

library=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/gen-certs
for part in names folder keys passphrases server site authority clients requests; do
  if [[ ! -r $library/$part.sh ]]; then
    echo "gen-certs: $library/$part.sh is missing: copy the folder gen-certs together with gen-certs.sh" >&2
    exit 1
  fi
done
# shellcheck source=gen-certs/names.sh
source "$library/names.sh"
# shellcheck source=gen-certs/folder.sh
source "$library/folder.sh"
# shellcheck source=gen-certs/keys.sh
source "$library/keys.sh"
# shellcheck source=gen-certs/passphrases.sh
source "$library/passphrases.sh"
# shellcheck source=gen-certs/server.sh
source "$library/server.sh"
# shellcheck source=gen-certs/site.sh
source "$library/site.sh"
# shellcheck source=gen-certs/authority.sh
source "$library/authority.sh"
# shellcheck source=gen-certs/clients.sh
source "$library/clients.sh"
# shellcheck source=gen-certs/requests.sh
source "$library/requests.sh"

usage() {
  cat <<'USAGE'
Usage: gen-certs.sh [--out DIR] [--name DNS]... [--ip ADDR]... [--days N] [--rsa] [--force]
       gen-certs.sh [--out DIR] --client NAME... [--client-days N] [--passphrase-file FILE] [--modern] [--rsa]
                    [--force]
       gen-certs.sh [--out DIR] --sign REQUEST... [--client-days N] [--force]
       gen-certs.sh [--out DIR] --revoke NAME...
       gen-certs.sh [--out DIR] --ca-passphrase-file FILE
       gen-certs.sh [--out DIR] --next | --promote
       gen-certs.sh [--out DIR] --renew [--this-host] [--days N]
       gen-certs.sh [--out DIR] --site-ca DIR [--name DNS]... [--ip ADDR]... [--ca-passphrase-file FILE]

Creates the keys and certificates by which a robot and its viewers identify each other. Another run adds what is
missing. An existing key is never replaced without --force, so the pin stays the same when the certificate is renewed or
gets another name.

  --out DIR               the folder of the files (default: certs)
  --only server|clients   handle only one of the two: the robot's own key and certificate, or the client CA and what it
                          issues, so that neither key is ever where the other one is
  --name DNS, --ip ADDR   a name or address by which the robot is reached; repeatable; added to the names that the
                          certificate already has (default for a first certificate: this host's name, localhost,
                          127.0.0.1, ::1)
  --this-host             add this host's current name, and NAME.local, to a certificate that names localhost (as one
                          made without --name does), and to a first certificate, which also gets localhost, 127.0.0.1
                          and ::1
  --days N                the validity of a new server certificate in days: 1 to 825 (default: 825)
  --client NAME           make clients/NAME.p12, with which a viewer identifies itself; repeatable
  --sign REQUEST          make clients/NAME.pem for the key and name in a certificate request (PKCS#10, as 'openssl req
                          -new' makes it), so that a viewer's key never leaves the viewer; repeatable
  --client-days N         the validity of a new client certificate in days: 1 to 36500 (default: 3650)
  --revoke NAME           revoke NAME at once, through client-ca.crl; repeatable
  --passphrase-file FILE  the passphrase of new .p12 files: the first line of FILE, which may be a pipe; otherwise
                          $FOOTAGE_P12_PASSPHRASE, otherwise asked for on a terminal, otherwise generated and shown once
  --ca-passphrase-file F  the passphrase of client-ca.key (with --site-ca: of site-ca.key): the first line of F, which
                          may be a pipe. A key without a passphrase is encrypted with it. Later runs for clients and
                          revocations read it from here, or ask for it on a terminal
  --modern                encrypt .p12 files with AES-256 and SHA-256. The default is 3DES and SHA-1, because iOS 17,
                          macOS 12 and earlier reject anything else as a wrong password
  --next                  prepare the server's next key and print its pin
  --promote               replace the server's key with the next one; the old key stays as server-old.key, and its pin
                          in earlier.pin. If the old key was stolen, remove that line from earlier.pin: while it is
                          there, what the thief signs counts as the robot's
  --renew                 issue the server's certificate again, with the same key and names, if fewer than 60 days are
                          left; otherwise do nothing. For timers: nothing else is changed. With --this-host also if the
                          host was renamed
  --site-ca DIR           have the server's certificate issued by a root that devices can install, instead of
                          self-signed: by the root in DIR, which is created for 'local', 'localhost', the names given
                          and private addresses, and is valid for nothing else. DIR must never be on a robot. If --out
                          has a robot's self-signed server.pem and no server.key, the robot keeps its key and gets a new
                          server.pem for the names given
  --rsa                   make RSA keys of 3072 bits instead of P-256
  --force                 replace a key: that of each --client or --sign; with --next, the next one; otherwise the
                          server's, whose certificate then gets only the names given
  --help                  show this text

Prints the server's pin (with --next: the next one's) on standard output, everything else on standard error.
Exit status: 0 done, 1 refused or failed, 64 wrong usage.
USAGE
}

say() { printf 'gen-certs: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

misuse() {
  say "$* ('gen-certs.sh --help' lists the options)"
  exit 64
}

out=certs
server_days=$maximum_server_days
algorithm=P-256
given_names=()
clients=()
requests=()
revocations=()
passphrase_file=
ca_passphrase_file=
modern=no
next=no
promote=no
renew=no
this_host=no
site=
site_stage=
site_allowed=()
only=
force=no
names_given=no

parse_arguments() {
  while (($# > 0)); do
    local option=$1
    shift
    case $option in
    --out | --only | --name | --ip | --days | --client | --client-days | --sign | --revoke | --passphrase-file | \
      --ca-passphrase-file | --site-ca)
      (($# > 0)) || misuse "$option needs a value"
      [[ -n $1 && $1 != --* ]] || misuse "$option needs a value, not '$1'"
      take_value "$option" "$1"
      shift
      ;;
    --modern) modern=yes ;;
    --next) next=yes ;;
    --promote) promote=yes ;;
    --renew) renew=yes ;;
    --this-host) this_host=yes ;;
    --rsa) algorithm=RSA ;;
    --force) force=yes ;;
    --help | -h)
      usage
      exit 0
      ;;
    *) misuse "'$option' is not an option" ;;
    esac
  done
  [[ $next == no || $promote == no ]] || misuse "--next prepares a key and --promote uses it: give only one of them"
  viewer_count=$((${#clients[@]} + ${#requests[@]} + ${#revocations[@]}))
  local others=$names_given$next$promote$force$viewer_count$ca_passphrase_file$only$algorithm
  if [[ $renew == yes && $others$site != nononono0P-256 ]]; then
    misuse "--renew keeps key and names: combine it only with --out, --this-host and --days"
  fi
  if [[ -n $site ]]; then
    if ((viewer_count > 0)) || [[ $only == clients ]]; then
      misuse "--site-ca is for the server's certificate: make viewers in a separate run"
    fi
    only=server
  elif [[ $only == server ]] && { ((viewer_count > 0)) || [[ -n $ca_passphrase_file ]]; }; then
    misuse "--only server makes nothing for viewers: omit it, or run this where the client CA is"
  fi
  if [[ $only == clients && $names_given$next$promote$this_host != nononono ]]; then
    misuse "--only clients makes nothing for the server: omit it, or run this where the server's key is"
  fi
}

take_value() {
  local option=$1 value=$2 name
  case $option in
  --out)
    out=$value
    # Else `-` would be the folder before this one, and `-x` an option.
    [[ $out == /* ]] || out=./$out
    ;;
  --site-ca)
    site=$value
    [[ $site == /* ]] || site=./$site
    ;;
  --only)
    [[ $value == server || $value == clients ]] || misuse "--only '$value' is neither server nor clients"
    only=$value
    ;;
  --name)
    name=$(canonical_dns_name "$value") || misuse "--name '$value' is not a DNS name: use letters, digits, '-' and \
dots (a name with other letters in its 'xn--' form, an address with --ip)"
    add_name "DNS:$name"
    names_given=yes
    ;;
  --ip)
    name=$(canonical_address "$value") || misuse "--ip '$value' is not an IPv4 or IPv6 address: give it \
without port, brackets, /prefix or %zone (a name with --name)"
    add_name "IP:$name"
    names_given=yes
    ;;
  --days)
    [[ $value =~ ^[1-9][0-9]{0,3}$ ]] || misuse "--days '$value' is not a number of days from 1 to $maximum_server_days"
    ((value <= maximum_server_days)) || misuse "--days $value is too long: Apple's systems refuse a server certificate \
of more than $maximum_server_days days"
    server_days=$value
    ;;
  --client-days)
    if [[ ! $value =~ ^[1-9][0-9]{0,4}$ ]] || ((value > maximum_client_days)); then
      misuse "--client-days '$value' is not a number of days from 1 to $maximum_client_days"
    fi
    client_days=$value
    ;;
  --sign) contains "$value" "${requests[@]}" || requests+=("$value") ;;
  --client | --revoke)
    [[ $value =~ $client_name_pattern ]] || misuse "$option '$value' is not a valid client name: use up to 64 letters, \
digits, '.', '_' and '-', beginning with a letter, a digit or '_'"
    if [[ $option == --revoke ]]; then
      contains "$value" "${revocations[@]}" || revocations+=("$value")
    else
      contains "$value" "${clients[@]}" || clients+=("$value")
    fi
    ;;
  --passphrase-file) passphrase_file=$value ;;
  --ca-passphrase-file) ca_passphrase_file=$value ;;
  esac
}

add_name() {
  contains "$1" "${given_names[@]}" || given_names+=("$1")
}

contains() {
  local wanted=$1 element
  shift
  for element in "$@"; do
    [[ $element != "$wanted" ]] || return 0
  done
  return 1
}

report() {
  local prefix=server
  if [[ $next == yes ]]; then
    prefix=server-next
    say "the next key's pin; when every app has it besides the current one (footage pair HOST --next-pin PIN), run this \
again with --promote:"
  elif [[ ! -e $out/server.key ]]; then
    return
  else
    say "the server's pin, for every app that may view this robot:"
  fi
  cat "$out/$prefix.pin"
  if [[ $next == no ]]; then say "next: footage serve --certs $out"; fi
}

main() {
  parse_arguments "$@"
  check_tools
  read_passphrases
  check_requests
  if ((${#revocations[@]} > 0)) && [[ ! -e $out/client-ca.pem ]]; then
    die "there is no client CA in '$out', so no client can be revoked there: name the folder of client-ca.key with --out"
  fi
  if [[ $renew == yes ]]; then
    [[ -e $out/server.pem ]] || die "there is no server.pem in '$out' to renew: name its folder with --out, or make one \
without --renew"
    open_folder
    read_clock
    renew_server
    return
  fi
  open_folder
  read_clock
  if [[ -n $site ]]; then open_site; fi

  local only_revoke=no
  if ((${#revocations[@]} > 0 && ${#clients[@]} + ${#requests[@]} == 0)) && [[ $names_given$next$promote$force == nononono ]]; then
    only_revoke=yes
  fi
  if [[ ! -e $out/server.key && ! -e $out/server.pem && -e $out/client-ca.key ]] &&
    ((viewer_count > 0)) && [[ $names_given$next$promote == nonono ]]; then
    # A folder that was made for the clients alone.
    only=clients
  fi
  if [[ $only_revoke == no && $only != clients ]]; then
    finish_promotion
    provide_server
    provide_next
    if [[ $promote == yes && $promoted == no ]]; then
      promote_next
      provide_server
    fi
  fi
  can_issue=no
  if [[ $only != server ]]; then provide_client_ca; fi
  if [[ $can_issue == yes ]]; then
    provide_crl
    if ((${#revocations[@]} > 0)); then revoke_clients; fi
    local name
    for name in "${clients[@]}"; do provide_client "$name"; done
    sign_requests
  fi
  if [[ $only_revoke == no && $only != clients ]]; then report; fi
}

main "$@"
