# ---------------------------------------------------------------- the rehearsed design
# Takes the commands of the function `design` apart: which pools, vdevs and files. Devices are files of this directory.

pool_names=() words=()
command_pool=() command_first=() command_count=()
file_name=() file_size=() file_real=()
key_name=() key_format=()
vdev_pool=() vdev_class=() vdev_word=() vdev_files=() # the files of a vdev, with a blank between them
left_out_texts=()
scratch='' place='' agreed=no pauses=yes only_clean=no

file() { # NAME BYTES REAL
  file_name+=("$1") file_size+=("$2") file_real+=("$3")
}

key() { # NAME FORMAT
  key_name+=("$1") key_format+=("$2")
}

left_out() { # TEXT
  left_out_texts+=("$1")
}

write() { # COMMAND...
  local word made=()
  for word in "$@"; do
    case $word in
      files/*) made+=("$place/$word") ;;
      keylocation=files/*) made+=("keylocation=file://$place/${word#*=}") ;;
      *) made+=("$word") ;;
    esac
  done
  case "$1 $2" in
    'zpool create')
      # A pool without memory of devices must never stop the machine.
      made=(zpool create -R "$place/mounts" -o cachefile=none -o failmode=continue "${made[@]:2}")
      take_vdevs "${made[@]:2}"
      ;;
    'zfs create' | 'zpool set') ;;
    # Whatever else stands there was not written by the program, and nobody has thought about running it.
    *) refuse 3 $"The design of this script says \"$*\", which no such script runs. Write the script again from the design." ;;
  esac
  command_pool+=($((${#pool_names[@]} - 1))) command_first+=("${#words[@]}") command_count+=("${#made[@]}")
  words+=("${made[@]}")
}

take_vdevs() { # OPTIONS... NAME VDEVS...
  local class=data group='' new=yes word
  while [ "$1" != "${1#-}" ]; do
    case $1 in
      -f) shift ;;
      *) shift 2 ;;
    esac
  done
  case $1 in
    # The suffix keeps every command that destroys away from the real pool of the same design.
    *"$suffix") ;;
    *) refuse 3 $"The pool $1 does not bear the suffix of this rehearsal. Write the script again from the design." ;;
  esac
  pool_names+=("$1")
  for word in "${@:2}"; do
    case $word in
      special | dedup | log | spare | cache) class=$word group='' ;;
      /*)
        if [ -z "$group" ] || [ "$new" = yes ]; then
          vdev_pool+=($((${#pool_names[@]} - 1))) vdev_class+=("$class") vdev_word+=("$group") vdev_files+=("$word")
          new=no
        else
          vdev_files[${#vdev_files[@]} - 1]+=" $word"
        fi
        ;;
      *) group=$word new=yes ;;
    esac
  done
}

survives() { # VDEV
  local files
  read -r -a files < <(printf "%s\n" "${vdev_files[$1]}")
  case ${vdev_word[$1]} in
    mirror) printf '%s\n' $((${#files[@]} - 1)) ;;
    raidz | draid | draid:*) printf '1\n' ;;
    raidz[123] | draid[123]:*) printf '%s\n' "${vdev_word[$1]:5:1}" ;;
    # A disk by itself survives nothing, and what is not known is taken for one.
    *) printf '0\n' ;;
  esac
}

number_of() { # FILE
  local name=${1##*/} i
  name=${name%-new*}
  for i in "${!file_name[@]}"; do
    if [ "${file_name[i]}" = "$name" ]; then
      printf '%s\n' "$i"
      return 0
    fi
  done
  return 1
}

real_pool() { printf '%s\n' "${1%"$suffix"}"; }

real_disk() { printf '%s\n' "${file_real[$(number_of "$1")]}"; }
