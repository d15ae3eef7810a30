# ---------------------------------------------------------------- zeros all over
# Where the creation script looks whether a disk is empty, a disk or partition that was proved the design's own gets zeros.

clear_places() { # DEV BYTES: where its table lies comes last, in one piece: by it a run that was ended knows the disk again
  local first count
  while read -r first count; do
    [ "$first" = 0 ] || clear_place "$1" "$2" "$first" "$count"
  done < <(places "$2")
  clear_place "$1" "$2" 0 1
}

clear_place() { # DEV BYTES FIRST COUNT, in grains
  local count=$4 grains=$(($2 / grain)) rest=$(($2 % grain))
  holds_something "$1" "$3" "$count" || return 0
  if [ "$(($3 + count))" -gt "$grains" ]; then
    count=$((grains - $3))
    [ "$rest" = 0 ] || run dd if=/dev/zero of="$1" bs="$rest" count=1 seek="$((grains * grain))" oflag=seek_bytes conv=notrunc,nocreat,fsync status=none
  fi
  write_zeros "$1" "$3" "$count"
}
