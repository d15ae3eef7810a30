# ---------------------------------------------------------------- the undo
# Destroys the pools of the design and nothing else, then clears what they leave on the design's own disks: labels of
# these pools, the script's own partitions, and the partition tables that belong to them. Whatever is not proven to be
# that is left alone and told.

readonly more_tools=(dd zdb find sync)
check_only=no
with_data=no
moved_here=no
to_do=no

usage() {
  printf '%s\n' $"Usage: ${0##*/} [--check] [--with-data] [--record FILE] [--moved-here] [--guid N]" \
    $"Destroys ${pool_names[*]} as created by the script of the same design, and clears its disks for a new start." \
    $"Every pool is asked for: \"destroy NAME\" has to be typed, with --with-data \"destroy NAME with its data\". The log goes to /var/log, or to the new file that POOLWRIGHT_LOG names."
  option --check $"tell what would be done; change nothing"
  option --with-data $"go on although something was stored in a pool; it is asked for again"
  option '--record FILE' $"the record of the creation ($(record_name)), where it is neither beside this script nor in the folder of the log"
  option --moved-here $"the disks were moved to this machine after the creation"
  option '--guid N' $"on your word take what has this guid for a pool, spare or cache of this design, and clear its labels also where it was not destroyed"
  option --help $"this text"
}

parse_arguments() {
  while [ "$#" -gt 0 ]; do
    case $1 in
      --check) check_only=yes ;;
      --with-data) with_data=yes ;;
      --moved-here) moved_here=yes ;;
      --record)
        [ "$#" -ge 2 ] || refuse 2 $"--record wants the file of a record: there is no file given."
        [ -f "$2" ] || refuse 2 $"--record wants the file of a record: there is no file $2."
        given_records+=("$2")
        shift
        ;;
      --guid)
        if [ "$#" -lt 2 ] || [[ ! $2 =~ ^[0-9]+$ ]]; then
          refuse 2 $"--guid wants the guid of a pool, spare or cache, a number."
        fi
        told_guids="$told_guids$2 "
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

changed_words() {
  printf '%s\n' $"This script takes back only what was built. If all of it is to go: zpool destroy $(quoted "$pool"), then run this script again for the disks of the design."
}

tell_left() { # after a command that failed, or an interruption
  local guid
  # A pool that is still there may be used again: what it holds then is not what this run was about to destroy.
  if [ "${pool_state[pool_number]-}" = existing ] && [ "${progress[$pool_number]-}" = undoing ] &&
    guid=$(zpool get -H -o value guid "$pool" 2>/dev/null); then
    record made "${pool_marks[pool_number]}" "$guid" "$(machine_id)" "$(host_name)" || true
    progress[$pool_number]=made
  fi
  say $"What was changed before it stays; mend the cause and run this script again: it goes on where it stopped."
}

check_machine() { # that the disks are in this machine, and that it is the one on which the script has worked
  local i there=0
  for i in "${!disk_name[@]}"; do
    [ -z "${disk_dev[i]}" ] || there=$((there + 1))
  done
  if [ "$there" = 0 ]; then
    refuse 1 $"None of the ${#disk_name[@]} disks of the design is in this machine ($(host_name)). Run this script on the machine that has them." \
      $"Look: ls -l $dev_by_id."
  fi
  check_host "$recorded_machine" "$recorded_host"
}

check_host() { # MACHINE HOST: as recorded at the creation; '' where nothing is known
  local unknown=$"unknown"
  # Script and record are copied to other machines, where a pool of the same name may be another.
  if [ -n "$1" ] && [ "$1" != - ] && [ "$1" != "$(machine_id)" ] && [ "$moved_here" = no ]; then
    refuse 1 $"The pool was created on the machine ${2:-$unknown} ($1), this one is $(host_name) ($(machine_id))." \
      $"When its disks were moved here: --moved-here."
  fi
}

prove_pool() { # GUID: that the current pool, which is imported, was created by the script; adds its guids to what is proven
  local machine host guid
  # Name and layout are no proof: the same design may have been built twice, or by hand.
  if is_recorded "$1"; then
    read -r machine host < <(own_property "$pool" org.poolwright:host) || true
    check_host "${machine-}" "${host-}"
  elif was_cut_off; then
    say $"The creation of $pool was ended before it was recorded; the pool carries the mark of this design."
  elif [[ $told_guids == *" $1 "* ]]; then
    say $"The pool $pool (guid $1) is taken for one of this design because --guid says so."
  else
    refuse 1 $"Nothing proves that the pool $pool (guid $1) was created by the script of this design: it carries no mark of it, and there is no record $(record_name) here or in the folder of the log." \
      $"A pool that was made by hand, by a playbook or by an older script has none. If it is the one: --guid $1."
  fi
  proven["pool $1"]=$pool_number
  while IFS= read -r guid; do
    proven["vdev $guid"]=$pool_number
  done < <(vdev_guids)
}

look() { # tells what is there of every pool and disk; sets to_do
  local number i node guid
  find_leaves
  for number in "${!pool_names[@]}"; do
    use_pool "$number"
    if [ "${pool_state[number]}" = existing ]; then
      guid=$(zpool get -H -o value guid "$pool") || refuse 3 $"zpool does not tell the guid of $pool."
      prove_pool "$guid"
      labels_match "$guid" || refuse 1 $"The labels on the disks and the pool $pool do not belong together, see above: which disks serve it? Look: zpool status -LP $pool."
      tell_losses "$guid"
      to_do=yes
    fi
  done
  find_listed
  for i in "${!member_pool[@]}"; do
    if [ "${pool_state[member_pool[i]]}" = absent ]; then
      node=$(label_device "$i")
      [ -z "$node" ] || judge_place "$i" "$node" # a disk may serve a pool that is there and one that is only exported
    fi
  done
  for i in "${!disk_name[@]}"; do
    if ! serves "$i" existing; then
      judge_disk "$i"
      case $verdict in
        ours) to_do=yes && say $"${disk_name[i]}: what the pool left will be cleared" ;;
        empty) say $"${disk_name[i]}: empty" ;;
        *)
          left_alone=$((left_alone + 1))
          say $"${disk_name[i]}: left alone: $why"
          ;;
      esac
    fi
  done
  tell_brought_back
}

refuse_half_a_pool() { # a pool that is only exported is not taken apart
  local guid=${not_destroyed##*guid }
  guid=${guid%)}
  if [ -n "$never_was" ] && [[ $pools_there != *" $never_was "* ]]; then
    refuse 1 $"The pool $not_destroyed cannot be imported: its labels are those of a failed \`zpool create\` or of disks taken out of a pool, and nothing proves that it was the one of this design." \
      $"If no other machine uses the disks: --guid $never_was."
  elif [ -n "$not_destroyed" ] && [[ " ${brought_back[*]-} " == *" $guid "* ]]; then
    refuse 1 $"The pool $not_destroyed was destroyed; a disk that it did not use any more (replaced, detached or offline) still carries it, see above." \
      $"To clear all of it: --guid $guid."
  elif [ -n "$not_destroyed" ]; then
    refuse 1 $"The pool $not_destroyed is not imported, but its disks still carry it." \
      $"Import it and run this script again, or say with --guid that this pool is lost."
  fi
}

check_identities() {
  local i p found
  forget_problems
  for i in "${!disk_name[@]}"; do
    if [ -n "${disk_dev[i]}" ] && check_kind "${disk_name[i]}" "${disk_dev[i]}"; then
      check_identity "$i" "${disk_name[i]}" "${disk_dev[i]}"
    fi
  done
  for p in "${!part_disk[@]}"; do
    if is_reserved "$p" && [ -n "${part_node[p]}" ] && is_our_partition "$p"; then
      found=$(reserved_use "$p")
      [ -z "$found" ] || problem release "${disk_name[part_disk[p]]}-part${part_number[p]}" $"is reserved beside the data and in use: ${found% }. Look: lsblk $dev_by_id/${disk_name[part_disk[p]]}"
    fi
  done
  if [ "$problem_count" -gt 0 ]; then
    tell_help
    refuse 1
  fi
}

refuse_nothing_to_do() {
  if [ "$left_alone" -gt 0 ]; then
    refuse 1 "$(counted "$left_alone" $"Nothing that is proven to be of ${pool_names[*]} is left. Left alone, see above: 1 disk." $"Nothing that is proven to be of ${pool_names[*]} is left. Left alone, see above: $left_alone disks.")"
  fi
  say $"Nothing is left of ${pool_names[*]} on these disks. Nothing was changed."
  exit 0
}

refuse_data() {
  # What the creation put there can be made again; what came later cannot.
  if [ "$with_data" = no ] && [[ " ${pool_data[*]-} " == *" yes "* ]]; then
    die 1 $"There is more in the pools than the script has put there, see above. With --with-data it is destroyed too. $1"
  fi
}

confirm() {
  local answer wanted="destroy $pool"
  if [ "${pool_data[pool_number]-}" = yes ]; then
    wanted="destroy $pool with its data"
  fi
  printf '%s ' $"Type \"$wanted\" to go on:"
  read_answer
  if [ "$answer" != "$wanted" ]; then
    refuse 1 $"The words do not match."
  fi
}

look_again_at() { # the current pool: time has passed at the question
  local guid before=${pool_data[pool_number]}
  compare_layout || die 1 $"The pool $pool has changed meanwhile. It was not destroyed."
  guid=$(zpool get -H -o value guid "$pool" 2>/dev/null) || guid=none
  [ "${proven["pool $guid"]-}" = "$pool_number" ] || die 1 $"Another pool is called $pool meanwhile (guid $guid). It was not destroyed."
  tell_losses "$guid"
  if [ "${pool_data[pool_number]}" = yes ] && [ "$before" = no ]; then
    die 1 $"Something was written to the pool $pool meanwhile. It was not destroyed."
  fi
}

dev_zvol=/dev/zvol
system=/sys/kernel/config

check_volumes() { # of the current pool: zpool destroy waits in the kernel for whoever has a volume open, and never comes back
  local link node entry
  local -A checked=()
  forget_problems
  find_openers
  while IFS= read -r link; do
    node=$(readlink -f -- "$link") || continue
    node=${node%/*}/$(whole_of "${node##*/}")
    [ -z "${checked[$node]-}" ] || continue
    checked[$node]=yes
    check_use "${link#"$dev_zvol"/}" "$node"
    for entry in "$system"/target/core/*/*/udev_path "$system"/nvmet/subsystems/*/namespaces/*/device_path "$sys_block"/loop*/loop/backing_file; do
      if [ -e "$entry" ] && [ "$(readlink -f -- "$(cat -- "$entry")")" = "$node" ]; then
        problem release "${link#"$dev_zvol"/}" $"is in use at $entry"
      fi
    done
  done < <(find "$dev_zvol/${pool// /+}" -type l 2>/dev/null)
  if [ "$problem_count" -gt 0 ]; then
    tell_help
    die 1 $"A volume of $pool is in use, see above: zpool destroy would hang for good. The pool was not destroyed."
  fi
}

record_undoing() { # of the current pool: what is needed to go on should this run be ended in the middle
  local guid
  if [ "${pool_state[pool_number]}" = existing ]; then
    guid=$(zpool get -H -o value guid "$pool") && record_tables && record_vdevs &&
      record made "${pool_marks[pool_number]}" "$guid" "$(machine_id)" "$(host_name)" || return 1
    progress[$pool_number]=made
  fi
  record undoing "${pool_marks[pool_number]}"
  # What a creation that was killed has left is still known by its beginning alone.
  [ "${progress[$pool_number]-}" = begun ] || progress[$pool_number]=undoing
}

destroy_pools() {
  local number
  for number in "${!pool_names[@]}"; do
    use_pool "$number"
    if [ "${pool_state[number]}" = existing ]; then
      look_again_at
      check_volumes
    fi
    record_undoing || die 3 $"Cannot write the record ${record_files[*]}. Is the disk full? Make room and run this script again. The pool $pool was not destroyed."
    if [ "${pool_state[number]}" = existing ]; then
      # Recorded before: a run that ends here knows the labels again as those of a pool that it has destroyed.
      changed=yes
      run zpool destroy "$pool"
      tell_list "$pool"
      pool_state[number]=absent
    fi
  done
  if have udevadm; then
    udevadm settle --timeout=30 || true
  fi
}

main() {
  local number
  design
  parse_arguments "$@"
  check_fixed_part
  require_machine
  [ "$check_only" = yes ] || take_turn
  open_log
  read_record
  resolve_disks
  check_machine
  find_pools
  check_identities
  look
  refuse_half_a_pool
  if [ "$to_do" = no ]; then
    refuse_nothing_to_do
  fi
  if [ "$check_only" = yes ]; then
    say $"Checked. Nothing was changed."
    exit 0
  fi
  refuse_data $"Nothing was changed."
  for number in "${!pool_names[@]}"; do
    use_pool "$number"
    [ "${pool_state[number]}" != existing ] || check_volumes
  done
  for number in "${!pool_names[@]}"; do
    use_pool "$number"
    confirm
  done
  require_witnesses
  left_alone=0
  destroy_pools
  clear_disks
  if [ "$left_alone" -gt 0 ]; then
    die 1 "$(counted "$left_alone" $"Undone, but not cleared, see above: 1 disk." $"Undone, but not cleared, see above: $left_alone disks.")"
  fi
  for number in "${!pool_names[@]}"; do
    record undone "${pool_marks[number]}" || true
  done
  say $"Undone: ${pool_names[*]}. The disks are empty."
}
