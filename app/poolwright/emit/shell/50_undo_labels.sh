# ---------------------------------------------------------------- labels, and whose they are
# A label is the script's own when the record proves the guid that it carries, or when a person has typed that guid.

told_guids=" "  # guids given with --guid
label_count=0   # how many different labels read_labels has found
label_name=() label_state=() label_txg=() label_pool=() label_guid=() label_copies=()
not_destroyed=  # a pool of the design that is neither imported nor destroyed
never_was=      # the guid of such a pool where a label says that its creation never came to its end
pools_there=" " # the guids of such pools where a label says that it did
listed_leaves=  # devices of pools of others that could be imported
declare -A brought_back=() # by number: the guid of a pool of the design that somebody else than the undo has destroyed

read_labels() { # DEV
  local text line value inside=no status=0 n=-1
  label_count=0 label_name=() label_state=() label_txg=() label_pool=() label_guid=() label_copies=()
  [ -n "$1" ] || return 0
  text=$(zdb -l "$1" 2>/dev/null) || status=$?
  while IFS= read -r line; do
    case $line in
      'LABEL '[0-9]*)
        inside=yes n=$label_count
        label_count=$((label_count + 1))
        label_name+=('') label_state+=('') label_txg+=('') label_pool+=('') label_guid+=('') label_copies+=('')
        ;;
      'L2ARC device'*) inside=no ;; # its header has a pool_guid of its own
    esac
    # What is indented deeper tells of the other devices of the pool.
    if [ "$inside" = yes ] && [[ $line =~ ^\ {4}([a-z_]+)(:| =)\ (.*)$ ]]; then
      value=${BASH_REMATCH[3]#\'}
      value=${value%\'}
      case ${BASH_REMATCH[1]} in
        name) label_name[n]=$value ;;
        state) label_state[n]=$value ;;
        txg) label_txg[n]=$value ;;
        pool_guid) label_pool[n]=$value ;;
        guid) label_guid[n]=$value ;;
        labels) label_copies[n]=${value% } ;;
      esac
    fi
  done < <(printf '%s\n' "$text")
  [ "$status" = 0 ] || [ "$status" = 2 ]
}

label_device() { # MEMBER
  if [ -n "${member_part[$1]}" ]; then
    member_device "$1"
  else
    partition_node "${disk_dev[member_disk[$1]]}" 1
  fi
}

find_listed() { # sets listed_leaves from what could be imported, without pools that are known to be the script's own
  local line name skip=no
  listed_leaves=" "
  while IFS= read -r line; do
    read -r name value _ < <(printf '%s\n' "$line") || true
    case $name in
      '') ;;
      pool:) skip=no ;;
      id:) [ -z "${proven["pool $value"]-}" ] && [[ $told_guids != *" $value "* ]] || skip=yes ;;
      *)
        [ "$skip" = no ] || continue
        if [ -e "$dev_by_id/$name" ]; then
          name=$(readlink -f -- "$dev_by_id/$name")
          listed_leaves="$listed_leaves${name##*/} "
        elif [ -e "$sys_block/$name" ]; then
          listed_leaves="$listed_leaves$name "
        fi
        ;;
    esac
  done < <(zpool import 2>/dev/null)
}

is_among() { # LEAVES DEV
  [[ $1 == *" ${2##*/} "* || $1 == *" $(whole_of "${2##*/}") "* ]]
}

judge_place() { # MEMBER DEV: sets verdict and why for what is written in the place of a member
  local m=$1 dev=$2 found n something=$"something"
  verdict=foreign
  # From the gravest on: in use now, in use by whoever imports it, unreadable, then what is written there.
  if is_among "$pool_leaves" "$dev"; then
    why=$"$dev belongs to an imported pool. Look: zpool status -LP"
  elif is_among "$listed_leaves" "$dev"; then
    why=$"$dev belongs to a pool that is not imported. Look: zpool import"
  elif ! read_labels "$dev"; then
    why=$"zdb cannot read the labels of $dev"
  elif [ "$label_count" = 0 ]; then
    found=$(contents_of "$dev")
    if [ -n "$found" ] || [ -n "$(wipefs -n -- "$dev" 2>&1)" ]; then
      why=$"$dev holds ${found:-$something}, which the script of this design did not make"
    else
      verdict=empty
    fi
  elif other_signatures "$dev"; then
    why=$"$dev holds more than the label of a pool. Look: wipefs -n $dev"
  else
    for ((n = 0; n < label_count; n++)); do
      judge_label "$m" "$dev" "$n"
      [ "$verdict" = ours ] || return 0
    done
  fi
}

other_signatures() { # DEV
  local line found
  found=$(wipefs -n -p -- "$1" 2>/dev/null) || return 0
  while IFS= read -r line; do
    case $line in
      '' | '#'* | *,zfs_member) ;;
      *) return 0 ;;
    esac
  done < <(printf '%s\n' "$found")
  return 1
}

judge_label() { # MEMBER DEV N
  local dev=$2 number=${member_pool[$1]} name=${label_name[$3]} state=${label_state[$3]} guid=${label_pool[$3]}
  local told=no what nameless=$"without a name" unknown=$"unknown"
  # Foreign until proven: by the record, by the guid that a person typed, or by a creation that was cut off here.
  verdict=foreign
  what=$"the label of the pool ${name:-$nameless} (guid ${guid:-$unknown})"
  if [ -z "$guid" ]; then
    guid=${label_guid[$3]:-none}
    what=$"the label of a $(aux_word "$state") with the guid $guid"
  fi
  [[ $told_guids != *" $guid "* ]] || told=yes
  if [ -z "${label_pool[$3]}" ]; then
    if [ "$told" = yes ] || [ -n "${proven["vdev $guid"]-}" ]; then
      verdict=ours
    else
      why=$"$dev carries $what, and nothing proves that it is of this design. If no pool uses it: --guid $guid"
    fi
  elif [ "$told" = yes ]; then
    verdict=ours
  elif [ "${label_txg[$3]}" = 0 ] && [ "$name" = "${pool_names[number]}" ] && [ "${progress[$number]-}" = begun ]; then
    verdict=ours # of a creation that was cut off: such a pool never was
  elif [ -z "${proven["pool $guid"]-}" ]; then
    why=$"$dev carries $what, and nothing proves that it is of this design. $(how_to_look "$state" "${label_txg[$3]}")"
    if [ "$name" = "${pool_names[number]}" ] && [ "$state" != 2 ]; then
      not_destroyed="$name (guid $guid)"
      if [ "${label_txg[$3]}" = 0 ]; then never_was=$guid; else pools_there="$pools_there$guid "; fi
    fi
  # Proven, but not destroyed: it may be in use by whoever imports it next.
  elif [ "$state" != 2 ]; then
    not_destroyed="$name (guid $guid)"
    why=$"$dev carries $what, which is not destroyed. Import that pool, or give --guid $guid when it is lost"
  else
    verdict=ours
    [ "${progress[$number]-}" = undoing ] || brought_back[$number]=$guid
  fi
  # zpool writes all four labels: where some are gone, something else has been written over them since.
  if [ "$verdict$told" = oursno ] && [ "${label_copies[$3]:-0 1 2 3}" != '0 1 2 3' ] &&
    [[ ${progress[$number]-} != begun && ${progress[$number]-} != undoing ]]; then
    verdict=foreign
    why=$"$dev carries $what in part only (labels ${label_copies[$3]} of 0 1 2 3): something else was written there. If not: --guid $guid"
  fi
}

how_to_look() { # STATE TXG
  if [ "$2" = 0 ]; then
    printf '%s' $"A zpool create that failed half-way leaves such labels, and zpool on a disk that it takes out of a pool"
  elif [ "$1" = 2 ]; then
    printf '%s' $"It was destroyed and can be brought back: zpool import -D"
  else
    printf '%s' $"Look: zpool import"
  fi
}

aux_word() { # STATE
  case $1 in
    3) printf 'spare\n' ;;
    4) printf 'cache\n' ;;
    '') printf '%s\n' $"device in an unknown state" ;;
    *) printf '%s\n' $"device in state $1" ;;
  esac
}

labels_match() { # GUID: whether the labels on the devices are those of the pool that is imported
  local m dev n
  # The kernel may serve the pool from other disks than these names lead to now, after a swap or a clone.
  for m in "${!member_pool[@]}"; do
    [ "${member_pool[m]}" = "$pool_number" ] || continue
    dev=$(label_device "$m")
    if ! read_labels "$dev"; then
      say $"  - zdb cannot read the labels of ${dev:-$dev_by_id/${disk_name[member_disk[m]]}}"
      return 1
    fi
    for ((n = 0; n < label_count; n++)); do
      if [ -n "${label_pool[n]}" ] && [ "${label_pool[n]}" != "$1" ]; then
        say $"  - $dev carries the label of the pool with the guid ${label_pool[n]}, not $1"
        return 1
      elif [ -z "${label_pool[n]}" ] && [ -z "${proven["vdev ${label_guid[n]:-none}"]-}" ]; then
        say $"  - $dev carries the label of a $(aux_word "${label_state[n]}") with the guid ${label_guid[n]}, which is not in this pool"
        return 1
      fi
    done
  done
}
