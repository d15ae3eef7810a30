# ---------------------------------------------------------------- telling and logging
# Exit status: 0 done, 1 refused or not as designed, 2 bad usage, 3 the machine or a tool failed, 130 interrupted.
# Words reach bash by process substitution, never by here-documents: those need room on a disk that may be full.

readonly log_mark='# Log of a Poolwright script'
log='' log_fd='' log_lost=no
told_lost=no # the terminal is gone
difference_count=0
wide='' # a locale in which every letter can be read; nothing where the machine has none
typed_key='' # what the command that is run reads from its input
changed=no   # whether a command that writes was started in this run

say() { # TEXT...
  printf '%s\n' "$*" 2>/dev/null || told_lost=yes
  note "$*"
}

note() { # TEXT...: into the log only
  [ -n "$log_fd" ] || return 0
  if ! { printf '%s\n' "$*" >&"$log_fd"; } 2>/dev/null; then
    log_fd='' log_lost=yes
    printf '%s\n' $"WARNING: the log $log cannot be written any more. Is the disk full?" >&2 2>/dev/null || true
  fi
}

die() { # STATUS TEXT...
  local status=$1
  shift
  printf '%s\n' "$*" >&2 2>/dev/null || true
  note "$*"
  exit "$status"
}

refuse() { # STATUS TEXT...: before anything was written
  die "$@" $"Nothing was changed."
}

option() { # NAME TEXT: a line of the usage
  printf '  %-17s  %s\n' "$1" "$2"
}

is_typed() { # WORDS
  local answer=''
  printf '%s\n' $"Type \"$1\" to go on:" 2>/dev/null || true
  IFS= read -r answer || true
  note "$answer"
  [ "$answer" = "$1" ]
}

counted() { # NUMBER ONE SEVERAL
  if [ "$1" = 1 ]; then
    printf '%s\n' "$2"
  else
    printf '%s\n' "$3"
  fi
}

quoted() { printf '%q' "$1"; }

difference() { # TEXT...
  difference_count=$((difference_count + 1))
  say "  - $*"
}

run() { # COMMAND...: show it, run it, stop when it fails
  local shown status=0
  printf -v shown '%q ' "$@"
  say "+ ${shown% }"
  run_once "$@" || status=$?
  if [ "$status" != 0 ] && named_too_late "$1 ${2-}"; then
    say $"A partition had no name yet. Once more:"
    udevadm settle --timeout=30 || true
    status=0
    run_once "$@" || status=$?
  fi
  if [ "$status" != 0 ]; then
    say $"That command failed (status $status)."
    end_early 3
  fi
}

fed() { "$@" < <(printf '%s\n' "$typed_key"); } # COMMAND...

run_once() { # COMMAND...
  [ -z "$typed_key" ] || set -- fed "$@" # at each try: the one before has read it
  # libzfs makes no folder whose name the locale cannot read, and has made the pool when it says so.
  LANG=C LC_ALL='' LC_CTYPE=${wide:-C} "$@" 2>&1 | relay || return "${PIPESTATUS[0]}"
}

named_too_late() { # COMMAND: zpool waits for udev to name what it partitioned, not for udev to be done (openzfs/zfs#1646)
  case $1 in 'zpool create' | 'zpool add' | 'zpool attach' | 'zpool replace') ;; *) return 1 ;; esac
  [ -n "$log_fd" ] && have udevadm || return 1
  case $(tail -n 1 -- "$log") in
    *': no such pool or dataset' | *': one or more devices is currently unavailable' | 'cannot resolve path '*) ;;
    *) return 1 ;;
  esac
}

find_wide() {
  local name
  wide=''
  have locale || wide=C.UTF-8 # without glibc all are
  while IFS= read -r name; do
    case $name in
      C.utf8 | C.UTF-8) wide=$name && return 0 ;;
      *.utf8 | *.UTF-8) wide=$name ;;
    esac
  done < <(locale -a 2>/dev/null)
}

relay() ( # its input to the terminal and the log at once, also a question that ends no line; whichever of them is gone
  trap '' PIPE
  if [ -n "$log_fd" ]; then
    exec tee -a -- "$log" 2>/dev/null
  fi
  exec cat
)

end_early() { # STATUS
  trap '' INT TERM HUP
  if [ "$changed" = no ]; then
    refuse "$1"
  fi
  tell_left
  exit "$1"
}

interrupted() {
  say $"Interrupted."
  end_early 130
}

have() { command -v "$1" >/dev/null 2>&1; }

open_log() { # a file of this script's own: new, or one that such a script began; nothing else is touched
  local wanted=${POOLWRIGHT_LOG:-} first=
  # Root writes here: a name that is taken, by mistake or by a link, must not cost anybody a file.
  if [ -z "$wanted" ]; then
    wanted=/var/log/poolwright-${pool_names[0]}-$(date +%Y%m%dT%H%M%S)-$$.log
  fi
  if [ -e "$wanted" ] || [ -L "$wanted" ]; then
    if [ -f "$wanted" ] && [ ! -L "$wanted" ] && [ -O "$wanted" ]; then
      IFS= read -r first <"$wanted" || true
    fi
    if [ "$first" != "$log_mark" ]; then
      refuse 2 $"The log $wanted exists and is not the log of such a script. Set POOLWRIGHT_LOG to a new file."
    fi
  else
    # Made only where nothing is yet, so that no other file can be taken for it.
    (set -C && umask 077 && printf '%s\n' "$log_mark" >"$wanted") 2>/dev/null || log_cannot "$wanted"
  fi
  { exec {log_fd}>>"$wanted"; } 2>/dev/null || log_cannot "$wanted"
  log=$wanted
  say $"Log: $log"
  [ "$log_lost" = no ] || log_cannot "$wanted"
}

log_cannot() { # FILE
  refuse 3 $"Cannot write the log $1. Is the disk full? Set POOLWRIGHT_LOG to a new file where there is room."
}

require_witnesses() { # before the first command that writes: what is done must reach a log and a terminal
  note $"Everything was checked."
  [ "$log_lost" = no ] || log_cannot "$log"
  if [ "$told_lost" = yes ]; then
    refuse 3 $"Nobody reads what this script tells. Run it in a terminal that stays open."
  fi
}

check_fixed_part() { # that nothing below the design was changed since it was written; not possible when piped into bash
  local line found lines=()
  # A guard that was edited, or lost a line on its way, would be trusted like one that was tried on real disks.
  [ -n "${script_lines+read}" ] && have sha256sum || return 0
  for line in "${script_lines[@]}"; do
    if [ "${#lines[@]}" -gt 0 ] || [[ $line == "$fixed_part_title"* ]]; then
      lines+=("$line")
    fi
  done
  read -r found _ < <(printf '%s\n' ${lines[@]+"${lines[@]}"} | sha256sum) || found=
  if [ "$found" != "$fixed_part_sha256" ]; then
    refuse 3 $"The fixed part of this script was changed since it was written: its sha256 is $found. Copy or write it again."
  fi
}

find_wide
trap interrupted INT TERM HUP
trap : PIPE
