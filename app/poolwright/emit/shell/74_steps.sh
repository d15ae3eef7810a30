# ---------------------------------------------------------------- the lines of a step
# Checks first, then what has to be typed, then commands; refused is before the first line that is not a check.

must_type=() # what the checks want to be typed beside the question of the step

confirm() { # WORDS
  ! is_typed "$1" || return 0
  say $"The words do not match."
  end_early 1
}

wait_for() { # POOL ACTIVITY
  local pool=$1 text line told=''
  say $"Waiting until nothing runs on $pool any more ($2). This may be left with Ctrl+C: what runs goes on."
  sleep 1
  while text=$(zpool status "$pool" 2>&1); do
    case $text in
      *'in progress'* | *replacing-* | *'awaiting resilver'* | *discarding*) ;;
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

is_copied() { # NUMBER SEND... RECEIVE...: an earlier run brought all of it; before 2.2 receive fails at what is there
  local snapshot=${*:$1+1:1}
  [[ " ${*:2:$1} " == *' -I '* ]] && [ -n "$(zfs list -H -t snapshot -o name "$snapshot" 2>/dev/null)" ] || return 1
  [ -z "$(lacking "${snapshot%@*}" "${*: -1}")" ] || return 1
  say $"All snapshots $snapshot are there already."
}

take_line() { # INDEX
  local i=$1 line
  line=("${words[@]:line_first[i]:line_count[i]}")
  case ${line_kind[i]} in
    guard)
      "guard_${line[0]}" "${line[@]:1}"
      return 0
      ;;
  esac
  refuse_on_problems
  case ${line_kind[i]} in
    ask) ask_for "$i" "${line[0]}" ;;
    write)
      [ "${line[2]-}" = -n ] || begin_writing # that is a rehearsal
      is_needed "${line[@]}" || return 0
      ! have udevadm || udevadm settle --timeout=30 || true # zpool waits for names of partitions that udev makes
      run "${line[@]}"
      [ "${line[0]} ${line[1]}" != 'zpool destroy' ] || tell_list "${line[2]}"
      ;;
    pipe)
      begin_writing
      is_copied "${line_left[i]}" "${line[@]}" || run_pipe "${line_left[i]}" "${line[@]}"
      ;;
    settle) wait_for "${line[@]}" ;;
  esac
}

ask_for() { # INDEX WORDS, and what else has to be typed; what is found to be overwritten while it waits is asked for too
  local typed='|' before='' word
  must_type+=("$2")
  while [ "$typed" != "$before" ]; do
    before=$typed
    for word in ${must_type[@]+"${must_type[@]}"}; do
      [[ $typed == *"|$word|"* ]] || { confirm "$word" && typed="$typed$word|"; }
    done
    must_type=()
    [ "$typed" = "$before" ] || look_again "$1"
  done
}

look_again() { # INDEX of a question: time has passed at it, somebody may have used a disk or pulled it
  local i line
  for ((i = 0; i < $1; i++)); do
    line=("${words[@]:line_first[i]:line_count[i]}")
    case ${line_step[i]}:${line_kind[i]}:${line[0]} in
      "$step_number":guard:empty | "$step_number":guard:freed | "$step_number":guard:known | "$step_number":guard:part)
        "guard_${line[0]}" "${line[@]:1}"
        ;;
    esac
  done
  refuse_on_problems
}

begin_writing() {
  [ "$changed" = no ] || return 0
  require_witnesses
  changed=yes
}

take_step() {
  local i
  say "== $step_number. ${step_titles[step_number - 1]}"
  [ -z "${step_survival[step_number - 1]}" ] || say "   ${step_survival[step_number - 1]}"
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
