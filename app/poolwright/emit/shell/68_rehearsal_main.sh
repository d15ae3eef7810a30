# ---------------------------------------------------------------- the course of a rehearsal

usage() {
  printf '%s\n' $"Usage: ${0##*/} [--agree] [--no-pauses] [--clean] DIRECTORY" \
    $"Rehearses the design on sparse files in a directory of its own below DIRECTORY, and removes it again."
  option --agree $"do not ask"
  option --no-pauses $"do not wait for Enter after each step"
  option --clean $"only remove what a run that was killed left below DIRECTORY"
  option --help $"this text"
}

parse_arguments() {
  while [ "$#" -gt 0 ]; do
    case $1 in
      --agree) agreed=yes ;;
      --no-pauses) pauses=no ;;
      --clean) only_clean=yes ;;
      --help | -h)
        usage
        exit 0
        ;;
      -*) die 2 $"Unknown option $1. Try --help." ;;
      *)
        [ -z "$scratch" ] || die 2 $"One directory is wanted, not two. Try --help."
        scratch=$1
        ;;
    esac
    shift
  done
}

tell_left() { :; } # the end cleans up

require_tools() {
  local tool missing=''
  # All of them now: one that is missing halfway would leave a pool without its end.
  for tool in id zpool zfs truncate stat flock fallocate dd head sha256sum mkdir rmdir rm sync sleep tee cat; do
    have "$tool" || missing="$missing $tool"
  done
  if [ -n "$missing" ]; then
    refuse 3 $"Not installed:$missing. Install OpenZFS, coreutils and util-linux, then run this script again."
  fi
  if [ "$(id -u)" != 0 ]; then
    refuse 3 $"Only root can create pools. Run: sudo bash $0."
  fi
  # The commands may be installed without the module for the running kernel.
  zpool list >/dev/null 2>&1 || refuse 3 $"OpenZFS does not answer here: is its module loaded (modprobe zfs)?"
}

announce() {
  local text kind name
  read -r kind < <(stat -f -c %T -- "$scratch") || kind=
  say $"This rehearses a design on files: no disk is opened, and no other pool is touched."
  say $"Directory: $place; it is made now and removed at the end, however this script ends."
  for name in "${pool_names[@]}"; do
    say $"Pool: $name, mounted below $place/mounts, unknown to the machine after a restart."
  done
  say $"Files: ${#file_name[@]}, with holes. They seem as large as the disks and take up to $(($(space_needed) >> 20)) MiB."
  [ "$kind" != zfs ] || say $"The directory lies on ZFS itself. That works for a rehearsal; with little memory another file system is safer."
  for text in ${left_out_texts[@]+"${left_out_texts[@]}"}; do
    say $"Left out: $text"
  done
}

rehearse() {
  local number
  for number in "${!pool_names[@]}"; do
    create_pool "$number"
  done
  for number in "${!pool_names[@]}"; do
    fill_pool "${pool_names[number]}"
    drill "$number"
  done
  for number in "${!pool_names[@]}"; do
    step $"The drill of ${pool_names[number]} is over: the pool is destroyed."
    run zpool destroy "${pool_names[number]}"
  done
}

main() {
  parse_arguments "$@"
  check_fixed_part
  choose_place
  design
  require_tools
  if look_for_left; then
    say $"An earlier run of this rehearsal was killed: its pools and files are removed first."
    remove_all || die 3 $"What the earlier run left could not be removed."
    # The marker it was held on is gone; the new directory gets a lock of its own.
    exec {lock_fd}<&-
  fi
  if [ "$only_clean" = yes ]; then
    say $"Nothing of the rehearsal is left."
    return 0
  fi
  announce
  [ "$agreed" = yes ] || is_typed rehearse || refuse 1 $"The words do not match."
  # Before anything is made, so that no end leaves it there.
  trap clean_up EXIT
  changed=yes
  make_place
  check_room
  make_files
  rehearse
  if [ "$difference_count" != 0 ]; then
    die 1 "$(counted "$difference_count" $"The rehearsal did not go as it should: 1 difference, listed above." $"The rehearsal did not go as it should: $difference_count differences, listed above.")"
  fi
  say $"The rehearsal went as it should."
}

main "$@"
exit
