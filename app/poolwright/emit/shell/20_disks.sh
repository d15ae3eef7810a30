# ---------------------------------------------------------------- the disks
# Only reads. Nothing in this part writes to a disk.

disk_name=() disk_size=() disk_sector=() disk_serial=() disk_table=() disk_dev=()
part_disk=() part_number=() part_start=() part_size=() part_node=()
declare -A disk_index=()
pool_leaves=
proc=/proc
declare -A opened_by=() # what has a whole disk open for writing, or a volume at all, or has it mounted elsewhere
declare -A told_serials=() # what lsblk says of every disk of the machine, by its kernel name

disk_parts=()

disk() { # NAME SIZE SECTOR SERIAL
  disk_index[$1]=${#disk_name[@]}
  disk_name+=("$1") disk_size+=("$2") disk_sector+=("$3") disk_serial+=("$4") disk_table+=("") disk_dev+=("")
}

parts_of() { # DISK
  local p
  disk_parts=()
  for p in "${!part_disk[@]}"; do
    [ "${part_disk[p]}" != "$1" ] || disk_parts+=("$p")
  done
}

resolve_disk() { # INDEX
  disk_dev[$1]=
  if [ -e "$dev_by_id/${disk_name[$1]}" ]; then
    disk_dev[$1]=$(readlink -f -- "$dev_by_id/${disk_name[$1]}")
  fi
}

resolve_disks() {
  local i p
  for i in "${!disk_name[@]}"; do
    resolve_disk "$i"
  done
  for p in "${!part_disk[@]}"; do
    part_node[p]=$(partition_node "${disk_dev[part_disk[p]]}" "${part_number[p]}")
  done
  find_serials
}

nodes=() node_numbers=()

list_nodes() { # DEV
  local entry number
  nodes=() node_numbers=()
  for entry in "$sys_block/${1##*/}/${1##*/}"*; do
    if [ -n "$1" ] && [ -e "$entry/partition" ]; then
      read -r number <"$entry/partition"
      nodes+=("${1%/*}/${entry##*/}") node_numbers+=("$number")
    fi
  done
}

partition_node() { # DEV NUMBER
  local n
  list_nodes "$1"
  for n in "${!nodes[@]}"; do
    [ "${node_numbers[n]}" != "$2" ] || printf '%s\n' "${nodes[n]}"
  done
}

partitions_of() { # DEV
  local node found text=''
  list_nodes "$1"
  for node in ${nodes[@]+"${nodes[@]}"}; do
    found=$(contents_of "$node") || true
    text="$text${text:+, }${node##*/}${found:+ (${found% })}"
  done
  printf '%s\n' "$text"
}

member_device() { # INDEX
  local i=${member_disk[$1]}
  if [ -n "${member_part[$1]}" ]; then
    partition_node "${disk_dev[i]}" "${member_part[$1]}"
  else
    printf '%s\n' "${disk_dev[i]}"
  fi
}

whole_of() { # KERNEL_NAME
  local node=$1
  if [ -e "$sys_block/$node/partition" ]; then
    node=$(readlink -f -- "$sys_block/$node")
    node=${node%/*}
    node=${node##*/}
  fi
  printf '%s\n' "$node"
}

leaf_of() { # KERNEL_NAME: what the design calls a device of a pool, the disk or its own partition
  local whole i
  whole=$(whole_of "$1")
  for i in "${!disk_name[@]}"; do
    if [ -n "${disk_table[i]}" ] && [ "${disk_dev[i]##*/}" = "$whole" ]; then
      whole=$1
    fi
  done
  printf '%s\n' "$whole"
}

check_disks() { # WANTED: lists every problem of every disk of pools in this state
  local i
  # Everything that is wrong is listed at once, so that a person mends it in one go.
  forget_problems
  resolve_disks
  find_leaves
  find_openers
  for i in "${!disk_name[@]}"; do
    if serves "$i" "$1"; then
      check_disk "$i"
    fi
  done
}

find_leaves() {
  local status leaf
  status=$(zpool status -LP 2>&1) || die 3 $"zpool status failed: $status"
  pool_leaves=" "
  while read -r leaf _; do
    if [[ $leaf == /* ]]; then
      pool_leaves="$pool_leaves$(leaf_of "${leaf##*/}") "
    fi
  done < <(printf '%s\n' "$status")
}

find_serials() {
  local name serial
  told_serials=()
  while read -r name serial; do
    [ -z "$serial" ] || told_serials[$name]=$serial
  done < <(lsblk -dnro NAME,SERIAL 2>/dev/null)
}

find_openers() { # lsblk sees neither processes nor what is mounted in another namespace, as a container has it
  local target path process name where rest seen
  opened_by=()
  seen=" $(readlink -- "$proc/self/ns/mnt") " || seen=' '
  while IFS=$'\t' read -r path target; do
    process=${path#"$proc"/} process=${process%%/*}
    name=''
    { read -r name <"$proc/$process/comm"; } 2>/dev/null || continue # it has ended
    case $target in
      mnt:*)
        [[ $seen != *" $target "* ]] || continue
        seen="$seen$target "
        while read -r _ _ _ _ where rest; do
          rest=${rest##* - } rest=${rest#* }
          [[ $rest != /* ]] || opened "${rest%% *}" $"$where, mounted in the namespace of $name (process $process)"
        done < <(cat -- "$proc/$process/mountinfo" 2>/dev/null)
        ;;
      *)
        if [[ ${target##*/} == zd* ]] || opens_for_writing "$path"; then
          opened "$target" $"$name (process $process)"
        fi
        ;;
    esac
  done < <(find "$proc"/[0-9]*/fd "$proc"/[0-9]*/ns/mnt -maxdepth 1 \( -lname "${dev_by_id%/disk/by-id}/*" -o -lname "${dev_by_id%/by-id}/*" -o -lname 'mnt:*' \) \
    ! -lname '*/null' ! -lname '*/pts/*' -printf '%p\t%l\n' 2>/dev/null)
}

opened() { # PATH WHO
  local whole
  whole=$(readlink -f -- "$1") || return 0
  [ -e "$sys_block/${whole##*/}" ] || return 0
  whole=$(whole_of "${whole##*/}")
  opened_by[$whole]="${opened_by[$whole]-}${opened_by[$whole]+, }$2"
}

opens_for_writing() { # FD: as /proc has it
  local key value
  while read -r key value; do
    if [ "$key" = flags: ]; then
      [ "$((8#$value & 3))" != 0 ]
      return
    fi
  done < <(cat -- "${1%/fd/*}/fdinfo/${1##*/}" 2>/dev/null)
  return 1
}

serves() { # INDEX STATE
  local m
  for m in "${!member_pool[@]}"; do
    if [ "${member_disk[m]}" = "$1" ] && [ "${pool_state[member_pool[m]]}" = "$2" ]; then
      return 0
    fi
  done
  return 1
}

check_disk() { # INDEX
  local i=$1 name=${disk_name[$1]} dev=${disk_dev[$1]} before
  if [ -z "$dev" ]; then
    problem disk "$name" $"there is no $dev_by_id/$name. Is the disk plugged in? Look: ls -l $dev_by_id"
    return 0
  fi
  # Two names of one drive would put two members of a vdev on it: redundancy that is none.
  for ((before = 0; before < i; before++)); do
    if [ "${disk_dev[before]}" = "$dev" ]; then
      problem disk "$name" $"is the same device as ${disk_name[before]} ($dev)"
    fi
  done
  if check_kind "$name" "$dev"; then
    check_identity "$i" "$name" "$dev"
    if [ -n "${disk_table[i]}" ] && has_our_table "$i"; then
      check_our_table "$i"
    else
      check_empty "$name" "$dev"
    fi
  fi
}

check_kind() { # NAME DEV: false when it is no whole disk, so that nothing more can be asked
  local name=$1 dev=$2 kernel=${2##*/} kind unknown_kind=$"of unknown kind"
  if [ "$(stat -Lc %F -- "$dev" 2>/dev/null)" != "block special file" ]; then
    problem disk "$name" $"$dev is not a block device"
    return 1
  fi
  # What is made of disks may lead to a drive that the design names too, and its number changes at a restart.
  case $kernel in
    dm-* | md* | loop* | zd* | ram* | zram* | nbd* | rbd* | drbd* | bcache* | sr* | fd*)
      problem disk "$name" $"$dev is a mapped or virtual device (multipath, RAID, LVM …); only whole disks are taken"
      return 1
      ;;
  esac
  # A partition would be labelled in place of the disk that was meant, with all its neighbours still there.
  kind=$(lsblk -dnro TYPE -- "$dev" 2>/dev/null) || kind=
  if [ "$kind" != disk ] || [ -e "$sys_block/$kernel/partition" ]; then
    problem disk "$name" $"$dev is not a whole disk but ${kind:-$unknown_kind}"
    return 1
  fi
}

check_identity() { # INDEX NAME DEV
  local i=$1 name=$2 dev=$3 seen
  # To the byte: drives of one label differ by model, and the space was computed for this one.
  seen=$(blockdev --getsize64 "$dev" 2>/dev/null) || seen=unknown
  if [ "$seen" != "${disk_size[i]}" ]; then
    [ "$seen" != unknown ] || seen=$"unknown"
    problem disk "$name" $"has $seen bytes, the design says ${disk_size[i]}"
  fi
  # The ashift follows from the sector and can never be changed.
  if [ -n "${disk_sector[i]}" ]; then
    seen=$(blockdev --getss "$dev" 2>/dev/null) || seen=unknown
    if [ "$seen" != "${disk_sector[i]}" ]; then
      [ "$seen" != unknown ] || seen=$"unknown"
      problem disk "$name" $"has logical sectors of $seen bytes, the design says ${disk_sector[i]}"
    fi
  fi
  # Better told now than in the midst of zpool create, when other disks have labels.
  if [ "$(blockdev --getro "$dev" 2>/dev/null)" != 0 ]; then
    problem text "$name" $"is read-only. If that is a setting: blockdev --setrw $dev_by_id/$name. If not, the drive is failing or has a switch. Look: dmesg | tail"
  fi
  check_serial "$name" "$dev" "${disk_serial[i]}"
  check_namesakes "$name" "${dev##*/}"
}

plain_serial() { # TEXT
  local text=$1
  printf '%s\n' "${text//[[:space:][:cntrl:]_]/}"
}

serials_of() { # DEV
  local dev=$1 key value
  lsblk -dno SERIAL -- "$dev" 2>/dev/null || true
  if [ -r "$sys_block/${dev##*/}/device/serial" ]; then
    cat -- "$sys_block/${dev##*/}/device/serial"
    printf '\n'
  fi
  if have udevadm; then
    udevadm info --query=property --name="$dev" 2>/dev/null | while IFS='=' read -r key value; do
      case $key in
        ID_SERIAL_SHORT | ID_SCSI_SERIAL | SCSI_IDENT_SERIAL) printf '%s\n' "$value" ;;
      esac
    done || true
  fi
}

drive_serial_of() { # DEV
  local key value
  have smartctl || return 0
  # The exit status of smartctl is a set of facts about the drive, not a failure.
  { smartctl -i "$1" 2>/dev/null || true; } | while IFS=':' read -r key value; do
    case $key in
      'Serial number' | 'Serial Number') printf '%s\n' "$value" ;;
    esac
  done
}

check_serial() { # NAME DEV WANTED
  local name=$1 dev=$2 wanted=$3 source seen all=
  if [ -z "$wanted" ]; then
    say $"  note: $name: the design knows no serial number; name, size and sectors are checked"
    return 0
  fi
  # Thousands of drives share model and size, and links under by-id may be old: the serial number is the drive itself.
  for source in serials_of drive_serial_of; do
    while IFS= read -r seen; do
      seen=$(plain_serial "$seen")
      [ -n "$seen" ] || continue
      if [ "$seen" = "$wanted" ]; then
        return 0
      fi
      case ", $all, " in
        *", $seen, "*) ;;
        *) all=$all${all:+, }$seen ;;
      esac
    done < <("$source" "$dev")
  done
  if [ -n "$all" ]; then
    problem disk "$name" $"has the serial number $all, the design says $wanted"
  elif [ "${#wanted}" -ge 4 ] && [[ $(plain_serial "$name") == *"$wanted" ]]; then
    say $"  note: $name: no tool tells the serial number, but the name ends with it"
  elif have smartctl; then
    problem disk "$name" $"no tool tells its serial number, so it cannot be told from another disk (design: $wanted)"
  else
    problem text "$name" $"no tool here tells its serial number (design: $wanted). Install smartmontools: smartctl asks the drive itself"
  fi
}

check_namesakes() { # NAME KERNEL_NAME: no other disk claims the name, which udev gives to one of them, now this, now that
  local name=$1 other
  [ -n "${told_serials[$2]-}" ] && have udevadm || return 0
  for other in "${!told_serials[@]}"; do
    if [ "$other" != "$2" ] && [ "${told_serials[$other]}" = "${told_serials[$2]}" ] &&
      [[ " $(udevadm info --query=symlink --name="/dev/$other" 2>/dev/null) " == *" disk/by-id/$name "* ]]; then
      problem text "$name" $"/dev/$other goes by this name too: two disks with one serial number, or one disk on two cables. Take one out, or set up multipath. Look: lsblk -do NAME,SIZE,SERIAL,WWN"
    fi
  done
}

contents_of() { # DEV
  local found status=0 key value kind='' label='' table=''
  found=$(blkid -p -o export -- "$1" 2>&1) || status=$?
  if [ "$status" = 2 ]; then
    return 0
  fi
  while IFS='=' read -r key value; do
    case $key in
      TYPE) kind=$value ;;
      LABEL) label=$value ;;
      PTTYPE) table=$value ;;
    esac
  done < <(printf '%s\n' "$found")
  if [ -n "$table$kind" ]; then
    printf '%s\n' "${table:+partition table $table }${kind:+$kind }${label:+named $label}"
  elif [ "$status" != 0 ] || [[ $found != *PART_ENTRY_* ]]; then # else: an empty partition
    printf 'blkid: %s (status %s)\n' "$(one_line "$found")" "$status"
  fi
}

check_empty() { # NAME DEV: a whole disk
  local name=$1 dev=$2 kernel=${2##*/} parts help=clear
  # A partition is somebody's, also where nothing in it is recognised. Who is told to clear it must not lose a pool that
  # is only exported: so the help differs.
  parts=$(partitions_of "$dev")
  if is_exported "$kernel"; then
    help=text
  elif [ -n "$parts" ] && made_by_zpool "$dev" && of_design "$parts"; then
    help=undo
  fi
  check_contents "$help" "$name" "$dev"
  if [ -n "$parts" ]; then
    problem "$help" "$name" $"has partitions: $parts. Look: lsblk -f $dev_by_id/$name"
    if [ "$help" = undo ]; then
      say $"    They are as zpool makes them, and no other pool is in them: an interrupted or failed \`zpool create\` leaves that."
    fi
    case $parts in
      *zfs_member*) tell_exported "$kernel" || say $"    A pool lies on it. If it is not imported, \`zpool import\` shows it." ;;
    esac
  fi
  check_use "$name" "$dev"
}

of_design() { # TEXT of contents: whether nothing is in them but labels of pools of the design
  local rest=$1 name
  for name in "${pool_names[@]}"; do
    rest=${rest//"(zfs_member named $name)"/}
  done
  [[ $rest != *"("* ]]
}

check_contents() { # HELP NAME DEV
  local name=$2 dev=$3 found line
  # Three tools, for none knows all: blkid is silent where it finds two kinds, wipefs finds single signatures, and zdb
  # labels of pools that both overlook.
  found=$(contents_of "$dev")
  if [ -n "$found" ]; then
    problem "$1" "$name" $"is not empty: ${found% }. Look: lsblk -f $dev_by_id/$name"
  fi
  if line=$(wipefs -n -- "$dev" 2>&1); then
    if [ -n "$line" ] && [ -z "$found" ]; then
      problem "$1" "$name" $"is not empty. Look: wipefs -n $dev_by_id/$name"
    fi
  else
    problem text "$name" $"wipefs cannot read it: $(one_line "$line"). Look: dmesg | tail; smartctl -x $dev_by_id/$name"
  fi
  if have zdb; then
    line=$(zdb -l "$dev" 2>/dev/null) || true
    if [[ $line == *pool_guid:* ]]; then
      problem "$1" "$name" $"carries the label of a pool. Look: zdb -l $dev_by_id/$name; zpool import"
    fi
  fi
}

check_use() { # NAME DEV
  local name=$1 dev=$2 entry line
  # sgdisk writes to a disk that is in use, and -f silences the look of zpool.
  for entry in "$sys_block/${dev##*/}"/{holders,slaves}/* "$sys_block/${dev##*/}/${dev##*/}"*/holders/*; do
    if [ -e "$entry" ]; then
      problem release "$name" $"is tied to ${entry##*/} (RAID, LVM, multipath …). Look: lsblk $dev_by_id/$name"
    fi
  done
  while IFS= read -r line; do
    if [ -n "$line" ]; then
      problem release "$name" $"is in use at $line. Look: lsblk $dev_by_id/$name"
    fi
  done < <(lsblk -nro MOUNTPOINT -- "$dev" 2>/dev/null || printf '?\n')
  if [ -n "${opened_by[${dev##*/}]-}" ]; then
    problem release "$name" $"is in use by ${opened_by[${dev##*/}]}. Look: fuser -v $dev"
  fi
  # A member of an imported pool has no holder and no mount point: only zpool tells of it.
  if [[ $pool_leaves == *" ${dev##*/} "* ]]; then
    problem release "$name" $"belongs to an imported pool. Look: zpool status -LP"
  fi
}

blkid_says() { # DEV
  local found fact
  found=$'\n'$(blkid -p -o export -- "$1" 2>/dev/null)$'\n' || true
  for fact in "${@:2}"; do
    [[ $found == *$'\n'"$fact"$'\n'* ]] || return 1
  done
}

has_our_table() { # INDEX
  blkid_says "${disk_dev[$1]}" "PTUUID=${disk_table[$1]}"
}

one_line() { # TEXT
  local text=$1
  printf '%s\n' "${text//[[:cntrl:]]/ }"
}
