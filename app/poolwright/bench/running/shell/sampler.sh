#!/bin/sh
# sampler.sh POOL SYSFS [DISK...]: tells each second what the machine counts, until nobody reads it any more. POOL may
# be empty; SYSFS is /sys; the DISKs are those of the pool, by the kernel's names.
# Each piece is a line "@KIND NAME TIME UP", the time in s since 1970 and since the machine began (which nobody can set),
# and the lines of the file as they are. Temperatures (@hwmon, thousandths of a degree) are asked every 10 s: disks
# answer them in between their work. smartctl tells those of the DISKs of which the kernel has none, where it may.
set -u
LC_ALL=C
export LC_ALL
pool=$1
system=$2
shift 2

now() {
  time=$(date +%s.%N)
  case $time in *N*) time=$(date +%s) ;; esac
  if read -r up _ </proc/uptime; then time="$time $up"; fi
} 2>/dev/null

piece() { # KIND NAME
  now
  echo "@$1 $2 $time"
}

tell() { # KIND NAME FILE
  [ -r "$3" ] || return 0
  piece "$1" "$2"
  cat "$3" 2>/dev/null
}

temperatures() {
  known=' '
  for chip in "$system"/class/hwmon/hwmon*; do
    read -r name <"$chip/name" || continue
    of=
    for block in "$chip"/device/block/* "$chip"/device/nvme*n* "$chip"/device/device/block/*; do
      [ -e "$block" ] || continue
      disk=${block##*/}
      case $disk in nvme*c[0-9]*n*) disk=${disk%c[0-9]*}n${disk##*n} ;; esac # a path to nvme0n1 is called nvme0c0n1
      of=-$disk
    done
    for input in "$chip"/temp*_input; do
      [ -e "$input" ] || continue
      number=${input##*/}
      known="$known${of#-} "
      tell hwmon "$name$of-${number%_input}" "$input"
    done
  done 2>/dev/null
  command -v smartctl >/dev/null || return 0
  for disk in "$@"; do
    case $known in *" $disk "*) continue ;; esac
    degrees=$(smartctl -n standby -A "/dev/$disk" 2>/dev/null | awk '
      /^(Current Drive )?Temperature:/ { print $(NF - 1); exit }
      $1 == 194 || ($1 == 190 && $2 ~ /Temp/) { print $10; exit }')
    case $degrees in '' | *[!0-9]* | ????*) continue ;; esac
    piece hwmon "smartctl-$disk-temp1"
    echo "${degrees}000"
  done
}

trap 'trap "" TERM; echo; piece end -; exit 143' TERM # whether the clock was set since the last sample

turn=0
while :; do
  tell stat - /proc/stat
  tell diskstats - /proc/diskstats
  tell net - /proc/net/dev
  tell arcstats - /proc/spl/kstat/zfs/arcstats
  [ -z "$pool" ] || tell iostats "$pool" "/proc/spl/kstat/zfs/$pool/iostats"
  [ "$((turn % 10))" != 0 ] || temperatures "$@"
  turn=$((turn + 1))
  sleep 1
done
