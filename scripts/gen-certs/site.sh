# A root for a site: what devices install once, to trust the certificates of all robots that it issues, and nothing else.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154  # what the sourcing script sets and reads

readonly site_days=7300

# Addresses that nobody has to himself in the Internet: RFC 1918, RFC 3927, RFC 4193, RFC 4291 §2.5.6, and the machine's own.
readonly -a private_ranges=(
  127.0.0.0/255.0.0.0 10.0.0.0/255.0.0.0 172.16.0.0/255.240.0.0 192.168.0.0/255.255.0.0 169.254.0.0/255.255.0.0
  ::1/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff fc00::/fe00:: fe80::/ffc0::)

# Opens the folder of the root, and makes the root where there is none.
open_site() {
  local key pem
  if [[ ! -d $site ]]; then
    mkdir -p -- "$site" || die "cannot create the folder '$site': name one with --site-ca that this user may write to"
    printf '*\n' >"$site/.gitignore" || die "cannot write to '$site': run as the user who owns that folder"
  fi
  site=$(cd -- "$site" && pwd) || die "cannot enter '$site': run as the user who owns that folder"
  if [[ $site == "$out" || $out == "$site"/* || $site == "$out"/* || -e $site/server.key || $out == /etc/footage ]]; then
    die "the root's key must not be where a robot's files are, because anyone who has it can pretend to be any robot of the site: \
name a separate folder with --site-ca, on a machine that is not a robot"
  fi
  if command -v flock >/dev/null; then
    exec {site_lock}>"$site/.lock" || die "cannot write to $site: run as the user who owns that folder"
    flock -w 60 "$site_lock" || die "another run is still working in $site: wait for it or end it, then run this again"
  fi
  rm -rf -- "$site"/.stage.*
  site_stage=$(mktemp -d "$site/.stage.XXXXXX") || die "cannot write to $site: run as the user who owns that folder"
  key=$site/site-ca.key pem=$site/site-ca.pem
  [[ -e $key || ! -e $pem ]] || die "$site holds site-ca.pem but not its key: restore site-ca.key, or make another root in \
another folder, which every device must install"
  if [[ ! -e $key ]]; then
    generate_key | encrypt_key >"$site_stage/site-ca.key"
    publish 0600 "$site_stage/site-ca.key" "$key"
  fi
  check_key "$key" "restore a good copy; another root must be installed on every device"
  if is_encrypted "$key"; then unlock_key "$key"; elif [[ -n $key_passphrase ]]; then
    encrypt_key <"$key" >"$site_stage/site-ca.key"
    publish 0600 "$site_stage/site-ca.key" "$key"
    say "encrypted site-ca.key: from now on it needs its passphrase; earlier copies are still unencrypted"
  fi
  if [[ ! -e $pem ]]; then
    issue_site_root "$key" "$pem"
    say "made a root for the site: $pem (as DER: site-ca.cer), which devices install once"
    say "  for $(plainly "${site_allowed[@]}"), private addresses, and no other names"
  fi
  belongs "$pem" "$key" || die "site-ca.pem and site-ca.key in $site do not belong together: restore a matching pair"
  (($(certificate_date "$pem" enddate) > $(digits_of "$now"))) || die "site-ca.pem in $site expired on \
$(day_of "$(certificate_date "$pem" enddate)"): make another root in another folder, which every device must install"
  ssl x509 -in "$pem" -outform DER -out "$site_stage/site-ca.cer"
  cmp -s "$site_stage/site-ca.cer" "$site/site-ca.cer" || publish 0644 "$site_stage/site-ca.cer" "$site/site-ca.cer"
  mapfile -t site_allowed < <(allowed_by "$pem")
}

issue_site_root() { # KEY CERTIFICATE
  local pin name begin
  pin=$(pin_of_key "$1")
  pin=${pin//[!A-Za-z0-9]/}
  site_allowed=(DNS:local DNS:localhost)
  for name in "${given_names[@]}"; do
    # What is below a name is allowed by it.
    name=${name/#DNS:\*./DNS:}
    is_allowed "$name" || site_allowed+=("$name")
  done
  begin=$((now - 3600))
  write_configuration
  {
    printf '\n[site_names]\n'
    local index=0
    for name in "${site_allowed[@]}"; do
      case $name in
      DNS:*) printf 'permitted;DNS.%d = %s\n' $((index++)) "${name#DNS:}" ;;
      IP:*:*) printf 'permitted;IP.%d = %s/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff\n' $((index++)) "${name#IP:}" ;;
      IP:*) printf 'permitted;IP.%d = %s/255.255.255.255\n' $((index++)) "${name#IP:}" ;;
      esac
    done
    for name in "${private_ranges[@]}"; do printf 'permitted;IP.%d = %s\n' $((index++)) "$name"; done
  } >>"$stage/openssl.cnf"
  self_sign "$1" "/CN=Footage site CA ${pin:6:8}" site_root "$(digits_of "$begin")Z" \
    "$(digits_of $((begin + site_days * day_seconds - 1)))Z" site-ca.pem
  cp -- "$stage/site-ca.pem" "$site_stage/site-ca.pem"
  publish 0644 "$site_stage/site-ca.pem" "$2"
}

# The names and single addresses that a root allows, as DNS:… and IP:….
allowed_by() { # CERTIFICATE
  local line
  ssl x509 -in "$1" -noout -ext nameConstraints | while read -r line; do
    case $line in
    DNS:*) printf '%s\n' "${line,,}" | sed 's/^dns:/DNS:/' ;;
    IP:*/255.255.255.255) printf '%s\n' "${line%/*}" ;;
    IP:*/FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF) printf '%s\n' "${line%/*}" ;;
    esac
  done
}

# Whether the root allows a name or an address: RFC 5280 §4.2.1.10, a name allows itself and what is below it.
is_allowed() { # NAME
  local allowed name=$1
  case $name in
  DNS:*)
    name=${name#DNS:}
    name=${name#\*.}
    for allowed in "${site_allowed[@]}"; do
      [[ $allowed == DNS:* ]] || continue
      [[ $name != "${allowed#DNS:}" && $name != *."${allowed#DNS:}" ]] || return 0
    done
    return 1
    ;;
  IP:*) contains "$name" "${site_allowed[@]}" || is_private_address "${name#IP:}" ;;
  esac
}

is_private_address() {
  case $1 in
  127.* | 10.* | 192.168.* | 169.254.* | 172.1[6-9].* | 172.2[0-9].* | 172.3[01].*) return 0 ;;
  0:0:0:0:0:0:0:1 | F[CD]??:* | FE[89AB]?:*) return 0 ;;
  esac
  return 1
}

# Prints those of the names that the root allows. A robot's own host name is left out where it does not; a name that was asked for
# is not, for a certificate without it would be a surprise.
names_of_site() { # NAME…
  local name
  for name in "$@"; do
    if is_allowed "$name"; then
      printf '%s\n' "$name"
    elif contains "$name" "${given_names[@]}"; then
      die "the root in $site does not allow ${name#*:}: it was made for $(plainly "${site_allowed[@]}") and private addresses. Omit \
the name, or make another root in another folder, which every device must install"
    else
      say "${name#*:} is omitted, because the root in $site does not allow it"
    fi
  done
}

# Whether the root has issued CERTIFICATE.
is_of_site() { # CERTIFICATE
  openssl verify -CAfile "$site/site-ca.pem" -attime "$now" "$1" >/dev/null 2>&1
}

# Signs REQUEST, or with -ss_cert a self-signed certificate, in the stage. The root follows the certificate, so that the file is
# its own authority, as a self-signed one is: `curl --cacert server.pem`.
sign_by_site() { # BEGIN END OUTPUT OPTION…
  local begin=$1 end=$2 output=$3 root_end
  shift 3
  root_end=$(certificate_date "$site/site-ca.pem" enddate)
  if ((end > root_end)); then end=$root_end; fi
  : >"$stage/site.txt"
  (
    cd "$stage" || exit
    with_passphrase ssl ca -batch -notext -config openssl.cnf -name site -keyfile "$site/site-ca.key" \
      -passin env:KEY_PASSPHRASE -cert "$site/site-ca.pem" -extensions site_server -startdate "${begin}Z" -enddate "${end}Z" \
      "$@" -out leaf.pem
    cat leaf.pem "$site/site-ca.pem" >"$output"
  )
}

is_self_signed() { # CERTIFICATE
  local subject issuer
  subject=$(ssl x509 -in "$1" -noout -subject)
  issuer=$(ssl x509 -in "$1" -noout -issuer)
  [[ ${subject#subject=} == "${issuer#issuer=}" ]]
}

# In a folder with a robot's certificate and without its key, which stays on the robot: the self-signed certificate shows that the
# robot has the key, and gets another one by the root. The names are what the operator says, and what the root gave this robot before:
# a robot that was taken over must not become another one by asking for its name.
provide_without_key() {
  local pem=$out/server.pem proof=$out/server.pem begin name filtered
  local -a names=()
  is_self_signed "$proof" || proof=$out/server-self.pem
  if [[ ! -e $proof ]] || ! is_self_signed "$proof"; then
    die "$out has neither server.key nor a self-signed certificate of the robot: copy the robot's own server.pem there"
  fi
  if [[ $proof != "$pem" ]] && is_of_site "$pem"; then mapfile -t names < <(names_in "$pem"); fi
  for name in "${given_names[@]}"; do contains "$name" "${names[@]}" || names+=("$name"); done
  if ((${#names[@]} == 0)); then
    mapfile -t names < <(names_in "$pem")
    die "give this robot's names with --name and --ip, and no name of another robot: its own certificate names \
$(plainly "${names[@]}")"
  fi
  filtered=$(names_of_site "${names[@]}")
  mapfile -t names <<<"$filtered"
  if [[ $proof != "$pem" ]] && is_of_site "$pem" && [[ $(names_in "$pem") == "$(printf '%s\n' "${names[@]}")" ]] &&
    (($(certificate_date "$pem" enddate) >= $(digits_of $((now + early_renewal_days * day_seconds))))); then
    say "server.pem is left unchanged, valid until $(day_of "$(certificate_date "$pem" enddate)")"
  else
    write_configuration "${names[@]}"
    begin=$((now - 3600))
    sign_by_site "$(digits_of "$begin")" "$(digits_of $((begin + server_days * day_seconds - 1)))" server.pem -ss_cert "$proof"
    if [[ $proof == "$pem" ]]; then
      cp -- "$pem" "$stage/server-self.pem"
      publish 0644 "$stage/server-self.pem" "$out/server-self.pem"
    fi
    publish 0644 "$stage/server.pem" "$pem"
    say "made server.pem with the root in $site, valid until $(day_of "$(certificate_date "$pem" enddate)"): copy it to the robot, \
whose key and pin stay the same"
    say "  for $(plainly "${names[@]}")"
  fi
  ssl x509 -in "$pem" -outform DER -out "$stage/server.cer"
  publish_when_new server.cer
}
