#!/bin/sh
# runner.sh SCRATCH ENGINE BYTES SILENCE TELLING [fresh]: runs one repeat in SCRATCH, with the job of so many BYTES that comes on standard input.
# Standard input stays open: when it ends before the program does, the program is ended, and all that it started; also when dots
# have come on it and none comes any more for SILENCE s: a network may be gone without a word.
# TELLING is how fio tells each second how far it is: by "reports", or by the "line" that it shows people.
# With "fresh" the files of earlier repeats are taken away first.
# Prints what the program prints, then each log that it left as a line "@file NAME BYTES" and the bytes, then "@end".
# ENGINE is fio, siblings (fio that may only read), dd (a job is its operands) or bonnie++ (its options).
# Exit statuses: the program's own; 66 SCRATCH is gone, 73 the job may not be run, 74 the job could not be written, 76 a disk is
# not there (it is named).
set -u
LC_ALL=C
export LC_ALL
umask 077
trap '' PIPE
exec 3<&0 </dev/null
engine=$2
cd -- "$1" 2>/dev/null || exit 66
here=$(pwd -P)
case ${here##*/} in poolwright-bench-*) ;; *) exit 66 ;; esac
silence=$4
[ "${6-}" != fresh ] || rm -rf -- ./*
head -c "$3" <&3 >job 2>/dev/null
[ "$(wc -c <job)" -eq "$3" ] || exit 74

# What no job may say, whoever wrote it: a file outside of this directory (but volumes made for it), a command, another job file, a way to a disk
# or a network. The program has looked at it before; this is what stands on the machine itself.
allowed() {
  awk -v siblings="$1" '
    function no(why) { print "poolwright: line " NR ": " why > "/dev/stderr"; bad = 1; exit 1 }
    { sub(/^[ \t]+/, ""); sub(/[ \t\r]+$/, "") }
    /^[;#]/ || $0 == "" { next }
    /^\[/ { if ($0 ~ /\//) no("a job named by a path"); next }
    tolower($0) ~ /^include/ { no("another job file") }
    {
      at = index($0, "=")
      key = tolower(at ? substr($0, 1, at - 1) : $0); sub(/[ \t]+$/, "", key)
      value = at ? substr($0, at + 1) : ""; sub(/^[ \t]+/, "", value)
    }
    key ~ /^(exec_prerun|exec_postrun|read_iolog|write_iolog|merge_blktrace_file|replay_redirect|ioscheduler|cgroup|opendir|mountpoint|chroot|fill_device|fill_fs)$/ { no(key) }
    key == "ioengine" && value !~ /^(sync|psync|vsync|pvsync|pvsync2|libaio|posixaio|io_uring|mmap|splice|null)$/ { no(value) }
    value ~ /\$\{/ { no("a variable") }
    value ~ /(^|[:\/])\.\.?(\/|$)/ { no("a path") }
    siblings && (key == "rw" || key == "readwrite") { if (value !~ /^(rand)?read$/) no("only reading"); reads = 1 }
    siblings && key == "filename" && value ~ /^\/dev\// { next }
    key == "filename" && value ~ /^\/dev\/zvol\/[^:]+\/poolwright-paper-[0-9]+$/ { next } # made for this alone
    value ~ /\// && key !~ /^(bssplit|random_distribution|verify_pattern|buffer_pattern)$/ { no("a path") }
    END { if (!bad && siblings && !reads) no("only reading") }
  ' job
}

# The operands of dd and the options of bonnie++, a call a line: plain words, and files of this directory only.
plain() {
  ! grep -q '[^A-Za-z0-9_=.,: /-]' job || return
  words=$(tr -s ' ' '\n' <job)
  for word in $words; do
    case $word in
      if=/dev/zero | if=/dev/urandom | if=data | of=data | of=/dev/null) ;;
      if=* | of=* | -d* | -u* | *..* | */*) return 1 ;;
    esac
  done
}

case $5 in
  reports) telling='--output-format=json+ --status-interval=1' ;;
  *) telling='--output-format=normal,json+ --eta=always' ;;
esac
case $engine in
  fio)
    allowed '' || exit 73
    # shellcheck disable=SC2086 # words
    set -- fio $telling job
    ;;
  siblings)
    allowed 1 || exit 73
    grep '^filename=' job | sed 's/^filename=//; s/\\\(.\)/\1/g' | while IFS= read -r disk; do
      [ -e "$disk" ] || { echo "$disk" >&2; exit 1; }
    done || exit 76
    # shellcheck disable=SC2086 # words
    set -- fio --readonly $telling job
    ;;
  dd | bonnie++)
    plain || exit 73
    program=$engine
    [ "$engine" = dd ] || { program='bonnie++ -d .'; [ "$(id -u)" != 0 ] || program="$program -u root"; }
    # dd does not tell which way it went: its command line is told before.
    # shellcheck disable=SC2016 # the inner shell takes the words of each line apart
    set -- sh -c 'while read -r line; do [ "$0" != dd ] || echo "dd $line"; $0 $line || exit; done <job' "$program"
    ;;
  *) exit 73 ;;
esac
case $engine in siblings) command -v fio ;; *) command -v "$engine" ;; esac >/dev/null || exit 127

# Whoever runs in the directory yet: fio's workers have sessions of their own, so that no group holds them all.
end_leftovers() {
  # shellcheck disable=SC2009,SC2012 # /proc/NUMBER/cwd, which no pgrep looks at
  found=$(ls -ld /proc/[0-9]*/cwd 2>/dev/null | HERE=$here awk '
    { at = index($0, " -> "); where = substr($0, at + 4); split(substr($0, 1, at), words, "/proc/") }
    where == ENVIRON["HERE"] || where == ENVIRON["HERE"] " (deleted)" { sub(/\/cwd.*/, "", words[2]); print words[2] }')
  # shellcheck disable=SC2086 # numbers
  [ -z "$found" ] || kill -KILL $found 2>/dev/null
}

if command -v setsid >/dev/null; then set -- setsid "$@"; fi
if [ "$engine" = dd ]; then "$@" 2>&1 & else "$@" & fi
child=$!
cd / # whoever is in the directory now is to end with the program

# Politely first, so that it tells what it has; then without asking.
# shellcheck disable=SC2329 # the traps call it
stop() {
  kill -TERM "$child" 2>/dev/null
  (sleep 1; end_leftovers) >/dev/null 2>&1 3<&- &
}
trap stop HUP INT TERM
(limit= # until the first dot nobody promised another
  # shellcheck disable=SC2086 # words
  while [ "$($limit head -c 1 <&3)" = . ]; do
    ! command -v timeout || limit="timeout $silence"
  done
  kill -TERM "$$") >/dev/null 2>&1 &
lifeline=$!
# A program goes on in files whose directory is gone: nobody would read what it measures, and they hold their room.
(while [ -d "$here" ]; do sleep 1; done; kill -TERM "$$") >/dev/null 2>&1 3<&- &
staying=$!

while :; do
  wait "$child"
  status=$?
  kill -0 "$child" 2>/dev/null || break
done
trap '' HUP INT TERM
kill "$lifeline" "$staying" 2>/dev/null
end_leftovers # a program that was killed leaves its own children
cd -- "$here" 2>/dev/null || status=66
for log in *.log; do
  [ -f "$log" ] && [ "$status" != 66 ] || continue
  printf '\n@file %s %s\n' "$log" "$(($(wc -c <"$log")))"
  cat -- "$log"
  rm -f -- "$log"
done
printf '\n@end %s\n' "$status"
exit "$status"
