#!/bin/sh
# watching.sh SCRATCH PROGRAM [WORD...]: runs what only watches, until SCRATCH is gone: its keeper takes it away when a
# run ends, and when the connection is lost without a word, of which a program that prints hears for many minutes nothing.
set -u
LC_ALL=C
export LC_ALL
scratch=$1
shift
"$@" &
watching=$!
# All of a session are told to end at once: who is first out has the others ended, before they told what they had.
trap 'kill "$watching" 2>/dev/null; wait "$watching"; exit 143' TERM
while [ -d "$scratch" ] && kill -0 "$watching" 2>/dev/null; do
  sleep 1
done
kill "$watching" 2>/dev/null
wait "$watching"
