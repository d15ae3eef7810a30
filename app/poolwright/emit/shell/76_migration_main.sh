# ---------------------------------------------------------------- a move: one step at a time
# Nothing remembers how far somebody came: each step looks at the machine, and refuses where it cannot come next.

usage() {
  printf '%s\n' $"Usage: ${0##*/} [--step NUMBER | --check NUMBER]" \
    $"Moves the data of a pool into another layout, one step at a time, each after its checks." \
    $"  without an option  list the steps" \
    $"  --step NUMBER      take that step" \
    $"  --check NUMBER     make the checks that stand before its first command; change nothing" \
    $"  --help             this text"
}

parse_arguments() {
  while [ "$#" -gt 0 ]; do
    case $1 in
      --step | --check)
        [ "$#" -ge 2 ] || die 2 $"$1 wants the number of a step. Nothing was changed."
        [ "$1" = --step ] || checks_only=yes
        step_number=$2
        shift
        ;;
      --help | -h)
        usage
        exit 0
        ;;
      *) die 2 $"Unknown option $1. Try --help." ;;
    esac
    shift
  done
}

tell_left() {
  say $"Step $step_number was begun and did not end as it should. Look: zpool status. Find out why before you go on."
}

list_steps() {
  local n
  for n in "${!step_titles[@]}"; do
    say "$((n + 1)). ${step_titles[n]}"
    say "     ${step_survival[n]}"
  done
  say ""
  say $"One step at a time, in this order: sudo bash $0 --step NUMBER"
}

is_written() { # COMMAND...: whether such a script may run it
  case "$1 $2" in
    'zpool create' | 'zpool add' | 'zpool attach' | 'zpool replace' | 'zpool offline' | 'zpool detach') ;;
    'zpool set') [ "${3-}" = autoexpand=on ] ;;
    'zpool remove' | 'zpool labelclear' | 'zpool scrub' | 'zpool resilver' | 'zpool destroy') ;;
    'zpool export' | 'zpool import' | 'zfs snapshot' | 'zfs send' | 'zfs destroy') ;;
    'zfs load-key' | 'zfs mount') ;;
    'mkdir -m' | 'truncate -s') ;;
    'rm /'*/poolwright-*/placeholder-* | 'rmdir /'*/poolwright-*) ;;
    *) return 1 ;;
  esac
}

is_needed() { # COMMAND...: false where a run that broke off has done it already
  case $1 in
    mkdir) clear_left_over "$4" ;;
    zfs) ! is_taken_already "$@" ;;
  esac
}

is_taken_already() { # COMMAND...: whether it would make snapshots that a run which broke off has made of every dataset
  local name names snapshot=${*: -1}
  [ "$1 $2 $3" = 'zfs snapshot -r' ] || return 1
  names=$(zfs list -H -r -t filesystem,volume -o name "${snapshot%@*}" 2>/dev/null) || return 1
  while IFS= read -r name; do
    zfs list -H -t snapshot "$name@${snapshot##*@}" >/dev/null 2>&1 || return 1
  done < <(printf '%s\n' "$names")
  say $"All snapshots $snapshot are there already."
}

clear_left_over() { # FOLDER: where a run of this step failed its placeholders may be there; no pool has them
  local file text
  [ -d "$1" ] && [ ! -L "$1" ] && [ -O "$1" ] || return 0 # mkdir says what is wrong
  text=$(zpool status -P 2>&1) || return 0
  [[ $text != *"$1/"* ]] || return 0
  for file in "$1"/*; do
    [[ $file == "$1"/placeholder-* && -f $file && ! -L $file ]] || [ ! -e "$file" ] || return 0
  done
  say $"Placeholders that a failed run of this step left in $1 go first; no pool uses them."
  for file in "$1"/placeholder-*; do
    [ ! -e "$file" ] || run rm "$file"
  done
  run rmdir "$1"
}

main() {
  local more_tools=(truncate mkdir rm rmdir sleep find)
  parse_arguments "$@"
  check_fixed_part
  design
  if [ -z "$step_number" ]; then
    list_steps
    return 0
  fi
  case $step_number in
    *[!0-9]* | 0* | ????*) die 2 $"There is no step $step_number. Nothing was changed." ;;
  esac
  [ "$step_number" -le "${#step_titles[@]}" ] || die 2 $"There is no step $step_number. Nothing was changed."
  require_machine
  if [ "$checks_only" = no ]; then
    take_turn
    open_log
  fi
  take_step
}

partitioned() { return 1; } # disks are taken whole
