#!/usr/bin/env bash
# Guarded script of the design “Small office”: creates the pool tank.
# mirror of 2, 1 spare; ashift 12; computed for OpenZFS 2.3.9.
# Written by Poolwright 0.1.0, 2026-11-20 10:00 UTC.
#
# Try it first with --check, which changes nothing. It checks every disk, lets zpool rehearse, asks for the
# name of the pool to be typed, and only then creates the pool.
# It never erases a disk. A second run changes nothing.
# shellcheck disable=SC1003,SC2016 # words of the design stand in single quotes: nothing expands
set -euo pipefail
IFS=$' \t\n'
export LC_ALL=C
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"

readonly designed_for=2.3.9
readonly partitioned=no
readonly device_noun=disks
readonly needed_packages='OpenZFS and util-linux'
readonly dev_by_id=/dev/disk/by-id
readonly sys_block=/sys/class/block
readonly pool_names=(tank)
readonly needed_tools=(id zpool zfs lsblk blkid blockdev wipefs readlink stat cat chmod date tee)

describe_disks() {
  # One line a disk: name, bytes, bytes of a logical sector, serial number
  disk ata-ST6000NM0034_ZAD00000 6001175126016 512 ZAD00000 # ST6000NM0034 6 TB
  disk ata-ST6000NM0034_ZAD00001 6001175126016 512 ZAD00001 # ST6000NM0034 6 TB
  disk ata-ST6000NM0034_ZAD00002 6001175126016 512 ZAD00002 # ST6000NM0034 6 TB
  # One line a member: pool, class, vdev, kind of vdev, disk
  member 0 data 0 mirror ata-ST6000NM0034_ZAD00000
  member 0 data 0 mirror ata-ST6000NM0034_ZAD00001
  member 0 spare 0 disk ata-ST6000NM0034_ZAD00002
}

# Each pool in turn
use_pool() { # NUMBER
  pool_number=$1
  case $1 in
    0)
      pool=tank
      ashift=12
      predicted_size=5978594476032
      predicted_available=''
      has_special=no
      forced=no
      # What follows `zpool create`, in the rehearsal and for real
      create_arguments=(
        -o ashift=12
        -o autotrim=on
        -O compression=lz4
        tank
        mirror
        /dev/disk/by-id/ata-ST6000NM0034_ZAD00000
        /dev/disk/by-id/ata-ST6000NM0034_ZAD00001
        spare
        /dev/disk/by-id/ata-ST6000NM0034_ZAD00002
      )
      device_paths=(
        /dev/disk/by-id/ata-ST6000NM0034_ZAD00000
        /dev/disk/by-id/ata-ST6000NM0034_ZAD00001
        /dev/disk/by-id/ata-ST6000NM0034_ZAD00002
      )
      ;;
  esac
}

# What is created in the pool, parents first; what is there already is left as it is
build_datasets() {
  step tank/home zfs create -o recordsize=1M tank/home
  step tank/vm zfs create tank/vm
  step tank/vm/disk1 zfs create -V 10737418240 -o volblocksize=16K tank/vm/disk1
}

# What every property must read afterwards, with the other ways the tools print the same value
check_properties() {
  pool_property ashift 12
  pool_property autotrim on
  dataset_property tank compression lz4
  dataset_property tank/home recordsize 1M 1048576
  dataset_property tank/vm/disk1 volblocksize 16K 16384
}

# ---------------------------------------------------------------- telling and logging
# Exit status: 0 done, 1 refused or not as designed, 2 bad usage, 3 the machine or a tool failed.

log=/dev/null
problem_count=0
difference_count=0
changed=no # whether anything was created in this run

say() { printf '%s\n' "$*" | tee -a -- "$log"; }

die() { # STATUS TEXT...
  local status=$1
  shift
  printf '%s\n' "$*" | tee -a -- "$log" >&2
  exit "$status"
}

problem() { # DISK TEXT...: one reason to refuse; all of them are listed before anything is done
  problem_count=$((problem_count + 1))
  say "  - $1: ${*:2}"
}

difference() { # TEXT...: the pool is not as designed
  difference_count=$((difference_count + 1))
  say "  - $*"
}

run() { # COMMAND...: show it, run it, stop when it fails
  local shown
  printf -v shown '%q ' "$@"
  say "+ ${shown% }"
  if ! "$@" 2>&1 | tee -a -- "$log"; then
    if [ "$changed" = yes ]; then
      die 3 "That command failed. What was created before it stays; mend the cause and run this script again."
    fi
    die 3 "That command failed. Nothing was changed."
  fi
}

have() { command -v "$1" >/dev/null 2>&1; }

open_log() {
  local wanted=${POOLWRIGHT_LOG:-/var/log/poolwright-${pool_names[0]}-$(date +%Y%m%dT%H%M%S)-$$.log}
  (umask 077 && : >>"$wanted" && chmod 0600 "$wanted") 2>/dev/null || die 3 "Cannot write the log $wanted. Set POOLWRIGHT_LOG to a file that can be written."
  log=$wanted
  say "Log: $log"
}

# ---------------------------------------------------------------- the disks
# Only reads. Nothing in this part writes to a disk.

disk_name=() disk_size=() disk_sector=() disk_serial=() disk_table=() disk_dev=()
member_pool=() member_section=() member_vdev=() member_word=() member_disk=() member_part=()
part_disk=() part_number=() part_pool=() part_start=() part_size=() part_label=() part_guid=() part_node=()
declare -A disk_index=()
pool_leaves=

disk() { # NAME SIZE SECTOR SERIAL [GUID]: a disk; GUID marks the partition table made by the script, where it makes one
  disk_index[$1]=${#disk_name[@]}
  disk_name+=("$1") disk_size+=("$2") disk_sector+=("$3") disk_serial+=("$4") disk_table+=("${5-}") disk_dev+=("")
}

partition() { # DISK NUMBER POOL START SIZE NAME GUID: a partition of a disk above; start and size in MiB
  part_disk+=("${disk_index[$1]}") part_number+=("$2") part_pool+=("$3") part_start+=("$4") part_size+=("$5")
  part_label+=("$6") part_guid+=("$7") part_node+=("")
}

member() { # POOL CLASS VDEV WORD DISK [PARTITION]: a place in a vdev of the pool with that number
  member_pool+=("$1") member_section+=("$2") member_vdev+=("$3") member_word+=("$4")
  member_disk+=("${disk_index[$5]}") member_part+=("${6-}")
}

resolve_disks() { # the block device behind every name; empty where there is none
  local i p
  for i in "${!disk_name[@]}"; do
    disk_dev[i]=
    if [ -e "$dev_by_id/${disk_name[i]}" ]; then
      disk_dev[i]=$(readlink -f -- "$dev_by_id/${disk_name[i]}")
    fi
  done
  for p in "${!part_disk[@]}"; do
    part_node[p]=$(partition_node "${disk_dev[part_disk[p]]}" "${part_number[p]}")
  done
}

partition_node() { # DEV NUMBER: the device of that partition as the kernel sees it now; nothing where there is none
  local entry kernel=${1##*/} number
  [ -n "$1" ] || return 0
  for entry in "$sys_block/$kernel/$kernel"*; do
    if [ -e "$entry/partition" ]; then
      read -r number <"$entry/partition"
      if [ "$number" = "$2" ]; then
        printf '%s\n' "${1%/*}/${entry##*/}"
      fi
    fi
  done
}

member_device() { # INDEX: the device of a member; nothing where there is none
  local i=${member_disk[$1]}
  if [ -n "${member_part[$1]}" ]; then
    partition_node "${disk_dev[i]}" "${member_part[$1]}"
  else
    printf '%s\n' "${disk_dev[i]}"
  fi
}

whole_of() { # KERNEL_NAME: the whole disk it lies on
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

check_disks() { # WANTED: lists every problem of every disk of pools in this state; sets problem_count
  local i
  problem_count=0
  resolve_disks
  find_leaves
  for i in "${!disk_name[@]}"; do
    if serves "$i" "$1"; then
      check_disk "$i"
    fi
  done
}

find_leaves() { # sets pool_leaves to the devices of all imported pools, as the design calls them
  local status line leaf
  status=$(zpool status -LP 2>&1) || die 3 "zpool status failed: $status"
  pool_leaves=" "
  while IFS= read -r line; do
    read -r leaf _ <<<"$line" || true
    if [[ $leaf == /* ]]; then
      pool_leaves="$pool_leaves$(leaf_of "${leaf##*/}") "
    fi
  done <<<"$status"
}

serves() { # INDEX STATE: whether the disk serves a pool in this state
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
    problem "$name" "there is no $dev_by_id/$name. Is the disk plugged in? Look: ls -l $dev_by_id"
    return 0
  fi
  for ((before = 0; before < i; before++)); do
    if [ "${disk_dev[before]}" = "$dev" ]; then
      problem "$name" "is the same device as ${disk_name[before]} ($dev)"
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
  local name=$1 dev=$2 kernel=${2##*/} kind
  if [ "$(stat -Lc %F -- "$dev" 2>/dev/null)" != "block special file" ]; then
    problem "$name" "$dev is not a block device"
    return 1
  fi
  case $kernel in
    dm-* | md* | loop* | zd* | ram* | zram* | nbd* | rbd* | drbd* | bcache* | sr* | fd*)
      problem "$name" "$dev is a mapped or virtual device (multipath, RAID, LVM …); only whole disks are taken"
      return 1
      ;;
  esac
  kind=$(lsblk -dnro TYPE -- "$dev" 2>/dev/null) || kind=
  if [ "$kind" != disk ] || [ -e "$sys_block/$kernel/partition" ]; then
    problem "$name" "$dev is not a whole disk but ${kind:-of unknown kind}"
    return 1
  fi
}

check_identity() { # INDEX NAME DEV
  local i=$1 name=$2 dev=$3 seen
  seen=$(blockdev --getsize64 "$dev" 2>/dev/null) || seen=unknown
  if [ "$seen" != "${disk_size[i]}" ]; then
    problem "$name" "has $seen bytes, the design says ${disk_size[i]}"
  fi
  if [ -n "${disk_sector[i]}" ]; then
    seen=$(blockdev --getss "$dev" 2>/dev/null) || seen=unknown
    if [ "$seen" != "${disk_sector[i]}" ]; then
      problem "$name" "has logical sectors of $seen bytes, the design says ${disk_sector[i]}"
    fi
  fi
  if [ "$(blockdev --getro "$dev" 2>/dev/null)" != 0 ]; then
    problem "$name" "is read-only"
  fi
  check_serial "$name" "$dev" "${disk_serial[i]}"
}

plain_serial() { # TEXT: without the padding and the underscores by which tools differ
  local text=$1
  printf '%s\n' "${text//[[:space:][:cntrl:]_]/}"
}

serials_of() { # DEV: every serial number the kernel and udev tell, one a line
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

drive_serial_of() { # DEV: what the drive itself answers
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
    say "  note: $name: the design knows no serial number; name, size and sectors are checked"
    return 0
  fi
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
    problem "$name" "has the serial number $all, the design says $wanted"
  elif [ "${#wanted}" -ge 4 ] && [[ $(plain_serial "$name") == *"$wanted" ]]; then
    say "  note: $name: no tool tells the serial number, but the name ends with it"
  else
    problem "$name" "no tool tells its serial number, so it cannot be told from another disk (design: $wanted)"
  fi
}

contents_of() { # DEV: what blkid finds on it, in words; nothing when it is empty
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
  done <<<"$found"
  if [ -n "$table$kind" ]; then
    printf '%s\n' "${table:+partition table $table }${kind:+$kind }${label:+named $label}"
  elif [ "$status" != 0 ] || [[ $found != *PART_ENTRY_* ]]; then # else: an empty partition
    printf 'blkid: %s (status %s)\n' "$(one_line "$found")" "$status"
  fi
}

check_empty() { # NAME DEV: a whole disk
  local name=$1 dev=$2 kernel=${2##*/} found entry parts=''
  check_contents "$name" "$dev"
  for entry in "$sys_block/$kernel/$kernel"*; do
    if [ -e "$entry/partition" ]; then
      found=$(contents_of "${dev%/*}/${entry##*/}")
      parts="$parts${parts:+, }${entry##*/}${found:+ (${found% })}"
    fi
  done
  if [ -n "$parts" ]; then
    problem "$name" "has partitions: $parts. Look: lsblk -f $dev_by_id/$name"
    case $parts in
      *zfs_member*) say "    A pool lies on it. If it is not imported, \`zpool import\` shows it." ;;
    esac
  fi
  check_use "$name" "$dev"
}

check_contents() { # NAME DEV: whether anything is written on a disk or partition
  local name=$1 dev=$2 found line
  found=$(contents_of "$dev")
  if [ -n "$found" ]; then
    problem "$name" "is not empty: ${found% }. Look: lsblk -f $dev_by_id/$name"
  fi
  if line=$(wipefs -n -- "$dev" 2>&1); then
    if [ -n "$line" ] && [ -z "$found" ]; then
      problem "$name" "is not empty. Look: wipefs -n $dev_by_id/$name"
    fi
  else
    problem "$name" "wipefs cannot read it: $(one_line "$line")"
  fi
  if have zdb; then
    line=$(zdb -l "$dev" 2>/dev/null) || true
    if [[ $line == *pool_guid:* ]]; then
      problem "$name" "carries the label of a pool. Look: zdb -l $dev_by_id/$name; zpool import"
    fi
  fi
}

check_use() { # NAME DEV: whether the machine uses a disk or partition
  local name=$1 dev=$2 entry line
  for entry in "$sys_block/${dev##*/}/holders"/* "$sys_block/${dev##*/}/slaves"/*; do
    if [ -e "$entry" ]; then
      problem "$name" "is tied to ${entry##*/} (RAID, LVM, multipath …). Look: lsblk $dev_by_id/$name"
    fi
  done
  while IFS= read -r line; do
    if [ -n "$line" ]; then
      problem "$name" "is in use at $line. Look: lsblk $dev_by_id/$name"
    fi
  done < <(lsblk -nro MOUNTPOINT -- "$dev" 2>/dev/null)
  if [[ $pool_leaves == *" ${dev##*/} "* ]]; then
    problem "$name" "belongs to an imported pool. Look: zpool status -LP"
  fi
}

blkid_says() { # DEV KEY=VALUE...: whether blkid says all of this of a device
  local found fact
  found=$'\n'$(blkid -p -o export -- "$1" 2>/dev/null)$'\n' || true
  for fact in "${@:2}"; do
    [[ $found == *$'\n'"$fact"$'\n'* ]] || return 1
  done
}

has_our_table() { # INDEX: whether the disk carries the partition table that the script made for this design
  blkid_says "${disk_dev[$1]}" "PTUUID=${disk_table[$1]}"
}

one_line() { # TEXT: its lines joined by spaces
  local text=$1
  printf '%s\n' "${text//[[:cntrl:]]/ }"
}

# ---------------------------------------------------------------- the vdevs of a pool
pool=
pool_number=0
pool_state=() # of each pool of the design: absent or existing

pool_exists() {
  local names name
  names=$(zpool list -H -o name 2>&1) || die 3 "zpool does not answer: $names"
  while IFS= read -r name; do
    if [ "$name" = "$pool" ]; then
      return 0
    fi
  done <<<"$names"
  return 1
}

in_order() { # lines of "section vdev word disk", sorted by section, the order within a section kept
  local line section all
  all=$(cat)
  for section in data special dedup log spare cache other; do
    while IFS= read -r line; do
      case $line in "$section "*) printf '%s\n' "$line" ;; esac
    done <<<"$all"
  done
}

designed_layout() {
  local m dev
  for m in "${!member_pool[@]}"; do
    if [ "${member_pool[m]}" = "$pool_number" ]; then
      dev=$(member_device "$m")
      printf '%s %s %s %s\n' "${member_section[m]}" "${member_vdev[m]}" "${member_word[m]}" "${dev##*/}"
    fi
  done | in_order
}

actual_layout() { # reads `zpool status -LP POOL`
  local line rest name section=none number=-1 word='' inside=no
  zpool status -LP "$pool" | while IFS= read -r line; do
    case $line in
      config:*) inside=yes && continue ;;
      errors:*) inside=no ;;
    esac
    if [ "$inside" = no ] || [[ $line != $'\t'* ]]; then
      continue
    fi
    line=${line#$'\t'}
    rest=${line#"${line%%[! ]*}"}
    name=${rest%%[[:space:]]*}
    case $((${#line} - ${#rest})) in
      0)
        number=-1
        case $section:$name in
          none:NAME) section=title ;;
          title:*) section=data ;;
          *:logs) section=log ;;
          *:spares) section=spare ;;
          *:special | *:dedup | *:cache) section=$name ;;
          *) section=other ;;
        esac
        ;;
      2)
        # The distributed spares of a dRAID vdev are no disks.
        if [ "$section" = spare ] && [[ $name =~ ^draid[123]-[0-9]+-[0-9]+$ ]]; then
          continue
        fi
        number=$((number + 1))
        word=${name%-*}
        if [[ $name == /* ]]; then
          printf '%s %s disk %s\n' "$section" "$number" "$(leaf_of "${name##*/}")"
        fi
        ;;
      4) printf '%s %s %s %s\n' "$section" "$number" "$word" "$(leaf_of "${name##*/}")" ;;
      *) printf 'other %s %s %s\n' "$number" "$word" "$name" ;;
    esac
  done | in_order
}

compare_layout() { # true when the pool has exactly the designed vdevs, member for member
  local designed actual
  designed=$(designed_layout)
  actual=$(actual_layout)
  if [ "$designed" = "$actual" ]; then
    return 0
  fi
  say "The pool $pool has other vdevs than the design. Designed (class, vdev, kind, disk):"
  say "$designed"
  say "Found:"
  say "$actual"
  return 1
}

find_pools() { # which pools of the design are there; another pool of the same name ends the run
  local number
  for number in "${!pool_names[@]}"; do
    use_pool "$number"
    pool_state[number]=absent
    if pool_exists; then
      compare_layout || die 1 "A pool $pool exists already, and it is not this one. Nothing was changed."
      pool_state[number]=existing
    fi
  done
}

# ---------------------------------------------------------------- the pool
stage='count'
pending=()
differing=

rehearse() {
  if [ "$forced" = yes ]; then
    # zpool's own check that no disk is in use is not made with -f, so let it make it once without.
    run zpool create -n -o "ashift=$ashift" "$pool" "${device_paths[@]}"
  fi
  run zpool create -n "${create_arguments[@]}"
}

confirm() { # WHAT
  local answer=
  if [[ $yes_create == *" $pool "* ]]; then
    return 0
  fi
  say "$1"
  printf 'Type the name of the pool to go on: '
  # shellcheck disable=SC2217 # opening the terminal is the test
  if { true </dev/tty; } 2>/dev/null; then
    IFS= read -r answer </dev/tty || true
  else
    IFS= read -r answer || true
    printf '\n'
  fi
  if [ "$answer" != "$pool" ]; then
    die 1 "The name typed is not the name of the pool. Nothing was changed."
  fi
}

step() { # NAME COMMAND...: a dataset to create, unless it is there
  if zfs list -H -o name -- "$1" >/dev/null 2>&1; then
    return 0
  fi
  case $stage in
    count) pending+=("$1") ;;
    make) run "${@:2}" ;;
  esac
}

pool_step() { # PROPERTY VALUE: a pool property that cannot be given at creation, unless it has a value
  if [ "$(zpool get -H -o value "$1" "$pool" 2>/dev/null)" != - ]; then
    return 0
  fi
  case $stage in
    count) pending+=("$1=$2") ;;
    make) run zpool set "$1=$2" "$pool" ;;
  esac
}

is_one_of() { # VALUE ACCEPTED...
  local value=$1 accepted
  for accepted in "${@:2}"; do
    if [ "$value" = "$accepted" ]; then
      return 0
    fi
  done
  return 1
}

pool_property() { # PROPERTY VALUE [OTHER_SPELLING...]
  local value exact
  value=$(zpool get -H -o value "$1" "$pool" 2>/dev/null) || value=unknown
  exact=$(zpool get -Hp -o value "$1" "$pool" 2>/dev/null) || exact=unknown
  if ! is_one_of "$value" "${@:2}" && ! is_one_of "$exact" "${@:2}"; then
    difference "$pool: $1 is $value, the design says $2"
  fi
}

dataset_property() { # DATASET PROPERTY VALUE [OTHER_SPELLING...]
  local value exact
  value=$(zfs get -H -o value "$2" "$1" 2>/dev/null) || value=unknown
  exact=$(zfs get -Hp -o value "$2" "$1" 2>/dev/null) || exact=unknown
  if ! is_one_of "$value" "${@:3}" && ! is_one_of "$exact" "${@:3}"; then
    difference "$1: $2 is $value, the design says $3"
  fi
}

compare_bytes() { # new|existing WHAT PREDICTED ACTUAL
  if [ -z "$3" ]; then
    say "$2: $4 bytes"
  elif [ "$3" = "$4" ]; then
    say "$2: $4 bytes, as predicted"
  elif [ "$1" = existing ]; then
    say "$2: $4 bytes; $3 were predicted for the new, empty pool"
  else
    say "WARNING: $2: $4 bytes, predicted were $3 for OpenZFS $designed_for"
  fi
}

compare_available() { # new|existing ACTUAL
  if [ "$has_special" = yes ] && [ -n "$predicted_available" ] && [ "$2" -gt "$predicted_available" ]; then
    # Some releases add what is stored on special and dedup vdevs; it grows with the metadata.
    say "USED + AVAIL: $2 bytes, predicted were $predicted_available without what lies on special and dedup vdevs"
  else
    compare_bytes "$1" "USED + AVAIL" "$predicted_available" "$2"
  fi
}

verify() { # new|existing
  local health size used available
  difference_count=0
  compare_layout || difference "the vdevs differ"
  check_properties
  health=$(zpool list -H -o health "$pool")
  if [ "$health" != ONLINE ]; then
    say "WARNING: the pool is $health. Look: zpool status -v $pool"
  fi
  size=$(zpool list -Hp -o size "$pool")
  # Both at once: a new pool still writes, and sums of two looks would differ.
  { read -r used && read -r available; } < <(zfs get -Hp -o value used,available "$pool")
  compare_bytes "$1" SIZE "$predicted_size" "$size"
  compare_available "$1" "$((used + available))"
  if [ "$difference_count" -gt 0 ]; then
    differing="$differing $pool"
  fi
}

# ---------------------------------------------------------------- the machine
require_machine() {
  local tool missing=
  for tool in "${needed_tools[@]}"; do
    have "$tool" || missing="$missing $tool"
  done
  if [ -n "$missing" ]; then
    die 3 "Not installed:$missing. Install $needed_packages, then run this script again."
  fi
  if [ "$(id -u)" != 0 ]; then
    die 3 "Only root can read and use the disks. Run: sudo bash $0"
  fi
}

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
