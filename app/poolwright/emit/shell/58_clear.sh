# ---------------------------------------------------------------- zeros
# Where the creation script looks whether a disk is empty, a disk or partition that was proved the design's own gets zeros.

holds_something() { # DEV FIRST COUNT, in grains
  local text
  text=$(read_place "$@" iflag=direct) || text=$(read_place "$@") || return 1
  [ -n "$text" ]
} 2>/dev/null # bash tells of every zero byte that it leaves out of a text

clear_places() { # DEV BYTES
  local first count grains=$(($2 / grain)) rest=$(($2 % grain))
  while read -r first count; do
    holds_something "$1" "$first" "$count" || continue
    if [ "$((first + count))" -gt "$grains" ]; then
      count=$((grains - first))
      [ "$rest" = 0 ] || run dd if=/dev/zero of="$1" bs="$rest" count=1 seek="$((grains * grain))" oflag=seek_bytes conv=notrunc,nocreat,fsync status=none
    fi
    run dd if=/dev/zero of="$1" bs="$grain" count="$count" seek="$first" conv=notrunc,nocreat,fsync status=none
  done < <(places "$2")
}
