# ---------------------------------------------------------------- partitioning
# Writes partition tables: only on disks found empty, or with the script's own table, and after the names were typed.

missing_partitions() { # INDEX
  local i=$1 p
  told=()
  parts_of "$i"
  for p in ${disk_parts[@]+"${disk_parts[@]}"}; do
    if [ -z "${part_node[p]}" ]; then
      told+=(-n "${part_number[p]}:${part_start[p]}M:+${part_size[p]}M" -t "${part_number[p]}:${part_type[p]}")
      told+=(-c "${part_number[p]}:${part_label[p]}" -u "${part_number[p]}:${part_guid[p]}")
    fi
  done
  if [ "${#told[@]}" -gt 0 ] && ! has_our_table "$i"; then
    told=(-U "${disk_table[i]}" "${told[@]}")
  fi
}

partition_disks() { # rehearse|make
  local i told option=()
  [ "$1" = make ] || option=(--pretend)
  for i in "${!disk_name[@]}"; do
    if [ -z "${disk_table[i]}" ] || ! serves "$i" absent; then
      continue
    fi
    missing_partitions "$i"
    if [ "${#told[@]}" -gt 0 ]; then
      if [ "$1" = make ]; then
        changed=yes
      fi
      run sgdisk ${option[@]+"${option[@]}"} "${told[@]}" "$dev_by_id/${disk_name[i]}"
    fi
  done
}

clear_agreed() { # on disks whose overwriting was agreed to: old labels inside partitions to come would be found again in them
  local i p
  for i in ${used_disks[@]+"${used_disks[@]}"}; do
    parts_of "$i"
    for p in ${disk_parts[@]+"${disk_parts[@]}"}; do
      if [ -z "${part_node[p]}" ] && ! is_reserved "$p" && [ "${pool_state[part_pool[p]]}" = absent ]; then
        changed=yes
        clear_ends "${disk_dev[i]}" "$((part_start[p] * 1048576 / grain))" "$((part_size[p] * 1048576 / grain))"
      fi
    done
  done
}

look_again() { # lets the kernel read the tables that the script made and that a killed run did not tell it of
  local p
  for p in "${!part_disk[@]}"; do
    if [ -z "${part_node[p]}" ] && has_our_table "${part_disk[p]}"; then
      reread_table "${disk_dev[part_disk[p]]}" || true
    fi
  done
  udevadm settle --timeout=30 || true
}

wait_for_partitions() {
  local p path tries
  udevadm settle --timeout=30 || true
  for p in "${!part_disk[@]}"; do
    path=$dev_by_id/${disk_name[part_disk[p]]}-part${part_number[p]}
    for ((tries = 0; tries < 60; tries++)); do
      part_node[p]=$(partition_node "${disk_dev[part_disk[p]]}" "${part_number[p]}")
      if [ -n "${part_node[p]}" ] && [ "$(readlink -f -- "$path")" = "${part_node[p]}" ]; then
        continue 2
      fi
      [ "$((tries % 10))" != 9 ] || blockdev --rereadpt "${disk_dev[part_disk[p]]}" 2>/dev/null || true
      sleep 0.5
    done
    die 3 $"There is no $path after half a minute. What was created before it stays. Look: lsblk ${disk_dev[part_disk[p]]}; then run this script again."
  done
}

make_partitions() {
  look_again
  # Questions were answered since the last look: a disk that came into use meanwhile is not written to.
  check_disks absent
  refuse_on_problems
  record_begun
  clear_agreed
  partition_disks make
  wait_for_partitions
  # sgdisk ends well where the kernel keeps an old table: what counts is what the kernel shows now.
  check_disks absent
  if [ "$problem_count" -gt 0 ]; then
    die 3 $"The partitions are not as designed, see above. No pool was created on them. Undo them with the undo script of this design. $(undo_words)"
  fi
}
