# ---------------------------------------------------------------- burn-in: each drive's long self-test, then every sector
# Nothing here writes to a disk. dd never gets the name of one: the shell opens it for reading only and hands that over.
# The self-tests come first and the reading after them: a drive puts its test off whenever it is asked for data, so that
# together both take far longer. All drives are tested at once, and then all are read at once, as in a scrub.

: "${part_start[*]-}${part_size[*]-}${part_node[*]-}${disk_index[*]-}" # none: disks are taken whole
pool_names=(burn-in) member_pool=() member_disk=() member_part=() pool_state=()
readonly slice=$((16 << 30)) # bytes that are read at once, and read again after an interruption; whole MiB
poll=60                      # seconds
work='' result='' checks_only=no bad=0
smart_words=(-x)
readers=()

usage() {
  printf '%s\n' $"Usage: ${0##*/} [--check] [--result FILE]" \
    $"Runs the long self-test of ${#disk_name[@]} disks, then reads all of each. It writes to none of them."
  option --check $"look at the disks and end"
  option --result $"the file to write, by default burn-in-HOST.capture in this folder"
  option --help $"this text"
}

parse_arguments() {
  result=$PWD/burn-in-$(uname -n).capture
  while [ "$#" -gt 0 ]; do
    case $1 in
      --check) checks_only=yes ;;
      --result)
        [ -n "${2-}" ] || die 2 $"--result needs a file."
        result=$2
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
  work=$result.part
}

tell_left() {
  [ "${#readers[@]}" = 0 ] || kill "${readers[@]}" 2>/dev/null || true
  say $"Run it again and it goes on where it was. Self-tests that run go on inside the drives."
}

check_candidates() {
  local i name
  forget_problems
  resolve_disks
  for i in "${!disk_name[@]}"; do
    name=${disk_name[i]}
    if [ -z "${disk_dev[i]}" ] && [ -e "$work/$name" ]; then
      say "  $name: "$"the disk is gone" # since it was begun; the others are not to begin anew
    elif [ -z "${disk_dev[i]}" ]; then
      problem disk "$name" $"there is no $dev_by_id/$name. Is the disk plugged in? Look: ls -l $dev_by_id"
    elif check_kind "$name" "${disk_dev[i]}"; then
      check_identity "$i" "$name" "${disk_dev[i]}"
    fi
  done
  refuse_on_problems
}

# The exit status of smartctl is a set of facts about the drive, not a failure.
smart() { # DEV
  [ -z "$1" ] || smartctl "${smart_words[@]}" "$1" 2>&1 || true
}

bad_sectors() { # DEV: what it counts that must not grow, added up
  { smartctl -A "$1" 2>/dev/null || true; } | awk '
    ($1 == 5 || $1 == 197 || $1 == 198) && $10 ~ /^[0-9]/ { sum += $10 }
    /Media and Data Integrity Errors|Elements in grown defect list/ { gsub(/[^0-9]/, "", $NF); sum += $NF }
    END { printf "%d\n", sum }'
}

kernel_errors() { # DEV: lines of the kernel's log that tell of reading it in vain
  { dmesg 2>/dev/null || true; } | grep -c -E "error, dev ${1##*/}[, ]" || true
}

fact() { # NAME KEY: the last line of that key
  local key value found=''
  while read -r key value; do
    [ "$key" != "$2" ] || found=$value
  done <"$work/$1"
  printf '%s\n' "$found"
}

note_fact() { # NAME KEY VALUE...
  printf '%s\n' "${*:2}" >>"$work/$1"
}

begin_disk() { # INDEX: once, also when this script is run again
  local name=${disk_name[$1]} dev=${disk_dev[$1]} told
  [ ! -e "$work/$name" ] || return 0
  smart "$dev" >"$work/$name.before"
  {
    printf '%s\n' 'poolwright-burn-in 1' "name $name" "size ${disk_size[$1]}" "serial ${disk_serial[$1]}"
    printf '%s\n' "begun $(date +%s)" "kernel $(kernel_errors "$dev")" "sectors $(bad_sectors "$dev")"
  } >"$work/$name.new"
  told=$(smartctl -t long "$dev" 2>&1) || true
  case $told in
    *' begun'* | *'without aborting current test'*) printf 'test %s\n' started >>"$work/$name.new" ;;
    *)
      printf 'test %s\n' none >>"$work/$name.new"
      say $"  note: $name runs no long self-test: its burn-in cannot be a go"
      ;;
  esac
  mv -- "$work/$name.new" "$work/$name"
}

in_test() { # DEV
  local told
  told=$(smartctl -c -l selftest "$1" 2>/dev/null) || true
  told=${told//No self-test in progress/}
  [[ $told =~ [Ss]elf[-\ ]test(\ routine)?\ in\ progress ]]
}

wait_for_tests() {
  local i left before=''
  while :; do
    left=0
    for i in "${!disk_name[@]}"; do
      if [ "$(fact "${disk_name[i]}" test)" = started ] && in_test "${disk_dev[i]}"; then
        left=$((left + 1))
      fi
    done
    [ "$left" -gt 0 ] || return 0
    [ "$left" = "$before" ] || say "$(date '+%F %T')  "$"disks in their self-test: $left"
    before=$left
    rest
  done
}

rest() { # so that a signal is heard at once
  sleep "$poll" >/dev/null 2>&1 &
  wait "$!" || true
}

read_disk() { # INDEX: from where the last run was
  local name=${disk_name[$1]} dev=${disk_dev[$1]} size=${disk_size[$1]} at told pid='' status length direct=()
  trap '[ -z "$pid" ] || kill "$pid"; exit 0' TERM
  trap - INT HUP
  [ -z "$(fact "$name" error)" ] || return 0
  [ -n "$dev" ] || { note_fact "$name" error 0 && return 0; }
  read -r at length _ < <(fact "$name" read) || true
  at=$((${at:-0} + ${length:-0}))
  # Past the cache of the kernel, which would answer instead of the disk.
  ! dd bs=1M count=1 iflag=direct <"$dev" >/dev/null 2>&1 || direct=(iflag=direct)
  while [ "$at" -lt "$size" ]; do
    status=0
    # dd reads the descriptor that the shell opened for reading; it knows no other way to the disk.
    dd bs=1M skip=$((at >> 20)) count=$((slice >> 20)) ${direct[@]+"${direct[@]}"} <"$dev" >/dev/null 2>"$work/$name.dd" &
    pid=$!
    wait "$pid" || status=$?
    told=$(<"$work/$name.dd")
    if [[ $told =~ ([0-9]+)\ bytes.*\ copied,\ ([0-9.e-]+)\ s ]]; then
      length=${BASH_REMATCH[1]}
    else
      length=0
    fi
    [ "$length" = 0 ] || note_fact "$name" read "$at" "$length" "${BASH_REMATCH[2]}"
    at=$((at + length))
    # One sector that cannot be read decides; more of them would take such a drive hours.
    if [ "$status" != 0 ] || [ "$length" = 0 ]; then
      [ "$at" -ge "$size" ] || note_fact "$name" error "$at"
      return 0
    fi
  done
}

read_disks() {
  local i at length done_bytes=0 all=0 last='' share
  resolve_disks # hours have passed: another disk may have the place of one that was pulled
  for i in "${!disk_name[@]}"; do
    read_disk "$i" &
    readers+=("$!")
    all=$((all + disk_size[i]))
  done
  while [ -n "$(jobs -rp)" ]; do
    rest
    done_bytes=0
    for i in "${!disk_name[@]}"; do
      read -r at length _ < <(fact "${disk_name[i]}" read) || true
      done_bytes=$((done_bytes + ${at:-0} + ${length:-0}))
    done
    share=$((done_bytes / (all / 100 + 1)))
    [ "$share" = "$last" ] || say "$(date '+%F %T')  "$"read: $share %"
    last=$share
  done
  readers=()
}

end_disk() { # INDEX
  local name=${disk_name[$1]} dev=${disk_dev[$1]} error test='' why='' before now at length
  smart "$dev" >"$work/$name.after"
  note_fact "$name" kernel "$(kernel_errors "$dev")"
  before=$(fact "$name" sectors)
  now=$(bad_sectors "$dev")
  note_fact "$name" ended "$(date +%s)"
  error=$(fact "$name" error)
  if [ "$(fact "$name" test)" = started ]; then
    test=$({ smartctl -l selftest "$dev" 2>/dev/null || true; } | grep -m 1 -E '^ *(# *1|0) ') || true
  fi
  read -r at length _ < <(fact "$name" read) || true
  [ "$((${at:-0} + ${length:-0}))" -ge "${disk_size[$1]}" ] || why=$"it was not read to its end"
  [ -z "$error" ] || why=$"a read error at byte $error"
  [ -n "$dev" ] || why=$"the disk is gone"
  [ "$now" = "$before" ] || why=$"bad sectors: $before before, $now after"
  [[ ! $test =~ [Ff]ail|[Ff]atal ]] || why=$"its long self-test failed"
  if [ -n "$why" ]; then
    bad=$((bad + 1))
    say "  NO-GO $name: $why"
  fi
}

section() { # NAME COMMAND...: as the collector writes it
  printf '### file: %s\n' "$1"
  { LC_ALL=C "${@:2}" 2>/dev/null || true; } | sed 's/^###/ ###/'
  printf '### status: 0\n'
}

write_result() { # what Poolwright opens as a capture of this machine
  local name
  {
    printf '### poolwright-capture 1\n'
    section hostname uname -n
    section uname uname -r
    section os-release cat /etc/os-release
    section meminfo cat /proc/meminfo
    section cpuinfo cat /proc/cpuinfo
    section lsblk lsblk -J -b -O
    section by-id ls -l "$dev_by_id"
    ! have zpool || section zpool-status zpool status -P
    for name in "${disk_name[@]}"; do
      section "burn-in/$name" told_of "$name"
    done
    printf '### end\n'
  } >"$result.new" || refuse 3 $"Cannot write $result. Is the disk full?"
  mv -- "$result.new" "$result"
  rm -r -- "$work"
}

told_of() { # NAME
  cat -- "$work/$1"
  printf '@before\n'
  cat -- "$work/$1.before"
  printf '@after\n'
  cat -- "$work/$1.after"
}

main() {
  local i tool
  design
  parse_arguments "$@"
  check_fixed_part
  for tool in smartctl lsblk blockdev dd awk; do
    have "$tool" || refuse 3 $"$tool is missing here."
  done
  [ "$(id -u)" = 0 ] || refuse 2 $"Run it as root."
  ! smartctl --json --version >/dev/null 2>&1 || smart_words=(--json -x)
  check_candidates
  say $"Disks to be tested and read: ${#disk_name[@]}"
  [ "$checks_only" = no ] || exit 0
  # Its folder is removed at the end: one of that name without its lock is somebody's.
  [ ! -L "$work" ] && { [ ! -e "$work" ] || [ -O "$work/.lock" ]; } || result=$work
  if [ -e "$result" ] || [ -L "$result" ]; then
    refuse 2 $"$result exists. Name another file with --result."
  fi
  mkdir -p -- "$work" || refuse 3 $"Cannot write $result. Is the disk full?"
  exec {lock}>"$work/.lock"
  ! have flock || flock -n "$lock" || refuse 2 $"This burn-in is running already."
  changed=yes # self-tests are about to begin
  for i in "${!disk_name[@]}"; do
    begin_disk "$i"
  done
  wait_for_tests
  read_disks
  resolve_disks
  for i in "${!disk_name[@]}"; do
    end_disk "$i"
  done
  write_result
  say $"Written: $result"
  say $"Next:" 'poolwright inventory --from' "$(quoted "$result")"
  [ "$bad" = 0 ] || exit 1
}
