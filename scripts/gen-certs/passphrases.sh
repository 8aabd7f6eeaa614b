# Passphrases: of .p12 files, and of the client CA's key.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154  # what the sourcing script sets and reads

# OWASP's advice of 2023 for PBKDF2 with SHA-256.
readonly key_derivation_rounds=600000
# Of a viewer's .p12, whose passphrase a person may have chosen. Old systems derive three or four keys by so many rounds in a second,
# and the library takes a million in all.
readonly p12_rounds=100000

# Editors of Windows put it before UTF-8. Nobody can type it, so it is no part of a passphrase.
readonly byte_order_mark=$'\xEF\xBB\xBF'

# Sets `common_passphrase` from a file or the environment, or leaves it unset for a prompt or a generated one; and
# `key_passphrase` from a file, or leaves it empty.
read_passphrases() {
  local environment_passphrase=${FOOTAGE_P12_PASSPHRASE-} environment_is_set=${FOOTAGE_P12_PASSPHRASE+yes}
  # No other program needs to see it.
  unset FOOTAGE_P12_PASSPHRASE KEY_PASSPHRASE
  key_passphrase=
  if [[ -n $ca_passphrase_file ]]; then
    key_passphrase=$(first_line_of "$ca_passphrase_file" "a key cannot be encrypted without a passphrase")
  fi
  ((${#clients[@]} > 0)) || return 0
  if [[ -n $passphrase_file ]]; then
    common_passphrase=$(first_line_of "$passphrase_file" "Apple's systems refuse a .p12 without a passphrase")
    expect_text "$common_passphrase" "$passphrase_file"
  elif [[ -n $environment_is_set ]]; then
    [[ -n $environment_passphrase ]] || die "FOOTAGE_P12_PASSPHRASE is empty: Apple's systems refuse a .p12 without a \
passphrase, so set one, or unset it"
    common_passphrase=$environment_passphrase
  fi
}

first_line_of() { # FILE REASON
  local line
  { IFS= read -r line <"$1" || [[ -n ${line-} ]]; } 2>/dev/null ||
    die "no passphrase in '$1': its first line must be one, and this user must be able to read it"
  line=${line%$'\r'}
  line=${line#"$byte_order_mark"}
  [[ -n $line ]] || die "the first line of '$1' is empty: $2, so write one there"
  printf '%s\n' "$line"
}

# Editors of Windows write UTF-16 as well. Bash drops its zeros, and what is left are bytes that nobody can type.
expect_text() { # PASSPHRASE FILE
  case $1 in
  $'\xFF\xFE'* | $'\xFE\xFF'*) die "'$2' is in UTF-16: save it as UTF-8, so that the passphrase is exactly what it shows" ;;
  esac
}

is_encrypted() { grep -q '^-----BEGIN ENCRYPTED PRIVATE KEY-----' -- "$1"; }

# Runs openssl so that it finds the passphrase of the CA's key, in its own environment alone.
with_passphrase() { KEY_PASSPHRASE=$key_passphrase "$@"; }

opens() { with_passphrase openssl pkey -in "$1" -passin env:KEY_PASSPHRASE -noout 2>/dev/null; }

# Sees to it that the client CA's key can be used.
unlock_ca() { unlock_key "$out/client-ca.key"; }

# Sees to it that an authority's key can be used: sets `key_passphrase`, which is asked for where no file gave it.
unlock_key() { # KEY
  local key=$1 attempt
  is_encrypted "$key" || return 0
  if [[ -n $ca_passphrase_file ]]; then
    if opens "$key"; then return; fi
    # Earlier versions of this script took the mark for a part of it.
    key_passphrase=$byte_order_mark$key_passphrase
    opens "$key" || die "the passphrase in '$ca_passphrase_file' does not open $key: use the one \
that it was encrypted with"
    say "opened ${key##*/} with the passphrase in '$ca_passphrase_file' and the byte order mark before it, as it was encrypted: nobody \
can type that on a terminal, so keep this file"
    return
  fi
  [[ -z $key_passphrase ]] || return 0
  [[ -t 0 && -t 2 ]] || die "$key is encrypted: give its passphrase with --ca-passphrase-file, or run this \
on a terminal"
  for attempt in 1 2 3; do
    IFS= read -rsp "Passphrase of ${key##*/}: " key_passphrase || key_passphrase=
    printf '\n' >&2
    if opens "$key"; then return; fi
    say "wrong passphrase ($attempt of 3)"
  done
  die "cannot open ${key##*/}: run this again"
}

# Encrypts a key on its way from a pipe into a file (PKCS#8, RFC 8018: PBKDF2 and AES-256), or leaves it as it is where
# there is no passphrase.
encrypt_key() {
  if [[ -z $key_passphrase ]]; then
    cat
  else
    # A key that was encrypted so opens still.
    expect_text "$key_passphrase" "$ca_passphrase_file"
    with_passphrase ssl pkcs8 -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA256 \
      -iter "$key_derivation_rounds" -passout env:KEY_PASSPHRASE
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
    IFS= read -rsp 'Repeat the passphrase: ' repeated || repeated=
    printf '\n' >&2
    if [[ $passphrase == "$repeated" ]]; then return; fi
    say "the two passphrases differ ($attempt of 3)"
  done
  die "no passphrase for '$1': run this again"
}

# Twenty letters and digits that nobody takes for another: 100 bits.
generate_passphrase() {
  local letters
  letters=$(ssl rand -base64 240 | tr -dc 'a-km-np-z2-9')
  ((${#letters} >= 20)) || die "'openssl rand' returned too few bytes: run this again"
  printf '%s-%s-%s-%s\n' "${letters:0:5}" "${letters:5:5}" "${letters:10:5}" "${letters:15:5}"
}
