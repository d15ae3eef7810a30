# ---------------------------------------------------------------- volumes for a measurement
# Made new and marked as this script's own; only what bears the mark is ever removed.

pool_names=("$pool")
readonly mark=org.poolwright:bench
doing='' yes=no
volumes=() # their full names
present=() # those of them that are there and bear the mark

usage() {
  printf '%s\n' $"Usage: ${0##*/} --make | --remove | --check [--yes]" \
    $"Makes $volume_count volumes in the pool $pool for a measurement, or removes them."
  option --make $"make them, each of $volume_bytes bytes"
  option --remove $"destroy them, and nothing that this script did not make"
  option --check $"tell what is there; change nothing"
  option --yes $"do not ask"
  option --help $"this text"
}

parse_arguments() {
  while [ "$#" -gt 0 ]; do
    case $1 in
      --make | --remove | --check) doing=${1#--} ;;
      --yes) yes=yes ;;
      --help | -h)
        usage
        exit 0
        ;;
      *) die 2 $"Unknown option $1. Try --help." ;;
    esac
    shift
  done
  [ -n "$doing" ] || die 2 $"Say --make, --remove or --check. Try --help."
}

tell_left() {
  say $"Some of the volumes may be there. Run ${0##*/} --check to see, and --remove to take them away."
}

look_at_pool() {
  local health='' free=0 needed=$((2 * volume_count * volume_bytes))
  read -r health free < <(zpool list -Hp -o health,free "$pool" 2>/dev/null) || true
  [ -n "$health" ] || refuse 1 $"There is no pool $pool here."
  # A pool that is full or degraded may still be tidied.
  [ "$doing" = make ] || return 0
  [ "$health" = ONLINE ] || refuse 1 $"The pool $pool is $health, not ONLINE."
  # Parity may double what a volume takes.
  [ "$free" -ge "$needed" ] || refuse 1 $"The pool $pool has $free bytes free, $needed are wanted."
}

look_at_volumes() {
  local number name kind
  for ((number = 1; number <= volume_count; number++)); do
    name=$pool/$volume_stem-$number
    volumes+=("$name")
    # A name that is not there is what is hoped for; one that is there has to prove itself.
    kind=$(zfs get -H -o value type "$name" 2>/dev/null) || continue
    # Only a mark set on the volume itself counts: one inherited from above says nothing of who made it.
    if [ "$kind" = volume ] && [ "$(zfs get -H -s local -o value "$mark" "$name" 2>/dev/null)" = paper ]; then
      present+=("$name")
      say $"$name is there, made by this script."
    else
      refuse 1 $"$name is there and was not made by this script."
    fi
  done
}

confirmed() { # WORDS
  [ "$yes" = yes ] || is_typed "$1" || refuse 1 $"The words do not match."
}

make_volumes() {
  local name
  [ "${#present[@]}" -lt "$volume_count" ] || { say $"All volumes are there already."; return 0; }
  for name in "${volumes[@]}"; do
    say $"To be made: $name"
  done
  confirmed "make $pool"
  # Before the first command: a failure in the middle must not be told as "nothing was changed".
  changed=yes
  for name in "${volumes[@]}"; do
    [[ " ${present[*]-} " != *" $name "* ]] || continue
    run zfs create -V "$volume_bytes" -o "volblocksize=$volume_block" -o "$mark=paper" "$name"
  done
  if have udevadm; then
    udevadm settle || true # the devices come a moment after the volumes
  fi
  say $"The volumes are made. They lie below /dev/zvol/$pool."
}

remove_volumes() {
  local name
  [ "${#present[@]}" -gt 0 ] || { say $"None of the volumes is there."; return 0; }
  for name in "${present[@]}"; do
    say $"To be destroyed with all that is in it: $name"
  done
  confirmed "destroy $pool"
  changed=yes
  for name in "${present[@]}"; do
    # Without -r: what somebody hung below a volume since then stops it.
    run zfs destroy "$name"
  done
  say $"The volumes are gone."
}

main() {
  design
  parse_arguments "$@"
  check_fixed_part
  if ! have zfs || ! have zpool; then
    refuse 3 $"zfs and zpool are not installed here."
  fi
  # All of them are looked at before any is made or destroyed.
  look_at_pool
  look_at_volumes
  case $doing in
    make | remove)
      open_log
      "${doing}_volumes"
      ;;
    *) [ "${#present[@]}" -gt 0 ] || say $"None of the volumes is there." ;;
  esac
}
