# ---------------------------------------------------------------- a change: all steps, one after the other
# Everything is checked before the first step, and again before each of them.

usage() {
  printf '%s\n' $"Usage: ${0##*/} [--check]" \
    "$(counted "${#step_titles[@]}" $"Leads the pool ${pool_names[*]} to its design in 1 step." $"Leads the pool ${pool_names[*]} to its design in ${#step_titles[@]} steps; asks before each.")" \
    $"  --check  check the pool and its disks; change nothing" \
    $"  --help   this text"
}

parse_arguments() {
  while [ "$#" -gt 0 ]; do
    case $1 in
      --check) checks_only=yes ;;
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
  say $"Stopped at step $step_number; the steps before it were taken. Look: zpool status. Then read the machine again and let this script be written anew."
}

is_written() { # COMMAND...: whether such a script may run it
  case "$1 $2 $3" in
    *' -f') return 1 ;;
    'zpool checkpoint -d' | 'zpool set '* | 'zpool add '* | 'zpool attach '* | 'zpool replace '* | 'zpool detach '*) ;;
    'zpool remove '* | 'zpool online -e' | 'zpool export '* | 'zpool import '*) ;;
    'zfs create '* | 'zfs set '* | 'zfs inherit '*) ;;
    *) return 1 ;;
  esac
}

is_needed() { return 0; }

check_all() { # what stands before the first command of each step; each check once
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

main() {
  local more_tools=(sleep find dd)
  design
  parse_arguments "$@"
  check_fixed_part
  require_machine
  if [ "$checks_only" = no ]; then
    take_turn
    open_log
  fi
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

partitioned() { return 1; } # no table is written
