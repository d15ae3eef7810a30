# ---------------------------------------------------------------- problems, and what helps against each
# All reasons to refuse are listed before anything is done, then once for each kind what to do about it.

problem_count=0
declare -A helps=() # which kinds of help the problems need

problem() { # HELP DISK TEXT...: HELP is a kind that tell_help knows, or "text" where the text says what to do
  problem_count=$((problem_count + 1))
  helps[$1]=yes
  say "  - $2: ${*:3}"
}

forget_problems() {
  problem_count=0 helps=()
}

refuse_on_problems() {
  [ "$problem_count" -gt 0 ] || return 0
  tell_help
  end_early 1
}

tell_help() {
  say "$(counted "$problem_count" $"Refused: 1 problem, listed above." $"Refused: $problem_count problems, listed above.")"
  if [ -n "${helps[undo]-}" ]; then
    say $"The undo script of this design clears what this script left on these disks. $(undo_words)"
  fi
  if [ -n "${helps[clear]-}" ]; then
    say $"Disks that are not empty: clear them yourself once you are sure that nothing on them is wanted. This script does not."
  fi
  if [ -n "${helps[release]-}" ]; then
    say $"Disks that are in use: what uses them has to let go of them first (umount, swapoff, zpool export, mdadm --stop, vgchange -an)."
  fi
  if [ -n "${helps[disk]-}" ]; then
    say $"Disks that are not those of the design: put in the right ones, or design with the disks that are here and write the script anew."
  fi
  if [ -n "${helps[design]-}" ]; then
    say $"What the design itself asks for has to be changed in the design; then write the script anew."
  fi
  case " ${!helps[*]} " in
    ' design ' | ' disk ' | ' design disk ' | ' disk design ') ;;
    *) say $"Then run this script again." ;;
  esac
}
