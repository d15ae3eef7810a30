# ---------------------------------------------------------------- pools that are exported
# Two pools of one name cannot be imported together: the one that is exported would be out of reach. And a pool of the
# design that is exported on the design's own disks is no rest of a failed creation.

namesakes=() # names of pools of the design that some exported pool on other disks bears too
exported_name=() exported_id=() exported_state=() exported_here=()
declare -A exported_by=() # by kernel name: the number of the exported pool that lies there

find_exported() { # what could be imported, and on which disks of the design it lies
  local text line word n=-1 leaf
  exported_by=() exported_name=() exported_id=() exported_state=() exported_here=()
  text=$(zpool import 2>&1) || true # its status is 1 when there is none
  while IFS= read -r line; do
    line=${line#"${line%%[![:blank:]]*}"}
    case $line in
      'pool: '*)
        n=$((n + 1))
        exported_name+=("${line#pool: }") exported_id+=('') exported_state+=('') exported_here+=(no)
        continue
        ;;
    esac
    [ "$n" -ge 0 ] || continue
    word=${line%%[[:blank:]]*}
    case $line in
      'id: '*) exported_id[n]=${line#id: } ;;
      'state: '*) exported_state[n]=${line#state: } ;;
      ?*)
        if leaf=$(disk_called "$word"); then
          exported_here[n]=yes exported_by[$leaf]=$n
        fi
        ;;
    esac
  done < <(printf '%s\n' "$text")
}

disk_called() { # WORD
  local kernel='' i
  case $1 in . | .. | */*) return 1 ;; esac
  if [ -e "$dev_by_id/$1" ]; then
    kernel=$(readlink -f -- "$dev_by_id/$1")
    kernel=${kernel##*/}
  elif [ -e "$sys_block/$1" ]; then
    kernel=$1
  fi
  for i in "${!disk_dev[@]}"; do
    if [ -n "$kernel" ] && [ "${disk_dev[i]##*/}" = "$(whole_of "$kernel")" ]; then
      leaf_of "$kernel"
      return 0
    fi
  done
  return 1
}

find_namesakes() {
  local n number
  namesakes=()
  for n in "${!exported_name[@]}"; do
    for number in "${!pool_names[@]}"; do
      if [ "${pool_names[number]}:${pool_state[number]}:${exported_here[n]}" = "${exported_name[n]}:absent:no" ]; then
        namesakes+=("${exported_name[n]}")
        say $"  - There is an exported pool ${exported_name[n]} already (id ${exported_id[n]}, ${exported_state[n]}). Look: zpool import"
        say $"    To keep both, give it another name first: zpool import ${exported_id[n]} NEWNAME"
      fi
    done
  done
}

is_exported() { # LEAF
  local n=${exported_by[$1]-} name
  for name in "${pool_names[@]}"; do
    if [ -n "$n" ] && [ "$name" = "${exported_name[n]}" ]; then
      return 0
    fi
  done
  return 1
}

tell_exported() { # LEAF
  local n=${exported_by[$1]-}
  [ -n "$n" ] || return 1
  say $"    It belongs to the pool ${exported_name[n]}, which is exported (${exported_state[n]}). To use that pool: zpool import ${exported_id[n]}"
}
