# The names and addresses that a certificate can carry, each in the one form in which two of them compare.
# shellcheck shell=bash

# Prints a DNS name in lower case without its final dot; fails on what is none, RFC 1123 §2.1.
canonical_dns_name() {
  local name=${1,,} label='[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
  name=${name%.}
  [[ $name =~ ^(\*\.)?$label(\.$label)*$ ]] || return 1
  ((${#name} <= 253)) || return 1
  # An address in a DNS entry is matched by nobody.
  [[ ! ${name##*.} =~ ^[0-9]+$ ]] || return 1
  printf '%s\n' "$name"
}

# Prints an address as openssl prints it in a certificate, so that the two can be compared; fails on what is none.
canonical_address() {
  local text=$1
  if [[ $text != *:* ]]; then
    is_ipv4_address "$text" || return 1
    printf '%s\n' "$text"
    return
  fi
  [[ $text =~ ^[0-9A-Fa-f:.]+$ ]] || return 1
  if [[ $text == *.* ]]; then
    local quad=${text##*:} bytes
    is_ipv4_address "$quad" || return 1
    IFS=. read -ra bytes <<<"$quad"
    printf -v quad '%X:%X' $((bytes[0] * 256 + bytes[1])) $((bytes[2] * 256 + bytes[3]))
    text=${text%:*}:$quad
  fi
  if [[ $text == *::*::* || $text == *:::* || $text =~ ^:[^:] || $text =~ [^:]:$ ]]; then return 1; fi
  local -a groups=() tail=()
  if [[ $text == *::* ]]; then
    IFS=: read -ra groups <<<"${text%%::*}"
    IFS=: read -ra tail <<<"${text#*::}"
    ((${#groups[@]} + ${#tail[@]} < 8)) || return 1
    while ((${#groups[@]} + ${#tail[@]} < 8)); do groups+=(0); done
    groups+=("${tail[@]}")
  else
    IFS=: read -ra groups <<<"$text"
  fi
  ((${#groups[@]} == 8)) || return 1
  local group address=
  for group in "${groups[@]}"; do
    [[ $group =~ ^[0-9A-Fa-f]{1,4}$ ]] || return 1
    printf -v group '%X' "$((16#$group))"
    address+=:$group
  done
  printf '%s\n' "${address#:}"
}

is_ipv4_address() {
  local byte='(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])'
  [[ $1 =~ ^$byte\.$byte\.$byte\.$byte$ ]]
}
