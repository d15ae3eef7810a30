# ---------------------------------------------------------------- files and keys that the commands need
# `zpool create -n` looks at none of them, and without them the real command fails when the disks have partitions.
# Encrypted datasets of the design. A key that lies in a file is looked at, a passphrase asked for, before anything is
# written.

key_dataset=() key_format=() key_location=() key_typed=()

find_keys() {
  local e k
  for e in "${!expected_of[@]}"; do
    if [ -n "${expected_of[e]}" ] && [ "${expected_name[e]}" = keyformat ]; then
      key_dataset+=("${expected_of[e]}") key_format+=("${expected_value[e]}") key_location+=(prompt) key_typed+=("")
    fi
  done
  for e in "${!expected_of[@]}"; do
    if [ "${expected_name[e]}" = keylocation ]; then
      for k in "${!key_dataset[@]}"; do
        [ "${key_dataset[k]}" != "${expected_of[e]}" ] || key_location[k]=${expected_value[e]}
      done
    fi
  done
}

check_files() {
  local e name value found folder
  for e in "${!expected_of[@]}"; do
    value=${expected_value[e]}
    if [ -n "${expected_of[e]}" ] || [ "${pool_state[expected_pool[e]]}" != absent ]; then
      continue
    fi
    case ${expected_name[e]}:$value in
      compatibility: | compatibility:off | compatibility:legacy) ;;
      compatibility:*)
        for name in ${value//,/ }; do
          found=no
          for folder in /etc/zfs /usr/share/zfs; do
            [ ! -f "$folder/compatibility.d/$name" ] || found=yes
          done
          [ "$found" = yes ] || problem design "compatibility=$value" $"the OpenZFS of this machine has no file $name in compatibility.d"
        done
        ;;
      cachefile:/*) [ -d "${value%/*}/" ] || problem text "cachefile=$value" $"there is no folder ${value%/*}. Make it: mkdir -p $(quoted "${value%/*}")" ;;
    esac
  done
}

key_is_needed() { # INDEX
  ! zfs list -H -o name -- "${key_dataset[$1]}" >/dev/null 2>&1
}

check_keys() {
  local k path
  for k in "${!key_dataset[@]}"; do
    if ! key_is_needed "$k"; then
      continue
    fi
    path=${key_location[k]#file://}
    case ${key_location[k]} in
      file://*) check_key_file $"the key of ${key_dataset[k]}" "${key_format[k]}" "$path" ;;
      http*) say $"note: the key of ${key_dataset[k]} comes from ${key_location[k]}, which is not looked at here" ;;
    esac
  done
}

check_key_file() { # WHAT FORMAT PATH
  local size mode first=''
  if [ ! -f "$3" ] || [ ! -r "$3" ]; then
    problem text "$1" $"there is no file $3. Make it: $(key_recipe "$2" "$3")"
    return 0
  fi
  # What others can read or write locks nothing, and a key of another length fails once the disks have labels.
  size=$(stat -Lc %s -- "$3")
  mode=$(stat -Lc %a -- "$3")
  if [ "$(stat -Lc %u -- "$3")" != 0 ] || [[ $mode != *00 ]]; then
    problem text "$1" $"$3 can be read by others than root (mode $mode). Run: chown root $(quoted "$3") && chmod 600 $(quoted "$3")"
  fi
  if [ "$2" = raw ]; then
    [ "$size" = 32 ] || problem text "$1" $"$3 has $size bytes, a raw key has exactly 32. $(other_key_words "$2" "$3")"
    return 0
  fi
  IFS= read -r first <"$3" 2>/dev/null || true
  if [ "$2" = hex ]; then
    [[ $first =~ ^[0-9a-fA-F]{64}$ && $size -le 65 ]] || problem text "$1" $"$3 does not hold exactly 64 hexadecimal digits. $(other_key_words "$2" "$3")"
  elif ! is_passphrase "$first"; then
    problem text "$1" $"the first line of $3 is no passphrase of 8 to 512 characters. Write one into it"
  fi
}

is_passphrase() { [ "${#1}" -ge 8 ] && [ "${#1}" -le 512 ]; }

other_key_words() { # FORMAT PATH: nothing is written over what may be the key of something else
  printf '%s\n' $"Put the right file there, or move this one away and make one: $(key_recipe "$1" "$2")"
}

key_recipe() { # FORMAT PATH
  case $1 in
    raw) printf '(umask 077; head -c 32 /dev/urandom >%q)\n' "$2" ;;
    hex) printf '(umask 077; od -An -v -tx1 -N32 /dev/urandom | tr -d " \\n" >%q)\n' "$2" ;;
    *) printf '%s\n' $"write the passphrase into $(quoted "$2"), then chmod 600 $(quoted "$2")" ;;
  esac
}

tell_keys() {
  local k told=no
  for k in "${!key_dataset[@]}"; do
    if [[ ${key_dataset[k]}/ != "$pool"/* ]] || ! key_is_needed "$k"; then
      continue
    fi
    if [ "$told" = no ]; then
      say ""
      say $"!!! ENCRYPTED. Without its key nobody reads the data again: there is no other way in, and nothing resets it."
      told=yes
    fi
    case ${key_location[k]} in
      prompt) say $"!!! ${key_dataset[k]}: keep the ${key_format[k]} where it outlives this machine and whoever types it." ;;
      *) say $"!!! ${key_dataset[k]}: keep copies of ${key_location[k]#file://} in two places off this machine, not in this pool." ;;
    esac
  done
}

ask_keys() {
  local k
  for k in "${!key_dataset[@]}"; do
    if [ "${key_location[k]}" = prompt ] && [ -z "${key_typed[k]}" ] && key_is_needed "$k"; then
      ask_key "$k"
    fi
  done
}

ask_key() { # INDEX
  local first='' again='' tries
  asked=yes
  for tries in 1 2 3; do
    say $"Type the ${key_format[$1]} of ${key_dataset[$1]}; it is not shown:"
    first=$(typed_line)
    say $"Type it again:"
    again=$(typed_line)
    if [ "$first" != "$again" ]; then
      say $"The two differ."
    elif [ "${key_format[$1]}" = hex ] && ! [[ $first =~ ^[0-9a-fA-F]{64}$ ]]; then
      say $"A hex key has exactly 64 hexadecimal digits."
    elif [ "${key_format[$1]}" = passphrase ] && ! is_passphrase "$first"; then
      say $"A passphrase has 8 to 512 characters."
    else
      key_typed[$1]=$first
      return 0
    fi
    [ "$tries" != 3 ] || refuse 1 $"No key for ${key_dataset[$1]} after three tries; run this script again."
  done
}

typed_line() { # a line from the terminal, without showing it; from the input where there is no terminal
  local line=
  # shellcheck disable=SC2217 # opening the terminal is the test
  if { true </dev/tty; } 2>/dev/null; then
    IFS= read -rs line </dev/tty || true
  else
    IFS= read -r line || true
  fi
  printf '%s' "$line"
}

run_with_key() { # DATASET COMMAND...: as run, with the key on its input where it was typed
  local k
  for k in "${!key_dataset[@]}"; do
    [ "${key_dataset[k]}" != "$1" ] || typed_key=${key_typed[k]}
  done
  run "${@:2}"
  typed_key=''
}
