# The client CA, what it issued and revoked, and the clients' .p12 files.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154  # what the sourcing script sets and reads

readonly client_days=3650
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
    if [[ ${#clients[@]} == 0 && ${#revocations[@]} == 0 ]]; then
      can_issue=no
      return
    fi
    die "$out holds client-ca.pem but not its key: add and revoke clients where client-ca.key is kept, and bring \
client-ca.crl from there"
  fi
  mkdir -p "$out/.ca/issued" "$out/clients"
  # The database goes first: a CA that has lost it would forget whom it revoked, and is refused.
  if [[ ! -e $out/.ca/index.txt ]]; then
    if [[ -e $out/client-ca.crl ]] || [[ -e ${issued[0]} ]]; then
      die "the client CA's database $out/.ca/index.txt is missing: bring it back from a copy of the folder; without it \
nobody knows whom the CA issued and revoked"
    fi
    : >"$stage/new-index.txt"
    publish 0600 "$stage/new-index.txt" "$out/.ca/index.txt"
  fi
  if [[ ! -e $key ]]; then
    generate_key >"$stage/client-ca.key"
    publish 0600 "$stage/client-ca.key" "$key"
  fi
  check_key "$key" "bring back a good copy; a new client CA means new .p12 files for everybody"
  if [[ ! -e $pem ]]; then
    issue_client_ca "$key" "$pem"
    say "made a client CA: client-ca.key, client-ca.pem"
  fi
  belongs "$pem" "$key" || die "client-ca.pem and client-ca.key in $out do not belong together: bring back the pair"
  prolong_client_ca "$key" "$pem"
  cp -- "$out/.ca/index.txt" "$stage/index.txt"
  shorten_dates
  if [[ -e $out/.ca/crlnumber ]]; then cp -- "$out/.ca/crlnumber" "$stage/crlnumber"; else echo 01 >"$stage/crlnumber"; fi
  write_configuration
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
expired on $(day_of "$end"): bring a new client-ca.pem for its key"
    return 0
  fi
  issue_client_ca "$1" "$2"
  say "made client-ca.pem again, which was to expire on $(day_of "$end"): copy it onto the robot; whom it let in, it lets in"
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
  [[ -e $certificate ]] || die "$certificate is missing, so its certificate cannot be revoked: bring it back from a \
copy of the folder"
  (
    cd "$stage" || exit
    ssl ca -batch -config openssl.cnf -name clients -keyfile "$out/client-ca.key" -passin pass: \
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
  (
    cd "$stage" || exit
    ssl ca -gencrl -config openssl.cnf -name clients -keyfile "$out/client-ca.key" -passin pass: \
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
    [[ -n $valid ]] || say "$name was revoked before"
    for serial in $valid; do revoke_serial "$serial"; done
  done
  publish_index
  provide_crl
  say "revoked ${revocations[*]}: copy client-ca.crl onto the robot; a running server takes it up by itself"
}

known_clients() {
  local known
  known=$(awk -F '\t' '$1 == "V" { sub(/^\/CN=/, "", $6); printf " %s", $6 }' "$stage/index.txt")
  if [[ -n $known ]]; then printf 'it knows%s\n' "$known"; else echo "it has no valid client (is --out right?)"; fi
}

# NAME.pem is put in place last. Where it is missing, or is not the certificate that the database calls valid, a run was
# cut off and its passphrase may never have been seen: that certificate is revoked, and a new one made.
provide_client() { # NAME
  local name=$1 pem=$out/clients/$1.pem valid serial
  valid=$(serials V "$name")
  if [[ $force == no ]]; then
    if [[ -e $pem && -n $valid && $valid == "$(serial_of "$pem")" ]]; then
      keep_client "$name" "$(certificate_date "$pem" enddate)"
      return
    fi
    if [[ -z $valid && -n $(serials R "$name") ]]; then
      die "'$name' was revoked: to let that name in again, with a new key, add --force"
    fi
  fi
  choose_passphrase "$name"
  for serial in $valid; do revoke_serial "$serial" superseded; done
  issue_client "$name"
}

keep_client() { # NAME END
  if (($2 < $(digits_of $((now + renewal_days * day_seconds))))); then
    say "$1's certificate ends on $(day_of "$2"): --client $1 --force makes a new one"
  elif [[ ! -e $out/clients/$1.p12 ]]; then
    say "$1 has a certificate already, whose .p12 is not here any more: --client $1 --force makes a new one"
  else
    say "kept clients/$1.p12"
  fi
}

issue_client() { # NAME, with its passphrase in `passphrase`
  local name=$1 key end ca_end serial
  local -a encryption=(-keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES -macalg sha1)
  if [[ $modern == yes ]]; then encryption=(-keypbe AES-256-CBC -certpbe AES-256-CBC -macalg sha256); fi
  end=$(digits_of $((now + client_days * day_seconds)))
  ca_end=$(certificate_date "$out/client-ca.pem" enddate)
  if ((end > ca_end)); then end=$ca_end; fi
  end=${end}Z
  # The key goes through pipes: on disk it exists in the .p12 only.
  key=$(generate_key)
  (
    cd "$stage" || exit
    ssl req -new -config openssl.cnf -key <(printf '%s\n' "$key") -subj "/CN=$name" -out request.csr
    ssl ca -batch -notext -config openssl.cnf -name clients -keyfile "$out/client-ca.key" -passin pass: \
      -cert "$out/client-ca.pem" -in request.csr -extensions client -startdate "$robot_epoch" -enddate "$end" \
      -out client.pem
    P12_PASSPHRASE=$passphrase ssl pkcs12 -export -inkey <(printf '%s\n' "$key") -in client.pem -name "$name" \
      "${encryption[@]}" -passout env:P12_PASSPHRASE -out client.p12
  )
  serial=$(serial_of "$stage/client.pem")
  publish 0600 "$stage/issued/$serial.pem" "$out/.ca/issued/$serial.pem"
  publish_index
  provide_crl
  publish 0600 "$stage/client.p12" "$out/clients/$name.p12"
  if [[ $passphrase_is_generated == yes ]]; then
    say "the passphrase of clients/$name.p12, shown this once: $passphrase"
  fi
  publish 0600 "$stage/client.pem" "$out/clients/$name.pem"
  say "made clients/$name.p12, valid until $(day_of "$end"): give it and its passphrase to $name by different ways"
}

# Sets `common_passphrase` from a file or the environment; leaves it unset for a prompt or a generated one.
read_passphrase() {
  local environment_passphrase=${FOOTAGE_P12_PASSPHRASE-} environment_is_set=${FOOTAGE_P12_PASSPHRASE+yes}
  # No other program needs to see it.
  unset FOOTAGE_P12_PASSPHRASE
  ((${#clients[@]} > 0)) || return 0
  if [[ -n $passphrase_file ]]; then
    { IFS= read -r common_passphrase <"$passphrase_file" || [[ -n ${common_passphrase-} ]]; } 2>/dev/null ||
      die "no passphrase in '$passphrase_file': its first line has to be one, and this user has to be able to read it"
    common_passphrase=${common_passphrase%$'\r'}
    [[ -n $common_passphrase ]] || die "the first line of '$passphrase_file' is empty: Apple's systems refuse a .p12 \
without a passphrase, so write one there"
  elif [[ -n $environment_is_set ]]; then
    [[ -n $environment_passphrase ]] || die "FOOTAGE_P12_PASSPHRASE is empty: Apple's systems refuse a .p12 without a \
passphrase, so give one, or unset it"
    common_passphrase=$environment_passphrase
  fi
}

# Sets `passphrase` for one client.
choose_passphrase() { # NAME
  passphrase_is_generated=no
  if [[ -n ${common_passphrase-} ]]; then
    passphrase=$common_passphrase
  elif [[ -t 0 && -t 2 ]]; then
    ask_passphrase "$1"
  else
    passphrase=$(generate_passphrase)
    passphrase_is_generated=yes
  fi
}

ask_passphrase() { # NAME
  local repeated attempt
  for attempt in 1 2 3; do
    IFS= read -rsp "Passphrase for clients/$1.p12: " passphrase || passphrase=
    printf '\n' >&2
    [[ -n $passphrase ]] || die "the passphrase is empty: Apple's systems refuse a .p12 without one"
    IFS= read -rsp 'The same again: ' repeated || repeated=
    printf '\n' >&2
    if [[ $passphrase == "$repeated" ]]; then return; fi
    say "the two differ ($attempt of 3)"
  done
  die "no passphrase for '$1': run this again"
}

# Twenty letters and digits that nobody takes for another: 100 bits.
generate_passphrase() {
  local letters
  letters=$(ssl rand -base64 240 | tr -dc 'a-km-np-z2-9')
  ((${#letters} >= 20)) || die "'openssl rand' gave too little: run this again"
  printf '%s-%s-%s-%s\n' "${letters:0:5}" "${letters:5:5}" "${letters:10:5}" "${letters:15:5}"
}
