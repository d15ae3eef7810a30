# ---------------------------------------------------------------- the design
# Takes the disks and commands of the function `design` apart: which pools, vdevs, members, partitions and datasets.

part_type=() part_label=() part_guid=()
part_pool=() # the pool that a partition is for; empty where it is reserved for something else than ZFS
member_pool=() member_section=() member_vdev=() member_word=() member_disk=() member_part=()
pool_names=() pool_first=() pool_count=() pool_state=() # state of each pool: absent or existing
pool_size_predicted=() pool_available_predicted=()
pool_marks=() # by which each pool is known again
later_pool=() later_name=() later_first=() later_count=() # commands that follow the creation of a pool
expected_pool=() expected_of=() expected_name=() expected_value=()
also_name=() also_value=() also_other=()
words=() # of all commands, one after the other
pool='' pool_number=0

predicted() { # SIZE AVAILABLE
  pool_size_predicted[${#pool_names[@]} - 1]=$1
  pool_available_predicted[${#pool_names[@]} - 1]=$2
}

also() { # PROPERTY VALUE OTHER
  also_name+=("$1") also_value+=("$2") also_other+=("$3")
}

write() { # COMMAND...
  local first=${#words[@]}
  words+=("$@")
  case "$1 $2" in
    'sgdisk -U') take_table "$@" ;;
    'zpool create') take_pool "$first" "$@" ;;
    'zfs create') take_dataset "$first" "$@" ;;
    'zpool set') take_later "$first" "${3%%=*}" "$@" && expect '' "${3%%=*}" "${3#*=}" ;;
    # A design that was edited by hand must not run what nothing here checks.
    *) refuse 3 $"The design of this script says \"$*\", which no such script runs. Write the script again from the design." ;;
  esac
}

take_table() { # sgdisk -U GUID then for each partition: -n N:STARTM:+SIZEM -t N:TYPE -c N:NAME -u N:GUID, and the disk
  local path=${!#} i
  i=${disk_index[${path##*/}]}
  disk_table[i]=$3
  shift 3
  while [ "$#" -ge 8 ]; do
    part_disk+=("$i") part_number+=("${2%%:*}") part_pool+=("") part_node+=("")
    part_start+=("$(span "$2" 1)") part_size+=("$(span "$2" 2)")
    part_type+=("${4#*:}") part_label+=("${6#*:}") part_guid+=("${8#*:}")
    shift 8
  done
}

span() {
  local start=${1#*:} size=${1##*+}
  if [ "$2" = 1 ]; then
    start=${start%%:*}
    printf '%s\n' "${start%M}"
  else
    printf '%s\n' "${size%M}"
  fi
}

take_pool() { # FIRST zpool create OPTIONS... NAME VDEVS...
  local number=${#pool_names[@]} section=data vdev=-1 group='' name='' word i part
  pool_first+=("$1") pool_count+=($(($# - 1))) pool_size_predicted+=("") pool_available_predicted+=("")
  pool_state+=(absent)
  shift 3
  pool_names+=("$(name_in "$@")")
  name=${pool_names[number]}
  while [ "$1" != "$name" ]; do
    case $1 in
      -o) expect '' "${2%%=*}" "${2#*=}" && shift ;;
      -O) take_root_property "$name" "${2%%=*}" "${2#*=}" && shift ;;
      -m) expect "$name" mountpoint "$2" && shift ;;
    esac
    shift
  done
  for word in "${@:2}"; do
    case $word in
      special | dedup | log | spare | cache) section=$word vdev=-1 group='' ;;
      /*)
        part=
        if [[ $word =~ -part([0-9]+)$ ]]; then
          part=${BASH_REMATCH[1]}
          word=${word%-part*}
        fi
        i=${disk_index[${word##*/}]}
        [ -n "$group" ] || vdev=$((vdev + 1))
        member_pool+=("$number") member_section+=("$section") member_vdev+=("$vdev")
        member_word+=("${group:-disk}") member_disk+=("$i") member_part+=("$part")
        [ -z "$part" ] || part_serves "$i" "$part" "$number"
        ;;
      *) group=$word vdev=$((vdev + 1)) ;;
    esac
  done
}

take_root_property() { # POOL PROPERTY VALUE
  if [ "$2" = org.poolwright:design ]; then
    pool_marks[${#pool_names[@]} - 1]=$3
  else
    expect "$1" "$2" "$3"
  fi
}

name_in() { # OPTIONS... NAME: the first word that is neither an option nor the value of one
  while [ "$#" -gt 0 ]; do
    case $1 in
      -f) shift ;;
      -o | -O | -m | -V) shift 2 ;;
      *)
        printf '%s\n' "$1"
        return 0
        ;;
    esac
  done
}

part_serves() { # DISK NUMBER POOL
  local p
  parts_of "$1"
  for p in ${disk_parts[@]+"${disk_parts[@]}"}; do
    [ "${part_number[p]}" != "$2" ] || part_pool[p]=$3
  done
}

take_dataset() { # FIRST zfs create OPTIONS... NAME
  local name=${!#} first=$1
  take_later "$first" "$name" "${@:2}"
  shift 3
  while [ "$#" -gt 1 ]; do
    if [ "$1" = -o ]; then
      expect "$name" "${2%%=*}" "${2#*=}"
    fi
    shift 2
  done
}

take_later() { # FIRST NAME COMMAND...
  later_pool+=($((${#pool_names[@]} - 1))) later_name+=("$2") later_first+=("$1") later_count+=($(($# - 2)))
}

expect() { # DATASET PROPERTY VALUE
  expected_pool+=($((${#pool_names[@]} - 1))) expected_of+=("$1") expected_name+=("$2") expected_value+=("$3")
}

use_pool() { # NUMBER
  local m
  pool_number=$1 pool=${pool_names[$1]}
  # shellcheck disable=SC2034 # the undo script creates nothing
  create_arguments=("${words[@]:pool_first[$1] + 2:pool_count[$1] - 2}")
  device_paths=()
  for m in "${!member_pool[@]}"; do
    if [ "${member_pool[m]}" = "$1" ]; then
      device_paths+=("/dev/disk/by-id/${disk_name[member_disk[m]]}${member_part[m]:+-part${member_part[m]}}")
    fi
  done
}

is_designed() { # DATASET
  local name
  for name in "${pool_names[@]}" ${later_name[@]+"${later_name[@]}"}; do
    if [ "$name" = "$1" ]; then
      return 0
    fi
  done
  return 1
}

read_answer() { # sets answer to what is typed, at the terminal where there is one
  answer=''
  # shellcheck disable=SC2217 # opening the terminal is the test
  if { true </dev/tty; } 2>/dev/null; then
    IFS= read -r answer </dev/tty || true
  else
    IFS= read -r answer || true
    printf '\n'
  fi
  note $"Typed: $answer"
}
