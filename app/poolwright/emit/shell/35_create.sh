# ---------------------------------------------------------------- the pool
stage='count'
pending=()
differing=

rehearse() {
  if [ "$forced" = yes ]; then
    # zpool's own check that no disk is in use is not made with -f, so let it make it once without.
    run zpool create -n -o "ashift=$ashift" "$pool" "${device_paths[@]}"
  fi
  run zpool create -n "${create_arguments[@]}"
}

confirm() { # WHAT
  local answer=
  if [[ $yes_create == *" $pool "* ]]; then
    return 0
  fi
  say "$1"
  printf 'Type the name of the pool to go on: '
  # shellcheck disable=SC2217 # opening the terminal is the test
  if { true </dev/tty; } 2>/dev/null; then
    IFS= read -r answer </dev/tty || true
  else
    IFS= read -r answer || true
    printf '\n'
  fi
  if [ "$answer" != "$pool" ]; then
    die 1 "The name typed is not the name of the pool. Nothing was changed."
  fi
}

step() { # NAME COMMAND...: a dataset to create, unless it is there
  if zfs list -H -o name -- "$1" >/dev/null 2>&1; then
    return 0
  fi
  case $stage in
    count) pending+=("$1") ;;
    make) run "${@:2}" ;;
  esac
}

pool_step() { # PROPERTY VALUE: a pool property that cannot be given at creation, unless it has a value
  if [ "$(zpool get -H -o value "$1" "$pool" 2>/dev/null)" != - ]; then
    return 0
  fi
  case $stage in
    count) pending+=("$1=$2") ;;
    make) run zpool set "$1=$2" "$pool" ;;
  esac
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

pool_property() { # PROPERTY VALUE [OTHER_SPELLING...]
  local value exact
  value=$(zpool get -H -o value "$1" "$pool" 2>/dev/null) || value=unknown
  exact=$(zpool get -Hp -o value "$1" "$pool" 2>/dev/null) || exact=unknown
  if ! is_one_of "$value" "${@:2}" && ! is_one_of "$exact" "${@:2}"; then
    difference "$pool: $1 is $value, the design says $2"
  fi
}

dataset_property() { # DATASET PROPERTY VALUE [OTHER_SPELLING...]
  local value exact
  value=$(zfs get -H -o value "$2" "$1" 2>/dev/null) || value=unknown
  exact=$(zfs get -Hp -o value "$2" "$1" 2>/dev/null) || exact=unknown
  if ! is_one_of "$value" "${@:3}" && ! is_one_of "$exact" "${@:3}"; then
    difference "$1: $2 is $value, the design says $3"
  fi
}

compare_bytes() { # new|existing WHAT PREDICTED ACTUAL
  if [ -z "$3" ]; then
    say "$2: $4 bytes"
  elif [ "$3" = "$4" ]; then
    say "$2: $4 bytes, as predicted"
  elif [ "$1" = existing ]; then
    say "$2: $4 bytes; $3 were predicted for the new, empty pool"
  else
    say "WARNING: $2: $4 bytes, predicted were $3 for OpenZFS $designed_for"
  fi
}

compare_available() { # new|existing ACTUAL
  if [ "$has_special" = yes ] && [ -n "$predicted_available" ] && [ "$2" -gt "$predicted_available" ]; then
    # Some releases add what is stored on special and dedup vdevs; it grows with the metadata.
    say "USED + AVAIL: $2 bytes, predicted were $predicted_available without what lies on special and dedup vdevs"
  else
    compare_bytes "$1" "USED + AVAIL" "$predicted_available" "$2"
  fi
}

verify() { # new|existing
  local health size used available
  difference_count=0
  compare_layout || difference "the vdevs differ"
  check_properties
  health=$(zpool list -H -o health "$pool")
  if [ "$health" != ONLINE ]; then
    say "WARNING: the pool is $health. Look: zpool status -v $pool"
  fi
  size=$(zpool list -Hp -o size "$pool")
  # Both at once: a new pool still writes, and sums of two looks would differ.
  { read -r used && read -r available; } < <(zfs get -Hp -o value used,available "$pool")
  compare_bytes "$1" SIZE "$predicted_size" "$size"
  compare_available "$1" "$((used + available))"
  if [ "$difference_count" -gt 0 ]; then
    differing="$differing $pool"
  fi
}
