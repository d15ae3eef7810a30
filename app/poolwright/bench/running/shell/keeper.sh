#!/bin/sh
# keeper.sh keep DIRECTORY RUN DATASET SILENCE [PROPERTY=VALUE...]: makes poolwright-bench-RUN in DIRECTORY, says
# "kept", and takes it away again when its standard input ends: at the end of the run, and when whoever started it is
# killed or the connection to it dies; also when dots have come on it and none comes any more for SILENCE s: a network
# may be gone without a word. It is a dataset of its own, with these properties, where DATASET is not empty: the one
# that is mounted at DIRECTORY.
# keeper.sh remove DIRECTORY RUN DATASET: takes it away.
# Exit statuses: 71 there is one of that name already, 72 it cannot be made, 75 it cannot be taken away, 77 no dataset
# can be made there, 78 it was made and not mounted there.
set -u
LC_ALL=C
export LC_ALL
umask 077
trap '' PIPE # nobody may listen any more when there is most to do
todo=$1
scratch=${2%/}/poolwright-bench-$3
dataset=${4:+$4/poolwright-bench-$3}

# Whoever runs in the directory yet: fio's workers have sessions of their own, so that no group holds them all.
end_leftovers() {
  # shellcheck disable=SC2009,SC2012 # /proc/NUMBER/cwd, which no pgrep looks at
  found=$(ls -ld /proc/[0-9]*/cwd 2>/dev/null | HERE=$here awk '
    { at = index($0, " -> "); where = substr($0, at + 4); split(substr($0, 1, at), words, "/proc/") }
    where == ENVIRON["HERE"] || where == ENVIRON["HERE"] " (deleted)" { sub(/\/cwd.*/, "", words[2]); print words[2] }')
  # shellcheck disable=SC2086 # numbers
  [ -z "$found" ] || kill -KILL $found 2>/dev/null
}

# Of a dataset the files are removed first: one that something else has made use of meanwhile (a snapshot, a dataset
# below it) is not destroyed, since nothing asks zfs to go further than this one name.
clear() {
  if [ -z "$dataset" ]; then
    rm -rf -- "$scratch"
  else
    rm -rf -- "${scratch:?}"/* "${scratch:?}"/.[!.]*
    zfs destroy "$dataset" || rmdir -- "$scratch"
  fi 2>/dev/null
}

take_away() {
  trap '' HUP INT TERM
  here=$(cd -P -- "$scratch" 2>/dev/null && pwd -P) || here=$scratch
  cd /
  tries=0
  end_leftovers
  while [ -d "$scratch" ]; do
    clear && break
    tries=$((tries + 1))
    [ "$tries" -lt 50 ] || break
    end_leftovers
    sleep 0.1 # the runner has seen the same end and is about to stop
  done
  [ ! -d "$scratch" ] || exit 75
}

# Makes the dataset, mounted where the directory would be; what zfs says against it goes to standard error.
make_dataset() { # PROPERTY=VALUE...
  for property; do
    set -- "$@" -o "$property"
    shift
  done
  zfs create "$@" "$dataset" || return 77
  [ "$(zfs get -H -o value mounted "$dataset")" != yes ] || [ "$(zfs get -H -o value mountpoint "$dataset")" != "$scratch" ] ||
    return 0
  zfs destroy "$dataset"
  return 78
}

if [ "$todo" = remove ]; then
  take_away
  exit 0
fi
silence=$5
shift 5
[ ! -e "$scratch" ] && [ ! -L "$scratch" ] || exit 71
if [ -n "$dataset" ]; then
  make_dataset "$@" || exit
else
  mkdir -- "$scratch" || exit 72
fi
trap 'kill "$waiting" 2>/dev/null; take_away; exit 0' HUP INT TERM
exec 3<&0
(limit= # until the first dot nobody promised another
  # shellcheck disable=SC2086 # words
  while [ "$($limit head -c 1 <&3)" = . ]; do
    ! command -v timeout || limit="timeout $silence"
  done) >/dev/null 2>&1 &
waiting=$!
echo kept
wait "$waiting"
take_away
