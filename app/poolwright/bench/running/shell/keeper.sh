#!/bin/sh
# keeper.sh keep DIRECTORY RUN SILENCE: makes poolwright-bench-RUN in DIRECTORY, says "kept", and takes it away again
# when its standard input ends: at the end of the run, and when whoever started it is killed or the connection to it
# dies; also when dots have come on it and none comes any more for SILENCE s: a network may be gone without a word.
# keeper.sh remove DIRECTORY RUN: takes it away.
# Exit statuses: 71 there is one of that name already, 72 it cannot be made, 75 it cannot be taken away.
set -u
LC_ALL=C
export LC_ALL
umask 077
trap '' PIPE # nobody may listen any more when there is most to do
todo=$1
scratch=$2/poolwright-bench-$3

# Whoever runs in the directory yet: fio's workers have sessions of their own, so that no group holds them all.
end_leftovers() {
  # shellcheck disable=SC2009,SC2012 # /proc/NUMBER/cwd, which no pgrep looks at
  found=$(ls -ld /proc/[0-9]*/cwd 2>/dev/null | HERE=$here awk '
    { at = index($0, " -> "); where = substr($0, at + 4); split(substr($0, 1, at), words, "/proc/") }
    where == ENVIRON["HERE"] || where == ENVIRON["HERE"] " (deleted)" { sub(/\/cwd.*/, "", words[2]); print words[2] }')
  # shellcheck disable=SC2086 # numbers
  [ -z "$found" ] || kill -KILL $found 2>/dev/null
}

take_away() {
  trap '' HUP INT TERM
  here=$(cd -P -- "$scratch" 2>/dev/null && pwd -P) || here=$scratch
  tries=0
  end_leftovers
  while [ -d "$scratch" ]; do
    rm -rf -- "$scratch" 2>/dev/null && break
    tries=$((tries + 1))
    [ "$tries" -lt 50 ] || break
    end_leftovers
    sleep 0.1 # the runner has seen the same end and is about to stop
  done
  [ ! -d "$scratch" ] || exit 75
}

if [ "$todo" = remove ]; then
  take_away
  exit 0
fi
[ ! -e "$scratch" ] && [ ! -L "$scratch" ] || exit 71
mkdir -- "$scratch" || exit 72
trap 'kill "$waiting" 2>/dev/null; take_away; exit 0' HUP INT TERM
exec 3<&0
(limit= # until the first dot nobody promised another
  # shellcheck disable=SC2086 # words
  while [ "$($limit head -c 1 <&3)" = . ]; do
    ! command -v timeout || limit="timeout $4"
  done) >/dev/null 2>&1 &
waiting=$!
echo kept
wait "$waiting"
take_away
