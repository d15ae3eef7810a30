# ---------------------------------------------------------------- the steps of the migration
# Takes the function `design` apart: the disks, and for each step its checks, questions and commands, in order.

member_pool=() member_disk=() member_part=() pool_state=()
step_titles=() step_survival=()
line_step=() line_kind=() line_first=() line_count=() line_left=()
words=() # of all lines, one after the other
step_number='' checks_only=no

step() { # TITLE SURVIVAL
  step_titles+=("$1") step_survival+=("$2")
}

guard() { keep guard 0 "$@"; } # KIND WORDS...: a check
ask() { keep ask 0 "$@"; }     # WORDS: what has to be typed
settle() { keep settle 0 "$@"; } # POOL ACTIVITY: waits until it has ended

write() { # COMMAND...
  is_written "$@" || refuse 3 $"This script says \"$*\", which no such script runs. Write it again."
  keep write 0 "$@"
}

pipe() { # NUMBER LEFT... RIGHT...: two commands with a pipe between them; NUMBER words are those of the first
  case "$2 $3 ${*: -4}" in
    'zfs send '*'zfs receive '*) ;;
    'zfs send '*'receive '*) ;;
    *) refuse 3 $"This script says \"$*\", which no such script runs. Write it again." ;;
  esac
  keep pipe "$@"
}

keep() { # KIND NUMBER WORDS...
  line_step+=("${#step_titles[@]}") line_kind+=("$1") line_left+=("$2") line_first+=("${#words[@]}")
  line_count+=("$(($# - 2))")
  words+=("${@:3}")
}

number_of_disk() { # PATH: sets `found` to the number of the disk with this by-id path, and its device
  local name=${1##*/}
  found=${disk_index[$name]-}
  [ -n "$found" ] || refuse 3 $"This script knows no disk $name. Write it again."
  resolve_disk "$found"
  find_serials
}
