#!/usr/bin/env bash
# Guarded script of the design “Small office”: creates the pool tank.
# mirror of 2, 1 spare; ashift 12; computed for OpenZFS 2.3.9.
# Written by Poolwright 0.1.0, 2026-11-20 10:00 UTC.
#
# Try it first with --check, which changes nothing. It checks every disk, lets zpool rehearse, asks for the
# name of each pool, and only then runs the commands in the function “design”. It refuses disks that are not
# empty: only what you agree to in words is overwritten. A second run changes nothing.
#
# Below the design follows a part that is the same in every such script of this version. The script compares
# it with this sha256; by hand:
#   fb35325bd21e9db254fd2790c34654c67e0299780036516a77cff56696bb2d2b
#   sed -n '/^# ==== The fixed part/,$p' FILE | sha256sum
# shellcheck disable=SC1003,SC2016 # words of the design stand in single quotes: nothing expands
# shellcheck disable=SC2317,SC2329 # functions are called by their names, and shared with the other script
case "${BASH_VERSION-}:${SHELLOPTS-}:" in :* | [0-3].* | 4.[01].* | *:posix:*) echo "This script is written for bash 4.2 or newer. Run it so: sudo bash $0. Nothing was changed." >&2; exit 2 ;; esac #
line_end=
[ -z "$line_end" ] || { echo "The lines of this script end with CR LF: it was converted on its way. Copy it again unconverted, or run dos2unix on it. Nothing was changed." >&2; exit 3; } #
[ ! -f "${BASH_SOURCE[0]-}" ] || mapfile -t script_lines <"${BASH_SOURCE[0]}"
[ -z "${script_lines+read}" ] || [ "${script_lines[${#script_lines[@]} - 1]}" = '# The end of the script' ] || { echo "This script is cut off: its last line is not the last line it was written with. Copy it again. Nothing was changed." >&2; exit 3; }
{ # bash reads all up to the closing brace before any of it runs, and nothing after it

readonly designed_for=2.3.9
readonly install=''
readonly dev_by_id=/dev/disk/by-id
readonly sys_block=/sys/class/block
readonly fixed_part_title='# ==== The fixed part'
readonly fixed_part_sha256=fb35325bd21e9db254fd2790c34654c67e0299780036516a77cff56696bb2d2b

design() {
  # The disks: name, bytes, bytes of a logical sector, serial number
  disk ata-ST6000NM0034_ZAD00000 6001175126016 512 ZAD00000 # ST6000NM0034, 6 TB
  disk ata-ST6000NM0034_ZAD00001 6001175126016 512 ZAD00001 # ST6000NM0034, 6 TB
  disk ata-ST6000NM0034_ZAD00002 6001175126016 512 ZAD00002 # ST6000NM0034, 6 TB

  # What is written, in this order, after every check and question: these commands and no others
  write zpool create \
    -o ashift=12 \
    -o autotrim=on \
    -O compression=lz4 \
    -O org.poolwright:design=28a76b33c899c8dc \
    tank \
    mirror \
    /dev/disk/by-id/ata-ST6000NM0034_ZAD00000 \
    /dev/disk/by-id/ata-ST6000NM0034_ZAD00001 \
    spare \
    /dev/disk/by-id/ata-ST6000NM0034_ZAD00002
  predicted 5978594476032 '' # bytes of SIZE, and of USED + AVAIL, that the pool will show
  write zfs create -o recordsize=1M tank/home
  write zfs create tank/vm
  write zfs create -V 10737418240 -o volblocksize=16K tank/vm/disk1

  # How the tools print a value
  also recordsize 1M 1048576
  also volblocksize 16K 16384
}

# ==== The fixed part: the same in every script of its kind that this version of Poolwright writes

# ---------------------------------------------------------------- strict bash
# Any failure ends the script, and nothing of the caller's shell leaks in.

set -euo pipefail +Ck
while read -r _ _ leaked; do [ "$leaked" = design ] || unset -f "$leaked"; done < <(declare -F)
unset "${!ZPOOL_@}" "${!ZFS_@}" "${!BLKID_@}" TMOUT CDPATH GLOBIGNORE # they change what the tools print, and what is read
# shellcheck disable=SC2123 # the caller's PATH is taken apart
wanted_path=${PATH-} PATH='' IFS=:
set -f
for leaked in $wanted_path; do
  case $leaked in /*) PATH=$PATH$leaked: ;; esac # neither the current folder nor what depends on it
done
set +f
IFS=$' \t\n'
export PATH="$PATH/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin"
export LC_ALL=C
umask 022

# ---------------------------------------------------------------- telling and logging
# Exit status: 0 done, 1 refused or not as designed, 2 bad usage, 3 the machine or a tool failed, 130 interrupted.
# Words reach bash by process substitution, never by here-documents: those need room on a disk that may be full.

readonly log_mark='# Log of a Poolwright script'
log='' log_fd='' log_lost=no
told_lost=no # the terminal is gone
difference_count=0
wide='' # a locale in which every letter can be read; nothing where the machine has none
typed_key='' # what the command that is run reads from its input
changed=no   # whether a command that writes was started in this run

say() { # TEXT...
  printf '%s\n' "$*" 2>/dev/null || told_lost=yes
  note "$*"
}

note() { # TEXT...: into the log only
  [ -n "$log_fd" ] || return 0
  if ! { printf '%s\n' "$*" >&"$log_fd"; } 2>/dev/null; then
    log_fd='' log_lost=yes
    printf '%s\n' "WARNING: the log $log cannot be written any more. Is the disk full?" >&2 2>/dev/null || true
  fi
}

die() { # STATUS TEXT...
  local status=$1
  shift
  printf '%s\n' "$*" >&2 2>/dev/null || true
  note "$*"
  exit "$status"
}

refuse() { # STATUS TEXT...: before anything was written
  die "$@" "Nothing was changed."
}

option() { # NAME TEXT: a line of the usage
  printf '  %-17s  %s\n' "$1" "$2"
}

is_typed() { # WORDS
  local answer=''
  printf '%s\n' "Type \"$1\" to go on:" 2>/dev/null || true
  IFS= read -r answer || true
  note "$answer"
  [ "$answer" = "$1" ]
}

counted() { # NUMBER ONE SEVERAL
  if [ "$1" = 1 ]; then
    printf '%s\n' "$2"
  else
    printf '%s\n' "$3"
  fi
}

quoted() { printf '%q' "$1"; }

difference() { # TEXT...
  difference_count=$((difference_count + 1))
  say "  - $*"
}

run() { # COMMAND...: show it, run it, stop when it fails
  local shown status=0
  printf -v shown '%q ' "$@"
  say "+ ${shown% }"
  run_once "$@" || status=$?
  if [ "$status" != 0 ] && named_too_late "$1 ${2-}"; then
    say "A partition had no name yet. Once more:"
    udevadm settle --timeout=30 || true
    status=0
    run_once "$@" || status=$?
  fi
  if [ "$status" != 0 ]; then
    say "That command failed (status $status)."
    end_early 3
  fi
}

fed() { "$@" < <(printf '%s\n' "$typed_key"); } # COMMAND...

run_once() { # COMMAND...
  [ -z "$typed_key" ] || set -- fed "$@" # at each try: the one before has read it
  # libzfs makes no folder whose name the locale cannot read, and has made the pool when it says so.
  LANG=C LC_ALL='' LC_CTYPE=${wide:-C} "$@" 2>&1 | relay || return "${PIPESTATUS[0]}"
}

named_too_late() { # COMMAND: zpool waits for udev to name what it partitioned, not for udev to be done (openzfs/zfs#1646)
  case $1 in 'zpool create' | 'zpool add' | 'zpool attach' | 'zpool replace') ;; *) return 1 ;; esac
  [ -n "$log_fd" ] && have udevadm || return 1
  case $(tail -n 1 -- "$log") in
    *': no such pool or dataset' | *': one or more devices is currently unavailable' | 'cannot resolve path '*) ;;
    *) return 1 ;;
  esac
}

find_wide() {
  local name
  wide=''
  have locale || wide=C.UTF-8 # without glibc all are
  while IFS= read -r name; do
    case $name in
      C.utf8 | C.UTF-8) wide=$name && return 0 ;;
      *.utf8 | *.UTF-8) wide=$name ;;
    esac
  done < <(locale -a 2>/dev/null)
}

relay() ( # its input to the terminal and the log at once, also a question that ends no line; whichever of them is gone
  trap '' PIPE
  if [ -n "$log_fd" ]; then
    exec tee -a -- "$log" 2>/dev/null
  fi
  exec cat
)

end_early() { # STATUS
  trap '' INT TERM HUP
  if [ "$changed" = no ]; then
    refuse "$1"
  fi
  tell_left
  exit "$1"
}

interrupted() {
  say "Interrupted."
  end_early 130
}

have() { command -v "$1" >/dev/null 2>&1; }

open_log() { # a file of this script's own: new, or one that such a script began; nothing else is touched
  local wanted=${POOLWRIGHT_LOG:-} first=
  # Root writes here: a name that is taken, by mistake or by a link, must not cost anybody a file.
  if [ -z "$wanted" ]; then
    wanted=/var/log/poolwright-${pool_names[0]}-$(date +%Y%m%dT%H%M%S)-$$.log
  fi
  if [ -e "$wanted" ] || [ -L "$wanted" ]; then
    if [ -f "$wanted" ] && [ ! -L "$wanted" ] && [ -O "$wanted" ]; then
      IFS= read -r first <"$wanted" || true
    fi
    if [ "$first" != "$log_mark" ]; then
      refuse 2 "The log $wanted exists and is not the log of such a script. Set POOLWRIGHT_LOG to a new file."
    fi
  else
    # Made only where nothing is yet, so that no other file can be taken for it.
    (set -C && umask 077 && printf '%s\n' "$log_mark" >"$wanted") 2>/dev/null || log_cannot "$wanted"
  fi
  { exec {log_fd}>>"$wanted"; } 2>/dev/null || log_cannot "$wanted"
  log=$wanted
  say "Log: $log"
  [ "$log_lost" = no ] || log_cannot "$wanted"
}

log_cannot() { # FILE
  refuse 3 "Cannot write the log $1. Is the disk full? Set POOLWRIGHT_LOG to a new file where there is room."
}

require_witnesses() { # before the first command that writes: what is done must reach a log and a terminal
  note "Everything was checked."
  [ "$log_lost" = no ] || log_cannot "$log"
  if [ "$told_lost" = yes ]; then
    refuse 3 "Nobody reads what this script tells. Run it in a terminal that stays open."
  fi
}

check_fixed_part() { # that nothing below the design was changed since it was written; not possible when piped into bash
  local line found lines=()
  # A guard that was edited, or lost a line on its way, would be trusted like one that was tried on real disks.
  [ -n "${script_lines+read}" ] && have sha256sum || return 0
  for line in "${script_lines[@]}"; do
    if [ "${#lines[@]}" -gt 0 ] || [[ $line == "$fixed_part_title"* ]]; then
      lines+=("$line")
    fi
  done
  read -r found _ < <(printf '%s\n' ${lines[@]+"${lines[@]}"} | sha256sum) || found=
  if [ "$found" != "$fixed_part_sha256" ]; then
    refuse 3 "The fixed part of this script was changed since it was written: its sha256 is $found. Copy or write it again."
  fi
}

find_wide
trap interrupted INT TERM HUP
trap : PIPE

# ---------------------------------------------------------------- problems, and what helps against each
# All reasons to refuse are listed before anything is done, then once for each kind what to do about it.

problem_count=0
declare -A helps=() # which kinds of help the problems need

problem() { # HELP DISK TEXT...: HELP is a kind that tell_help knows, or "text" where the text says what to do
  problem_count=$((problem_count + 1))
  helps[$1]=yes
  say "  - $2: ${*:3}"
}

forget_problems() {
  problem_count=0 helps=()
}

refuse_on_problems() {
  [ "$problem_count" -gt 0 ] || return 0
  tell_help
  end_early 1
}

tell_help() {
  say "$(counted "$problem_count" "Refused: 1 problem, listed above." "Refused: $problem_count problems, listed above.")"
  if [ -n "${helps[undo]-}" ]; then
    say "The undo script of this design clears what this script left on these disks. $(undo_words)"
  fi
  if [ -n "${helps[clear]-}" ]; then
    say "Disks that are not empty: clear them yourself once you are sure that nothing on them is wanted. This script does not."
  fi
  if [ -n "${helps[release]-}" ]; then
    say "Disks that are in use: what uses them has to let go of them first (umount, swapoff, zpool export, mdadm --stop, vgchange -an)."
  fi
  if [ -n "${helps[disk]-}" ]; then
    say "Disks that are not those of the design: put in the right ones, or design with the disks that are here and write the script anew."
  fi
  if [ -n "${helps[design]-}" ]; then
    say "What the design itself asks for has to be changed in the design; then write the script anew."
  fi
  case " ${!helps[*]} " in
    ' design ' | ' disk ' | ' design disk ' | ' disk design ') ;;
    *) say "Then run this script again." ;;
  esac
}

# ---------------------------------------------------------------- the design
# Takes the disks and commands of the function `design` apart: which pools, vdevs, members, partitions and datasets.

part_type=() part_label=() part_guid=()
part_pool=() # the pool that a partition is for; empty where it is reserved for something else than ZFS
member_pool=() member_section=() member_vdev=() member_word=() member_disk=() member_part=()
pool_names=() pool_first=() pool_count=() pool_state=() # state of each pool: absent or existing
pool_size_predicted=() pool_available_predicted=()
pool_marks=() # by which each pool is known again
later_pool=() later_name=() later_first=() later_count=() # commands that follow the creation of a pool
expected_pool=() expected_of=() expected_name=() expected_value=()
also_name=() also_value=() also_other=()
words=() # of all commands, one after the other
pool='' pool_number=0

predicted() { # SIZE AVAILABLE
  pool_size_predicted[${#pool_names[@]} - 1]=$1
  pool_available_predicted[${#pool_names[@]} - 1]=$2
}

also() { # PROPERTY VALUE OTHER
  also_name+=("$1") also_value+=("$2") also_other+=("$3")
}

write() { # COMMAND...
  local first=${#words[@]}
  words+=("$@")
  case "$1 $2" in
    'sgdisk -U') take_table "$@" ;;
    'zpool create') take_pool "$first" "$@" ;;
    'zfs create') take_dataset "$first" "$@" ;;
    'zpool set') take_later "$first" "${3%%=*}" "$@" && expect '' "${3%%=*}" "${3#*=}" ;;
    # A design that was edited by hand must not run what nothing here checks.
    *) refuse 3 "The design of this script says \"$*\", which no such script runs. Write the script again from the design." ;;
  esac
}

take_table() { # sgdisk -U GUID then for each partition: -n N:STARTM:+SIZEM -t N:TYPE -c N:NAME -u N:GUID, and the disk
  local path=${!#} i
  i=${disk_index[${path##*/}]}
  disk_table[i]=$3
  shift 3
  while [ "$#" -ge 8 ]; do
    part_disk+=("$i") part_number+=("${2%%:*}") part_pool+=("") part_node+=("")
    part_start+=("$(span "$2" 1)") part_size+=("$(span "$2" 2)")
    part_type+=("${4#*:}") part_label+=("${6#*:}") part_guid+=("${8#*:}")
    shift 8
  done
}

span() {
  local start=${1#*:} size=${1##*+}
  if [ "$2" = 1 ]; then
    start=${start%%:*}
    printf '%s\n' "${start%M}"
  else
    printf '%s\n' "${size%M}"
  fi
}

take_pool() { # FIRST zpool create OPTIONS... NAME VDEVS...
  local number=${#pool_names[@]} section=data vdev=-1 group='' name='' word i part
  pool_first+=("$1") pool_count+=($(($# - 1))) pool_size_predicted+=("") pool_available_predicted+=("")
  pool_state+=(absent)
  shift 3
  pool_names+=("$(name_in "$@")")
  name=${pool_names[number]}
  while [ "$1" != "$name" ]; do
    case $1 in
      -o) expect '' "${2%%=*}" "${2#*=}" && shift ;;
      -O) take_root_property "$name" "${2%%=*}" "${2#*=}" && shift ;;
      -m) expect "$name" mountpoint "$2" && shift ;;
    esac
    shift
  done
  for word in "${@:2}"; do
    case $word in
      special | dedup | log | spare | cache) section=$word vdev=-1 group='' ;;
      /*)
        part=
        if [[ $word =~ -part([0-9]+)$ ]]; then
          part=${BASH_REMATCH[1]}
          word=${word%-part*}
        fi
        i=${disk_index[${word##*/}]}
        [ -n "$group" ] || vdev=$((vdev + 1))
        member_pool+=("$number") member_section+=("$section") member_vdev+=("$vdev")
        member_word+=("${group:-disk}") member_disk+=("$i") member_part+=("$part")
        [ -z "$part" ] || part_serves "$i" "$part" "$number"
        ;;
      *) group=$word vdev=$((vdev + 1)) ;;
    esac
  done
}

take_root_property() { # POOL PROPERTY VALUE
  if [ "$2" = org.poolwright:design ]; then
    pool_marks[${#pool_names[@]} - 1]=$3
  else
    expect "$1" "$2" "$3"
  fi
}

name_in() { # OPTIONS... NAME: the first word that is neither an option nor the value of one
  while [ "$#" -gt 0 ]; do
    case $1 in
      -f) shift ;;
      -o | -O | -m | -V) shift 2 ;;
      *)
        printf '%s\n' "$1"
        return 0
        ;;
    esac
  done
}

part_serves() { # DISK NUMBER POOL
  local p
  parts_of "$1"
  for p in ${disk_parts[@]+"${disk_parts[@]}"}; do
    [ "${part_number[p]}" != "$2" ] || part_pool[p]=$3
  done
}

take_dataset() { # FIRST zfs create OPTIONS... NAME
  local name=${!#} first=$1
  take_later "$first" "$name" "${@:2}"
  shift 3
  while [ "$#" -gt 1 ]; do
    if [ "$1" = -o ]; then
      expect "$name" "${2%%=*}" "${2#*=}"
    fi
    shift 2
  done
}

take_later() { # FIRST NAME COMMAND...
  later_pool+=($((${#pool_names[@]} - 1))) later_name+=("$2") later_first+=("$1") later_count+=($(($# - 2)))
}

expect() { # DATASET PROPERTY VALUE
  expected_pool+=($((${#pool_names[@]} - 1))) expected_of+=("$1") expected_name+=("$2") expected_value+=("$3")
}

use_pool() { # NUMBER
  local m
  pool_number=$1 pool=${pool_names[$1]}
  # shellcheck disable=SC2034 # the undo script creates nothing
  create_arguments=("${words[@]:pool_first[$1] + 2:pool_count[$1] - 2}")
  device_paths=()
  for m in "${!member_pool[@]}"; do
    if [ "${member_pool[m]}" = "$1" ]; then
      device_paths+=("/dev/disk/by-id/${disk_name[member_disk[m]]}${member_part[m]:+-part${member_part[m]}}")
    fi
  done
}

is_designed() { # DATASET
  local name
  for name in "${pool_names[@]}" ${later_name[@]+"${later_name[@]}"}; do
    if [ "$name" = "$1" ]; then
      return 0
    fi
  done
  return 1
}

read_answer() { # sets answer to what is typed, at the terminal where there is one
  answer=''
  # shellcheck disable=SC2217 # opening the terminal is the test
  if { true </dev/tty; } 2>/dev/null; then
    IFS= read -r answer </dev/tty || true
  else
    IFS= read -r answer || true
    printf '\n'
  fi
  note "Typed: $answer"
}

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
  status=$(zpool status -LP 2>&1) || die 3 "zpool status failed: $status"
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
          [[ $rest != /* ]] || opened "${rest%% *}" "$where, mounted in the namespace of $name (process $process)"
        done < <(cat -- "$proc/$process/mountinfo" 2>/dev/null)
        ;;
      *)
        if [[ ${target##*/} == zd* ]] || opens_for_writing "$path"; then
          opened "$target" "$name (process $process)"
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
    problem disk "$name" "there is no $dev_by_id/$name. Is the disk plugged in? Look: ls -l $dev_by_id"
    return 0
  fi
  # Two names of one drive would put two members of a vdev on it: redundancy that is none.
  for ((before = 0; before < i; before++)); do
    if [ "${disk_dev[before]}" = "$dev" ]; then
      problem disk "$name" "is the same device as ${disk_name[before]} ($dev)"
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
  local name=$1 dev=$2 kernel=${2##*/} kind unknown_kind="of unknown kind"
  if [ "$(stat -Lc %F -- "$dev" 2>/dev/null)" != "block special file" ]; then
    problem disk "$name" "$dev is not a block device"
    return 1
  fi
  # What is made of disks may lead to a drive that the design names too, and its number changes at a restart.
  case $kernel in
    dm-* | md* | loop* | zd* | ram* | zram* | nbd* | rbd* | drbd* | bcache* | sr* | fd*)
      problem disk "$name" "$dev is a mapped or virtual device (multipath, RAID, LVM …); only whole disks are taken"
      return 1
      ;;
  esac
  # A partition would be labelled in place of the disk that was meant, with all its neighbours still there.
  kind=$(lsblk -dnro TYPE -- "$dev" 2>/dev/null) || kind=
  if [ "$kind" != disk ] || [ -e "$sys_block/$kernel/partition" ]; then
    problem disk "$name" "$dev is not a whole disk but ${kind:-$unknown_kind}"
    return 1
  fi
}

check_identity() { # INDEX NAME DEV
  local i=$1 name=$2 dev=$3 seen
  # To the byte: drives of one label differ by model, and the space was computed for this one.
  seen=$(blockdev --getsize64 "$dev" 2>/dev/null) || seen=unknown
  if [ "$seen" != "${disk_size[i]}" ]; then
    [ "$seen" != unknown ] || seen="unknown"
    problem disk "$name" "has $seen bytes, the design says ${disk_size[i]}"
  fi
  # The ashift follows from the sector and can never be changed.
  if [ -n "${disk_sector[i]}" ]; then
    seen=$(blockdev --getss "$dev" 2>/dev/null) || seen=unknown
    if [ "$seen" != "${disk_sector[i]}" ]; then
      [ "$seen" != unknown ] || seen="unknown"
      problem disk "$name" "has logical sectors of $seen bytes, the design says ${disk_sector[i]}"
    fi
  fi
  # Better told now than in the midst of zpool create, when other disks have labels.
  if [ "$(blockdev --getro "$dev" 2>/dev/null)" != 0 ]; then
    problem text "$name" "is read-only. If that is a setting: blockdev --setrw $dev_by_id/$name. If not, the drive is failing or has a switch. Look: dmesg | tail"
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
    say "  note: $name: the design knows no serial number; name, size and sectors are checked"
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
    problem disk "$name" "has the serial number $all, the design says $wanted"
  elif [ "${#wanted}" -ge 4 ] && [[ $(plain_serial "$name") == *"$wanted" ]]; then
    say "  note: $name: no tool tells the serial number, but the name ends with it"
  elif have smartctl; then
    problem disk "$name" "no tool tells its serial number, so it cannot be told from another disk (design: $wanted)"
  else
    problem text "$name" "no tool here tells its serial number (design: $wanted). Install smartmontools: smartctl asks the drive itself"
  fi
}

check_namesakes() { # NAME KERNEL_NAME: no other disk claims the name, which udev gives to one of them, now this, now that
  local name=$1 other
  [ -n "${told_serials[$2]-}" ] && have udevadm || return 0
  for other in "${!told_serials[@]}"; do
    if [ "$other" != "$2" ] && [ "${told_serials[$other]}" = "${told_serials[$2]}" ] &&
      [[ " $(udevadm info --query=symlink --name="/dev/$other" 2>/dev/null) " == *" disk/by-id/$name "* ]]; then
      problem text "$name" "/dev/$other goes by this name too: two disks with one serial number, or one disk on two cables. Take one out, or set up multipath. Look: lsblk -do NAME,SIZE,SERIAL,WWN"
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
    problem "$help" "$name" "has partitions: $parts. Look: lsblk -f $dev_by_id/$name"
    if [ "$help" = undo ]; then
      say "    They are as zpool makes them, and no other pool is in them: an interrupted or failed \`zpool create\` leaves that."
    fi
    case $parts in
      *zfs_member*) tell_exported "$kernel" || say "    A pool lies on it. If it is not imported, \`zpool import\` shows it." ;;
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
    problem "$1" "$name" "is not empty: ${found% }. Look: lsblk -f $dev_by_id/$name"
  fi
  if line=$(wipefs -n -- "$dev" 2>&1); then
    if [ -n "$line" ] && [ -z "$found" ]; then
      problem "$1" "$name" "is not empty. Look: wipefs -n $dev_by_id/$name"
    fi
  else
    problem text "$name" "wipefs cannot read it: $(one_line "$line"). Look: dmesg | tail; smartctl -x $dev_by_id/$name"
  fi
  if have zdb; then
    line=$(zdb -l "$dev" 2>/dev/null) || true
    if [[ $line == *pool_guid:* ]]; then
      problem "$1" "$name" "carries the label of a pool. Look: zdb -l $dev_by_id/$name; zpool import"
    fi
  fi
}

check_use() { # NAME DEV
  local name=$1 dev=$2 entry line
  # sgdisk writes to a disk that is in use, and -f silences the look of zpool.
  for entry in "$sys_block/${dev##*/}"/{holders,slaves}/* "$sys_block/${dev##*/}/${dev##*/}"*/holders/*; do
    if [ -e "$entry" ]; then
      problem release "$name" "is tied to ${entry##*/} (RAID, LVM, multipath …). Look: lsblk $dev_by_id/$name"
    fi
  done
  while IFS= read -r line; do
    if [ -n "$line" ]; then
      problem release "$name" "is in use at $line. Look: lsblk $dev_by_id/$name"
    fi
  done < <(lsblk -nro MOUNTPOINT -- "$dev" 2>/dev/null || printf '?\n')
  if [ -n "${opened_by[${dev##*/}]-}" ]; then
    problem release "$name" "is in use by ${opened_by[${dev##*/}]}. Look: fuser -v $dev"
  fi
  # A member of an imported pool has no holder and no mount point: only zpool tells of it.
  if [[ $pool_leaves == *" ${dev##*/} "* ]]; then
    problem release "$name" "belongs to an imported pool. Look: zpool status -LP"
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
      problem clear "${disk_name[i]}" "has a partition $number that is not of this design. Look: sgdisk -p $dev_by_id/${disk_name[i]}"
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
    problem clear "$name" "is another partition than the one of this design. Look: sgdisk -i ${part_number[p]} ${part_node[p]}"
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

# ---------------------------------------------------------------- emptiness
# A lost partition table hides what blkid, wipefs and zdb find at its usual places. So disks are also read: where labels,
# superblocks and partition tables lie, and at places spread over the disk. Erased disks read as zeros, some as FF.

readonly grain=65536 # bytes; every place begins at a multiple of it
used_disks=()        # numbers of disks that are not zero all through
declare -A used_words=()

places() { # BYTES: first grain and number of grains of each place that is read on a disk or partition of that size
  local grains=$(($1 / grain)) mib n
  # Tables and superblocks, labels of ZFS, what begins at 63 sectors; the same behind a table, at 1 MiB; the rest of 4 MiB;
  # then 4 and 8 MiB, where zpool begins on disks with sectors of 4096 bytes
  printf '%s\n' '0 1' '1 15' '16 8' '24 40' '64 80'
  if [ "$grains" -gt 1312 ]; then
    # The end of such a pool: zpool leaves 64 MiB behind it there
    printf '%s\n' "$((grains - 1168)) 152"
  fi
  if [ "$grains" -gt 256 ]; then
    # The end: backup of the partition table, md, labels of ZFS, also in front of the 8 MiB that zpool leaves there
    printf '%s\n' "$((grains - 192)) 193"
  fi
  # Where partitions often begin, copies of superblocks and group descriptors lie
  for mib in 64 65 101 128 129 201 257 261 301 384 385 501 513 514 551 601 640 641 1025 2049 3072 3073 4097 8193 16385 32769 65537; do
    if [ "$((mib * 16 + 193))" -lt "$grains" ]; then
      printf '%s\n' "$((mib * 16)) 1"
    fi
  done
  for ((n = 1; n < 48; n++)); do
    printf '%s\n' "$((grains * n / 48)) 1"
  done
}

probe() { # DEV BYTES [GRAIN]: prints how many places of what begins there hold something, how many were read, the first such
  # byte of DEV; "unread" on an error
  local first count text hits=0 all=0 begin=-
  while read -r first count; do
    all=$((all + 1)) first=$((first + ${3:-0}))
    text=$(read_place "$1" "$first" "$count" iflag=direct) || text=$(read_place "$1" "$first" "$count") || {
      printf 'unread %s %s\n' "$all" "$((first * grain))"
      return 0
    }
    if [ -n "$text" ] && { [ "${#text}" -lt "$grain" ] || [[ $text == *[!$'\xff']* ]]; }; then
      hits=$((hits + 1))
      [ "$begin" != - ] || begin=$((first * grain))
    fi
  done < <(places "$2")
  [ "$all" != 0 ] || hits=unread begin=0
  printf '%s %s %s\n' "$hits" "$all" "$begin"
} 2>/dev/null # bash tells of every zero byte that it leaves out of a text: just that is wanted here

read_place() { # DEV FIRST COUNT [iflag=direct], in grains; ends the subshell that it runs in
  exec dd if="$1" bs="$grain" skip="$2" count="$3" ${4+"$4"}
}

probe_disks() { # reads all disks of pools still to be made, side by side; sets used_disks and used_words, tells problems
  local i p hits all begin who silent=()
  used_disks=() used_words=()
  for i in "${!disk_name[@]}"; do
    ! serves "$i" absent || silent[i]=''
  done
  while read -r who hits all begin; do
    p=${who#*:} i=${who%:*}
    if [ "$hits" = end ]; then
      [ -n "${silent[i]}" ] || unset "silent[i]"
    elif [ "$hits" = unread ]; then
      silent[i]=$begin
    elif [ "$hits" != 0 ]; then
      [ -n "${used_words[$i]-}" ] || used_disks+=("$i")
      used_words[$i]="${used_words[$i]-}${used_words[$i]:+; }${p:+$(place_words "$p")}""$hits of $all places, the first at byte $begin"
    fi
  done < <(
    for i in ${silent[@]+"${!silent[@]}"}; do
      { probe_one "$i" && printf '%s end\n' "$i:"; } &
    done
    wait
  )
  for i in ${silent[@]+"${!silent[@]}"}; do # no answer is no emptiness
    begin=${silent[i]:-0}
    problem text "${disk_name[i]}" "cannot be read at byte $begin. Mend or replace it before a pool is built on it. Look: dmesg | tail; smartctl -x $dev_by_id/${disk_name[i]}"
  done
}

place_words() {
  case $1 in
    new-*) printf '%s ' "where partition ${1#new-} will be:" ;;
    *) printf '%s ' "partition $1:" ;;
  esac
}

probe_one() { # INDEX: a disk and the places of its partitions to come, or those partitions: prints INDEX:PLACE and what `probe` finds
  local i=$1 p
  if [ -z "${disk_table[i]}" ] || ! has_our_table "$i"; then
    printf '%s %s\n' "$i:" "$(probe "${disk_dev[i]}" "${disk_size[i]}")"
  fi
  parts_of "$i"
  for p in ${disk_parts[@]+"${disk_parts[@]}"}; do # nothing is written to what is reserved
    if is_reserved "$p" || [ "${pool_state[part_pool[p]]}" != absent ]; then
      continue
    elif [ -z "${part_node[p]}" ]; then
      printf '%s %s\n' "$i:new-${part_number[p]}" \
        "$(probe "${disk_dev[i]}" "$((part_size[p] * 1048576))" "$((part_start[p] * 1048576 / grain))")"
    else
      printf '%s %s\n' "$i:${part_number[p]}" "$(probe "${part_node[p]}" "$((part_size[p] * 1048576))")"
    fi
  done
}

probe_again() { # a question was asked and time has passed: refuses where a disk holds something that it did not hold before
  local i
  local -A known=()
  for i in "${!used_words[@]}"; do
    known[$i]=${used_words[$i]}
  done
  forget_problems
  probe_disks
  for i in ${used_disks[@]+"${used_disks[@]}"}; do
    if [ "${used_words[$i]}" != "${known[$i]-}" ]; then
      problem text "${disk_name[i]}" "was written to while this script waited for an answer: ${used_words[$i]}. Find out what writes to it. Look: lsblk -f $dev_by_id/${disk_name[i]}"
    fi
  done
  refuse_on_problems
}

lost_contents() { # DEV: what begins where partitions usually begin, although no table tells of it, in words
  local offset key value kind label
  for offset in 32256 1048576 4194304 8388608 105906176 537919488; do
    kind='' label=''
    while IFS='=' read -r key value; do
      case $key in
        TYPE) kind=$value ;;
        LABEL) label=$value ;;
      esac
    done < <(blkid -p -O "$offset" -o export -- "$1" 2>/dev/null)
    if [ -n "$kind" ] && [ -n "$label" ]; then
      printf '%s; ' "$kind named $label at byte $offset"
    elif [ -n "$kind" ]; then
      printf '%s; ' "$kind at byte $offset"
    fi
  done
}

tell_used() {
  local i found
  say "$(counted "${#disk_name[@]}" "Not empty, although no tool sees a partition table or a signature there: ${#used_disks[@]} of 1 disk. They held something,
or hold it still behind a lost table; building a pool on them destroys it for good." "Not empty, although no tool sees a partition table or a signature there: ${#used_disks[@]} of ${#disk_name[@]} disks. They held something,
or hold it still behind a lost table; building a pool on them destroys it for good.")"
  for i in "${!disk_name[@]}"; do
    [ -n "${used_words[$i]-}" ] || continue
    found=$(lost_contents "${disk_dev[i]}")
    if [ -n "$found" ]; then
      say "  - ${disk_name[i]}: something is written at ${used_words[$i]}. It looks like ${found%; }"
    else
      say "  - ${disk_name[i]}: something is written at ${used_words[$i]}"
    fi
  done
}

# ---------------------------------------------------------------- zeros
# Written where it is looked whether a disk is empty: by the undo on what was proved the design's own, by the creation inside
# partitions to come on a disk whose overwriting was agreed to.

holds_something() { # DEV FIRST COUNT, in grains
  local text
  text=$(read_place "$@" iflag=direct) || text=$(read_place "$@") || return 1
  [ -n "$text" ]
} 2>/dev/null # bash tells of every zero byte that it leaves out of a text

clear_ends() { # DEV FIRST COUNT, in grains: where labels and superblocks of a partition there would be found, 9 MiB in front and 12 behind
  local first count ends=144 tail=192
  while read -r first count; do
    ! holds_something "$1" "$first" "$count" || write_zeros "$1" "$first" "$count"
  done < <(
    if [ "$3" -gt "$((ends + tail))" ]; then
      printf '%s\n' "$2 $ends" "$(($2 + $3 - tail)) $tail"
    else
      printf '%s\n' "$2 $3"
    fi
  )
}

write_zeros() { # DEV FIRST
  run dd if=/dev/zero of="$1" bs="$grain" count="$3" seek="$2" conv=notrunc,nocreat,fsync status=none
}

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
    die 3 "There is no $path after half a minute. What was created before it stays. Look: lsblk ${disk_dev[part_disk[p]]}; then run this script again."
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
    die 3 "The partitions are not as designed, see above. No pool was created on them. Undo them with the undo script of this design. $(undo_words)"
  fi
}

# ---------------------------------------------------------------- where datasets are mounted
# OpenZFS mounts over whatever is in a folder, which then cannot be reached.

covered_count=0

is_system_folder() { # PATH
  case $1 in
    / | /bin | /bin/* | /boot | /boot/* | /dev | /dev/* | /efi | /efi/* | /etc | /etc/* | /lib | /lib/* | /lib32 | /lib64 | /libx32 | /lost+found | /nix | /nix/store | /nix/store/*) return 0 ;;
    /proc | /proc/* | /root | /run | /run/* | /sbin | /sbin/* | /snap | /sys | /sys/* | /tmp) return 0 ;;
    /usr/local | /usr/local/* | /usr/src | /usr/src/*) return 1 ;;
    /usr | /usr/* | /var | /var/cache | /var/lib | /var/lock | /var/log | /var/run | /var/run/* | /var/spool | /var/tmp) return 0 ;;
  esac
  return 1
}

property_of() { # DATASET PROPERTY
  local e
  for e in "${!expected_of[@]}"; do
    if [ "${expected_pool[e]}:${expected_of[e]}:${expected_name[e]}" = "$pool_number:$1:$2" ]; then
      printf '%s\n' "${expected_value[e]}"
    fi
  done
}

mountpoint_of() { # DATASET
  local own parent
  own=$(property_of "$1" mountpoint)
  if [ -n "$own" ]; then
    printf '%s\n' "$own"
  elif [[ $1 != */* ]]; then
    printf '/%s\n' "$1"
  else
    parent=$(mountpoint_of "${1%/*}")
    case $parent in
      /) printf '/%s\n' "${1##*/}" ;;
      /*) printf '%s/%s\n' "$parent" "${1##*/}" ;;
      *) printf '%s\n' "$parent" ;;
    esac
  fi
}

mounted_at() { # DATASET
  case $(property_of "$1" canmount) in off | noauto) return 0 ;; esac
  folder_of "$1"
}

folder_of() { # DATASET
  local path root
  path=$(mountpoint_of "$1")
  root=$(property_of '' altroot)
  case $path in /*) printf '%s%s\n' "${root%/}" "$path" ;; esac
}

check_mountpoints() {
  local j dataset path seen='|'
  find_pending
  for j in new ${pending[@]+"${pending[@]}"}; do
    if [ "$j" = new ]; then
      [ "${pool_state[pool_number]}" = absent ] || continue
      dataset=$pool
      check_root_folder "$(folder_of "$pool")"
    elif [ "${words[later_first[j]]}" = zpool ] || is_volume "$j"; then
      continue
    else
      dataset=${later_name[j]}
    fi
    path=$(mounted_at "$dataset")
    [ -n "$path" ] || continue
    # The second would hide the first, or fail to mount, once both are made.
    if [[ $seen == *"|$path|"* ]]; then
      problem design "$dataset" "would be mounted on $path, where another dataset of the design is mounted"
    fi
    seen="$seen$path|"
    check_mountpoint "$dataset" "$path"
  done
}

is_volume() { # COMMAND
  local word
  for word in "${words[@]:later_first[$1]:later_count[$1]}"; do
    if [ "$word" = -V ]; then
      return 0
    fi
  done
  return 1
}

check_root_folder() { # PATH: zpool creates no pool whose folder holds anything, and says so only once there are partitions
  list_files "$1"
  if [ "${#files[@]}" -gt 0 ]; then
    problem text "$pool" "zpool creates no pool while $1 holds something, ${#files[@]} in all: $(some_names "${files[@]}"): move it away, or choose another mountpoint in the design"
  fi
}

files=()

list_files() { # PATH
  files=()
  if [ -d "$1" ]; then
    shopt -s nullglob dotglob
    files=("${1%/}"/*)
    shopt -u nullglob dotglob
  fi
}

check_mountpoint() { # DATASET PATH
  local real up name where canmount
  real=$(readlink -m -- "$2") || real=$2
  if [ -z "$wide" ] && [[ $2 == *[!\ -~]* ]]; then
    problem text "$1" "would be mounted on $2, but this machine has no locale in which ZFS can read that name. Install one of UTF-8 (locale -a shows which there are)"
  fi
  while IFS=$'\t' read -r name canmount where; do
    if [ "$where" = "$2" ] && [ "$canmount" = on ] && [[ $name/ != "$pool"/* ]]; then
      problem text "$1" "would be mounted on $2, where $name belongs. Choose another mountpoint in the design, or for the other: zfs set mountpoint=FOLDER $(quoted "$name")"
    fi
  done < <(zfs list -H -t filesystem -o name,canmount,mountpoint 2>/dev/null)
  up=$real
  while [ ! -e "$up" ]; do
    up=${up%/*} up=${up:-/}
  done
  # Root may write everywhere but where nobody can; a folder that is there need not be made.
  if [ "$up" != "$real" ] && [ "$EUID" = 0 ] && [ ! -w "$up" ]; then
    problem text "$1" "would be mounted on $2, which cannot be made: $up is read-only. Choose another mountpoint in the design"
  fi
  # Whatever is mounted there hides the files by which the machine runs, also through a link.
  if is_system_folder "$2" || is_system_folder "$real"; then
    problem design "$1" "would be mounted on the system folder $real"
  elif [ -e "$real" ] && [ ! -d "$real" ]; then
    problem text "$1" "would be mounted on $2, which is no folder. Move it away, or choose another mountpoint in the design"
  elif [ -d "$real" ] && [ "$(stat -c %m -- "$real")" = "$real" ]; then
    problem text "$1" "would be mounted on $2, where something is mounted. Look: findmnt $(quoted "$real"). Choose another mountpoint in the design"
  elif [ "$1" != "$pool" ]; then
    list_files "$real"
    if [ "${#files[@]}" -gt 0 ]; then
      covered_count=$((covered_count + 1))
      say "  - $1 will be mounted on $2 and cover what is there, ${#files[@]} in all: $(some_names "${files[@]}")"
    fi
  fi
}

some_names() { # PATH...
  local name shown=0
  for name in "$@"; do
    if [ "$shown" -lt 5 ]; then
      printf '%q ' "${name##*/}"
    elif [ "$shown" = 5 ]; then
      printf '… '
    fi
    shown=$((shown + 1))
  done
}

# ---------------------------------------------------------------- the vdevs of a pool
pool_exists() {
  local names name
  # A missing answer does not prove absence: a pool that is not seen would be created over.
  names=$(zpool list -H -o name 2>&1) || die 3 "zpool does not answer: $names"
  while IFS= read -r name; do
    if [ "$name" = "$pool" ]; then
      return 0
    fi
  done < <(printf '%s\n' "$names")
  return 1
}

in_order() { # TEXT
  local line section
  for section in data special dedup log spare cache other; do
    while IFS= read -r line; do
      case $line in "$section "*) printf '%s\n' "$line" ;; esac
    done < <(printf '%s\n' "$1")
  done
}

designed_members() {
  local m dev
  for m in "${!member_pool[@]}"; do
    if [ "${member_pool[m]}" = "$pool_number" ]; then
      dev=$(member_device "$m")
      printf '%s %s %s %s\n' "${member_section[m]}" "${member_vdev[m]}" "${member_word[m]}" "${dev##*/}"
    fi
  done
}

members_in() { # TEXT
  local line rest name section=none number=-1 word='' inside=no
  while IFS= read -r line; do
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
  done < <(printf '%s\n' "$1")
}

compare_layout() { # true when the pool has exactly the designed vdevs, member for member; does not rely on set -e
  local status designed actual
  status=$(zpool status -LP "$pool" 2>&1) || die 3 "zpool status $pool failed: $status"
  # Member for member: a pool of this name may be somebody else's, or this one with a disk replaced since.
  designed=$(in_order "$(designed_members)")
  actual=$(in_order "$(members_in "$status")")
  if [ -z "$designed" ] || [ -z "$actual" ]; then
    die 3 "The vdevs of the pool $pool cannot be told from: $(one_line "$status")"
  fi
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
      compare_layout || refuse_other_layout
      pool_state[number]=existing
    fi
  done
}

refuse_other_layout() {
  local guid
  guid=$(zpool get -H -o value guid "$pool" 2>/dev/null) || guid=unknown
  if is_recorded "$guid"; then
    refuse 1 "The pool $pool was created by the script of this design, and its vdevs were changed since, see above. $(changed_words)"
  fi
  refuse 1 "A pool $pool exists already, and it is not this one. Look: zpool status -LP $pool." \
    "To keep it, give one of the two another name: zpool export $pool && zpool import $pool NEWNAME, or in the design."
}

# ---------------------------------------------------------------- pools that are exported
# Two pools of one name cannot be imported together: the one that is exported would be out of reach. And a pool of the
# design that is exported on the design's own disks is no rest of a failed creation.

namesakes=() # names of pools of the design that some exported pool on other disks bears too
exported_name=() exported_id=() exported_state=() exported_here=()
declare -A exported_by=() # by kernel name: the number of the exported pool that lies there

find_exported() { # what could be imported, and on which disks of the design it lies
  local text line word n=-1 leaf
  exported_by=() exported_name=() exported_id=() exported_state=() exported_here=()
  text=$(zpool import 2>&1) || true # its status is 1 when there is none
  while IFS= read -r line; do
    line=${line#"${line%%[![:blank:]]*}"}
    case $line in
      'pool: '*)
        n=$((n + 1))
        exported_name+=("${line#pool: }") exported_id+=('') exported_state+=('') exported_here+=(no)
        continue
        ;;
    esac
    [ "$n" -ge 0 ] || continue
    word=${line%%[[:blank:]]*}
    case $line in
      'id: '*) exported_id[n]=${line#id: } ;;
      'state: '*) exported_state[n]=${line#state: } ;;
      ?*)
        if leaf=$(disk_called "$word"); then
          exported_here[n]=yes exported_by[$leaf]=$n
        fi
        ;;
    esac
  done < <(printf '%s\n' "$text")
}

disk_called() { # WORD
  local kernel='' i
  case $1 in . | .. | */*) return 1 ;; esac
  if [ -e "$dev_by_id/$1" ]; then
    kernel=$(readlink -f -- "$dev_by_id/$1")
    kernel=${kernel##*/}
  elif [ -e "$sys_block/$1" ]; then
    kernel=$1
  fi
  for i in "${!disk_dev[@]}"; do
    if [ -n "$kernel" ] && [ "${disk_dev[i]##*/}" = "$(whole_of "$kernel")" ]; then
      leaf_of "$kernel"
      return 0
    fi
  done
  return 1
}

find_namesakes() {
  local n number
  namesakes=()
  for n in "${!exported_name[@]}"; do
    for number in "${!pool_names[@]}"; do
      if [ "${pool_names[number]}:${pool_state[number]}:${exported_here[n]}" = "${exported_name[n]}:absent:no" ]; then
        namesakes+=("${exported_name[n]}")
        say "  - There is an exported pool ${exported_name[n]} already (id ${exported_id[n]}, ${exported_state[n]}). Look: zpool import"
        say "    To keep both, give it another name first: zpool import ${exported_id[n]} NEWNAME"
      fi
    done
  done
}

is_exported() { # LEAF
  local n=${exported_by[$1]-} name
  for name in "${pool_names[@]}"; do
    if [ -n "$n" ] && [ "$name" = "${exported_name[n]}" ]; then
      return 0
    fi
  done
  return 1
}

tell_exported() { # LEAF
  local n=${exported_by[$1]-}
  [ -n "$n" ] || return 1
  say "    It belongs to the pool ${exported_name[n]}, which is exported (${exported_state[n]}). To use that pool: zpool import ${exported_id[n]}"
}

# ---------------------------------------------------------------- what is in a dataset
# Judged by what ZFS itself counts, wherever a dataset is mounted or hidden: the logical bytes it refers to, and its
# files and folders. Unlike the bytes on disk both stay the same when a pool is mounted, imported or listed. Metadata may
# be rewritten smaller; tiny files are only seen in the count of files, which ZFS keeps by their owners.

objects_of() { # FILESYSTEM
  local counts count sum=0
  counts=$(zfs userspace -Hpn -o objused "$1" 2>/dev/null) || return 1
  while IFS= read -r count; do
    [[ $count =~ ^[0-9]+$ ]] || return 1
    sum=$((sum + count))
  done < <(printf '%s\n' "$counts")
  [ "$sum" -gt 0 ] || return 1
  printf '%s\n' "$sum"
}

only_folders() { # MOUNTPOINT: whether nothing but folders is seen there; a look that fails sees something
  local found
  found=$(find "$1" -mindepth 1 -xdev ! -type d -print -quit 2>&1) && [ -z "$found" ]
}

folders_in() { # MOUNTPOINT
  find "$1" -xdev -type d -printf '.\n' 2>/dev/null | count_lines
}

count_lines() {
  local n=0
  while IFS= read -r _; do
    n=$((n + 1))
  done
  printf '%s\n' "$n"
}

is_untouched() { # FILESYSTEM MOUNTED MOUNTPOINT OBJECTS: without any record: nothing in it but folders, all in sight
  if [ "$4" = 1 ]; then
    return 0
  fi
  [ "$2" = yes ] && only_folders "$3" && [ "$(folders_in "$3")" = "$4" ]
}

record_fresh() { # DATASET...: what is in the datasets that this run has created, and in others that nobody has used yet
  local rows name type guid mounted mountpoint logical objects made=" $* "
  zpool sync "$pool" 2>/dev/null || return 0
  rows=$(zfs list -Hp -r -t filesystem,volume -o name,type,guid,mounted,logicalreferenced,mountpoint "$pool" 2>/dev/null) || return 0
  while IFS=$'\t' read -r name type guid mounted logical mountpoint; do
    objects=-
    if [ "$type" = filesystem ]; then
      objects=$(objects_of "$name") || objects=-
    fi
    if [[ $made != *" $name "* ]]; then
      if [ "$type" != filesystem ] || [ -n "$(own_property "$name" org.poolwright:fresh)" ] || [ "$objects" = - ] ||
        ! is_designed "$name" || ! is_untouched "$name" "$mounted" "$mountpoint" "$objects"; then
        continue
      fi
    fi
    zfs set "org.poolwright:fresh=$guid $logical $objects" "$name" 2>/dev/null ||
      say "WARNING: what $name holds when new could not be recorded. The undo will count it as data."
  done < <(printf '%s\n' "$rows")
}

# ---------------------------------------------------------------- the record
# By what was done the undo tells its own: one fact a line, in a file beside the script and another beside the log, which
# are read, never run, and in user properties of the pool.

record_files=()
recorded_in=() # of them those that took the last line
given_records=() # further files to read
declare -A proven=()   # "pool GUID", "vdev GUID", "table DISK GUID": the number of the pool to which it belongs
declare -A progress=() # of each pool by its number: begun, made, undoing or undone, as far as its last run came
recorded_machine='' recorded_host=''

machine_id() {
  local id=-
  { read -r id </etc/machine-id; } 2>/dev/null || id=-
  printf '%s\n' "${id:--}"
}

host_name() {
  local name=-
  { read -r name </proc/sys/kernel/hostname; } 2>/dev/null || name=-
  printf '%s\n' "${name:--}"
}

record_name() {
  printf 'poolwright-%.60s-%s.record\n' "${pool_names[0]}" "${pool_marks[0]}"
}

record_places() {
  local own=${BASH_SOURCE[0]-}
  if [ -f "$own" ]; then
    case $own in
      */*) (cd -- "${own%/*}" && pwd -P) || true ;;
      *) pwd -P ;;
    esac
  fi
  if [ -f "$log" ]; then
    (cd -- "${log%/*}" && pwd -P) || true
  else
    printf '/var/log\n'
  fi
}

is_own_file() { # FILE: a plain file of this user that nobody else can write: only such a record proves anything
  local owner mode
  [ -f "$1" ] && [ ! -L "$1" ] || return 1
  read -r owner mode < <(stat -c '%u %a' -- "$1" 2>/dev/null) || return 1
  [ "$owner" = "$(id -u)" ] && [[ $mode =~ ^[0-7]*[0145][0145]$ ]]
}

read_record() {
  local place file
  local -A listed=()
  while IFS= read -r place; do
    file=${place%/}/$(record_name)
    [ -n "${listed[$file]-}" ] || record_files+=("$file")
    listed[$file]=yes
  done < <(record_places)
  for file in "${record_files[@]}" ${given_records[@]+"${given_records[@]}"}; do
    if [ -e "$file" ]; then
      if is_own_file "$file"; then
        read_record_file "$file"
      else
        say "note: $file is not believed: it belongs to somebody else, others can write it, or it is no plain file"
      fi
    fi
  done
}

read_record_file() { # FILE
  local word mark rest guid a b c number
  local -A reached=()
  while read -r word mark rest; do
    read -r a b c _ < <(printf '%s\n' "$rest") || true
    for number in "${!pool_marks[@]}"; do
      [ "${pool_marks[number]}" = "$mark" ] || continue
      case $word in
        begun) reached[$number]=begun recorded_machine=$b recorded_host=$c ;;
        made)
          reached[$number]=made recorded_machine=$b recorded_host=$c
          proven["pool $a"]=$number
          ;;
        undoing) [ "${reached[$number]-}" = begun ] || reached[$number]=undoing ;;
        undone) reached[$number]=undone ;;
        vdevs) for guid in $rest; do proven["vdev $guid"]=$number; done ;;
        table) proven["table $a $b"]=$number ;;
      esac
    done
  done <"$1"
  for number in "${!reached[@]}"; do
    # Where two files disagree a run counts as completed: then fewer things are taken for its own.
    case ${progress[$number]-} in
      made | undone) ;;
      *) progress[$number]=${reached[$number]} ;;
    esac
  done
}

record() { # WORD...
  local file
  recorded_in=()
  for file in "${record_files[@]}"; do
    if [ -e "$file" ] && ! is_own_file "$file"; then
      continue
    fi
    if (umask 077 && printf '%s\n' "$*" >>"$file" && sync -- "$file") 2>/dev/null; then
      recorded_in+=("$file")
    fi
  done
  [ "${#recorded_in[@]}" -gt 0 ]
}

record_begun() { # before the first disk is written: which pools are made now, on disks that were just found empty
  local number stamp
  stamp=$(date +%Y-%m-%dT%H:%M:%S%z)
  for number in "${!pool_names[@]}"; do
    if [ "${pool_state[number]}" = absent ]; then
      record begun "${pool_marks[number]}" "${pool_names[number]}" "$(machine_id)" "$(host_name)" "$stamp" ||
        refuse 3 "Cannot write the record ${record_files[*]}, by which the undo would know its own. Put this script into a folder that root can write."
      progress[$number]=begun
    fi
  done
}

record_tables() {
  local m i line text=
  for m in "${!member_pool[@]}"; do
    i=${member_disk[m]}
    if [ "${member_pool[m]}" = "$pool_number" ] && [ -z "${member_part[m]}" ]; then
      line=$(table_guid "${disk_dev[i]}")
      [ -z "$line" ] || text="$text${text:+$'\n'}table ${pool_marks[pool_number]} ${disk_name[i]} $line"
    fi
  done
  [ -z "$text" ] || record "$text"
}

table_guid() { # DEV
  local line
  while IFS= read -r line; do
    case $line in
      PTUUID=?*) printf '%s\n' "${line#PTUUID=}" ;;
    esac
  done < <(blkid -p -o export -- "$1" 2>/dev/null)
}

vdev_guids() {
  local status name
  status=$(zpool status -gLP "$pool" 2>/dev/null) || return 1
  while read -r name _; do
    [[ ! $name =~ ^[0-9]+$ ]] || printf '%s\n' "$name"
  done < <(printf '%s\n' "$status")
}

record_vdevs() {
  local guids
  guids=$(vdev_guids) || return 1
  record vdevs "${pool_marks[pool_number]}" "${guids//$'\n'/ }"
}

record_pool() {
  local guid
  if ! guid=$(zpool get -H -o value guid "$pool" 2>/dev/null) || ! have_marks "$guid"; then
    say "WARNING: the guids of $pool could not be recorded. The undo will ask for --guid ${guid:-N}."
    return 0
  fi
  if record_tables && record_vdevs &&
    record made "${pool_marks[pool_number]}" "$guid" "$(machine_id)" "$(host_name)" "$(date +%Y-%m-%dT%H:%M:%S%z)"; then
    progress[$pool_number]=made
    say "Recorded for the undo: ${recorded_in[*]}"
  else
    say "WARNING: the record of $pool could not be written: ${record_files[*]}. Once destroyed, its labels are cleared only with --guid $guid."
  fi
}

have_marks() { # GUID
  local -a guids=() settings=("org.poolwright:pool=$1" "org.poolwright:host=$(machine_id) $(host_name)")
  local start list
  mapfile -t guids < <(vdev_guids)
  # An old ZFS takes values of at most 1,024 characters.
  for ((start = 0; start < ${#guids[@]}; start += 40)); do
    list="${guids[*]:start:40}"
    settings+=("org.poolwright:vdevs-$((start / 40 + 1))=$list")
  done
  zfs set "${settings[@]}" "$pool" 2>/dev/null
}

own_property() { # DATASET PROPERTY
  local value
  value=$(zfs get -Hp -s local -o value -- "$2" "$1" 2>/dev/null) || return 1
  [ "$value" = - ] || printf '%s\n' "$value"
}

is_recorded() { # GUID
  [ "${proven["pool $1"]-}" = "$pool_number" ] ||
    { [ "$(own_property "$pool" org.poolwright:design)" = "${pool_marks[pool_number]}" ] &&
      [ "$(own_property "$pool" org.poolwright:pool)" = "$1" ]; }
}

was_cut_off() { # whether the current pool, which is there, was created here by a run that was killed before it could record it
  [ "${progress[$pool_number]-}" = begun ] && [ "$recorded_machine" = "$(machine_id)" ] &&
    [ "$(own_property "$pool" org.poolwright:design)" = "${pool_marks[pool_number]}" ]
}

complete_record() { # of a pool that is there: a creation killed before it could record itself is known by its mark
  local guid
  guid=$(zpool get -H -o value guid "$pool" 2>/dev/null) || return 0
  if ! is_recorded "$guid" && was_cut_off; then
    say "An earlier run on $recorded_host was ended right after it had created $pool; its record is completed."
    record_pool
  fi
}

# ---------------------------------------------------------------- files and keys that the commands need
# `zpool create -n` looks at none of them, and without them the real command fails when the disks have partitions.
# Encrypted datasets of the design. A key that lies in a file is looked at, a passphrase asked for, before anything is
# written.

key_dataset=() key_format=() key_location=() key_typed=()

find_keys() {
  local e k
  for e in "${!expected_of[@]}"; do
    if [ -n "${expected_of[e]}" ] && [ "${expected_name[e]}" = keyformat ]; then
      key_dataset+=("${expected_of[e]}") key_format+=("${expected_value[e]}") key_location+=(prompt) key_typed+=("")
    fi
  done
  for e in "${!expected_of[@]}"; do
    if [ "${expected_name[e]}" = keylocation ]; then
      for k in "${!key_dataset[@]}"; do
        [ "${key_dataset[k]}" != "${expected_of[e]}" ] || key_location[k]=${expected_value[e]}
      done
    fi
  done
}

check_files() {
  local e name value found folder
  for e in "${!expected_of[@]}"; do
    value=${expected_value[e]}
    if [ -n "${expected_of[e]}" ] || [ "${pool_state[expected_pool[e]]}" != absent ]; then
      continue
    fi
    case ${expected_name[e]}:$value in
      compatibility: | compatibility:off | compatibility:legacy) ;;
      compatibility:*)
        for name in ${value//,/ }; do
          found=no
          for folder in /etc/zfs /usr/share/zfs; do
            [ ! -f "$folder/compatibility.d/$name" ] || found=yes
          done
          [ "$found" = yes ] || problem design "compatibility=$value" "the OpenZFS of this machine has no file $name in compatibility.d"
        done
        ;;
      cachefile:/*) [ -d "${value%/*}/" ] || problem text "cachefile=$value" "there is no folder ${value%/*}. Make it: mkdir -p $(quoted "${value%/*}")" ;;
    esac
  done
}

key_is_needed() { # INDEX
  ! zfs list -H -o name -- "${key_dataset[$1]}" >/dev/null 2>&1
}

check_keys() {
  local k path
  for k in "${!key_dataset[@]}"; do
    if ! key_is_needed "$k"; then
      continue
    fi
    path=${key_location[k]#file://}
    case ${key_location[k]} in
      file://*) check_key_file "the key of ${key_dataset[k]}" "${key_format[k]}" "$path" ;;
      http*) say "note: the key of ${key_dataset[k]} comes from ${key_location[k]}, which is not looked at here" ;;
    esac
  done
}

check_key_file() { # WHAT FORMAT PATH
  local size mode first=''
  if [ ! -f "$3" ] || [ ! -r "$3" ]; then
    problem text "$1" "there is no file $3. Make it: $(key_recipe "$2" "$3")"
    return 0
  fi
  # What others can read or write locks nothing, and a key of another length fails once the disks have labels.
  size=$(stat -Lc %s -- "$3")
  mode=$(stat -Lc %a -- "$3")
  if [ "$(stat -Lc %u -- "$3")" != 0 ] || [[ $mode != *00 ]]; then
    problem text "$1" "$3 can be read by others than root (mode $mode). Run: chown root $(quoted "$3") && chmod 600 $(quoted "$3")"
  fi
  if [ "$2" = raw ]; then
    [ "$size" = 32 ] || problem text "$1" "$3 has $size bytes, a raw key has exactly 32. $(other_key_words "$2" "$3")"
    return 0
  fi
  IFS= read -r first <"$3" 2>/dev/null || true
  if [ "$2" = hex ]; then
    [[ $first =~ ^[0-9a-fA-F]{64}$ && $size -le 65 ]] || problem text "$1" "$3 does not hold exactly 64 hexadecimal digits. $(other_key_words "$2" "$3")"
  elif ! is_passphrase "$first"; then
    problem text "$1" "the first line of $3 is no passphrase of 8 to 512 characters. Write one into it"
  fi
}

is_passphrase() { [ "${#1}" -ge 8 ] && [ "${#1}" -le 512 ]; }

other_key_words() { # FORMAT PATH: nothing is written over what may be the key of something else
  printf '%s\n' "Put the right file there, or move this one away and make one: $(key_recipe "$1" "$2")"
}

key_recipe() { # FORMAT PATH
  case $1 in
    raw) printf '(umask 077; head -c 32 /dev/urandom >%q)\n' "$2" ;;
    hex) printf '(umask 077; od -An -v -tx1 -N32 /dev/urandom | tr -d " \\n" >%q)\n' "$2" ;;
    *) printf '%s\n' "write the passphrase into $(quoted "$2"), then chmod 600 $(quoted "$2")" ;;
  esac
}

tell_keys() {
  local k told=no
  for k in "${!key_dataset[@]}"; do
    if [[ ${key_dataset[k]}/ != "$pool"/* ]] || ! key_is_needed "$k"; then
      continue
    fi
    if [ "$told" = no ]; then
      say ""
      say "!!! ENCRYPTED. Without its key nobody reads the data again: there is no other way in, and nothing resets it."
      told=yes
    fi
    case ${key_location[k]} in
      prompt) say "!!! ${key_dataset[k]}: keep the ${key_format[k]} where it outlives this machine and whoever types it." ;;
      *) say "!!! ${key_dataset[k]}: keep copies of ${key_location[k]#file://} in two places off this machine, not in this pool." ;;
    esac
  done
}

ask_keys() {
  local k
  for k in "${!key_dataset[@]}"; do
    if [ "${key_location[k]}" = prompt ] && [ -z "${key_typed[k]}" ] && key_is_needed "$k"; then
      ask_key "$k"
    fi
  done
}

ask_key() { # INDEX
  local first='' again='' tries
  asked=yes
  for tries in 1 2 3; do
    say "Type the ${key_format[$1]} of ${key_dataset[$1]}; it is not shown:"
    first=$(typed_line)
    say "Type it again:"
    again=$(typed_line)
    if [ "$first" != "$again" ]; then
      say "The two differ."
    elif [ "${key_format[$1]}" = hex ] && ! [[ $first =~ ^[0-9a-fA-F]{64}$ ]]; then
      say "A hex key has exactly 64 hexadecimal digits."
    elif [ "${key_format[$1]}" = passphrase ] && ! is_passphrase "$first"; then
      say "A passphrase has 8 to 512 characters."
    else
      key_typed[$1]=$first
      return 0
    fi
    [ "$tries" != 3 ] || refuse 1 "No key for ${key_dataset[$1]} after three tries; run this script again."
  done
}

typed_line() { # a line from the terminal, without showing it; from the input where there is no terminal
  local line=
  # shellcheck disable=SC2217 # opening the terminal is the test
  if { true </dev/tty; } 2>/dev/null; then
    IFS= read -rs line </dev/tty || true
  else
    IFS= read -r line || true
  fi
  printf '%s' "$line"
}

run_with_key() { # DATASET COMMAND...: as run, with the key on its input where it was typed
  local k
  for k in "${!key_dataset[@]}"; do
    [ "${key_dataset[k]}" != "$1" ] || typed_key=${key_typed[k]}
  done
  run "${@:2}"
  typed_key=''
}

# ---------------------------------------------------------------- the pool
pending=()
created=() # what this run has created in the current pool
differing=
asked=no # whether the script has waited for a person

rehearse() {
  if [ "${create_arguments[0]}" = -f ]; then
    # zpool's own check that no disk is in use is not made with -f, so let it make it once without.
    run zpool create -n -o "ashift=$(designed_ashift)" "$pool" "${device_paths[@]}"
  fi
  run zpool create -n "${create_arguments[@]}"
}

designed_ashift() {
  local e
  for e in "${!expected_of[@]}"; do
    if [ "${expected_pool[e]}:${expected_name[e]}" = "$pool_number:ashift" ]; then
      printf '%s\n' "${expected_value[e]}"
    fi
  done
}

agree() { # WORDS: have them typed, unless --agree gave them
  local answer given
  if [ "$check_only" = yes ]; then
    say "This will have to be agreed to: \"$1\""
    return 0
  fi
  # The count is part of the words: what was agreed to for one disk does not hold for two.
  for given in ${agreed[@]+"${agreed[@]}"}; do
    if [ "$given" = "$1" ]; then
      say "Agreed to by --agree: $1"
      return 0
    fi
  done
  printf '%s ' "Type \"$1\" to go on:"
  asked=yes
  read_answer
  [ "$answer" = "$1" ] || refuse 1 "The words do not match."
}

confirm() { # WHAT
  local answer
  if [[ $yes_create == *" $pool "* ]]; then
    return 0
  fi
  say "$1"
  # A name and not "y": whoever runs the script of another machine notices it here.
  printf '%s ' "Type the name of the pool to go on:"
  asked=yes
  read_answer
  if [ "$answer" != "$pool" ]; then
    refuse 1 "The name typed is not the name of the pool."
  fi
}

find_pending() {
  local j
  pending=()
  for j in "${!later_pool[@]}"; do
    if [ "${later_pool[j]}" = "$pool_number" ] && ! is_made "$j"; then
      pending+=("$j")
    fi
  done
}

is_made() { # COMMAND
  if [ "${words[later_first[$1]]}" = zfs ]; then
    zfs list -H -o name -- "${later_name[$1]}" >/dev/null 2>&1
  else
    [ "$(zpool get -H -o value "${later_name[$1]}" "$pool" 2>/dev/null)" != - ]
  fi
}

make_pending() {
  local j
  for j in ${pending[@]+"${pending[@]}"}; do
    changed=yes
    run_with_key "${later_name[j]}" "${words[@]:later_first[j]:later_count[j]}"
    created+=("${later_name[j]}")
  done
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

check_known() { # of pools still to be made: zpool would say that it does not know a property once the disks are labelled
  local e tool name
  local -A names=()
  for e in "${!expected_of[@]}"; do
    if [ "${pool_state[expected_pool[e]]}" = absent ]; then
      tool=zpool
      [ -z "${expected_of[e]}" ] || tool=zfs
      [[ ",${names[$tool]-}," == *",${expected_name[e]},"* ]] || names[$tool]=${names[$tool]-}${names[$tool]:+,}${expected_name[e]}
    fi
  done
  for tool in "${!names[@]}"; do
    ! is_known "$tool" "${names[$tool]}" || continue
    while IFS= read -r -d , name; do
      is_known "$tool" "$name" ||
        problem design "$name" "the OpenZFS here knows no such property; the design was computed for $designed_for"
    done < <(printf '%s,' "${names[$tool]}")
  done
}

is_known() {
  local status=0 roots=()
  [ "$1" = zpool ] || roots=(-d 0)
  "$1" get -H ${roots[@]+"${roots[@]}"} -o value "$2" >/dev/null 2>&1 || status=$?
  [ "$status" != 2 ]
}

check_properties() {
  local e
  for e in "${!expected_of[@]}"; do
    if [ "${expected_pool[e]}" != "$pool_number" ]; then
      continue
    elif [ -z "${expected_of[e]}" ]; then
      check_property "$pool" "${expected_name[e]}" "${expected_value[e]}" zpool
    else
      check_property "${expected_of[e]}" "${expected_name[e]}" "${expected_value[e]}" zfs
    fi
  done
}

check_property() { # POOL|DATASET PROPERTY VALUE TOOL
  local value exact a accepted=("$3")
  for a in "${!also_name[@]}"; do
    if [ "${also_name[a]}=${also_value[a]}" = "$2=$3" ]; then
      accepted+=("${also_other[a]}")
    fi
  done
  value=$("$4" get -H -o value "$2" "$1" 2>/dev/null) || value=unknown
  exact=$("$4" get -Hp -o value "$2" "$1" 2>/dev/null) || exact=unknown
  if ! is_one_of "$value" "${accepted[@]}" && ! is_one_of "$exact" "${accepted[@]}"; then
    [ "$value" != unknown ] || value="unknown"
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
  local predicted_available=${pool_available_predicted[pool_number]}
  if has_special && [ -n "$predicted_available" ] && [ "$2" -gt "$predicted_available" ]; then
    # Some releases add what is stored on special and dedup vdevs; it grows with the metadata.
    say "USED + AVAIL: $2 bytes, predicted were $predicted_available without what lies on special and dedup vdevs"
  else
    compare_bytes "$1" "USED + AVAIL" "$predicted_available" "$2"
  fi
}

has_special() {
  local m
  for m in "${!member_pool[@]}"; do
    case ${member_pool[m]}:${member_section[m]} in "$pool_number":special | "$pool_number":dedup) return 0 ;; esac
  done
  return 1
}

verify() {
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
  compare_bytes "$1" SIZE "${pool_size_predicted[pool_number]}" "$size"
  compare_available "$1" "$((used + available))"
  if [ "$difference_count" -gt 0 ]; then
    differing="$differing $pool"
  fi
}

# ---------------------------------------------------------------- an early end
# However the run ends after the first command that writes, what is told is looked up on the disks at that moment.

tell_left() {
  local number i found written=no ours=yes nothing="nothing was written"
  if have udevadm; then
    udevadm settle --timeout=10 2>/dev/null || true
  fi
  resolve_disks
  find_leaves
  say "What is there now:"
  for number in "${!pool_names[@]}"; do
    use_pool "$number"
    pool_state[number]=absent
    if ! pool_exists; then
      say "  there is no pool $pool"
    elif compare_layout; then
      pool_state[number]=existing
      find_pending
      say "  the pool $pool, with exactly the designed vdevs; still to be made in it: ${#pending[@]}"
    else
      say "  a pool $pool that is not the designed one"
    fi
  done
  for i in "${!disk_name[@]}"; do
    found=$(disk_state "$i")
    say "  ${disk_name[i]}: ${found:-$nothing}"
    if [ -n "$found" ] && serves "$i" absent; then
      written=yes
      if [ -z "${disk_table[i]}" ] || ! has_our_table "$i"; then
        ours=no
      fi
    fi
  done
  if [ "$written" = no ] || [ "$ours" = yes ]; then
    say "Mend the cause, then run this script again: it goes on where it stopped."
  else
    say "Mend the cause, then clear these disks with the undo script of this design: it takes back what this script wrote, and
nothing else. $(undo_words) After it, run this script again."
  fi
}

undo_words() {
  printf '%s\n' "Run: sudo bash destroy-${pool_names[0]}.sh (to write it: poolwright script DESIGN --format undo)."
}

disk_state() { # INDEX
  local dev=${disk_dev[$1]} found parts
  if [ -z "$dev" ]; then
    printf '%s\n' "the disk is gone"
    return 0
  fi
  parts=$(partitions_of "$dev")
  found=$(contents_of "$dev") || true
  if [[ " $pool_leaves " == *" ${dev##*/} "* ]]; then
    printf '%s\n' "serves an imported pool"
  elif [ -n "$parts" ]; then
    printf '%s\n' "partitions $parts"
  elif [ -n "$found" ]; then
    printf '%s\n' "${found% }"
  fi
}

# ---------------------------------------------------------------- the machine
take_turn() { # two runs at once would each find half of what the other leaves
  local turn
  have flock || return 0
  exec {turn}<"$dev_by_id" || return 0
  flock -n "$turn" || refuse 1 "Another such script is at work on the disks of this machine. Let it end first."
}

mount_lists=/etc/zfs/zfs-list.cache

tell_list() { # POOL that was destroyed: zed keeps the list by which systemd mounts, but hears nothing of that
  local list=$mount_lists/$1
  [ ! -s "$list" ] || say "note: $list still names $1: at every start systemd will try to mount it and fail. To empty it: : >$(quoted "$list")"
}

require_machine() { # every tool is there, and root runs it
  local tool missing='' packages="OpenZFS and util-linux" tools=(id zpool zfs lsblk blkid blockdev wipefs)
  tools+=(readlink stat cat date tee ${more_tools[@]+"${more_tools[@]}"})
  if partitioned; then
    packages="OpenZFS, util-linux and gdisk" tools+=(sgdisk udevadm sleep)
  fi
  packages="$packages${install:+ ($install)}"
  # One that is missing in the middle would leave the work half done.
  for tool in "${tools[@]}"; do
    have "$tool" || missing="$missing $tool"
  done
  # Others of these names, as busybox has them, know neither word, and would find no process and no mount.
  [ "$(find / -maxdepth 0 -printf x 2>&1)$(stat -c %m / 2>&1)" = x/ ] || missing+=' findutils coreutils'
  if [ -n "$missing" ]; then
    die 3 "Not installed:$missing. Install $packages, then run this script again."
  fi
  if [ "$(id -u)" != 0 ]; then
    die 3 "Only root can read and use the disks. Run: sudo bash $0"
  fi
}

# ---------------------------------------------------------------- the run
readonly more_tools=(dd find sync)
check_only=no
yes_create=" "
agreed=()

usage() {
  printf '%s\n' "Usage: ${0##*/} [--check | --yes-create POOL...] [--agree WORDS...]" \
    "$(counted "${#disk_name[@]}" "Creates ${pool_names[*]} from 1 disk, after checking every one of them." "Creates ${pool_names[*]} from ${#disk_name[@]} disks, after checking every one of them.")" \
    "The log goes to /var/log, or to the new file that POOLWRIGHT_LOG names. A second run changes nothing."
  option --check "check the disks and let zpool rehearse; change nothing"
  option '--yes-create POOL' "do not ask for this pool's name; once for each of: ${pool_names[*]}"
  option '--agree WORDS' "do not ask for these words, which are wanted where data may be covered or lost"
  option --help "this text"
}

parse_arguments() {
  while [ "$#" -gt 0 ]; do
    case $1 in
      --check) check_only=yes ;;
      --yes-create)
        if [ "$#" -lt 2 ] || [[ " ${pool_names[*]} " != *" $2 "* ]]; then
          refuse 2 "--yes-create wants the name of a pool of the design: ${pool_names[*]}."
        fi
        yes_create="$yes_create$2 "
        shift
        ;;
      --agree)
        [ "$#" -ge 2 ] || refuse 2 "--agree wants words."
        agreed+=("$2")
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
  local line here='' planned=${designed_for%% *}
  while IFS= read -r line; do
    case $line in zfs-kmod-*) here=${line#zfs-kmod-} ;; esac
  done < <(zfs version 2>/dev/null)
  case $here in
    "$planned" | "$planned"[!0-9]*) ;;
    "${planned%.*}".*) say "note: OpenZFS $here runs here, the design was computed for $designed_for" ;;
    '') say "WARNING: OpenZFS of unknown version runs here, the design was computed for $designed_for" ;;
    *) say "WARNING: OpenZFS $here runs here, the design was computed for $designed_for" ;;
  esac
}

changed_words() {
  printf '%s\n' "This script changes nothing in a pool that is there: design with the vdevs it has now."
}

prepare() { # all that comes before the first pool is created: checks, rehearsals, questions
  local number
  say "$(counted "${#disk_name[@]}" "Checking 1 disk" "Checking ${#disk_name[@]} disks")"
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
    say "Every disk is the one designed with, and empty."
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
      confirm "This creates the pool $pool on ${#device_paths[@]} disks or partitions, as shown above."
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
      say "zpool can rehearse $pool only once its partitions are there; it will then."
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
      say "Missing in the pool:$(pending_names)"
      forget_problems
      covered_count=0 used_disks=() namesakes=() # of these prepare has asked
      check_mountpoints
      check_keys
      refuse_on_problems
      have_agreed
      [ "$check_only" = no ] || return 0
      tell_keys
      confirm "This creates what is missing in the pool $pool; nothing else is touched."
      ask_keys
      require_witnesses
    fi
    make_pending
  elif [ "$1" = existing ]; then
    say "Nothing is missing, nothing was changed."
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
      say "The pool $pool exists already with exactly these vdevs; it is not created again."
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
    die 1 "The pool$differing differs from the design in the points above. Nothing was changed to mend them: properties can be set with zpool set and zfs set."
  elif [ "$check_only" = yes ]; then
    say "Checked. Nothing was changed."
  else
    say "Done: as designed: ${pool_names[*]}"
  fi
}

main "$@"
exit
}
# The end of the script
