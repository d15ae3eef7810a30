# ---------------------------------------------------------------- telling and logging
# Exit status: 0 done, 1 refused or not as designed, 2 bad usage, 3 the machine or a tool failed.

log=/dev/null
problem_count=0
difference_count=0
changed=no # whether anything was created in this run

say() { printf '%s\n' "$*" | tee -a -- "$log"; }

die() { # STATUS TEXT...
  local status=$1
  shift
  printf '%s\n' "$*" | tee -a -- "$log" >&2
  exit "$status"
}

problem() { # DISK TEXT...: one reason to refuse; all of them are listed before anything is done
  problem_count=$((problem_count + 1))
  say "  - $1: ${*:2}"
}

difference() { # TEXT...: the pool is not as designed
  difference_count=$((difference_count + 1))
  say "  - $*"
}

run() { # COMMAND...: show it, run it, stop when it fails
  local shown
  printf -v shown '%q ' "$@"
  say "+ ${shown% }"
  if ! "$@" 2>&1 | tee -a -- "$log"; then
    if [ "$changed" = yes ]; then
      die 3 "That command failed. What was created before it stays; mend the cause and run this script again."
    fi
    die 3 "That command failed. Nothing was changed."
  fi
}

have() { command -v "$1" >/dev/null 2>&1; }

open_log() {
  local wanted=${POOLWRIGHT_LOG:-/var/log/poolwright-${pool_names[0]}-$(date +%Y%m%dT%H%M%S)-$$.log}
  (umask 077 && : >>"$wanted" && chmod 0600 "$wanted") 2>/dev/null || die 3 "Cannot write the log $wanted. Set POOLWRIGHT_LOG to a file that can be written."
  log=$wanted
  say "Log: $log"
}
