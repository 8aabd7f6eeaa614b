# The client CA, its key and its database, and the list of those whom it shut out.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154  # what the sourcing script sets and reads

client_days=3650
readonly crl_days=3650

# Robots boot in 1970, and one that thinks so must not find its viewers' certificates, or the list of those revoked, "not
# yet valid". The server's own certificate cannot begin there as well: its 825 days count from its beginning.
readonly robot_epoch=19700101000000Z
# RFC 5280 §4.1.2.5: without an end that anybody knows.
readonly client_ca_end=99991231235959Z

# Makes the CA where there is none; sets `can_issue` to no in a robot's folder, which has the CA without its key.
provide_client_ca() {
  local key=$out/client-ca.key pem=$out/client-ca.pem
  local -a issued=("$out"/clients/*.pem)
  can_issue=yes
  if [[ ! -e $key && -e $pem ]]; then
    if ((viewer_count == 0)); then
      can_issue=no
      return
    fi
    die "$out holds client-ca.pem but not its key: add and revoke clients where client-ca.key is kept, and copy \
client-ca.crl from there"
  fi
  mkdir -p "$out/.ca/issued" "$out/clients"
  # The database goes first: a CA that has lost it would forget whom it revoked, and is refused.
  if [[ ! -e $out/.ca/index.txt ]]; then
    if [[ -e $out/client-ca.crl ]] || [[ -e ${issued[0]} ]]; then
      die "the client CA's database $out/.ca/index.txt is missing: restore it from a copy of the folder; without it \
nothing shows which certificates the CA issued and revoked"
    fi
    : >"$stage/new-index.txt"
    publish 0600 "$stage/new-index.txt" "$out/.ca/index.txt"
  fi
  if [[ ! -e $key ]]; then
    generate_key | encrypt_key >"$stage/client-ca.key"
    publish 0600 "$stage/client-ca.key" "$key"
  fi
  check_key "$key" "restore a good copy; a new client CA means new .p12 files for everyone"
  if is_encrypted "$key"; then
    # Whoever only changes the server's names is not asked for it.
    if [[ -n $ca_passphrase_file || ! -e $pem ]] || ((viewer_count > 0)); then
      unlock_ca
    fi
  elif [[ -n $key_passphrase ]]; then
    lock_ca "$key"
  fi
  if [[ ! -e $pem ]]; then
    issue_client_ca "$key" "$pem"
    say "made a client CA: client-ca.key, client-ca.pem"
  fi
  is_closed || belongs "$pem" "$key" || die "client-ca.pem and client-ca.key in $out do not belong together: restore a matching pair"
  prolong_client_ca "$key" "$pem"
  cp -- "$out/.ca/index.txt" "$stage/index.txt"
  shorten_dates
  if [[ -e $out/.ca/crlnumber ]]; then cp -- "$out/.ca/crlnumber" "$stage/crlnumber"; else echo 01 >"$stage/crlnumber"; fi
  write_configuration
}

# Whether the CA's key is encrypted and nobody has said its passphrase yet.
is_closed() { [[ -z $key_passphrase ]] && is_encrypted "$out/client-ca.key"; }

lock_ca() { # KEY
  encrypt_key <"$1" >"$stage/client-ca.key"
  publish 0600 "$stage/client-ca.key" "$1"
  say "encrypted client-ca.key: from now on it needs its passphrase; earlier copies are still unencrypted"
}

issue_client_ca() { # KEY CERTIFICATE
  local pin
  pin=$(pin_of_key "$1")
  # The name comes from the key, so a certificate made again fits those it signed.
  pin=${pin//[!A-Za-z0-9]/}
  write_configuration
  self_sign "$1" "/CN=Footage client CA ${pin:6:8}" authority "$robot_epoch" "$client_ca_end" client-ca.pem
  publish 0644 "$stage/client-ca.pem" "$2"
}

# Makes the CA's certificate again, with its key and its name, where clients made now would outlive it.
prolong_client_ca() { # KEY CERTIFICATE
  local end
  end=$(certificate_date "$2" enddate)
  ((end < $(digits_of $((now + client_days * day_seconds))))) || return 0
  if is_from_elsewhere "$2" "$1"; then
    ((end > $(digits_of "$now"))) || [[ ${#clients[@]} == 0 ]] || die "the client CA in $out, which someone else issued, \
expired on $(day_of "$end"): get a new client-ca.pem for its key"
    return 0
  fi
  unlock_ca
  issue_client_ca "$1" "$2"
  say "renewed client-ca.pem, which would have expired on $(day_of "$end"): copy it to the robot; clients that it admitted stay admitted"
}

# Serial numbers in the CA's database: V are valid, R are revoked.
serials() { # V|R [NAME]
  awk -F '\t' -v state="$1" -v subject="${2:+/CN=$2}" '$1 == state && (subject == "" || $6 == subject) { print $4 }' \
    "$stage/index.txt"
}

publish_index() {
  publish 0600 "$stage/index.txt" "$out/.ca/index.txt"
  cp -- "$out/.ca/index.txt" "$stage/index.txt"
}

# `openssl ca` of 3.0 writes the date of a revocation after 2049 in the long form and then cannot read its own database.
# The last moment of the short form stands in for it: nobody asks since when a client has been shut out, only whether.
shorten_dates() {
  # The date is followed by a comma and the reason, if there is one.
  awk -F '\t' -v OFS='\t' '
    $1 == "R" {
      date = $3
      sub(/,.*/, "", date)
      if (length(date) > 13) $3 = "491231235959Z" substr($3, length(date) + 1)
    }
    { print }' "$stage/index.txt" >"$stage/index.short"
  mv -f -- "$stage/index.short" "$stage/index.txt"
}

# Marks a certificate in the staged database; the caller publishes it.
revoke_serial() { # SERIAL [REASON]; RFC 5280 §5.3.1: none is left out
  local certificate=$out/.ca/issued/$1.pem
  local -a reason=()
  if (($# > 1)); then reason=(-crl_reason "$2"); fi
  [[ -e $certificate ]] || die "$certificate is missing, so its certificate cannot be revoked: restore it from a \
copy of the folder"
  (
    cd "$stage" || exit
    with_passphrase ssl ca -batch -config openssl.cnf -name clients \
      -keyfile "$out/client-ca.key" -passin env:KEY_PASSPHRASE \
      -cert "$out/client-ca.pem" -revoke "$certificate" "${reason[@]}"
  )
  shorten_dates
}

# Makes client-ca.crl say what the database says.
provide_crl() {
  local crl=$out/client-ca.crl verdict='' end number
  if [[ -e $crl ]]; then verdict=$(openssl crl -in "$crl" -CAfile "$out/client-ca.pem" -noout 2>&1) || true; fi
  if [[ $verdict == *"verify OK"* ]]; then
    end=$(ssl crl -in "$crl" -noout -nextupdate -dateopt iso_8601)
    end=${end//[!0-9]/}
    if ((end > $(digits_of $((now + 365 * day_seconds))))) && [[ $(revoked_in "$crl") == "$(serials R | sort)" ]]; then
      return
    fi
  fi
  unlock_ca
  (
    cd "$stage" || exit
    with_passphrase ssl ca -gencrl -config openssl.cnf -name clients \
      -keyfile "$out/client-ca.key" -passin env:KEY_PASSPHRASE \
      -cert "$out/client-ca.pem" -crl_lastupdate "$robot_epoch" \
      -crl_nextupdate "$(digits_of $((now + crl_days * day_seconds)))Z" -out client-ca.crl
  )
  number=$(<"$stage/crlnumber")
  publish 0600 "$stage/crlnumber" "$out/.ca/crlnumber"
  printf '%s\n' "$number" >"$stage/crlnumber"
  publish 0644 "$stage/client-ca.crl" "$crl"
  say "made client-ca.crl"
}

revoked_in() {
  ssl crl -in "$1" -noout -text | sed -n 's/^ *Serial Number: *//p' | sort
}

revoke_clients() {
  local name serial valid
  for name in "${revocations[@]}"; do
    if [[ -z $(serials V "$name")$(serials R "$name") ]]; then
      die "the client CA in $out never issued a certificate to '$name': $(known_clients)"
    fi
  done
  for name in "${revocations[@]}"; do
    valid=$(serials V "$name")
    [[ -n $valid ]] || say "$name was already revoked"
    for serial in $valid; do revoke_serial "$serial"; done
  done
  publish_index
  provide_crl
  say "revoked ${revocations[*]}: copy client-ca.crl to the robot; a running server loads it automatically"
}

known_clients() {
  local known
  known=$(awk -F '\t' '$1 == "V" { sub(/^\/CN=/, "", $6); printf " %s", $6 }' "$stage/index.txt")
  if [[ -n $known ]]; then printf 'its valid clients are%s\n' "$known"; else echo "it has no valid client (is --out right?)"; fi
}
