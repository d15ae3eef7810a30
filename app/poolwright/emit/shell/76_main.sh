# ---------------------------------------------------------------- a plan: one step at a time, or all of them
# A move is taken one step at a time: each step looks at the machine, and refuses where it cannot come next. A change is
# taken whole: everything is checked before the first step, and again before each of them.

usage() {
  if [ "$one_by_one" = no ]; then
    printf '%s\n' $"Usage: ${0##*/} [--check]" \
      "$(counted "${#step_titles[@]}" $"Leads the pool ${pool_names[*]} to its design in 1 step." $"Leads the pool ${pool_names[*]} to its design in ${#step_titles[@]} steps; asks before each.")"
    option --check $"check the pool and its disks; change nothing"
    option --help $"this text"
    return 0
  fi
  printf '%s\n' $"Usage: ${0##*/} [--step NUMBER | --check NUMBER]" \
    $"Moves the data of a pool into another layout, one step at a time, each after its checks. Without an option the steps are listed."
  option '--step NUMBER' $"take that step"
  option '--check NUMBER' $"make the checks that stand before its first command; change nothing"
  option --help $"this text"
}

parse_arguments() {
  while [ "$#" -gt 0 ]; do
    case $one_by_one$1 in
      no--check) checks_only=yes ;;
      yes--step | yes--check)
        [ "$#" -ge 2 ] || refuse 2 $"$1 wants the number of a step."
        [ "$1" = --step ] || checks_only=yes
        step_number=$2
        shift
        ;;
      yes--help | no--help | yes-h | no-h)
        usage
        exit 0
        ;;
      *) die 2 $"Unknown option $1. Try --help." ;;
    esac
    shift
  done
}

tell_left() {
  if [ "$one_by_one" = no ]; then
    say $"Stopped at step $step_number; the steps before it were taken. Look: zpool status. Then read the machine again and let this script be written anew."
  else
    say $"Step $step_number was begun and did not end as it should. Look: zpool status. Find out why before you go on."
  fi
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

is_written() { # COMMAND...
  if [ "$one_by_one" = no ]; then
    case "$1 $2 ${3-}" in
      *' -f') return 1 ;;
      'zpool checkpoint -d' | 'zpool set '* | 'zpool add '* | 'zpool attach '* | 'zpool replace '* | 'zpool detach '*) ;;
      'zpool remove '* | 'zpool online -e' | 'zpool export '* | 'zpool import '*) ;;
      'zfs create '* | 'zfs set '* | 'zfs inherit '*) ;;
      *) return 1 ;;
    esac
    return 0
  fi
  case "$1 $2" in # what follows is not looked at, so that no later word can make up for another
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

is_taken_already() { # COMMAND...
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

check_all() {
  local i line written=''
  local -A seen=()
  for i in "${!line_step[@]}"; do
    line="${words[*]:line_first[i]:line_count[i]}"
    case ${line_kind[i]} in
      ask) ;;
      guard)
        if [ "${line_step[i]}" != "$written" ] && [ -z "${seen[$line]-}" ]; then
          seen[$line]=yes
          take_line "$i"
        fi
        ;;
      *) written=${line_step[i]} ;;
    esac
  done
  refuse_on_problems
}

take_all() {
  check_all
  if [ "$checks_only" = yes ]; then
    say $"Checked. Nothing was changed."
    return 0
  fi
  for ((step_number = 1; step_number <= ${#step_titles[@]}; step_number++)); do
    must_type=()
    take_step
  done
  say $"Done: every step was taken. Look: zpool status"
}

main() {
  local more_tools=(truncate mkdir rm rmdir sleep find dd)
  design # the help of a change tells how many steps it has
  parse_arguments "$@"
  check_fixed_part
  if [ "$one_by_one" = yes ]; then
    if [ -z "$step_number" ]; then
      list_steps
      return 0
    fi
    case $step_number in
      *[!0-9]* | 0* | ????*) refuse 2 $"There is no step $step_number." ;;
    esac
    [ "$step_number" -le "${#step_titles[@]}" ] || refuse 2 $"There is no step $step_number."
  fi
  require_machine
  if [ "$checks_only" = no ]; then
    take_turn
    open_log
  fi
  if [ "$one_by_one" = yes ]; then take_step; else take_all; fi
}

partitioned() { return 1; } # disks are taken as they are: no table is written
