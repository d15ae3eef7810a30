# ---------------------------------------------------------------- one step at a time
# Nothing remembers how far somebody came: each step looks at the machine, and refuses where it cannot come next.

must_type=() # what the checks want to be typed beside the question of the step

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

refuse_on_problems() {
  [ "$problem_count" -gt 0 ] || return 0
  tell_help
  end_early 1
}

confirm() { # WORDS
  local answer=''
  printf '%s\n' $"Type \"$1\" to go on."
  IFS= read -r answer || true
  note "$answer"
  if [ "$answer" != "$1" ]; then
    say $"That was not typed."
    end_early 1
  fi
}

wait_for() { # POOL ACTIVITY
  local pool=$1 text line told=''
  say $"Waiting until nothing runs on $pool any more ($2). This may be left with Ctrl+C: what runs goes on."
  sleep 1
  while text=$(zpool status "$pool" 2>&1); do
    case $text in
      *'in progress'* | *replacing-* | *'awaiting resilver'*) ;;
      *) return 0 ;;
    esac
    while IFS= read -r line; do
      case $line in
        *'% done'*)
          [ "$line" = "$told" ] || say "  ${line#"${line%%[![:blank:]]*}"}"
          told=$line
          ;;
      esac
    done < <(printf '%s\n' "$text")
    sleep "${POOLWRIGHT_PAUSE:-20}"
  done
  say $"zpool status failed: $text"
  end_early 3
}

run_pipe() { # NUMBER WORDS...
  local left=("${@:2:$1}") right=("${@:2+$1}") shown other status=0
  printf -v shown '%q ' "${left[@]}"
  printf -v other '%q ' "${right[@]}"
  say "+ ${shown% } | ${other% }"
  { "${left[@]}" | "${right[@]}"; } 2>&1 | relay || status=${PIPESTATUS[0]}
  if [ "$status" != 0 ]; then
    say $"That failed (status $status)."
    end_early 3
  fi
}

take_line() { # INDEX
  local i=$1 line word
  line=("${words[@]:line_first[i]:line_count[i]}")
  case ${line_kind[i]} in
    guard)
      "guard_${line[0]}" "${line[@]:1}"
      return 0
      ;;
  esac
  refuse_on_problems
  case ${line_kind[i]} in
    ask)
      for word in ${must_type[@]+"${must_type[@]}"} "${line[0]}"; do
        confirm "$word"
      done
      look_again "$i"
      must_type=()
      ;;
    write)
      begin_writing
      case ${line[0]} in
        mkdir) clear_left_over "${line[3]}" ;;
        zfs) ! is_taken_already "${line[@]}" || return 0 ;;
        zpool) ! have udevadm || udevadm settle --timeout=30 || true ;; # zpool waits for names of partitions that udev makes
      esac
      run "${line[@]}"
      ;;
    pipe)
      begin_writing
      run_pipe "${line_left[i]}" "${line[@]}"
      ;;
    settle) wait_for "${line[@]}" ;;
  esac
}

look_again() { # INDEX of a question: time has passed at it, somebody may have used a disk or pulled it
  local i line
  for ((i = 0; i < $1; i++)); do
    line=("${words[@]:line_first[i]:line_count[i]}")
    case ${line_step[i]}:${line_kind[i]}:${line[0]} in
      "$step_number":guard:empty | "$step_number":guard:freed | "$step_number":guard:unmounted)
        "guard_${line[0]}" "${line[@]:1}"
        ;;
    esac
  done
  refuse_on_problems
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

begin_writing() {
  [ "$changed" = no ] || return 0
  require_witnesses
  changed=yes
}

take_step() {
  local i
  say "== $step_number. ${step_titles[step_number - 1]}"
  say "   ${step_survival[step_number - 1]}"
  forget_problems
  for i in "${!line_step[@]}"; do
    [ "${line_step[i]}" = "$step_number" ] || continue
    if [ "$checks_only" = yes ]; then
      case ${line_kind[i]} in
        guard) ;;
        ask) continue ;;
        *) break ;;
      esac
    fi
    take_line "$i"
  done
  refuse_on_problems
  if [ "$checks_only" = yes ]; then
    say $"Step $step_number can be taken."
  else
    say $"Step $step_number is done."
  fi
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
