# Keys and certificates: making, reading and signing them.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154  # what the sourcing script sets and reads

generate_key() {
  if [[ $algorithm == RSA ]]; then
    ssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072
  else
    ssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256
  fi
}

check_key() { # FILE REMEDY
  [[ -r $1 ]] || die "cannot read $1: run as the user who owns it"
  # What is encrypted is opened when it is used.
  is_encrypted "$1" || opens "$1" || die "$1 is not a private key that openssl can read: $2"
  # A group may have been let in on purpose: the server's own, when another user provisions it.
  if [[ -n $(find "$1" -perm /007) ]]; then
    chmod 0600 "$1" || die "everyone may read $1: make it readable only by you (chmod 600)"
    say "everyone could read $1: its mode is 0600 now"
  fi
}

# `sha256/` and the base64 of the SHA-256 of a key's SubjectPublicKeyInfo, RFC 7469 §2.4.
pin_of_key() {
  local digest
  digest=$(with_passphrase ssl pkey -in "$1" -passin env:KEY_PASSPHRASE -pubout -outform DER |
    ssl dgst -sha256 -binary | ssl base64 -A)
  printf 'sha256/%s\n' "$digest"
}

public_key_of_certificate() { openssl x509 -in "$1" -noout -pubkey 2>/dev/null; }

belongs() { # CERTIFICATE KEY
  local of_certificate of_key
  of_certificate=$(public_key_of_certificate "$1") || return 1
  of_key=$(with_passphrase openssl pkey -in "$2" -passin env:KEY_PASSPHRASE -pubout 2>/dev/null) || return 1
  [[ $of_certificate == "$of_key" ]]
}

certificate_date() { # CERTIFICATE startdate|enddate
  local line
  line=$(ssl x509 -in "$1" -noout "-$2" -dateopt iso_8601) || return 1
  printf '%s\n' "${line//[!0-9]/}"
}

serial_of() {
  local line
  line=$(ssl x509 -in "$1" -noout -serial)
  printf '%s\n' "${line#serial=}"
}

# The names in a certificate, one a line, as DNS:… and IP:….
names_in() {
  local line
  { openssl x509 -in "$1" -noout -ext subjectAltName 2>/dev/null || true; } | tail -n +2 | tr ',' '\n' |
    while read -r line; do
      case $line in
      DNS:*)
        line=${line#DNS:}
        printf 'DNS:%s\n' "${line,,}"
        ;;
      'IP Address:'*) printf 'IP:%s\n' "${line#IP Address:}" ;;
      esac
    done
}

# Signs a request with the key that it asks about: `openssl ca` is the one command of 3.0 that takes both dates.
self_sign() { # KEY SUBJECT SECTION BEGIN END OUTPUT, the last relative to the stage
  local key=$1 subject=$2 section=$3 begin=$4 end=$5 output=$6
  : >"$stage/self.txt"
  (
    cd "$stage" || exit
    with_passphrase ssl req -new -config openssl.cnf -key "$key" -passin env:KEY_PASSPHRASE \
      -subj "$subject" -out request.csr
    with_passphrase ssl ca -batch -notext -config openssl.cnf -name self -selfsign \
      -keyfile "$key" -passin env:KEY_PASSPHRASE \
      -in request.csr -extensions "$section" -startdate "$begin" -enddate "$end" -out "$output"
  )
}

write_configuration() { # NAME…, each as DNS:… or IP:…; the server's names, when its certificate is to be signed
  local alternatives=DNS:localhost
  if (($# > 0)); then
    printf -v alternatives '%s,' "$@"
    alternatives=${alternatives%,}
  fi
  cat >"$stage/openssl.cnf" <<CONFIGURATION
[req]
distinguished_name = subject
[subject]

[self]
database = self.txt
new_certs_dir = .
rand_serial = yes
unique_subject = no
policy = any
default_md = sha256

[clients]
database = index.txt
new_certs_dir = issued
crlnumber = crlnumber
rand_serial = yes
unique_subject = no
policy = any
default_md = sha256
crl_extensions = revocation_list

[site]
database = site.txt
new_certs_dir = .
rand_serial = yes
unique_subject = no
policy = any
default_md = sha256

[any]
commonName = supplied

# Not an authority: whoever trusts this certificate trusts this robot, and nothing else that its key might sign.
[server]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
subjectAltName = $alternatives

[site_server]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid:always
subjectAltName = $alternatives

# What devices trust: it may vouch for robots, and for nobody else in the world.
[site_root]
basicConstraints = critical,CA:TRUE,pathlen:0
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
nameConstraints = critical,@site_names

[authority]
basicConstraints = critical,CA:TRUE,pathlen:0
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash

[client]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = clientAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid:always

[revocation_list]
authorityKeyIdentifier = keyid:always
CONFIGURATION
}
