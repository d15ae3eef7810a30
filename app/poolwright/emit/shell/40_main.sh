# ---------------------------------------------------------------- the run
check_only=no
yes_create=

parse_arguments() {
  while [ "$#" -gt 0 ]; do
    case $1 in
      --check) check_only=yes ;;
      --yes-create)
        if [ "$#" -lt 2 ] || [ "$2" != "$pool" ]; then
          die 2 "--yes-create wants the name of the pool, $pool. Nothing was changed."
        fi
        yes_create=$2
        shift
        ;;
      --help | -h)
        usage
        exit 0
        ;;
      *) die 2 "Unknown option $1. Try --help." ;;
    esac
    shift
  done
}

require_machine() {
  local tool missing=
  for tool in id zpool zfs lsblk blkid blockdev wipefs readlink stat cat chmod date tee; do
    have "$tool" || missing="$missing $tool"
  done
  if [ -n "$missing" ]; then
    die 3 "Not installed:$missing. Install OpenZFS and util-linux, then run this script again."
  fi
  if [ "$(id -u)" != 0 ]; then
    die 3 "Only root can read and use the disks. Run: sudo bash $0"
  fi
}

check_version() {
  local line here=
  while IFS= read -r line; do
    case $line in zfs-kmod-*) here=${line#zfs-kmod-} ;; esac
  done < <(zfs version 2>/dev/null)
  case $here in
    "$designed_for" | "$designed_for"[!0-9]*) ;;
    "${designed_for%.*}".*) say "note: OpenZFS $here runs here, the design was computed for $designed_for" ;;
    *) say "WARNING: OpenZFS ${here:-of unknown version} runs here, the design was computed for $designed_for" ;;
  esac
}

refuse_on_problems() {
  if [ "$problem_count" -gt 0 ]; then
    die 1 "Refused: $problem_count problem(s), listed above. Nothing was changed." \
      "This script never erases a disk; clear it yourself once you are sure, then run this script again."
  fi
}

create_pool() {
  say "Checking ${#disk_name[@]} disks"
  check_disks
  refuse_on_problems
  say "Every disk is the one designed with, and empty."
  rehearse
  if [ "$check_only" = yes ]; then
    say "Checked. Nothing was changed."
    exit 0
  fi
  confirm "This creates the pool $pool on ${#disk_name[@]} disks, as shown above."
  # Time has passed at the question: somebody may have used a disk.
  check_disks
  refuse_on_problems
  run zpool create "${create_arguments[@]}"
  changed=yes
}

finish_pool() {
  stage='count' pending=()
  build_datasets
  if [ "${#pending[@]}" -gt 0 ]; then
    if [ "$1" = existing ]; then
      say "Missing in the pool: ${pending[*]}"
      if [ "$check_only" = yes ]; then
        say "Checked. Nothing was changed."
        exit 0
      fi
      confirm "This creates what is missing in the pool $pool; nothing else is touched."
    fi
    stage='make'
    changed=yes
    build_datasets
  elif [ "$1" = existing ]; then
    say "Nothing is missing, nothing was changed."
  fi
  verify "$1"
}

main() {
  describe_disks
  parse_arguments "$@"
  require_machine
  open_log
  check_version
  if pool_exists; then
    resolve_disks
    compare_layout || die 1 "A pool $pool exists already, and it is not this one. Nothing was changed."
    say "The pool $pool exists already with exactly these vdevs; it is not created again."
    finish_pool existing
  else
    create_pool
    finish_pool new
  fi
  say "Done: the pool $pool is as designed."
}

trap 'die 130 "Interrupted. Run this script again: it goes on where it stopped."' INT TERM HUP
main "$@"
