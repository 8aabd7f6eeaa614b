# Certificates for keys that this machine never sees: what a request has to be, and what is made of it.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154  # what the sourcing script sets and reads

# In bytes; a request for the longest key that is taken has four thousand.
readonly largest_request=65536
readonly longest_rsa_key=8192

# Reads all requests before anything is made; sets `requested_names`, and keeps what was read in `requested`.
check_requests() {
  local file name
  requested=()
  requested_names=()
  for file in "${requests[@]}"; do
    name=
    read_request "$file"
    if contains "$name" "${requested_names[@]}"; then die "two of the requests are for '$name': give only one of them"; fi
    if contains "$name" "${clients[@]}"; then 
      misuse "'$name' would get a key by --client, but has one in '$file': use either --sign or --client"
    fi
    requested_names+=("$name")
  done
}

# Appends to `requested`, and sets `name`.
read_request() { # FILE
  local file=$1 text verdict
  [[ -f $file && -r $file ]] || die "cannot read the request '$file': give --sign a file that 'openssl req -new' made"
  (($(stat -Lc %s -- "$file") <= largest_request)) || die "'$file' is too large for a certificate request"
  # As text, so that it is read once and may be in DER.
  text=$(openssl req -in "$file" 2>/dev/null || openssl req -inform DER -in "$file" 2>/dev/null) ||
    die "'$file' is not a certificate request (PKCS#10, as 'openssl req -new' makes it)"
  verdict=$(openssl req -verify -noout <<<"$text" 2>&1) || true
  [[ $verdict == *"verify OK"* ]] || die "the signature of '$file' is invalid: its maker does not have the key, \
or the file was changed in transit"
  check_requested_key "$file" "$text"
  name=$(requested_name "$text")
  [[ $name =~ $client_name_pattern ]] || die "the request '$file' must have exactly one common name, of up to 64 \
letters, digits, '.', '_' and '-', beginning with a letter, a digit or '_': make it with -subj /CN=NAME"
  requested+=("$text")
}

# The common name, a backslash before whatever is not plain; nothing where there is not exactly one.
requested_name() { # TEXT
  local subject
  subject=$(openssl req -noout -subject -nameopt multiline,utf8,esc_ctrl,esc_msb <<<"$1" |
    sed -n 's/^ *commonName *= //p')
  [[ $subject != *$'\n'* ]] || return 0
  printf '%s\n' "$subject"
}

check_requested_key() { # FILE TEXT
  local file=$1 key bits
  key=$(openssl req -noout -pubkey <<<"$2" 2>/dev/null | openssl pkey -pubin -noout -text 2>/dev/null) || key=
  case $key in
  *'ASN1 OID: prime256v1'* | *'ASN1 OID: secp384r1'* | *'ASN1 OID: secp521r1'*) return ;;
  *Modulus:*)
    bits=${key#*(}
    bits=${bits%% bit*}
    if [[ $bits =~ ^[0-9]{4}$ ]] && ((bits >= 2048 && bits <= longest_rsa_key)); then return; fi
    die "the request '$file' has an RSA key of $bits bits: make one of 2048 to $longest_rsa_key, or on the curve P-256"
    ;;
  esac
  die "the request '$file' has a key that not every robot and viewer can use: make one on the curve P-256 (P-384, \
P-521), or an RSA key of 2048 bits or more"
}

sign_requests() {
  local index
  for index in "${!requested[@]}"; do sign_request "${requested_names[index]}" "${requested[index]}"; done
}

# NAME.pem is put in place last, as with a key that is made here.
sign_request() { # NAME TEXT
  local name=$1 pem=$out/clients/$1.pem valid serial key end
  key=$(openssl req -noout -pubkey <<<"$2")
  valid=$(serials V "$name")
  if [[ -e $pem && -n $valid && $valid == "$(serial_of "$pem")" && $force == no ]]; then
    [[ $key == "$(public_key_of_certificate "$pem")" ]] || die "'$name' has a certificate for another key: to revoke that \
one and sign this one, add --force"
    say "kept clients/$name.pem, valid until $(day_of "$(certificate_date "$pem" enddate)")"
    return
  fi
  refuse_key_of_revoked "$name" "$key"
  if [[ -z $valid && -n $(serials R "$name") && $force == no ]]; then
    die "'$name' was revoked: to admit that name again, with this new key, add --force"
  fi
  for serial in $valid; do revoke_serial "$serial" superseded; done
  end=$(client_end)
  printf '%s\n' "$2" >"$stage/request.csr"
  (
    cd "$stage" || exit
    sign_client "$end" -subj "/CN=$name"
  )
  record_client
  # Its key is one that was shut out.
  rm -f -- "$out/clients/$name.p12"
  publish 0644 "$stage/client.pem" "$pem"
  say "made clients/$name.pem, valid until $(day_of "$end"): send it to $name, who stores it with the key"
}

# A key that somebody was shut out with opens nothing again, under no name. One whose certificate was only replaced may
# have another.
refuse_key_of_revoked() { # NAME KEY
  local serial
  while read -r serial; do
    if [[ -e $out/.ca/issued/$serial.pem && $(public_key_of_certificate "$out/.ca/issued/$serial.pem") == "$2" ]]; then
      die "the key in the request of '$1' was revoked: have a new one made"
    fi
  done < <(awk -F '\t' '$1 == "R" && $3 !~ /,superseded/ { print $4 }' "$stage/index.txt")
}
