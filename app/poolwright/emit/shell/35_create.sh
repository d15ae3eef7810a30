# ---------------------------------------------------------------- the pool
pending=()
created=() # what this run has created in the current pool
differing=
asked=no # whether the script has waited for a person

rehearse() {
  if [ "${create_arguments[0]}" = -f ]; then
    # zpool's own check that no disk is in use is not made with -f, so let it make it once without.
    run zpool create -n -o "ashift=$(designed_ashift)" "$pool" "${device_paths[@]}"
  fi
  run zpool create -n "${create_arguments[@]}"
}

designed_ashift() {
  local e
  for e in "${!expected_of[@]}"; do
    if [ "${expected_pool[e]}:${expected_name[e]}" = "$pool_number:ashift" ]; then
      printf '%s\n' "${expected_value[e]}"
    fi
  done
}

agree() { # WORDS: have them typed, unless --agree gave them
  local answer given
  if [ "$check_only" = yes ]; then
    say $"This will have to be agreed to: \"$1\""
    return 0
  fi
  # The count is part of the words: what was agreed to for one disk does not hold for two.
  for given in ${agreed[@]+"${agreed[@]}"}; do
    if [ "$given" = "$1" ]; then
      say $"Agreed to by --agree: $1"
      return 0
    fi
  done
  printf '%s ' $"Type \"$1\" to go on:"
  asked=yes
  read_answer
  [ "$answer" = "$1" ] || refuse 1 $"The words do not match."
}

confirm() { # WHAT
  local answer
  if [[ $yes_create == *" $pool "* ]]; then
    return 0
  fi
  say "$1"
  # A name and not "y": whoever runs the script of another machine notices it here.
  printf '%s ' $"Type the name of the pool to go on:"
  asked=yes
  read_answer
  if [ "$answer" != "$pool" ]; then
    refuse 1 $"The name typed is not the name of the pool."
  fi
}

find_pending() {
  local j
  pending=()
  for j in "${!later_pool[@]}"; do
    if [ "${later_pool[j]}" = "$pool_number" ] && ! is_made "$j"; then
      pending+=("$j")
    fi
  done
}

is_made() { # COMMAND
  if [ "${words[later_first[$1]]}" = zfs ]; then
    zfs list -H -o name -- "${later_name[$1]}" >/dev/null 2>&1
  else
    [ "$(zpool get -H -o value "${later_name[$1]}" "$pool" 2>/dev/null)" != - ]
  fi
}

make_pending() {
  local j
  for j in ${pending[@]+"${pending[@]}"}; do
    changed=yes
    run_with_key "${later_name[j]}" "${words[@]:later_first[j]:later_count[j]}"
    created+=("${later_name[j]}")
  done
}

is_one_of() { # VALUE ACCEPTED...
  local value=$1 accepted
  for accepted in "${@:2}"; do
    if [ "$value" = "$accepted" ]; then
      return 0
    fi
  done
  return 1
}

check_known() { # of pools still to be made: zpool would say that it does not know a property once the disks are labelled
  local e tool name
  local -A names=()
  for e in "${!expected_of[@]}"; do
    if [ "${pool_state[expected_pool[e]]}" = absent ]; then
      tool=zpool
      [ -z "${expected_of[e]}" ] || tool=zfs
      [[ ",${names[$tool]-}," == *",${expected_name[e]},"* ]] || names[$tool]=${names[$tool]-}${names[$tool]:+,}${expected_name[e]}
    fi
  done
  for tool in "${!names[@]}"; do
    ! is_known "$tool" "${names[$tool]}" || continue
    while IFS= read -r -d , name; do
      is_known "$tool" "$name" ||
        problem design "$name" $"the OpenZFS here knows no such property; the design was computed for $designed_for"
    done < <(printf '%s,' "${names[$tool]}")
  done
}

is_known() {
  local status=0 roots=()
  [ "$1" = zpool ] || roots=(-d 0)
  "$1" get -H ${roots[@]+"${roots[@]}"} -o value "$2" >/dev/null 2>&1 || status=$?
  [ "$status" != 2 ]
}

check_properties() {
  local e
  for e in "${!expected_of[@]}"; do
    if [ "${expected_pool[e]}" != "$pool_number" ]; then
      continue
    elif [ -z "${expected_of[e]}" ]; then
      check_property "$pool" "${expected_name[e]}" "${expected_value[e]}" zpool
    else
      check_property "${expected_of[e]}" "${expected_name[e]}" "${expected_value[e]}" zfs
    fi
  done
}

check_property() { # POOL|DATASET PROPERTY VALUE TOOL
  local value exact a accepted=("$3")
  for a in "${!also_name[@]}"; do
    if [ "${also_name[a]}=${also_value[a]}" = "$2=$3" ]; then
      accepted+=("${also_other[a]}")
    fi
  done
  value=$("$4" get -H -o value "$2" "$1" 2>/dev/null) || value=unknown
  exact=$("$4" get -Hp -o value "$2" "$1" 2>/dev/null) || exact=unknown
  if ! is_one_of "$value" "${accepted[@]}" && ! is_one_of "$exact" "${accepted[@]}"; then
    [ "$value" != unknown ] || value=$"unknown"
    difference $"$1: $2 is $value, the design says $3"
  fi
}

compare_bytes() { # new|existing WHAT PREDICTED ACTUAL
  if [ -z "$3" ]; then
    say $"$2: $4 bytes"
  elif [ "$3" = "$4" ]; then
    say $"$2: $4 bytes, as predicted"
  elif [ "$1" = existing ]; then
    say $"$2: $4 bytes; $3 were predicted for the new, empty pool"
  else
    say $"WARNING: $2: $4 bytes, predicted were $3 for OpenZFS $designed_for"
  fi
}

compare_available() { # new|existing ACTUAL
  local predicted_available=${pool_available_predicted[pool_number]}
  if has_special && [ -n "$predicted_available" ] && [ "$2" -gt "$predicted_available" ]; then
    # Some releases add what is stored on special and dedup vdevs; it grows with the metadata.
    say $"USED + AVAIL: $2 bytes, predicted were $predicted_available without what lies on special and dedup vdevs"
  else
    compare_bytes "$1" "USED + AVAIL" "$predicted_available" "$2"
  fi
}

has_special() {
  local m
  for m in "${!member_pool[@]}"; do
    case ${member_pool[m]}:${member_section[m]} in "$pool_number":special | "$pool_number":dedup) return 0 ;; esac
  done
  return 1
}

verify() {
  local health size used available
  difference_count=0
  compare_layout || difference $"the vdevs differ"
  check_properties
  health=$(zpool list -H -o health "$pool")
  if [ "$health" != ONLINE ]; then
    say $"WARNING: the pool is $health. Look: zpool status -v $pool"
  fi
  size=$(zpool list -Hp -o size "$pool")
  # Both at once: a new pool still writes, and sums of two looks would differ.
  { read -r used && read -r available; } < <(zfs get -Hp -o value used,available "$pool")
  compare_bytes "$1" SIZE "${pool_size_predicted[pool_number]}" "$size"
  compare_available "$1" "$((used + available))"
  if [ "$difference_count" -gt 0 ]; then
    differing="$differing $pool"
  fi
}
