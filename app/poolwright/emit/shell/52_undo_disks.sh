# ---------------------------------------------------------------- disks: what is cleared and what is left alone
verdict='' why='' # what judging finds: empty, ours, foreign or missing
left_alone=0

judge_disk() { # INDEX
  local i=$1 dev=${disk_dev[$1]} found something=$"something"
  verdict=missing why=$"there is no $dev_by_id/${disk_name[i]}"
  [ -n "$dev" ] || return 0
  verdict=foreign why=
  # A pool that is imported writes to its disks whatever their labels say.
  if is_among "$pool_leaves" "$dev"; then
    why=$"$dev belongs to an imported pool. Look: zpool status -LP"
    return 0
  fi
  forget_gone "$dev"
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
  elif was_begun "$i" && is_bare_table "$dev"; then
    verdict=ours # the first thing that a creation writes, and all that one cut off there leaves
  else
    why=$"$dev holds ${found:-$something} that the script of this design did not make"
  fi
}

forget_gone() { # DEV: a run that was ended may leave the kernel with the partitions of a table that is zeros since
  list_nodes "$1"
  if [ "${#nodes[@]}" -gt 0 ] && [ -z "$(contents_of "$1")" ]; then
    reread_table "$1" || true
  fi
}

was_begun() { # INDEX: whether a creation on this disk was begun, when it was empty, and never completed
  local m
  for m in "${!member_pool[@]}"; do
    if [ "${member_disk[m]}" = "$1" ] && [ "${progress[${member_pool[m]}]-}" != begun ]; then
      return 1
    fi
  done
}

is_bare_table() { # DEV: nothing but a partition table without partitions
  local line found
  list_nodes "$1"
  [ "${#nodes[@]}" = 0 ] || return 1
  found=$(wipefs -n -p -- "$1" 2>/dev/null) || return 1
  while IFS= read -r line; do
    case $line in
      '' | '#'* | *,gpt | *,PMBR) ;;
      *) return 1 ;;
    esac
  done < <(printf '%s\n' "$found")
}

is_known_table() { # INDEX
  local guid
  guid=$(table_guid "${disk_dev[$1]}")
  [ -n "$guid" ] && [ -n "${proven["table ${disk_name[$1]} $guid"]-}" ]
}

judge_zpool_table() { # INDEX: a whole disk that some zpool create has labelled
  local i=$1 m n node
  if ! read_labels "${disk_dev[i]}"; then
    verdict=foreign why=$"zdb cannot read the labels of ${disk_dev[i]}"
    return 0
  fi
  for m in "${!member_pool[@]}"; do
    [ "${member_disk[m]}" = "$i" ] || continue
    for ((n = 0; n < label_count; n++)); do
      judge_label "$m" "${disk_dev[i]}" "$n"
      [ "$verdict" = ours ] || return 0
    done
    node=$(partition_node "${disk_dev[i]}" 1)
    judge_place "$m" "$node"
  done
  if [ "$verdict" = empty ]; then
    # zpool always writes the same kind of table: only the record tells whose this one is.
    # Its label is gone, or was never written; the table is left.
    if is_known_table "$i" || was_begun "$i"; then
      verdict=ours
    else
      verdict=foreign why=$"${disk_dev[i]} has a partition table that some zpool create made, and nothing proves that it was the one of this design"
    fi
  fi
}

judge_our_table() { # INDEX: ours where every partition is one of ours with nothing foreign in it
  local i=$1 m p found
  parts_of "$i"
  # What is reserved is filled by an installer or a person: it has to be as free as the data.
  for p in ${disk_parts[@]+"${disk_parts[@]}"}; do
    is_reserved "$p" && [ -n "${part_node[p]}" ] || continue
    verdict=foreign
    if ! is_our_partition "$p"; then
      why=$"partition ${part_number[p]} of ${disk_dev[i]} is not the one of this design"
      return 0
    elif found=$(reserved_use "$p") && [ -n "$found" ]; then
      why=$"partition ${part_number[p]}, reserved beside the data, is in use: $found"
      return 0
    elif [ "$with_data" = no ] && found=$(contents_of "${part_node[p]}") && [ -n "$found" ]; then
      why=$"partition ${part_number[p]}, reserved beside the data, holds ${found% }. With --with-data it is destroyed too"
      return 0
    fi
  done
  for m in "${!member_pool[@]}"; do
    [ "${member_disk[m]}" = "$i" ] && [ -n "$(member_device "$m")" ] || continue
    p=$(our_partition "$i" "${member_part[m]}")
    if ! is_our_partition "$p"; then
      verdict=foreign why=$"partition ${member_part[m]} of ${disk_dev[i]} is not the one of this design"
      return 0
    fi
    judge_place "$m" "${part_node[p]}"
    [ "$verdict" != foreign ] || return 0
  done
  verdict=ours
}

reserved_use() { # PARTITION
  local entry line
  for entry in "$sys_block/${part_node[$1]##*/}/holders"/*; do
    [ ! -e "$entry" ] || printf '%s ' "${entry##*/}"
  done
  while IFS= read -r line; do
    [ -z "$line" ] || printf '%s ' "$line"
  done < <(lsblk -nro MOUNTPOINT -- "${part_node[$1]}" 2>/dev/null || printf '?\n')
}

clear_reserved() { # INDEX
  local i=$1 p
  parts_of "$i"
  for p in ${disk_parts[@]+"${disk_parts[@]}"}; do
    is_reserved "$p" && [ -n "${part_node[p]}" ] || continue
    run wipefs -q -a "${part_node[p]}"
    clear_places "${part_node[p]}" "$((part_size[p] * 1048576))"
    run sgdisk -d "${part_number[p]}" "$dev_by_id/${disk_name[i]}"
    udevadm settle --timeout=30 || true
  done
}

clear_disk() { # INDEX: a disk judged ours: labels first, then partitions, then the table
  local i=$1 dev=${disk_dev[$1]} m number rest=
  for m in "${!member_pool[@]}"; do
    if [ "${member_disk[m]}" = "$i" ]; then
      clear_label "$(label_device "$m")"
    fi
  done
  if [ -n "${disk_table[i]}" ]; then
    for m in "${!member_pool[@]}"; do
      if [ "${member_disk[m]}" = "$i" ] && [ -n "$(member_device "$m")" ]; then
        clear_places "$(member_device "$m")" "$((part_size[$(our_partition "$i" "${member_part[m]}")] * 1048576))"
        run sgdisk -d "${member_part[m]}" "$dev_by_id/${disk_name[i]}"
        udevadm settle --timeout=30 || true
      fi
    done
    clear_reserved "$i"
    while read -r number; do # the kernel may still remember those that were deleted just now
      our_partition "$i" "$number" >/dev/null || rest=$number
    done < <(table_numbers "$dev")
  fi
  if [ -n "$rest" ]; then
    say $"  note: ${disk_name[i]} keeps its partition table: there are partitions of others in it"
  else
    clear_places "$dev" "${disk_size[i]}"
    run wipefs -q -a "$dev"
    reread_table "$dev" || say $"  note: ${disk_name[i]} is empty, but something holds a partition open that it had, and the kernel remembers it. Look: fuser -v $dev*; then: blockdev --rereadpt $dev"
  fi
}

clear_label() { # DEV
  local n force=()
  [ -n "$1" ] || return 0
  read_labels "$1" || die 3 $"zdb cannot read the labels of $1. What was cleared so far stays cleared; run this script again."
  for ((n = 0; n < label_count; n++)); do
    # Judged as ours without being destroyed: its guid was typed, or it never became a pool.
    [ -z "${label_pool[n]}" ] || [ "${label_state[n]}" = 2 ] || force=(-f)
  done
  if [ "$label_count" -gt 0 ]; then
    run zpool labelclear ${force[@]+"${force[@]}"} "$1"
  fi
}

clear_disks() {
  local i
  resolve_disks
  find_leaves
  find_listed
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
        say $"${disk_name[i]}: left alone: $why"
        ;;
    esac
  done
}
