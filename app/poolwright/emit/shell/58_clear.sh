# ---------------------------------------------------------------- zeros all over
# Where the creation script looks whether a disk is empty, a disk or partition that was proved the design's own gets zeros.

clear_places() { # DEV BYTES
  local first count grains=$(($2 / grain)) rest=$(($2 % grain))
  while read -r first count; do
    holds_something "$1" "$first" "$count" || continue
    if [ "$((first + count))" -gt "$grains" ]; then
      count=$((grains - first))
      [ "$rest" = 0 ] || run dd if=/dev/zero of="$1" bs="$rest" count=1 seek="$((grains * grain))" oflag=seek_bytes conv=notrunc,nocreat,fsync status=none
    fi
    write_zeros "$1" "$first" "$count"
  done < <(places "$2")
}
