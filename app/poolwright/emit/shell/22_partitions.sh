# ---------------------------------------------------------------- partitions
# A partition is the script's own when number, place, size, type and GUID are those of the design.

type_guid() { # CODE
  case $1 in
    BF01) printf '6a898cc3-1dd2-11b2-99a6-080020736631\n' ;;
    EF00) printf 'c12a7328-f81f-11d2-ba4b-00a0c93ec93b\n' ;;
    EF02) printf '21686148-6449-6e6f-744e-656564454649\n' ;;
    8200) printf '0657fd6d-a4ab-43c4-84e5-0933c84b4f4f\n' ;;
    8300) printf '0fc63daf-8483-4772-8e79-3d69d8477de4\n' ;;
    FD00) printf 'a19d880f-05fc-4d3b-a006-743f0f84911e\n' ;;
  esac
}

is_reserved() { # PARTITION
  [ -z "${part_pool[$1]}" ]
}

partitioned() {
  [ "${#part_disk[@]}" -gt 0 ]
}

check_our_table() { # INDEX: a disk with the script's own partition table holds only what the script makes
  local i=$1 number p
  # Somebody may have put a partition beside ours since the table was written: it is theirs.
  list_nodes "${disk_dev[i]}"
  for number in ${node_numbers[@]+"${node_numbers[@]}"}; do
    if p=$(our_partition "$i" "$number"); then
      check_our_partition "$p"
    else
      problem clear "${disk_name[i]}" $"has a partition $number that is not of this design. Look: sgdisk -p $dev_by_id/${disk_name[i]}"
    fi
  done
}

our_partition() { # INDEX NUMBER
  local p
  parts_of "$1"
  for p in ${disk_parts[@]+"${disk_parts[@]}"}; do
    if [ "${part_number[p]}" = "$2" ]; then
      printf '%s\n' "$p"
      return 0
    fi
  done
  return 1
}

is_our_partition() { # PARTITION
  # All five: a GUID alone is copied with the table of a cloned disk, a place alone is the same in many tables.
  blkid_says "${part_node[$1]}" "PART_ENTRY_UUID=${part_guid[$1]}" "PART_ENTRY_TYPE=$(type_guid "${part_type[$1]}")" \
    "PART_ENTRY_NUMBER=${part_number[$1]}" "PART_ENTRY_OFFSET=$((part_start[$1] * 2048))" \
    "PART_ENTRY_SIZE=$((part_size[$1] * 2048))"
}

check_our_partition() { # PARTITION: it is ours; where its pool is still to be made, it is also empty and unused. What is
  # reserved may be in use already: nothing is written to it.
  local p=$1 name help=clear
  name=${disk_name[part_disk[p]]}-part${part_number[p]}
  if ! is_our_partition "$p"; then
    problem clear "$name" $"is another partition than the one of this design. Look: sgdisk -i ${part_number[p]} ${part_node[p]}"
  elif ! is_reserved "$p" && [ "${pool_state[part_pool[p]]}" = absent ]; then
    if is_exported "${part_node[p]##*/}"; then
      help=text
    elif [ "$(contents_of "${part_node[p]}")" = "zfs_member named ${pool_names[part_pool[p]]}" ]; then
      help=undo
    fi
    check_contents "$help" "$name" "${part_node[p]}"
    tell_exported "${part_node[p]##*/}" || true
    check_use "$name" "${part_node[p]}"
  fi
}

reread_table() { # DEV: the kernel learns what its table says; false where somebody keeps looking at a partition, as udev does at times
  local tries
  for ((tries = 0; tries < 20; tries++)); do
    ! have udevadm || udevadm settle --timeout=30 || true
    if blockdev --rereadpt "$1" 2>/dev/null; then
      ! have udevadm || udevadm settle --timeout=30 || true
      return 0
    fi
    ! have sleep || sleep 0.2
  done
  return 1
}

table_numbers() { # DEV
  local number
  list_nodes "$1"
  [ "${#nodes[@]}" = 0 ] || printf '%s\n' "${node_numbers[@]}"
  while read -r number _; do
    [[ ! $number =~ ^[0-9]+$ ]] || printf '%s\n' "$number"
  done < <(sgdisk -p "$1" 2>/dev/null)
}

made_by_zpool() { # DEV: a table with just the two partitions of zpool create: data, and 8 MiB at the end
  local n found seen=
  list_nodes "$1"
  for n in "${!nodes[@]}"; do
    found=$(blkid -p -o export -- "${nodes[n]}" 2>/dev/null) || true
    case ${node_numbers[n]}:$found in
      1:*PART_ENTRY_NAME=zfs-*6a898cc3-1dd2-11b2-99a6-080020736631*) seen=${seen}1 ;;
      1:*6a898cc3-1dd2-11b2-99a6-080020736631*PART_ENTRY_NAME=zfs-*) seen=${seen}1 ;;
      9:*PART_ENTRY_TYPE=6a945a3b-1dd2-11b2-99a6-080020736631*) seen=${seen}9 ;;
      *) seen=${seen}x ;;
    esac
  done
  [ "$seen" = 19 ] || [ "$seen" = 91 ]
}
