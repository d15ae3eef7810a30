#!/bin/sh
# sampler.sh POOL: tells each second what the machine counts, until nobody reads it any more. POOL may be empty.
# Each piece is a line "@KIND NAME TIME UP", the time in s since 1970 and since the machine began (which nobody can set),
# and the lines of the file as they are. Temperatures (@hwmon, thousandths of a degree) are asked every 10 s: disks
# answer them in between their work.
set -u
LC_ALL=C
export LC_ALL
pool=$1

now() {
  time=$(date +%s.%N)
  case $time in *N*) time=$(date +%s) ;; esac
  if read -r up _ </proc/uptime; then time="$time $up"; fi
} 2>/dev/null

tell() { # KIND NAME FILE
  [ -r "$3" ] || return 0
  now
  echo "@$1 $2 $time"
  cat "$3" 2>/dev/null
}

temperatures() {
  for chip in /sys/class/hwmon/hwmon*; do
    read -r name <"$chip/name" || continue
    of=
    for block in "$chip"/device/block/* "$chip"/device/nvme*n* "$chip"/device/device/block/*; do
      [ ! -e "$block" ] || of=-${block##*/}
    done
    for input in "$chip"/temp*_input; do
      [ -e "$input" ] || continue
      number=${input##*/}
      tell hwmon "$name$of-${number%_input}" "$input"
    done
  done 2>/dev/null
}

turn=0
while :; do
  tell stat - /proc/stat
  tell loadavg - /proc/loadavg
  tell diskstats - /proc/diskstats
  tell net - /proc/net/dev
  tell arcstats - /proc/spl/kstat/zfs/arcstats
  [ -z "$pool" ] || tell iostats "$pool" "/proc/spl/kstat/zfs/$pool/iostats"
  [ "$((turn % 10))" != 0 ] || temperatures
  turn=$((turn + 1))
  sleep 1
done
