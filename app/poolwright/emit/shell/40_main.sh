# ---------------------------------------------------------------- the run
check_only=no
yes_create=" "

usage() {
  cat <<END
Usage: ${0##*/} [--check | --yes-create POOL...]
Creates ${pool_names[*]} from ${#disk_name[@]} disks, after checking every one of them.
  --check            check the disks and let zpool rehearse; change nothing
  --yes-create POOL  do not ask for this pool's name; once for each of: ${pool_names[*]}
  --help             this text
The log goes to /var/log, or to the file that POOLWRIGHT_LOG names. A second run changes nothing.
END
}

parse_arguments() {
  while [ "$#" -gt 0 ]; do
    case $1 in
      --check) check_only=yes ;;
      --yes-create)
        if [ "$#" -lt 2 ] || [[ " ${pool_names[*]} " != *" $2 "* ]]; then
          die 2 "--yes-create wants the name of a pool of the design: ${pool_names[*]}. Nothing was changed."
        fi
        yes_create="$yes_create$2 "
        shift
        ;;
      --help | -h)
        usage
        exit 0
        ;;
      *) die 2 "Unknown option $1. Try --help." ;;
    esac
    shift
  done
}

check_version() {
  local line here=
  while IFS= read -r line; do
    case $line in zfs-kmod-*) here=${line#zfs-kmod-} ;; esac
  done < <(zfs version 2>/dev/null)
  case $here in
    "$designed_for" | "$designed_for"[!0-9]*) ;;
    "${designed_for%.*}".*) say "note: OpenZFS $here runs here, the design was computed for $designed_for" ;;
    *) say "WARNING: OpenZFS ${here:-of unknown version} runs here, the design was computed for $designed_for" ;;
  esac
}

refuse_on_problems() {
  if [ "$problem_count" -gt 0 ]; then
    die 1 "Refused: $problem_count problem(s), listed above. Nothing was changed." \
      "This script never erases a disk; clear it yourself once you are sure, then run this script again."
  fi
}

prepare() { # all that comes before the first pool is created: checks, rehearsals, questions
  local number
  say "Checking ${#disk_name[@]} disks"
  check_disks absent
  refuse_on_problems
  say "Every disk is the one designed with, and empty."
  if [ "$partitioned" = yes ]; then
    partition_disks rehearse
  fi
  for number in "${!pool_names[@]}"; do
    use_pool "$number"
    if [ "${pool_state[number]}" = absent ] && devices_are_there; then
      rehearse
    fi
  done
  [ "$check_only" = no ] || return 0
  for number in "${!pool_names[@]}"; do
    use_pool "$number"
    if [ "${pool_state[number]}" = absent ]; then
      confirm "This creates the pool $pool on ${#device_paths[@]} ${device_noun}, as shown above."
    fi
  done
  # Time has passed at the question: somebody may have used a disk.
  if [ "$partitioned" = yes ]; then
    make_partitions
  else
    check_disks absent
    refuse_on_problems
  fi
}

devices_are_there() { # false while partitions are still to be made
  local path
  for path in "${device_paths[@]}"; do
    if [[ $path == *-part* ]] && [ ! -e "$dev_by_id/${path##*/}" ]; then
      say "zpool can rehearse $pool only once its partitions are there; it will then."
      return 1
    fi
  done
}

create_pool() {
  if [ "$partitioned" = yes ]; then
    rehearse
  fi
  run zpool create "${create_arguments[@]}"
  changed=yes
}

finish_pool() { # new|existing
  stage='count' pending=()
  build_datasets
  if [ "${#pending[@]}" -gt 0 ]; then
    if [ "$1" = existing ]; then
      say "Missing in the pool: ${pending[*]}"
      [ "$check_only" = no ] || return 0
      confirm "This creates what is missing in the pool $pool; nothing else is touched."
    fi
    stage='make'
    changed=yes
    build_datasets
  elif [ "$1" = existing ]; then
    say "Nothing is missing, nothing was changed."
  fi
  verify "$1"
}

build_pools() {
  local number
  for number in "${!pool_names[@]}"; do
    use_pool "$number"
    if [ "${pool_state[number]}" = existing ]; then
      say "The pool $pool exists already with exactly these vdevs; it is not created again."
      finish_pool existing
    elif [ "$check_only" = no ]; then
      create_pool
      finish_pool new
    fi
  done
}

main() {
  describe_disks
  parse_arguments "$@"
  require_machine
  open_log
  check_version
  resolve_disks
  find_pools
  if [[ " ${pool_state[*]} " == *" absent "* ]]; then
    prepare
  fi
  build_pools
  if [ -n "$differing" ]; then
    die 1 "The pool$differing differs from the design in the points above. Nothing was changed to mend them."
  elif [ "$check_only" = yes ]; then
    say "Checked. Nothing was changed."
  else
    say "Done: as designed: ${pool_names[*]}"
  fi
}

trap 'die 130 "Interrupted. Run this script again: it goes on where it stopped."' INT TERM HUP
main "$@"
