# ---------------------------------------------------------------- the directory of the rehearsal
# All that is written lies in one directory, which bears a mark; only what lies there is ever destroyed or removed.

readonly marker=poolwright-rehearsal mark=org.poolwright:$stem
readonly file_needs=$((10 << 20)) pool_needs=$((192 << 20)) # bytes on the disk: labels, metadata and what is written
place_made=no lock_fd=''

choose_place() {
  local real
  [ -n "$scratch" ] || {
    usage >&2
    exit 2
  }
  [ -d "$scratch" ] || refuse 2 $"There is no directory $scratch."
  # Without links: zpool shows the real path, and that is what is compared later.
  real=$(cd -- "$scratch" && pwd -P) || refuse 2 $"The directory $scratch cannot be entered."
  case $real/ in
    // | /proc/* | /sys/* | /dev/* | /run/udev/*) refuse 2 $"$real is no place for files. Name a directory on a disk with room." ;;
    *[!A-Za-z0-9/._+-]*) refuse 2 $"The path $real holds characters that the output of zpool does not show unchanged. Name another directory." ;;
  esac
  place=$real/$stem
}

lies_inside() { # POOL: whether every device of it is a file of this directory; anything not understood is a no
  local name found=no
  while read -r name _; do
    case $name in
      "$place"/files/*) found=yes ;;
      "$1" | mirror-* | raidz[123]-* | draid[123]:* | draid[123]-* | spare-* | replacing-* | special | dedup | logs | log | cache | spare | spares | '') ;;
      # A device elsewhere, or a kind of vdev that came after this was written: the pool may be somebody's.
      *) return 1 ;;
    esac
  done < <(zpool list -vHP "$1" 2>/dev/null)
  # A list that could not be read proves nothing.
  [ "$found" = yes ]
}

is_there() { # POOL
  local name
  while IFS= read -r name; do
    [ "$name" != "$1" ] || return 0
  done < <(zpool list -H -o name 2>/dev/null)
  return 1
}

mounted_below() {
  local where
  while read -r _ _ _ _ where _; do
    case $where in "$place" | "$place"/*) return 0 ;; esac
  done </proc/self/mountinfo
  return 1
}

is_ours() {
  local first=
  # Another user could have laid a link or a directory of the same name, to have something else removed.
  [ -d "$place" ] && [ ! -L "$place" ] && [ -O "$place" ] || return 1
  [ -f "$place/$marker" ] && [ ! -L "$place/$marker" ] && [ -O "$place/$marker" ] || return 1
  IFS= read -r first <"$place/$marker" || true
  [ "$first" = "$mark" ]
}

lock_place() {
  exec {lock_fd}<"$place/$marker"
  # Held until the end: two runs would destroy each other's pools, which have the same names.
  flock -n "$lock_fd" || {
    # The end must not remove the directory that the other run uses.
    place_made=no
    refuse 1 $"Another run of this rehearsal uses $place."
  }
}

look_for_left() {
  local name
  if [ -e "$place" ] || [ -L "$place" ]; then
    # Killed before it could write the mark: an empty directory harms nobody.
    [ -L "$place" ] || [ ! -O "$place" ] || rmdir -- "$place" 2>/dev/null || true
  fi
  if [ -e "$place" ] || [ -L "$place" ]; then
    is_ours || refuse 1 $"$place is there and was not made by this script."
    lock_place
    for name in "${pool_names[@]}"; do
      # The mark speaks for the directory, not for a pool that came by the same name since.
      if is_there "$name" && ! lies_inside "$name"; then
        refuse 1 $"There is a pool $name with devices outside of $place."
      fi
    done
    return 0
  fi
  for name in "${pool_names[@]}"; do
    if is_there "$name"; then
      refuse 1 $"There is a pool $name already."
    fi
  done
  return 1
}

remove_all() { # the pools, then the directory; status 1 where something had to stay
  local name
  # The directory that one stands in keeps its file system busy.
  cd /
  for name in ${pool_names[@]+"${pool_names[@]}"}; do
    is_there "$name" || continue
    # Asked again, right before it is destroyed.
    lies_inside "$name" || {
      say $"The pool $name has devices outside of $place: it is left alone, and so are the files."
      return 1
    }
    zpool destroy "$name" 2>/dev/null || zpool destroy -f "$name" || {
      say $"The pool $name could not be destroyed: something uses it. Leave the folder $place and run this script again with --clean."
      return 1
    }
  done
  # What is mounted there would be emptied with it.
  if mounted_below; then
    say $"Something is mounted below $place: the files are left where they are. Unmount it and run this script again with --clean."
    return 1
  fi
  # And where a mount came since the look, this stops at its edge.
  rm -rf --one-file-system -- "$place" || return 1
}

clean_up() {
  local status=$?
  # A second Ctrl-C must not leave pools behind.
  trap '' INT TERM HUP
  trap - EXIT
  # What this run did not make it does not remove.
  [ "$place_made" = yes ] || exit "$status"
  say ""
  say $"Cleaning up: the pools of this rehearsal and the directory $place."
  if remove_all; then
    say $"Nothing of the rehearsal is left."
  elif [ "$status" = 0 ]; then
    status=3
  fi
  exit "$status"
}

make_place() {
  # Without -p: what is there already is no fresh directory. Closed to others, as keys come to lie in it.
  mkdir -m 700 -- "$place" || refuse 3 $"Cannot write into $scratch."
  place_made=yes
  printf '%s\n' "$mark" >"$place/$marker" || die 3 $"Cannot write into $scratch."
  lock_place
  mkdir -- "$place/files" "$place/mounts"
}

space_needed() { printf '%s\n' $((${#file_name[@]} * file_needs + ${#pool_names[@]} * pool_needs)); }

check_room() { # free space, and whether the file system takes such files with holes
  local free block largest=0 size blocks needed holes=yes
  needed=$(space_needed)
  read -r free block < <(stat -f -c '%a %S' -- "$place") || die 3 $"The free space of $scratch cannot be read."
  # A file system that fills up under a pool hangs the pool, and the machine may need the same room.
  [ $((free * block)) -ge "$needed" ] \
    || die 1 $"$scratch has $((free * block >> 20)) MiB free; the rehearsal takes up to $((needed >> 20)) MiB."
  for size in "${file_size[@]}"; do
    [ "$size" -le "$largest" ] || largest=$size
  done
  # Tried, not looked up: the largest file depends on how the file system was made.
  truncate -s "$largest" -- "$place/trial" 2>/dev/null \
    || die 1 $"The file system of $scratch takes no file of $largest bytes. XFS, ZFS and tmpfs take larger ones than ext4."
  # Tried too: files without holes would fill the disk, and the silent damage of the drill is a hole.
  dd if=/dev/zero of="$place/trial" bs=1M count=2 conv=notrunc,fsync status=none || die 3 $"Cannot write into $scratch."
  fallocate --punch-hole --offset 0 --length 2097152 -- "$place/trial" 2>/dev/null && sync "$place/trial" || holes=no
  read -r blocks < <(stat -c %b -- "$place/trial")
  if [ "$holes" = no ] || [ "$blocks" -gt 2048 ]; then
    die 1 $"The file system of $scratch makes no holes in files: a rehearsal would fill it."
  fi
  rm -- "$place/trial"
}

make_files() {
  local i
  for i in "${!file_name[@]}"; do
    truncate -s "${file_size[i]}" -- "$place/files/${file_name[i]}"
  done
  for i in "${!key_name[@]}"; do
    # A key of its own: the real one never comes into the rehearsal.
    (umask 077 && make_key "${key_format[i]}" >"$place/files/${key_name[i]}")
  done
}

make_key() { # FORMAT
  local digits
  case $1 in
    raw) head -c 32 /dev/urandom ;;
    *)
      read -r digits _ < <(head -c 32 /dev/urandom | sha256sum)
      printf '%s' "$digits"
      ;;
  esac
}
