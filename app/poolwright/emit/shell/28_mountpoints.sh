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
      problem design "$dataset" $"would be mounted on $path, where another dataset of the design is mounted"
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
    problem text "$pool" $"zpool creates no pool while $1 holds something, ${#files[@]} in all: $(some_names "${files[@]}"): move it away, or choose another mountpoint in the design"
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
    problem text "$1" $"would be mounted on $2, but this machine has no locale in which ZFS can read that name. Install one of UTF-8 (locale -a shows which there are)"
  fi
  while IFS=$'\t' read -r name canmount where; do
    if [ "$where" = "$2" ] && [ "$canmount" = on ] && [[ $name/ != "$pool"/* ]]; then
      problem text "$1" $"would be mounted on $2, where $name belongs. Choose another mountpoint in the design, or for the other: zfs set mountpoint=FOLDER $(quoted "$name")"
    fi
  done < <(zfs list -H -t filesystem -o name,canmount,mountpoint 2>/dev/null)
  up=$real
  while [ ! -e "$up" ]; do
    up=${up%/*} up=${up:-/}
  done
  # Root may write everywhere but where nobody can; a folder that is there need not be made.
  if [ "$up" != "$real" ] && [ "$EUID" = 0 ] && [ ! -w "$up" ]; then
    problem text "$1" $"would be mounted on $2, which cannot be made: $up is read-only. Choose another mountpoint in the design"
  fi
  # Whatever is mounted there hides the files by which the machine runs, also through a link.
  if is_system_folder "$2" || is_system_folder "$real"; then
    problem design "$1" $"would be mounted on the system folder $real"
  elif [ -e "$real" ] && [ ! -d "$real" ]; then
    problem text "$1" $"would be mounted on $2, which is no folder. Move it away, or choose another mountpoint in the design"
  elif [ -d "$real" ] && [ "$(stat -c %m -- "$real")" = "$real" ]; then
    problem text "$1" $"would be mounted on $2, where something is mounted. Look: findmnt $(quoted "$real"). Choose another mountpoint in the design"
  elif [ "$1" != "$pool" ]; then
    list_files "$real"
    if [ "${#files[@]}" -gt 0 ]; then
      covered_count=$((covered_count + 1))
      say $"  - $1 will be mounted on $2 and cover what is there, ${#files[@]} in all: $(some_names "${files[@]}")"
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
