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
      used_words[$i]="${used_words[$i]-}${used_words[$i]:+; }${p:+$(place_words "$p")}"$"$hits of $all places, the first at byte $begin"
    fi
  done < <(
    for i in ${silent[@]+"${!silent[@]}"}; do
      { probe_one "$i" && printf '%s end\n' "$i:"; } &
    done
    wait
  )
  for i in ${silent[@]+"${!silent[@]}"}; do # no answer is no emptiness
    begin=${silent[i]:-0}
    problem text "${disk_name[i]}" $"cannot be read at byte $begin. Mend or replace it before a pool is built on it. Look: dmesg | tail; smartctl -x $dev_by_id/${disk_name[i]}"
  done
}

place_words() {
  case $1 in
    new-*) printf '%s ' $"where partition ${1#new-} will be:" ;;
    *) printf '%s ' $"partition $1:" ;;
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
      problem text "${disk_name[i]}" $"was written to while this script waited for an answer: ${used_words[$i]}. Find out what writes to it. Look: lsblk -f $dev_by_id/${disk_name[i]}"
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
      printf '%s; ' $"$kind named $label at byte $offset"
    elif [ -n "$kind" ]; then
      printf '%s; ' $"$kind at byte $offset"
    fi
  done
}

tell_used() {
  local i found
  say "$(counted "${#disk_name[@]}" $"Not empty, although no tool sees a partition table or a signature there: ${#used_disks[@]} of 1 disk. They held something,
or hold it still behind a lost table; building a pool on them destroys it for good." $"Not empty, although no tool sees a partition table or a signature there: ${#used_disks[@]} of ${#disk_name[@]} disks. They held something,
or hold it still behind a lost table; building a pool on them destroys it for good.")"
  for i in "${!disk_name[@]}"; do
    [ -n "${used_words[$i]-}" ] || continue
    found=$(lost_contents "${disk_dev[i]}")
    if [ -n "$found" ]; then
      say $"  - ${disk_name[i]}: something is written at ${used_words[$i]}. It looks like ${found%; }"
    else
      say $"  - ${disk_name[i]}: something is written at ${used_words[$i]}"
    fi
  done
}
