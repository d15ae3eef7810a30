# ---------------------------------------------------------------- what must hold before and after a step
# Every check reads the machine as it is now. Nothing in this part writes.

found=''

is_imported() { zpool list -H -o name "$1" >/dev/null 2>&1; }

guard_absent() { # POOL
  if is_imported "$1"; then
    problem text "$1" $"there is a pool of this name. Was this step taken already? Look: zpool status $1"
  fi
}

guard_names() { # OLD NEW PARKED
  local text name new longest=$2
  [ "${#2}" -gt "${#3}" ] || longest=$3
  guard_absent "${2%%/*}"
  guard_absent "$3"
  if ! text=$(zfs list -H -r -t filesystem,volume,snapshot -o name "$1" 2>&1); then
    problem text "$1" $"its datasets cannot be read: $(one_line "$text")"
    return 0
  fi
  while IFS= read -r name; do
    new=$longest${name#"$1"}
    case $name in
      *@migration-[12]) problem text "$name" $"this move makes a snapshot of this name. Give that one another name first: zfs rename" ;;
      *@*) ;;
      *) new=$new@migration-1 ;;
    esac
    # 255 bytes are the most that OpenZFS takes
    [ "${#new}" -le 255 ] || problem text "$name" $"its name is too long for the move, which makes it $new. Give it a shorter one first: zfs rename"
  done < <(printf '%s\n' "$text")
}

guard_pool() { # POOL GUID
  local guid
  guid=$(zpool get -H -o value guid "$1" 2>/dev/null) || guid=$"unknown"
  [ "$guid" = "$2" ] || problem text "$1" $"is not the pool that was read: its guid is $guid, not $2. Look: zpool list -o name,guid"
}

guard_healthy() { # POOL MISSING: nothing but so many members is missing, nothing is damaged, nothing runs
  local pool=$1 wanted=$2 text line name state errors section=no missing=0
  if ! text=$(zpool status -P "$pool" 2>&1); then
    problem text "$pool" $"there is no such pool: $(one_line "$text")"
    return 0
  fi
  while IFS= read -r line; do
    read -r name state errors < <(printf '%s\n' "$line") || true
    case $name in
      config:) section=yes && continue ;;
      errors:)
        section=no
        [ "$line" = 'errors: No known data errors' ] || problem text "$pool" $"has damaged data: $line"
        ;;
    esac
    [ "$section" = yes ] && [ -n "$state" ] && [ "$name" != NAME ] || continue
    if [[ $name == /* || $name =~ ^[0-9]+$ ]]; then
      case $state in
        ONLINE | AVAIL | INUSE) ;;
        *) missing=$((missing + 1)) ;;
      esac
    fi
    if [[ $state == ONLINE && ! $errors =~ ^0[[:blank:]]+0[[:blank:]]+0([[:blank:]]|$) ]]; then
      problem text "$pool" $"counts errors at $name: $errors. Find out why before anything is taken away. Look: zpool status $pool"
    fi
  done < <(printf '%s\n' "$text")
  case $text in
    *'in progress'*) problem text "$pool" $"something runs on it: wait until it has ended. Look: zpool status $pool" ;;
  esac
  if [ "$missing" != "$wanted" ]; then
    problem text "$pool" $"lacks $missing members; here it should lack $wanted. Look: zpool status $pool"
  fi
}

guard_empty_pool() { # POOL
  local text lines
  if ! text=$(zfs list -H -r -t all -o name "$1" 2>&1); then
    problem text "$1" $"there is no such pool: $(one_line "$text")"
    return 0
  fi
  mapfile -t lines < <(printf '%s\n' "$text")
  if [ "${#lines[@]}" != 1 ]; then
    problem text "$1" $"holds something already. A copy that broke off is begun anew: destroy its snapshots and datasets (zfs destroy -r), and the snapshots that the copy made of the old pool."
  fi
}

guard_member() { # POOL DEVICE LEAF
  local text line name seen=no real
  text=$(zpool status -P "$1" 2>&1) || true
  while IFS= read -r line; do
    read -r name _ < <(printf '%s\n' "$line") || true
    [ "$name" != "$3" ] || seen=yes
  done < <(printf '%s\n' "$text")
  [ "$seen" = yes ] || problem text "$3" $"is no member of $1. Look: zpool status -P $1"
  number_of_disk "$2"
  identify "$found"
  if [[ $3 == /* ]]; then
    real=$(readlink -f -- "$3") || real=
    if [ "$(whole_of "${real##*/}")" != "${disk_dev[found]##*/}" ]; then
      problem disk "$3" $"does not lie on $2"
    fi
  fi
}

identify() { # INDEX
  local name=${disk_name[$1]} dev=${disk_dev[$1]}
  if [ -z "$dev" ]; then
    problem disk "$name" $"there is no $dev_by_id/$name. Is the disk plugged in? Look: ls -l $dev_by_id"
    return 1
  fi
  check_kind "$name" "$dev" || return 1
  check_identity "$1" "$name" "$dev"
}

guard_known() { # DEVICE
  number_of_disk "$1"
  identify "$found" || true
}

guard_part() { # DEVICE NUMBER
  local name node
  number_of_disk "$1"
  identify "$found" || return 0
  find_users
  name=${disk_name[found]}-part$2
  node=$(partition_node "${disk_dev[found]}" "$2")
  if [ -z "$node" ]; then
    problem disk "$name" $"there is no such partition. Look: lsblk $1"
  else
    check_contents clear "$name" "$node"
    check_use "$name" "$node"
    check_zero "$name" "$node" "$(blockdev --getsize64 "$node")"
  fi
}

guard_empty() { # DEVICE
  local name dev parts
  number_of_disk "$1"
  name=${disk_name[found]} dev=${disk_dev[found]}
  identify "$found" || return 0
  find_users
  parts=$(partitions_of "$dev")
  check_contents clear "$name" "$dev"
  [ -z "$parts" ] || problem clear "$name" $"has partitions: $parts. Look: lsblk -f $dev_by_id/$name"
  check_use "$name" "$dev"
  check_zero "$name" "$dev" "${disk_size[found]}"
}

check_zero() { # NAME DEV BYTES: what is not zero all through is overwritten only if that is typed
  local name=$1 hits all begin
  read -r hits all begin < <(probe "$2" "$3")
  if [ "$hits" = unread ]; then
    problem text "$name" $"cannot be read at byte $begin. Look: dmesg | tail; smartctl -x $dev_by_id/$name"
  elif [ "$hits" != 0 ]; then
    # No tool sees anything there: it held something once, or holds it still behind a lost table.
    say $"  - $name: something is written at $hits of $all places, the first at byte $begin"
    must_type+=("overwrite $name")
  fi
}

find_users() { # sets pool_leaves to the devices that imported pools use now, and their whole disks
  local text name state
  text=$(zpool status -LP 2>&1) || die 3 $"zpool status failed: $text"
  find_openers
  pool_leaves=' '
  while read -r name state _; do
    if [[ $name == /* && $state != OFFLINE && $state != REMOVED ]]; then
      pool_leaves="$pool_leaves${name##*/} $(whole_of "${name##*/}") "
    fi
  done < <(printf '%s\n' "$text")
}

guard_freed() { # DEVICE POOL PARKED: the very disk; it has left the old pool, whose label is all that may be on it
  local name dev node
  number_of_disk "$1"
  name=${disk_name[found]} dev=${disk_dev[found]}
  identify "$found" || return 0
  find_users
  check_use "$name" "$dev"
  # Who formats the whole disk may leave the partitions of the old pool, labels and all, to the kernel.
  check_left "$name" "$dev" "${@:2}"
  list_nodes "$dev"
  for node in ${nodes[@]+"${nodes[@]}"}; do
    check_left "$name" "$node" "${@:2}"
  done
}

check_left() { # NAME DEV POOL PARKED: a partition table and a label of the old pool are all that is on it
  local told label signature
  told=$(contents_of "$2")
  label=${told% }
  [[ $label != 'partition table '* ]] || label=${label#partition table *[[:blank:]]}
  [[ $label != 'partition table '* ]] || label=''
  case ${label#zfs_member named } in
    '' | zfs_member | "$3" | "$4") ;;
    *)
      problem clear "$1" $"${2##*/} holds something else: ${told% }. Look: lsblk -f $dev_by_id/$1"
      return 0
      ;;
  esac
  # blkid names one of several; wipefs lists them all
  while read -r signature; do
    case $signature in
      '' | gpt | PMBR | dos | zfs_member) ;;
      *) problem clear "$1" $"${2##*/} holds something else: $signature. Look: wipefs -n $2" ;;
    esac
  done < <({ wipefs -n -p -- "$2" 2>/dev/null || printf '?\n'; } | signatures)
}

signatures() {
  local line
  while IFS= read -r line; do
    [[ $line == '#'* ]] || printf '%s\n' "${line##*,}"
  done
}

guard_same() { # OLD NEW SNAPSHOT BELOW: every snapshot of the old pool is in the new one, and nothing was written since
  local name value text new=0
  while IFS= read -r name; do
    new=$((new + 1))
    [ "$new" -gt 5 ] || problem text "$2" $"lacks the snapshot $name as it is in $1"
  done < <(lacking "$1" "$2$4")
  [ -n "$(zfs list -H -p -r -t snapshot -o name,guid "$1" 2>/dev/null)" ] || problem text "$1" $"has no snapshots"
  if ! text=$(zfs get -H -p -r -t filesystem,volume -o name,value written "$1" 2>&1); then
    problem text "$1" $"its datasets cannot be read: $(one_line "$text")"
    return 0
  fi
  while IFS=$'\t' read -r name value; do
    zfs list -H -t snapshot "$name@$3" >/dev/null 2>&1 || problem text "$name" $"has no snapshot $3"
    [ "$value" = 0 ] || problem text "$name" $"was written to since its last snapshot ($value bytes): copy once more"
  done < <(printf '%s\n' "$text")
}

lacking() { # OLD NEW: prints the snapshots below the old dataset that are not below the new one, by their guid
  local name guid
  local -A there=()
  while IFS=$'\t' read -r name guid; do
    there[${name#"$2"}]=$guid
  done < <(zfs list -H -p -r -t snapshot -o name,guid "$2" 2>/dev/null)
  while IFS=$'\t' read -r name guid; do
    name=${name#"$1"}
    [ "${there[$name]-}" = "$guid" ] || printf '%s\n' "$name"
  done < <(zfs list -H -p -r -t snapshot -o name,guid "$1" 2>/dev/null || printf '%s@?\t?\n' "$1") # a list that breaks off lacks something
}
