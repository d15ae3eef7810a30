# ---------------------------------------------------------------- what would be lost
pool_data=() # of each pool: yes where more is in it than the script has put there

data_found() { # TEXT
  pool_data[pool_number]=yes
  say "  - $1"
}

tell_losses() { # GUID: of the current pool; whatever cannot be looked at counts as data
  local used
  pool_data[pool_number]=no
  used=$(zfs get -Hp -o value used "$pool" 2>/dev/null) || used=$"unknown"
  say $"The pool $pool (guid $1) will be destroyed: $used bytes used, what ZFS itself needs included."
  if ! zpool sync "$pool" 2>/dev/null; then
    data_found $"what was written to $pool last cannot be brought to its disks (zpool sync fails), so it cannot be counted"
  fi
  tell_datasets
  tell_names snapshot
  tell_names bookmark
  tell_pool_state
  tell_reserved
}

tell_reserved() {
  local p m found
  for p in "${!part_disk[@]}"; do
    if ! is_reserved "$p" || [ -z "${part_node[p]}" ] || ! is_our_partition "$p"; then
      continue
    fi
    for m in "${!member_pool[@]}"; do
      if [ "${member_pool[m]}" = "$pool_number" ] && [ "${member_disk[m]}" = "${part_disk[p]}" ]; then
        found=$(contents_of "${part_node[p]}")
        [ -z "$found" ] || data_found $"partition ${part_number[p]} of ${disk_name[part_disk[p]]}, reserved beside the data, holds ${found% }"
        break
      fi
    done
  done
}

tell_datasets() {
  local rows row count=0
  if ! rows=$(zfs list -Hp -r -t filesystem,volume -o name,type,guid,mounted,keystatus,origin,receive_resume_token,logicalreferenced,mountpoint "$pool" 2>&1); then
    data_found $"its datasets cannot be listed: $(one_line "$rows")"
    return 0
  fi
  while IFS= read -r row; do
    count=$((count + 1))
    tell_dataset "$row"
  done < <(printf '%s\n' "$rows")
  say $"  datasets and volumes: $count"
}

tell_dataset() { # ROW of tell_datasets
  local name type guid mounted key origin token logical mountpoint
  IFS=$'\t' read -r name type guid mounted key origin token logical mountpoint < <(printf '%s\n' "$1")
  # Whatever cannot be looked into counts as data: a lock, a clone or a half received stream may hide anything.
  if ! is_designed "$name"; then
    data_found $"$name is a $type that is not of the design, with $logical bytes"
  elif [ "$origin" != - ]; then
    data_found $"$name is a clone of $origin"
  elif [ "$token" != - ]; then
    data_found $"$name is in the middle of a zfs receive"
  elif [ "$key" = unavailable ]; then
    data_found $"the key of $name is not loaded, so nobody can look into it. Load it (zfs load-key $name) and run this script again"
  elif [[ ! $logical =~ ^[0-9]+$ ]]; then
    data_found $"$name: ZFS does not tell how much is in it"
  else
    compare_with_fresh "$name" "$type" "$guid" "$mounted" "$logical" "$mountpoint"
  fi
}

compare_with_fresh() { # NAME TYPE GUID MOUNTED LOGICAL MOUNTPOINT
  local name=$1 fresh first logical objects now=-
  fresh=$(own_property "$name" org.poolwright:fresh) || fresh=
  read -r first logical objects _ < <(printf '%s\n' "$fresh") || true
  if [ "$2" = filesystem ] && ! now=$(objects_of "$name"); then
    data_found $"$name: ZFS does not tell how many files are in it"
  elif [ "$first" != "$3" ]; then
    # Never recorded, or a dataset that was made anew under the same name.
    if [ "$2" = volume ]; then
      data_found $"$name: what it held when new was not recorded; it refers to $5 bytes"
    elif ! is_untouched "$name" "$4" "$6" "$now"; then
      data_found $"$name: what it held when new was not recorded; it holds $now files and folders in $5 bytes"
    fi
  elif [ "$5" != "$logical" ] && { [ "$2" = volume ] || [ "$5" -gt "${logical:-0}" ]; }; then
    data_found $"$name has been written to: it refers to $5 bytes, to $logical when it was new"
  elif [ "$2" = filesystem ] && [ "$now" -gt "${objects:-0}" ]; then
    data_found $"$name holds $now files and folders, $objects when it was new"
  elif [ "$4" = yes ] && ! only_folders "$6"; then
    data_found $"$name holds files in $6, or they cannot be looked for"
  fi
}

tell_names() { # TYPE
  local rows row count=0 told=
  if ! rows=$(zfs list -H -r -t "$1" -o name "$pool" 2>&1); then
    case $1 in
      snapshot) data_found $"its snapshots cannot be listed: $(one_line "$rows")" ;;
      *) data_found $"its bookmarks cannot be listed: $(one_line "$rows")" ;;
    esac
    return 0
  fi
  while IFS= read -r row; do
    [ -n "$row" ] || continue
    count=$((count + 1))
    [ "$count" -gt 5 ] || told="$told${told:+, }$row"
  done < <(printf '%s\n' "$rows")
  [ "$count" -le 5 ] || told="$told …"
  case $count:$1 in
    0:*) ;;
    *:snapshot) data_found $"$pool has snapshots: $count ($told)" ;;
    *) data_found $"$pool has bookmarks, by which a backup goes on: $count ($told)" ;;
  esac
}

tell_pool_state() {
  local value
  value=$(zpool get -H -o value checkpoint "$pool" 2>/dev/null) || value=unknown
  if [ "$value" != - ]; then
    [ "$value" != unknown ] || value=$"unknown"
    data_found $"$pool has a checkpoint ($value), to which it can be taken back"
  fi
}

tell_brought_back() { # pools that were destroyed by hand: nobody can look into them, and until now they can be brought back
  local number
  for number in "${!brought_back[@]}"; do
    use_pool "$number"
    say $"The pool $pool (guid ${brought_back[$number]}) was destroyed, but not by this script."
    data_found $"what was in it can be brought back until its labels are cleared: zpool import -D ${brought_back[$number]}"
  done
}
