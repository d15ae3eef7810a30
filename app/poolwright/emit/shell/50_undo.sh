# ---------------------------------------------------------------- the undo
# Destroys the pools of the design and nothing else, then clears what they leave on the design's own disks: labels of
# these pools, the script's own partitions, and the partition tables that belong to them. Whatever is not recognised
# as that is left alone and told.

check_only=no
with_data=no
known_guids=" "
has_data=no
verdict='' why='' # what judge_disk finds: empty, ours, foreign or missing
label_name='' label_state='' label_guid='' # what read_label finds
left_alone=0
not_destroyed= # a pool of the design that is neither imported nor destroyed

usage() {
  cat <<END
Usage: ${0##*/} [--check] [--with-data] [--guid N]
Destroys ${pool_names[*]} as created by the script of the same design, and clears its disks for a new start.
  --check      tell what would be done; change nothing
  --with-data  go on although something was stored in a pool; it is asked for again
  --guid N     also clear labels of the pool with this guid, which cannot be imported (see the recovery sheet)
  --help       this text
Every pool is asked for: "destroy NAME" has to be typed. The log goes to /var/log, or to the file that POOLWRIGHT_LOG names.
END
}

parse_arguments() {
  while [ "$#" -gt 0 ]; do
    case $1 in
      --check) check_only=yes ;;
      --with-data) with_data=yes ;;
      --guid)
        if [ "$#" -lt 2 ] || [[ ! $2 =~ ^[0-9]+$ ]]; then
          die 2 "--guid wants the guid of a pool, a number. Nothing was changed."
        fi
        known_guids="$known_guids$2 "
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

tell_losses() { # of the current pool; sets has_data where more is in it than the script puts there
  local guid name type mounted mountpoint referenced count=0 snapshots
  guid=$(zpool get -H -o value guid "$pool")
  say "The pool $pool (guid $guid) will be destroyed: $(zfs get -Hp -o value used "$pool") bytes used."
  while IFS=$'\t' read -r name type mounted mountpoint referenced; do
    count=$((count + 1))
    if ! is_designed "$name"; then
      data_found "$name is a $type that is not of the design"
    elif [ "$type" = volume ]; then
      # An empty volume refers to 28 KiB of metadata, an empty file system to 42 KiB.
      [ "$referenced" -le 28672 ] || data_found "$name holds data: $referenced bytes"
    elif [ "$mounted" = yes ]; then
      if [ -n "$(find "$mountpoint" -mindepth 1 -xdev ! -type d -print -quit 2>/dev/null)" ]; then
        data_found "$name holds files in $mountpoint"
      fi
    else
      [ "$referenced" -le 43008 ] || data_found "$name is not mounted and holds data: $referenced bytes"
    fi
  done < <(zfs list -Hp -r -t filesystem,volume -o name,type,mounted,mountpoint,logicalreferenced "$pool")
  snapshots=$(zfs list -Hp -r -t snapshot -o name "$pool" | count_lines)
  say "  datasets: $count, snapshots: $snapshots"
  if [ "$snapshots" != 0 ]; then
    data_found "$pool has snapshots: $snapshots"
  fi
}

data_found() { # TEXT
  has_data=yes
  say "  - $1"
}

count_lines() {
  local n=0
  while IFS= read -r _; do
    n=$((n + 1))
  done
  printf '%s\n' "$n"
}

labels_match() { # whether the labels on the devices name the pool that is imported
  local m dev guid
  guid=$(zpool get -H -o value guid "$pool")
  for m in "${!member_pool[@]}"; do
    if [ "${member_pool[m]}" = "$pool_number" ]; then
      dev=$(label_device "$m")
      read_label "$dev"
      if [ -n "$label_guid" ] && [ "$label_guid" != "$guid" ]; then
        say "  - $dev carries the label of the pool with the guid $label_guid, not $guid"
        return 1
      fi
    fi
  done
}

label_device() { # MEMBER: the partition that carries its label
  if [ -n "${member_part[$1]}" ]; then
    member_device "$1"
  else
    partition_node "${disk_dev[member_disk[$1]]}" 1
  fi
}

read_label() { # DEV: sets label_name, label_state, label_guid from the first label of a pool on it
  local line value
  label_name='' label_state='' label_guid=''
  while IFS= read -r line; do
    line=${line#"${line%%[! ]*}"}
    value=${line#*: }
    value=${value#\'}
    value=${value%\'}
    case $line in
      name:*) label_name=${label_name:-$value} ;;
      state:*) label_state=${label_state:-$value} ;;
      pool_guid:*) label_guid=${label_guid:-$value} ;;
    esac
  done < <(zdb -l "$1" 2>/dev/null)
}

judge_label() { # MEMBER DEV: sets verdict and why for what is written in the place of a member
  local m=$1 dev=$2 found wanted=${pool_names[member_pool[$1]]}
  verdict=foreign
  read_label "$dev"
  found=$(contents_of "$dev")
  if [[ $pool_leaves == *" ${dev##*/} "* || $pool_leaves == *" $(whole_of "${dev##*/}") "* ]]; then
    why="$dev belongs to an imported pool"
  elif [ -z "$label_state" ]; then
    if [ -z "$found" ]; then
      verdict=empty
    else
      why="$dev holds ${found% }"
    fi
  elif [ "$label_name" = "$wanted" ] && { [ "$label_state" = 2 ] || [[ $known_guids == *" $label_guid "* ]]; }; then
    verdict=ours
  elif [ -z "$label_name" ] && [[ ${member_section[m]}:$label_state == spare:3 || ${member_section[m]}:$label_state == cache:4 ]]; then
    verdict=ours
  else
    if [ "$label_name" = "$wanted" ]; then
      not_destroyed="$wanted (guid $label_guid)"
    fi
    why="$dev carries the label of a pool ${label_name:-without a name} (guid ${label_guid:-unknown}) that is not destroyed. Import that pool, or give --guid"
  fi
}

judge_disk() { # INDEX: sets verdict and why
  local i=$1 dev=${disk_dev[$1]} found
  verdict=missing why="there is no $dev_by_id/${disk_name[i]}"
  [ -n "$dev" ] || return 0
  verdict=foreign why=
  if [ -n "${disk_table[i]}" ]; then
    if has_our_table "$i"; then
      judge_our_table "$i"
      return 0
    fi
  elif made_by_zpool "$dev"; then
    judge_zpool_table "$i"
    return 0
  fi
  found=$(contents_of "$dev")
  if [ -z "$found" ] && [ -z "$(wipefs -n -- "$dev" 2>&1)" ]; then
    verdict=empty
  else
    why="$dev holds ${found:-something} that the script of this design did not make"
  fi
}

judge_zpool_table() { # INDEX: a whole disk that some zpool create has labelled
  local m node
  for m in "${!member_pool[@]}"; do
    if [ "${member_disk[m]}" = "$1" ]; then
      node=$(partition_node "${disk_dev[$1]}" 1)
      judge_label "$m" "$node"
    fi
  done
  if [ "$verdict" = empty ]; then
    verdict=ours # its label is gone, the table of zpool create is left
  fi
}

judge_our_table() { # INDEX: ours where every partition is one of ours with nothing foreign in it
  local i=$1 m p
  for m in "${!member_pool[@]}"; do
    [ "${member_disk[m]}" = "$i" ] && [ -n "$(member_device "$m")" ] || continue
    p=$(our_partition "$i" "${member_part[m]}")
    if ! is_our_partition "$p"; then
      verdict=foreign why="partition ${member_part[m]} of ${disk_dev[i]} is not the one of this design"
      return 0
    fi
    judge_label "$m" "${part_node[p]}"
    [ "$verdict" != foreign ] || return 0
  done
  verdict=ours
}

made_by_zpool() { # DEV: a table with just the two partitions of zpool create: data, and 8 MiB at the end
  local entry number found seen=
  for entry in "$sys_block/${1##*/}/${1##*/}"*; do
    if [ -e "$entry/partition" ]; then
      read -r number <"$entry/partition"
      found=$(blkid -p -o export -- "${1%/*}/${entry##*/}" 2>/dev/null) || true
      case $number:$found in
        1:*PART_ENTRY_NAME=zfs-*6a898cc3-1dd2-11b2-99a6-080020736631*) seen=${seen}1 ;;
        1:*6a898cc3-1dd2-11b2-99a6-080020736631*PART_ENTRY_NAME=zfs-*) seen=${seen}1 ;;
        9:*PART_ENTRY_TYPE=6a945a3b-1dd2-11b2-99a6-080020736631*) seen=${seen}9 ;;
        *) seen=${seen}x ;;
      esac
    fi
  done
  [ "$seen" = 19 ] || [ "$seen" = 91 ]
}

clear_disk() { # INDEX: a disk judged ours: labels first, then partitions, then the table
  local i=$1 dev=${disk_dev[$1]} m entry rest=
  for m in "${!member_pool[@]}"; do
    if [ "${member_disk[m]}" = "$i" ]; then
      clear_label "$(label_device "$m")"
    fi
  done
  if [ -n "${disk_table[i]}" ]; then
    for m in "${!member_pool[@]}"; do
      if [ "${member_disk[m]}" = "$i" ] && [ -n "$(member_device "$m")" ]; then
        run sgdisk -d "${member_part[m]}" "$dev_by_id/${disk_name[i]}"
        udevadm settle --timeout=30 || true
      fi
    done
    for entry in "$sys_block/${dev##*/}/${dev##*/}"*; do
      [ ! -e "$entry/partition" ] || rest=$entry
    done
  fi
  if [ -n "$rest" ]; then
    say "  note: ${disk_name[i]} keeps its partition table: there are partitions of others in it"
  else
    run wipefs -q -a "$dev"
    blockdev --rereadpt "$dev" 2>/dev/null || true
  fi
}

clear_label() { # DEV: nothing to do where it carries none
  [ -n "$1" ] || return 0
  read_label "$1"
  if [ "$label_state" = 2 ] || { [ -n "$label_state" ] && [ -z "$label_name" ]; }; then
    run zpool labelclear "$1"
  elif [ -n "$label_state" ]; then
    run zpool labelclear -f "$1" # of the pool whose guid was given
  fi
}

confirm() { # POOL
  local answer='' wanted="destroy $1"
  if [ "$has_data" = yes ]; then
    wanted="destroy $1 with its data"
  fi
  printf 'Type "%s" to go on: ' "$wanted"
  # shellcheck disable=SC2217 # opening the terminal is the test
  if { true </dev/tty; } 2>/dev/null; then
    IFS= read -r answer </dev/tty || true
  else
    IFS= read -r answer || true
    printf '\n'
  fi
  if [ "$answer" != "$wanted" ]; then
    die 1 "That was not typed. Nothing was changed."
  fi
}

look() { # tells what is there of every pool and disk; sets to_do
  local number i node
  to_do=no
  find_leaves
  for number in "${!pool_names[@]}"; do
    use_pool "$number"
    if [ "${pool_state[number]}" = existing ]; then
      labels_match || die 1 "The labels on the disks and the pool $pool do not belong together. Nothing was changed."
      tell_losses
      to_do=yes
    fi
  done
  for i in "${!member_pool[@]}"; do
    if [ "${pool_state[member_pool[i]]}" = absent ]; then
      node=$(label_device "$i")
      [ -z "$node" ] || judge_label "$i" "$node" # a disk may serve a pool that is there and one that is only exported
    fi
  done
  for i in "${!disk_name[@]}"; do
    if ! serves "$i" existing; then
      judge_disk "$i"
      case $verdict in
        ours) to_do=yes && say "${disk_name[i]}: what the pool left will be cleared" ;;
        empty) say "${disk_name[i]}: empty" ;;
        *) say "${disk_name[i]}: left alone: $why" ;;
      esac
    fi
  done
}

refuse_half_a_pool() { # a pool that is only exported is not taken apart
  if [ -n "$not_destroyed" ]; then
    die 1 "The pool $not_destroyed is not imported, but its disks still carry it. Import it and run this script again, or" \
      "say with --guid that this pool is lost. Nothing was changed."
  fi
}

check_identities() { # every disk that is there is the one designed with
  local i
  problem_count=0
  for i in "${!disk_name[@]}"; do
    if [ -n "${disk_dev[i]}" ] && check_kind "${disk_name[i]}" "${disk_dev[i]}"; then
      check_identity "$i" "${disk_name[i]}" "${disk_dev[i]}"
    fi
  done
  if [ "$problem_count" -gt 0 ]; then
    die 1 "Refused: $problem_count problem(s), listed above. Nothing was changed."
  fi
}

destroy_pools() {
  local number
  for number in "${!pool_names[@]}"; do
    use_pool "$number"
    if [ "${pool_state[number]}" = existing ]; then
      # Time has passed at the question.
      compare_layout || die 1 "The pool $pool has changed meanwhile. It was not destroyed."
      run zpool destroy "$pool"
      changed=yes
      pool_state[number]=absent
    fi
  done
  if have udevadm; then
    udevadm settle --timeout=30 || true
  fi
}

clear_disks() {
  local i
  resolve_disks
  find_leaves
  for i in "${!disk_name[@]}"; do
    judge_disk "$i"
    case $verdict in
      ours)
        changed=yes
        clear_disk "$i"
        ;;
      empty) ;;
      *)
        left_alone=$((left_alone + 1))
        say "${disk_name[i]}: left alone: $why"
        ;;
    esac
  done
}

main() {
  local number to_do
  describe_disks
  parse_arguments "$@"
  require_machine
  open_log
  resolve_disks
  find_pools
  check_identities
  look
  refuse_half_a_pool
  if [ "$to_do" = no ]; then
    say "Nothing is left of ${pool_names[*]} on these disks. Nothing was changed."
    exit 0
  elif [ "$check_only" = yes ]; then
    say "Checked. Nothing was changed."
    exit 0
  elif [ "$has_data" = yes ] && [ "$with_data" = no ]; then
    die 1 "There is more in the pools than the script has put there, see above. With --with-data it is destroyed too. Nothing was changed."
  fi
  for number in "${!pool_names[@]}"; do
    confirm "${pool_names[number]}"
  done
  destroy_pools
  clear_disks
  if [ "$left_alone" -gt 0 ]; then
    die 1 "Undone, but $left_alone disk(s) were left alone, see above."
  fi
  say "Undone: ${pool_names[*]}. The disks are empty."
}

trap 'die 130 "Interrupted. Run this script again: it goes on where it stopped."' INT TERM HUP
main "$@"
