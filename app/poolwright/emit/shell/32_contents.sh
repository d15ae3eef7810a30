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
      say $"WARNING: what $name holds when new could not be recorded. The undo will count it as data."
  done < <(printf '%s\n' "$rows")
}
