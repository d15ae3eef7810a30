#!/bin/sh
# look.sh DIRECTORY: tells what is known of a place before anything is measured there; reads only.
# Prints sections: a line "@NAME", then what a tool or a file says, as it is.
set -u
LC_ALL=C
export LC_ALL
exec 2>/dev/null </dev/null
part() { printf '@%s\n' "$1"; }

part directory
cd -- "$1" || exit 0
pwd -P
part writable
[ -w . ] && [ -x . ] && echo yes
part user
id -u
part df
df -Pk . | tail -n 1
part mount
findmnt -n -r -o TARGET,SOURCE,FSTYPE,OPTIONS -T .
part host
uname -n
uname -r
part cores
getconf _NPROCESSORS_ONLN
part memory
grep '^MemTotal:' /proc/meminfo
part fio
fio --version
part tools
for name in dd bonnie++; do
  command -v "$name" >/dev/null && echo "$name"
done
part volumes
ls /dev/zvol/*/poolwright-paper-*
part module
cat /sys/module/zfs/version
part parameters
for name in zfs_arc_max zfs_txg_timeout zfs_dirty_data_max zfs_dio_enabled zfs_dio_strict l2arc_write_max zfs_prefetch_disable \
  zfs_nocacheflush zil_nocacheflush; do
  [ -r "/sys/module/zfs/parameters/$name" ] && echo "$name $(cat "/sys/module/zfs/parameters/$name")"
done
part arc
grep '^c_max ' /proc/spl/kstat/zfs/arcstats
part left
ls -d poolwright-bench-*
part disks
lsblk -n -P -b -o NAME,PKNAME,SERIAL,MODEL,ROTA,SIZE,TYPE,KNAME
part names
ls -l /dev/disk/by-*
part caches
for file in /sys/block/*/queue/write_cache; do
  disk=${file%/queue/*}
  [ -r "$file" ] && echo "${disk##*/} $(cat "$file")"
done
part links
for file in /sys/class/net/*/speed; do
  link=${file%/speed}
  speed=$(cat "$file") && echo "${link##*/} $speed"
done
exit 0
