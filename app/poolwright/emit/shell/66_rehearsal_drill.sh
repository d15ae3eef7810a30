# ---------------------------------------------------------------- the drill
# Each step is told before it is taken, with what one would type where the disk is a real one.

readonly sample_files=16 sample_bytes=2097152
replacements=0

step() { # TEXT
  say ""
  say "== $1"
}

really() { # COMMAND...: what one would type
  say $"In a real failure you would type:"
  say "      $*"
}

pause() {
  local answer
  # Without a terminal nobody would ever press it.
  if [ "$pauses" = yes ] && [ -t 0 ] && [ -t 1 ]; then
    printf '%s' $"Press Enter to go on. "
    IFS= read -r answer || true
  fi
}

healthy() { # POOL WANTED
  local health=
  read -r health < <(zpool list -H -o health "$1") || true
  if [ "$health" != "$2" ]; then
    difference $"the pool $1 is $health; $2 was to be seen here"
  fi
}

show() { # POOL WANTED
  run zpool status "$1"
  healthy "$1" "$2"
  if (cd "$place/mounts/rehearsed/$1" && sha256sum --status -c "$place/sums-$1"); then
    say $"All files read back as they were written."
  else
    difference $"files of the pool $1 do not read back as they were written"
  fi
  pause
}

settled() { # POOL
  local tries text
  # A copy that was just ordered may not show yet.
  sleep 1
  for ((tries = 0; tries < 1800; tries++)); do
    text=$(zpool status "$1")
    case $text in
      *'in progress'* | *replacing-*) sleep 1 ;;
      *) return 0 ;;
    esac
  done
  # The files are small: what takes so long hangs.
  die 3 $"The pool $1 is still copying after half an hour."
}

create_pool() { # NUMBER
  local pool=${pool_names[$1]} i
  step $"The pool $pool is created as the design says, on files of the sizes of the disks."
  for i in "${!command_pool[@]}"; do
    [ "${command_pool[i]}" != "$1" ] || run "${words[@]:command_first[i]:command_count[i]}"
  done
  run zpool list "$pool"
}

fill_pool() { # POOL
  local i where=$place/mounts/rehearsed/$1
  # Kept out of memory, so that what is read back comes from the files.
  step $"Files are written into a dataset of the rehearsal's own; their checksums tell later whether anything was lost."
  run zfs create -o "mountpoint=/rehearsed/$1" -o canmount=on -o readonly=off -o checksum=on -o primarycache=metadata "$1/poolwright-rehearsed"
  for ((i = 1; i <= sample_files; i++)); do
    head -c "$sample_bytes" /dev/urandom >"$where/file-$i"
  done
  (cd "$where" && sha256sum file-*) >"$place/sums-$1"
  zpool sync "$1"
  show "$1" ONLINE
}

spoil() { # FILE
  local size
  size=${file_size[$(number_of "$1")]}
  # To nothing and back: a hole, which takes no room, reads as zeros.
  truncate -s 0 -- "$1" && truncate -s "$size" -- "$1"
}

first_spare() { # POOL BYTES
  local name state spares=no size
  while read -r name state _; do
    case $name in
      spares) spares=yes ;;
      '') spares=no ;;
      *)
        [ "$spares" = yes ] && [ "$state" = AVAIL ] || continue
        size=$2
        case $name in /*) size=${file_size[$(number_of "$name")]} ;; esac
        # ZFS refuses a smaller one.
        if [ "$size" -ge "$2" ]; then
          printf '%s\n' "$name"
          return 0
        fi
        ;;
    esac
  done < <(zpool status -P "$1")
  return 1
}

release_spares() { # POOL: an event daemon may have put one in by itself
  local name state
  while read -r name state _; do
    [ "$state" != INUSE ] || run zpool detach "$1" "$name"
  done < <(zpool status -P "$1")
}

fail() { # POOL FILE
  local pool
  pool=$(real_pool "$1")
  step $"The disk $(real_disk "$2") of $pool fails: its file is taken offline and overwritten with zeros."
  say $"ZFS goes on without it. Which pool and which disk, \"zpool status -x\" tells."
  really zpool offline "$pool" "$(real_disk "$2")"
  run zpool offline "$1" "$2"
  spoil "$2"
  show "$1" DEGRADED
}

use_spare() { # POOL FILE
  local spare='' told pool
  pool=$(real_pool "$1")
  spare=$(first_spare "$1" "${file_size[$(number_of "$2")]}") || return 0
  case $spare in
    /*)
      told=$(real_disk "$spare")
      step $"A hot spare waits. ZFS's event daemon (zed) puts it in by itself where a disk is gone or has too many errors; by hand, this is how."
      ;;
    *)
      told=$spare
      step $"The distributed spare $spare waits: room on all disks of the dRAID, into which all of them write at once."
      ;;
  esac
  really zpool replace "$pool" "$(real_disk "$2")" "$told"
  run zpool replace "$1" "$2" "$spare"
  settled "$1"
  case $(zpool status -P "$1") in
    *spare-*INUSE*) say $"The spare stands in for the failed disk. The pool tells DEGRADED until a new disk has come." ;;
    *) difference $"the spare $spare is not in use" ;;
  esac
  show "$1" DEGRADED
}

new_disk() { # POOL FILE
  local pool
  pool=$(real_pool "$1")
  replacements=$((replacements + 1))
  fresh=${2%-new*}-new$replacements
  # Under a name of its own, as a new disk has: the old file still bears the old label.
  truncate -s "${file_size[$(number_of "$2")]}" -- "$fresh"
  step $"A new disk comes in the place of $(real_disk "$2"), and ZFS copies onto it what belongs there."
  really zpool replace "$pool" "$(real_disk "$2")" NEW-DISK
  run zpool replace "$1" "$2" "$fresh"
  fresh_files=" $fresh_files "
  fresh_files=${fresh_files/" $2 "/" $fresh "}
}

lose() { # POOL VDEV COUNT
  local i files=() fresh='' fresh_files=${vdev_files[$2]}
  read -r -a files < <(printf '%s\n' "${vdev_files[$2]}")
  for ((i = 0; i < $3; i++)); do
    fail "$1" "${files[i]}"
  done
  if [ "$3" = 1 ] && [ "${vdev_class[$2]}" = data ]; then
    use_spare "$1" "${files[0]}"
  fi
  for ((i = 0; i < $3; i++)); do
    new_disk "$1" "${files[i]}"
  done
  settled "$1"
  for ((i = 0; i < $3; i++)); do
    # Only now: until the copy is done the old file belongs to the pool.
    rm -f -- "${files[i]}"
  done
  vdev_files[$2]=$fresh_files
  say $"Everything is copied."
  show "$1" ONLINE
}

damage() { # POOL VDEV: a disk that gives back other bytes than were written, and says nothing
  local files=() file pool
  pool=$(real_pool "$1")
  read -r -a files < <(printf '%s\n' "${vdev_files[$2]}")
  file=${files[${#files[@]} - 1]}
  step $"The disk $(real_disk "$file") of $pool loses what was written and tells nobody: its file becomes zeros but for the labels. A scrub reads everything and repairs it."
  really zpool scrub "$pool"
  # The labels stay, 4 MiB at each end: without them the disk would be gone, not silently wrong.
  fallocate --punch-hole --offset 4194304 --length $((file_size[$(number_of "$file")] - 8388608)) -- "$file"
  run zpool scrub "$1"
  settled "$1"
  run zpool status "$1"
  case $(zpool status "$1") in
    *'repaired 0B '*) difference $"the scrub of the pool $1 found nothing to mend" ;;
  esac
  say $"The column CKSUM counts what was read wrong; the line scan says how much was repaired. A disk that goes on so is replaced; the counters are set back by:"
  really zpool clear "$pool"
  run zpool clear "$1"
  settled "$1"
  # A spare left in use would keep the pool from ONLINE.
  release_spares "$1"
  run zpool scrub "$1"
  settled "$1"
  show "$1" ONLINE
}

drill() { # NUMBER
  local pool=${pool_names[$1]} v survived done_for=' '
  for v in "${!vdev_pool[@]}"; do
    [ "${vdev_pool[v]}" = "$1" ] || continue
    case ${vdev_class[v]} in spare | cache) continue ;; esac
    case $done_for in *" ${vdev_class[v]} "*) continue ;; esac # the others of a class go the same way
    done_for+="${vdev_class[v]} "
    survived=$(survives "$v")
    # What it holds could not be read back: this is told, not done.
    if [ "$survived" = 0 ]; then
      stands_alone "$pool" "${vdev_class[v]}"
      continue
    fi
    if [ "${vdev_class[v]}" != data ]; then
      step $"Next comes a vdev of the class ${vdev_class[v]}: it loses a side."
    fi
    lose "$pool" "$v" 1
    [ "${vdev_class[v]}" = data ] || continue
    damage "$pool" "$v"
    if [ "$survived" -gt 1 ]; then
      step $"Now as many disks of one vdev fail at once as it survives: $survived. One more, and the pool would be lost: from there only a backup helps."
      lose "$pool" "$v" "$survived"
    fi
  done
}

stands_alone() { # POOL CLASS
  local pool
  pool=$(real_pool "$1")
  case $2 in
    log) step $"The log of $pool stands alone. If it fails, ZFS goes on without it; with a crash at the same moment the last seconds of synchronous writes are lost. Nothing is failed here." ;;
    *) step $"The vdevs of the class $2 of $pool have no redundancy: losing one disk loses the pool, and only a backup helps. Nothing is failed here." ;;
  esac
  pause
}
