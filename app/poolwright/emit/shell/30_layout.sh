# ---------------------------------------------------------------- the vdevs of a pool
pool_exists() {
  local names name
  # A missing answer does not prove absence: a pool that is not seen would be created over.
  names=$(zpool list -H -o name 2>&1) || die 3 $"zpool does not answer: $names"
  while IFS= read -r name; do
    if [ "$name" = "$pool" ]; then
      return 0
    fi
  done < <(printf '%s\n' "$names")
  return 1
}

in_order() { # TEXT
  local line section
  for section in data special dedup log spare cache other; do
    while IFS= read -r line; do
      case $line in "$section "*) printf '%s\n' "$line" ;; esac
    done < <(printf '%s\n' "$1")
  done
}

designed_members() {
  local m dev
  for m in "${!member_pool[@]}"; do
    if [ "${member_pool[m]}" = "$pool_number" ]; then
      dev=$(member_device "$m")
      printf '%s %s %s %s\n' "${member_section[m]}" "${member_vdev[m]}" "${member_word[m]}" "${dev##*/}"
    fi
  done
}

members_in() { # TEXT
  local line rest name section=none number=-1 word='' inside=no
  while IFS= read -r line; do
    case $line in
      config:*) inside=yes && continue ;;
      errors:*) inside=no ;;
    esac
    if [ "$inside" = no ] || [[ $line != $'\t'* ]]; then
      continue
    fi
    line=${line#$'\t'}
    rest=${line#"${line%%[! ]*}"}
    name=${rest%%[[:space:]]*}
    case $((${#line} - ${#rest})) in
      0)
        number=-1
        case $section:$name in
          none:NAME) section=title ;;
          title:*) section=data ;;
          *:logs) section=log ;;
          *:spares) section=spare ;;
          *:special | *:dedup | *:cache) section=$name ;;
          *) section=other ;;
        esac
        ;;
      2)
        # The distributed spares of a dRAID vdev are no disks.
        if [ "$section" = spare ] && [[ $name =~ ^draid[123]-[0-9]+-[0-9]+$ ]]; then
          continue
        fi
        number=$((number + 1))
        word=${name%-*}
        if [[ $name == /* ]]; then
          printf '%s %s disk %s\n' "$section" "$number" "$(leaf_of "${name##*/}")"
        fi
        ;;
      4) printf '%s %s %s %s\n' "$section" "$number" "$word" "$(leaf_of "${name##*/}")" ;;
      *) printf 'other %s %s %s\n' "$number" "$word" "$name" ;;
    esac
  done < <(printf '%s\n' "$1")
}

compare_layout() { # true when the pool has exactly the designed vdevs, member for member; does not rely on set -e
  local status designed actual
  status=$(zpool status -LP "$pool" 2>&1) || die 3 $"zpool status $pool failed: $status"
  # Member for member: a pool of this name may be somebody else's, or this one with a disk replaced since.
  designed=$(in_order "$(designed_members)")
  actual=$(in_order "$(members_in "$status")")
  if [ -z "$designed" ] || [ -z "$actual" ]; then
    die 3 $"The vdevs of the pool $pool cannot be told from: $(one_line "$status")"
  fi
  if [ "$designed" = "$actual" ]; then
    return 0
  fi
  say $"The pool $pool has other vdevs than the design. Designed (class, vdev, kind, disk):"
  say "$designed"
  say $"Found:"
  say "$actual"
  return 1
}

find_pools() { # which pools of the design are there; another pool of the same name ends the run
  local number
  for number in "${!pool_names[@]}"; do
    use_pool "$number"
    pool_state[number]=absent
    if pool_exists; then
      compare_layout || refuse_other_layout
      pool_state[number]=existing
    fi
  done
}

refuse_other_layout() {
  local guid
  guid=$(zpool get -H -o value guid "$pool" 2>/dev/null) || guid=unknown
  if is_recorded "$guid"; then
    refuse 1 $"The pool $pool was created by the script of this design, and its vdevs were changed since, see above. $(changed_words)"
  fi
  refuse 1 $"A pool $pool exists already, and it is not this one. Look: zpool status -LP $pool." \
    $"To keep it, give one of the two another name: zpool export $pool && zpool import $pool NEWNAME, or in the design."
}
