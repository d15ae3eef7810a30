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
