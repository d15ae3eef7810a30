# ---------------------------------------------------------------- the record
# By what was done the undo tells its own: one fact a line, in a file beside the script and another beside the log, which
# are read, never run, and in user properties of the pool.

record_files=()
recorded_in=() # of them those that took the last line
given_records=() # further files to read
declare -A proven=()   # "pool GUID", "vdev GUID", "table DISK GUID": the number of the pool to which it belongs
declare -A progress=() # of each pool by its number: begun, made, undoing or undone, as far as its last run came
recorded_machine='' recorded_host=''

machine_id() {
  local id=-
  { read -r id </etc/machine-id; } 2>/dev/null || id=-
  printf '%s\n' "${id:--}"
}

host_name() {
  local name=-
  { read -r name </proc/sys/kernel/hostname; } 2>/dev/null || name=-
  printf '%s\n' "${name:--}"
}

record_name() {
  printf 'poolwright-%.60s-%s.record\n' "${pool_names[0]}" "${pool_marks[0]}"
}

record_places() {
  local own=${BASH_SOURCE[0]-}
  if [ -f "$own" ]; then
    case $own in
      */*) (cd -- "${own%/*}" && pwd -P) || true ;;
      *) pwd -P ;;
    esac
  fi
  if [ -f "$log" ]; then
    (cd -- "${log%/*}" && pwd -P) || true
  else
    printf '/var/log\n'
  fi
}

is_own_file() { # FILE: a plain file of this user that nobody else can write: only such a record proves anything
  local owner mode
  [ -f "$1" ] && [ ! -L "$1" ] || return 1
  read -r owner mode < <(stat -c '%u %a' -- "$1" 2>/dev/null) || return 1
  [ "$owner" = "$(id -u)" ] && [[ $mode =~ ^[0-7]*[0145][0145]$ ]]
}

read_record() {
  local place file
  local -A listed=()
  while IFS= read -r place; do
    file=${place%/}/$(record_name)
    [ -n "${listed[$file]-}" ] || record_files+=("$file")
    listed[$file]=yes
  done < <(record_places)
  for file in "${record_files[@]}" ${given_records[@]+"${given_records[@]}"}; do
    if [ -e "$file" ]; then
      if is_own_file "$file"; then
        read_record_file "$file"
      else
        say $"note: $file is not believed: it belongs to somebody else, others can write it, or it is no plain file"
      fi
    fi
  done
}

read_record_file() { # FILE
  local word mark rest guid a b c number
  local -A reached=()
  while read -r word mark rest; do
    read -r a b c _ < <(printf '%s\n' "$rest") || true
    for number in "${!pool_marks[@]}"; do
      [ "${pool_marks[number]}" = "$mark" ] || continue
      case $word in
        begun) reached[$number]=begun recorded_machine=$b recorded_host=$c ;;
        made)
          reached[$number]=made recorded_machine=$b recorded_host=$c
          proven["pool $a"]=$number
          ;;
        undoing) [ "${reached[$number]-}" = begun ] || reached[$number]=undoing ;;
        undone) reached[$number]=undone ;;
        vdevs) for guid in $rest; do proven["vdev $guid"]=$number; done ;;
        table) proven["table $a $b"]=$number ;;
      esac
    done
  done <"$1"
  for number in "${!reached[@]}"; do
    # Where two files disagree a run counts as completed: then fewer things are taken for its own.
    case ${progress[$number]-} in
      made | undone) ;;
      *) progress[$number]=${reached[$number]} ;;
    esac
  done
}

record() { # WORD...
  local file
  recorded_in=()
  for file in "${record_files[@]}"; do
    if [ -e "$file" ] && ! is_own_file "$file"; then
      continue
    fi
    if (umask 077 && printf '%s\n' "$*" >>"$file" && sync -- "$file") 2>/dev/null; then
      recorded_in+=("$file")
    fi
  done
  [ "${#recorded_in[@]}" -gt 0 ]
}

record_begun() { # before the first disk is written: which pools are made now, on disks that were just found empty
  local number stamp
  stamp=$(date +%Y-%m-%dT%H:%M:%S%z)
  for number in "${!pool_names[@]}"; do
    if [ "${pool_state[number]}" = absent ]; then
      record begun "${pool_marks[number]}" "${pool_names[number]}" "$(machine_id)" "$(host_name)" "$stamp" ||
        refuse 3 $"Cannot write the record ${record_files[*]}, by which the undo would know its own. Put this script into a folder that root can write."
      progress[$number]=begun
    fi
  done
}

record_tables() {
  local m i line text=
  for m in "${!member_pool[@]}"; do
    i=${member_disk[m]}
    if [ "${member_pool[m]}" = "$pool_number" ] && [ -z "${member_part[m]}" ]; then
      line=$(table_guid "${disk_dev[i]}")
      [ -z "$line" ] || text="$text${text:+$'\n'}table ${pool_marks[pool_number]} ${disk_name[i]} $line"
    fi
  done
  [ -z "$text" ] || record "$text"
}

table_guid() { # DEV
  local line
  while IFS= read -r line; do
    case $line in
      PTUUID=?*) printf '%s\n' "${line#PTUUID=}" ;;
    esac
  done < <(blkid -p -o export -- "$1" 2>/dev/null)
}

vdev_guids() {
  local status name
  status=$(zpool status -gLP "$pool" 2>/dev/null) || return 1
  while read -r name _; do
    [[ ! $name =~ ^[0-9]+$ ]] || printf '%s\n' "$name"
  done < <(printf '%s\n' "$status")
}

record_vdevs() {
  local guids
  guids=$(vdev_guids) || return 1
  record vdevs "${pool_marks[pool_number]}" "${guids//$'\n'/ }"
}

record_pool() {
  local guid
  if ! guid=$(zpool get -H -o value guid "$pool" 2>/dev/null) || ! have_marks "$guid"; then
    say $"WARNING: the guids of $pool could not be recorded. The undo will ask for --guid ${guid:-N}."
    return 0
  fi
  if record_tables && record_vdevs &&
    record made "${pool_marks[pool_number]}" "$guid" "$(machine_id)" "$(host_name)" "$(date +%Y-%m-%dT%H:%M:%S%z)"; then
    progress[$pool_number]=made
    say $"Recorded for the undo: ${recorded_in[*]}"
  else
    say $"WARNING: the record of $pool could not be written: ${record_files[*]}. Once destroyed, its labels are cleared only with --guid $guid."
  fi
}

have_marks() { # GUID
  local -a guids=() settings=("org.poolwright:pool=$1" "org.poolwright:host=$(machine_id) $(host_name)")
  local start list
  mapfile -t guids < <(vdev_guids)
  # An old ZFS takes values of at most 1,024 characters.
  for ((start = 0; start < ${#guids[@]}; start += 40)); do
    list="${guids[*]:start:40}"
    settings+=("org.poolwright:vdevs-$((start / 40 + 1))=$list")
  done
  zfs set "${settings[@]}" "$pool" 2>/dev/null
}

own_property() { # DATASET PROPERTY
  local value
  value=$(zfs get -Hp -s local -o value -- "$2" "$1" 2>/dev/null) || return 1
  [ "$value" = - ] || printf '%s\n' "$value"
}

is_recorded() { # GUID
  [ "${proven["pool $1"]-}" = "$pool_number" ] ||
    { [ "$(own_property "$pool" org.poolwright:design)" = "${pool_marks[pool_number]}" ] &&
      [ "$(own_property "$pool" org.poolwright:pool)" = "$1" ]; }
}

was_cut_off() { # whether the current pool, which is there, was created here by a run that was killed before it could record it
  [ "${progress[$pool_number]-}" = begun ] && [ "$recorded_machine" = "$(machine_id)" ] &&
    [ "$(own_property "$pool" org.poolwright:design)" = "${pool_marks[pool_number]}" ]
}

complete_record() { # of a pool that is there: a creation killed before it could record itself is known by its mark
  local guid
  guid=$(zpool get -H -o value guid "$pool" 2>/dev/null) || return 0
  if ! is_recorded "$guid" && was_cut_off; then
    say $"An earlier run on $recorded_host was ended right after it had created $pool; its record is completed."
    record_pool
  fi
}
