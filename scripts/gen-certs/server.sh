# The server's key and certificate, its next ones, and the change from one to the other.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154  # what the sourcing script sets and reads

# A certificate that ends sooner is issued again, with the same key; --renew asks for the longer time.
renewal_days=30
readonly early_renewal_days=60

default_names() {
  local host
  if host=$(canonical_dns_name "${HOSTNAME:-}"); then
    printf 'DNS:%s\n' "$host"
  else
    say "this host's name '${HOSTNAME:-}' cannot be used in a certificate, so it is omitted: give the robot's with --name"
  fi
  printf '%s\n' DNS:localhost IP:127.0.0.1 IP:0:0:0:0:0:0:0:1
}

# Those by which this host is reached just now. A host that has no name yet, or one that no certificate can have, has none.
host_names() {
  local host name
  host=$(cat /proc/sys/kernel/hostname 2>/dev/null) || host=${HOSTNAME:-}
  case $host in '' | localhost | '(none)') return ;; esac
  if name=$(canonical_dns_name "$host"); then
    printf 'DNS:%s\n' "$name" "${name%%.*}.local"
  else
    say "this host's name '$host' cannot be used in a certificate, so it is omitted: use the robot's address, or give a name with --name"
  fi
}

# The names of a certificate, and with --this-host those that the host has now. A certificate that does not name localhost, or that
# somebody else has issued, was made for other names than a host's, and keeps those.
names_with_host() { # NAME…
  local -a names=("$@") host=()
  local name
  if [[ $this_host == yes ]] && ! is_from_elsewhere "$out/server.pem" "$out/server.key" &&
    { (($# == 0)) || contains DNS:localhost "$@"; }; then
    mapfile -t host < <(host_names)
    for name in "${host[@]}"; do contains "$name" "${names[@]}" || names+=("$name"); done
    if (($# == 0)); then names+=(DNS:localhost IP:127.0.0.1 IP:0:0:0:0:0:0:0:1); fi
  fi
  ((${#names[@]} == 0)) || printf '%s\n' "${names[@]}"
}

provide_server() {
  local pem=$out/server.pem replace=no name
  local -a present=() names=()
  if [[ $force$next$promote$((${#clients[@]} + ${#requests[@]})) == yesnono0 ]]; then replace=yes; fi
  if [[ -e $pem && ! -e $out/server.key && $replace == no ]]; then
    if [[ -n $site ]]; then
      provide_without_key
      return
    fi
    if ((${#clients[@]} + ${#requests[@]} > 0)) && [[ $names_given == no && $next == no && $promote == no ]]; then
      say "server.key is not in $out, so the server's certificate is left unchanged"
      return
    fi
    die "$out holds server.pem but not its key: restore server.key, or make a new one, with a new pin, with --force"
  fi
  mapfile -t present < <(names_in "$pem")
  mapfile -t present < <(names_with_host "${present[@]}")
  if [[ $replace == yes && $names_given == yes ]]; then
    names=("${given_names[@]}")
  else
    names=("${present[@]}")
    for name in "${given_names[@]}"; do
      contains "$name" "${names[@]}" || names+=("$name")
    done
  fi
  ((${#names[@]} > 0)) || mapfile -t names < <(default_names)
  provide_pair server "$replace" "${names[@]}"
}

provide_next() {
  local -a names=()
  local replace=no
  if [[ $force == yes && $next == yes ]]; then replace=yes; fi
  if [[ -e $out/server-next.key || $next == yes ]]; then
    mapfile -t names < <(names_in "$out/server.pem")
    provide_pair server-next "$replace" "${names[@]}"
  fi
}

# Makes PREFIX.key where there is none, and sees to it that PREFIX.pem, .cer and .pin belong to it.
provide_pair() { # PREFIX REPLACE NAME…
  local prefix=$1 replace=$2 key=$out/$1.key pem=$out/$1.pem reason names
  shift 2
  if [[ -n $site ]]; then
    names=$(names_of_site "$@")
    [[ -n $names ]] || die "the root in $site allows none of the names of $prefix.pem: give one with --name"
    mapfile -t names <<<"$names"
    set -- "${names[@]}"
  fi
  if [[ $replace == yes || ! -e $key ]]; then
    key=$stage/$prefix.key
    generate_key >"$key"
    reason="a new key"
  else
    check_key "$key" "restore a good copy, or make a new key, with a new pin, with --force"
    reason=$(reason_to_issue "$pem" "$key" "$@")
  fi
  if [[ -n $reason && -z $site && $key == "$out/$prefix.key" ]] && is_from_elsewhere "$pem" "$key"; then
    say "$prefix.pem was issued by someone else, so it is left unchanged, although a new one is due ($reason): if a root of --site-ca \
issued it, have that root issue it again"
    reason=
  fi
  if [[ -n $reason ]]; then
    issue_server_certificate "$key" "$prefix.pem" "$@"
    # The key goes first: a certificate without its key would stop the next run, a key without its certificate does not.
    if [[ $key == "$stage"/* ]]; then
      publish_key "$key" "$out/$prefix.key"
      key=$out/$prefix.key
      say "made $prefix.key ($algorithm)"
    fi
    publish 0644 "$stage/$prefix.pem" "$pem"
    say "made $prefix.pem, valid until $(day_of "$(certificate_date "$pem" enddate)"): $reason"
    say "  for $(plainly "$@")"
  fi
  ssl x509 -in "$pem" -outform DER -out "$stage/$prefix.cer"
  pin_of_key "$key" >"$stage/$prefix.pin"
  publish_when_new "$prefix.cer"
  publish_when_new "$prefix.pin"
}

# Names without the kind in front, for a person to read.
plainly() {
  local list
  printf -v list '%s, ' "${@#*:}"
  printf '%s\n' "${list%, }"
}

publish_when_new() {
  cmp -s "$stage/$1" "$out/$1" || publish 0644 "$stage/$1" "$out/$1"
}

# Prints why CERTIFICATE has to be issued again, or nothing.
reason_to_issue() { # CERTIFICATE KEY NAME…
  local pem=$1 key=$2 begin end name
  local -a present lacking=()
  shift 2
  if [[ ! -e $pem ]]; then
    echo "there was none"
  elif ! public_key_of_certificate "$pem" >/dev/null; then
    echo "the existing one could not be read"
  elif ! belongs "$pem" "$key"; then
    echo "the existing one belonged to another key"
  else
    begin=$(certificate_date "$pem" startdate)
    end=$(certificate_date "$pem" enddate)
    mapfile -t present < <(names_in "$pem")
    for name in "$@"; do
      contains "$name" "${present[@]}" || lacking+=("$name")
    done
    if ((end < $(digits_of "$now"))); then
      echo "the existing one expired on $(day_of "$end")"
    elif ((end < $(digits_of $((now + renewal_days * day_seconds))))); then
      echo "the existing one was to expire on $(day_of "$end")"
    elif [[ $clock_is_set == yes ]] && ((begin > $(digits_of $((now + day_seconds))))); then
      echo "the existing one was not valid before $(day_of "$begin")"
    elif ((${#lacking[@]} > 0)); then
      echo "the existing one lacked $(plainly "${lacking[@]}")"
    elif [[ -n $site ]] && ! is_of_site "$pem"; then
      echo "the existing one was not issued by the root in $site"
    fi
  fi
}

# Whether CERTIFICATE is another authority's, made for KEY.
is_from_elsewhere() { # CERTIFICATE KEY
  [[ -e $1 ]] && belongs "$1" "$2" || return 1
  ! is_self_signed "$1"
}

issue_server_certificate() { # KEY OUTPUT NAME…
  local key=$1 output=$2 subject begin end
  shift 2
  subject=${1#*:}
  # X.520 allows a common name 64 characters; what is compared is the subjectAltName anyway.
  ((${#subject} <= 64)) || subject=footage
  # An hour of slack for a viewer whose clock is slow. RFC 5280 §4.1.2.5: the last second counts.
  begin=$((now - 3600))
  end=$((begin + server_days * day_seconds - 1))
  write_configuration "$@"
  if [[ -n $site ]]; then
    ssl req -new -config "$stage/openssl.cnf" -key "$key" -subj "/CN=$subject" -out "$stage/request.csr"
    sign_by_site "$(digits_of "$begin")" "$(digits_of "$end")" "$output" -in request.csr
    return
  fi
  self_sign "$key" "/CN=$subject" server "$(digits_of "$begin")Z" "$(digits_of "$end")Z" "$output"
}

# What a timer does: nothing, but for a certificate that ends soon, or a host that was renamed. The key stays, and so do the names.
renew_server() {
  local key=$out/server.key pem=$out/server.pem end
  local -a present names
  [[ -e $key ]] || die "$out holds server.pem but not its key, which alone can renew it: restore server.key"
  check_key "$key" "restore a good copy"
  belongs "$pem" "$key" || die "server.pem in $out cannot be read, or belongs to another key: restore a matching pair, or make \
a certificate for the existing key by running this without --renew"
  end=$(certificate_date "$pem" enddate)
  renewal_days=$early_renewal_days
  mapfile -t present < <(names_in "$pem")
  ((${#present[@]} > 0)) || die "server.pem in $out contains no names: add them with --name, without --renew"
  mapfile -t names < <(names_with_host "${present[@]}")
  if ((${#names[@]} == ${#present[@]} && end >= $(digits_of $((now + renewal_days * day_seconds))))); then
    say "server.pem is valid until $(day_of "$end"), so it is left unchanged: it is renewed when fewer than $renewal_days \
days are left"
    return
  fi
  provide_pair server no "${names[@]}"
  provide_next
}

promote_next() {
  [[ -e $out/server-next.key ]] || die "there is no next key in $out: make one with --next, give its pin to every app, \
and promote it when they all have it"
  local name
  for name in server.key server.pem; do
    cp -- "$out/$name" "$stage/$name"
    publish 0600 "$stage/$name" "$out/${name/server/server-old}"
  done
  remember_earlier_pin
  cp -- "$out/server-next.key" "$stage/server.key"
  publish_key "$stage/server.key" "$out/server.key"
  finish_promotion
  say "promoted the next key; the previous one is server-old.key: delete it when no app knows it any longer"
  say "if the previous key was stolen, remove its line from $out/earlier.pin, and from each list of this robot's pins that you gave \
to others: while it is there, what the thief signs counts as the robot's. The line: $(tail -n 1 "$out/earlier.pin")"
}

# What the key that is about to go has signed stays the robot's. Written before it goes: the pin of a key that is still in use does no
# harm there, and the next run puts it at the end.
remember_earlier_pin() {
  local pin
  pin=$(pin_of_key "$out/server.key")
  {
    if [[ -e $out/earlier.pin ]]; then grep -vxF -- "$pin" "$out/earlier.pin" || true; fi
    printf '%s\n' "$pin"
  } >"$stage/earlier.pin"
  publish 0644 "$stage/earlier.pin" "$out/earlier.pin"
}

# Once server.key is the next key, also after a run that was cut off: the rest follows, the next key's file goes last.
finish_promotion() {
  promoted=no
  [[ -e $out/server-next.key && -e $out/server.key ]] || return 0
  check_key "$out/server-next.key" "remove it, or restore a good copy"
  check_key "$out/server.key" "restore a good copy"
  [[ $(pin_of_key "$out/server-next.key") == "$(pin_of_key "$out/server.key")" ]] || return 0
  if [[ -e $out/server-next.pem ]] && belongs "$out/server-next.pem" "$out/server.key"; then
    cp -- "$out/server-next.pem" "$stage/server.pem"
    publish 0644 "$stage/server.pem" "$out/server.pem"
  fi
  rm -f -- "$out/server-next.pem" "$out/server-next.cer" "$out/server-next.pin"
  rm -f -- "$out/server-next.key"
  promoted=yes
}
