# ---------------------------------------------------------------- an early end
# However the run ends after the first command that writes, what is told is looked up on the disks at that moment.

tell_left() {
  local number i found written=no ours=yes nothing=$"nothing was written"
  if have udevadm; then
    udevadm settle --timeout=10 2>/dev/null || true
  fi
  resolve_disks
  find_leaves
  say $"What is there now:"
  for number in "${!pool_names[@]}"; do
    use_pool "$number"
    pool_state[number]=absent
    if ! pool_exists; then
      say $"  there is no pool $pool"
    elif compare_layout; then
      pool_state[number]=existing
      find_pending
      say $"  the pool $pool, with exactly the designed vdevs; still to be made in it: ${#pending[@]}"
    else
      say $"  a pool $pool that is not the designed one"
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
    say $"Mend the cause, then run this script again: it goes on where it stopped."
  else
    say $"Mend the cause, then clear these disks with the undo script of this design: it takes back what this script wrote, and
nothing else. $(undo_words) After it, run this script again."
  fi
}

undo_words() {
  printf '%s\n' $"Run: sudo bash destroy-${pool_names[0]}.sh (to write it: poolwright script DESIGN --format undo)."
}

disk_state() { # INDEX
  local dev=${disk_dev[$1]} found parts
  if [ -z "$dev" ]; then
    printf '%s\n' $"the disk is gone"
    return 0
  fi
  parts=$(partitions_of "$dev")
  found=$(contents_of "$dev") || true
  if [[ " $pool_leaves " == *" ${dev##*/} "* ]]; then
    printf '%s\n' $"serves an imported pool"
  elif [ -n "$parts" ]; then
    printf '%s\n' $"partitions $parts"
  elif [ -n "$found" ]; then
    printf '%s\n' "${found% }"
  fi
}
