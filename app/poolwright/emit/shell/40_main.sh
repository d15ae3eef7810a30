# ---------------------------------------------------------------- the run
readonly more_tools=(dd find sync)
check_only=no
yes_create=" "
agreed=()

usage() {
  printf '%s\n' $"Usage: ${0##*/} [--check | --yes-create POOL...] [--agree WORDS...]" \
    "$(counted "${#disk_name[@]}" $"Creates ${pool_names[*]} from 1 disk, after checking every one of them." $"Creates ${pool_names[*]} from ${#disk_name[@]} disks, after checking every one of them.")" \
    $"The log goes to /var/log, or to the new file that POOLWRIGHT_LOG names. A second run changes nothing."
  option --check $"check the disks and let zpool rehearse; change nothing"
  option '--yes-create POOL' $"do not ask for this pool's name; once for each of: ${pool_names[*]}"
  option '--agree WORDS' $"do not ask for these words, which are wanted where data may be covered or lost"
  option --help $"this text"
}

parse_arguments() {
  while [ "$#" -gt 0 ]; do
    case $1 in
      --check) check_only=yes ;;
      --yes-create)
        if [ "$#" -lt 2 ] || [[ " ${pool_names[*]} " != *" $2 "* ]]; then
          refuse 2 $"--yes-create wants the name of a pool of the design: ${pool_names[*]}."
        fi
        yes_create="$yes_create$2 "
        shift
        ;;
      --agree)
        [ "$#" -ge 2 ] || refuse 2 $"--agree wants words."
        agreed+=("$2")
        shift
        ;;
      --help | -h)
        usage
        exit 0
        ;;
      *) die 2 $"Unknown option $1. Try --help." ;;
    esac
    shift
  done
}

check_version() {
  local line here='' planned=${designed_for%% *}
  while IFS= read -r line; do
    case $line in zfs-kmod-*) here=${line#zfs-kmod-} ;; esac
  done < <(zfs version 2>/dev/null)
  case $here in
    "$planned" | "$planned"[!0-9]*) ;;
    "${planned%.*}".*) say $"note: OpenZFS $here runs here, the design was computed for $designed_for" ;;
    '') say $"WARNING: OpenZFS of unknown version runs here, the design was computed for $designed_for" ;;
    *) say $"WARNING: OpenZFS $here runs here, the design was computed for $designed_for" ;;
  esac
}

changed_words() {
  printf '%s\n' $"This script changes nothing in a pool that is there: design with the vdevs it has now."
}

prepare() { # all that comes before the first pool is created: checks, rehearsals, questions
  local number
  say "$(counted "${#disk_name[@]}" $"Checking 1 disk" $"Checking ${#disk_name[@]} disks")"
  # What only reads comes first, what takes long after it, and nothing is asked before all of it is well.
  find_exported
  check_disks absent
  check_files
  check_keys
  check_known
  for number in "${!pool_names[@]}"; do
    use_pool "$number"
    [ "${pool_state[number]}" = existing ] || check_mountpoints
  done
  refuse_on_problems
  # Every place of every disk is read only where the quick looks found nothing.
  probe_disks
  refuse_on_problems
  if [ "${#used_disks[@]}" = 0 ]; then
    say $"Every disk is the one designed with, and empty."
  else
    tell_used
  fi
  find_namesakes
  if partitioned; then
    partition_disks rehearse
  fi
  for number in "${!pool_names[@]}"; do
    use_pool "$number"
    if [ "${pool_state[number]}" = absent ] && devices_are_there; then
      rehearse
    fi
  done
  have_agreed
  [ "$check_only" = no ] || return 0
  for number in "${!pool_names[@]}"; do
    use_pool "$number"
    if [ "${pool_state[number]}" = absent ]; then
      tell_keys
      confirm $"This creates the pool $pool on ${#device_paths[@]} disks or partitions, as shown above."
    fi
  done
  ask_keys
  # Time has passed at the question: somebody may have used a disk.
  require_witnesses
  [ "$asked" = no ] || probe_again
  if partitioned; then
    make_partitions
  else
    check_disks absent
    refuse_on_problems
    # Before the first write: a run that is killed right after it is known as begun, and its disks as found empty.
    record_begun
  fi
}

have_agreed() {
  local name
  if [ "${#used_disks[@]}" -gt 0 ]; then
    agree "$(counted "${#used_disks[@]}" 'overwrite 1 disk' "overwrite ${#used_disks[@]} disks")"
  fi
  if [ "$covered_count" -gt 0 ]; then
    agree "$(counted "$covered_count" 'cover 1 folder' "cover $covered_count folders")"
  fi
  for name in ${namesakes[@]+"${namesakes[@]}"}; do
    agree "a second pool $name"
  done
}

devices_are_there() { # false while partitions are still to be made
  local path
  for path in "${device_paths[@]}"; do
    if [[ $path == *-part* ]] && [ ! -e "$dev_by_id/${path##*/}" ]; then
      say $"zpool can rehearse $pool only once its partitions are there; it will then."
      return 1
    fi
  done
}

create_pool() {
  # Before, there were no partitions to rehearse on.
  if partitioned; then
    rehearse
  fi
  changed=yes
  run_with_key "$pool" zpool create "${create_arguments[@]}"
  created=("$pool")
  record_pool
}

finish_pool() { # new|existing
  find_pending
  if [ "${#pending[@]}" -gt 0 ]; then
    if [ "$1" = existing ]; then
      say $"Missing in the pool:$(pending_names)"
      forget_problems
      covered_count=0 used_disks=() namesakes=() # of these prepare has asked
      check_mountpoints
      check_keys
      refuse_on_problems
      have_agreed
      [ "$check_only" = no ] || return 0
      tell_keys
      confirm $"This creates what is missing in the pool $pool; nothing else is touched."
      ask_keys
      require_witnesses
    fi
    make_pending
  elif [ "$1" = existing ]; then
    say $"Nothing is missing, nothing was changed."
  fi
  if [ "${#created[@]}" -gt 0 ]; then
    record_fresh "${created[@]}"
  fi
  verify "$1"
}

pending_names() {
  local j
  for j in "${pending[@]}"; do
    printf ' %s' "${later_name[j]}"
  done
}

build_pools() {
  local number
  for number in "${!pool_names[@]}"; do
    use_pool "$number"
    if [ "${pool_state[number]}" = existing ]; then
      say $"The pool $pool exists already with exactly these vdevs; it is not created again."
      created=()
      [ "$check_only" = yes ] || complete_record
      finish_pool existing
    elif [ "$check_only" = no ]; then
      create_pool
      finish_pool new
    fi
  done
}

main() {
  design
  parse_arguments "$@"
  check_fixed_part
  require_machine
  [ "$check_only" = yes ] || take_turn
  open_log
  read_record
  check_version
  resolve_disks
  find_keys
  find_pools
  if [[ " ${pool_state[*]} " == *" absent "* ]]; then
    prepare
  fi
  build_pools
  if [ -n "$differing" ]; then
    die 1 $"The pool$differing differs from the design in the points above. Nothing was changed to mend them: properties can be set with zpool set and zfs set."
  elif [ "$check_only" = yes ]; then
    say $"Checked. Nothing was changed."
  else
    say $"Done: as designed: ${pool_names[*]}"
  fi
}
