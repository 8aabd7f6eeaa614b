# The clients: their certificates, for keys made here or asked for by a request, and their .p12 files.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154  # what the sourcing script sets and reads

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
      die "'$name' was revoked: to admit that name again, with a new key, add --force"
    fi
  fi
  choose_passphrase "$name"
  for serial in $valid; do revoke_serial "$serial" superseded; done
  issue_client "$name"
}

keep_client() { # NAME END
  if (($2 < $(digits_of $((now + renewal_days * day_seconds))))); then
    say "$1's certificate expires on $(day_of "$2"): --client $1 --force makes a new one"
  elif [[ ! -e $out/clients/$1.p12 ]]; then
    say "$1 already has a certificate, but no .p12 here: --client $1 --force makes a new one, with a new key"
  else
    say "kept clients/$1.p12"
  fi
}

issue_client() { # NAME, with its passphrase in `passphrase`
  local name=$1 key end
  local -a encryption=(-keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES -macalg sha1)
  if [[ $modern == yes ]]; then encryption=(-keypbe AES-256-CBC -certpbe AES-256-CBC -macalg sha256); fi
  end=$(client_end)
  # The key goes through pipes: on disk it exists in the .p12 only.
  key=$(generate_key)
  (
    cd "$stage" || exit
    ssl req -new -config openssl.cnf -key <(printf '%s\n' "$key") -subj "/CN=$name" -out request.csr
    sign_client "$end" -subj "/CN=$name"
    P12_PASSPHRASE=$passphrase ssl pkcs12 -export -inkey <(printf '%s\n' "$key") -in client.pem -name "$name" \
      "${encryption[@]}" -iter "$p12_rounds" -passout env:P12_PASSPHRASE -out client.p12
  )
  record_client
  publish 0600 "$stage/client.p12" "$out/clients/$name.p12"
  if [[ $passphrase_is_generated == yes ]]; then
    say "the passphrase of clients/$name.p12, shown this once: $passphrase"
  fi
  publish 0600 "$stage/client.pem" "$out/clients/$name.pem"
  say "made clients/$name.p12, valid until $(day_of "$end"): send it and its passphrase to $name separately"
}

# When a certificate ends that is made now: no later than its authority.
client_end() {
  local end ca_end
  end=$(digits_of $((now + client_days * day_seconds)))
  ca_end=$(certificate_date "$out/client-ca.pem" enddate)
  if ((end > ca_end)); then end=$ca_end; fi
  printf '%sZ\n' "$end"
}

# In the stage: makes client.pem of request.csr. What that asks for beside its key counts for nothing.
sign_client() { # END OPTION…
  local end=$1
  shift
  with_passphrase ssl ca -batch -notext -config openssl.cnf -name clients \
    -keyfile "$out/client-ca.key" -passin env:KEY_PASSPHRASE -cert "$out/client-ca.pem" -in request.csr \
    -extensions client -startdate "$robot_epoch" -enddate "$end" "$@" -out client.pem
}

# The CA remembers the staged certificate before anybody has it.
record_client() {
  local serial
  serial=$(serial_of "$stage/client.pem")
  publish 0600 "$stage/issued/$serial.pem" "$out/.ca/issued/$serial.pem"
  publish_index
  provide_crl
}
