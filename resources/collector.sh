#!/bin/sh
# Poolwright collector: prints what the disks of this machine are, as one text. It only reads.
#
#   sudo sh collector.sh > this-machine.capture
#
# Then open the file in Poolwright, or: poolwright inventory --from this-machine.capture
# Without root it works too, but smartctl may not open the disks and their sector sizes stay in doubt.
set -u

LC_ALL=C
export LC_ALL
PATH=${PATH:-/usr/bin:/bin}:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin
export PATH

old_columns=NAME,KNAME,PKNAME,TYPE,SIZE,LOG-SEC,PHY-SEC,ROTA,RM,RO,MODEL,SERIAL,WWN,FSTYPE,LABEL,MOUNTPOINT,TRAN

have() {
    command -v "$1" >/dev/null 2>&1
}

# No answer is waited for longer than two minutes: a dying disk must not stop the collector.
limited() {
    if have timeout; then
        timeout 120 "$@"
    else
        "$@"
    fi
}

# ask COMMAND [ARGUMENT...]: what it prints in $out (its complaints, where it prints nothing), its status in $status.
ask() {
    if have "$1"; then
        out=$(limited "$@" 2>/dev/null </dev/null)
        status=$?
        if [ -z "$out" ]; then
            out=$(limited "$@" 2>&1 </dev/null)
            status=$?
        fi
    else
        out=
        status=127
    fi
}

# show NAME: what was last asked, as a section.
show() {
    printf '### file: %s\n' "$1"
    if [ -n "$out" ]; then
        # A line of the output must not look like one of ours.
        printf '%s\n' "$out" | sed 's/^###/ ###/'
    fi
    printf '### status: %s\n' "$status"
}

# section NAME COMMAND [ARGUMENT...]
section() {
    name=$1
    shift
    ask "$@"
    show "$name"
}

# Whether the last answer of smartctl has a capacity. Some disks answer only when they are asked as another type.
has_capacity() {
    case $out in
        *'"user_capacity"'* | *'User Capacity:'* | *'Namespace 1 Size'* | *'"nvme_total_capacity"'*) return 0 ;;
        *'Permission denied'* | *'No such device'* | *'No medium'* | *'CD/DVD'*) return 0 ;;
    esac
    return 1
}

# What smartctl says of DEVICE; TYPE is for drives behind a RAID controller.
drive() {
    label=$(printf '%s' "${1#/dev/}${2:+-$2}" | tr -c 'A-Za-z0-9._+-' '_')
    if [ -n "${2:-}" ]; then
        section "smartctl/$label" smartctl ${json:+"$json"} -x -d "$2" "$1"
        return
    fi
    section "smartctl/$label" smartctl ${json:+"$json"} -x "$1"
    case $1 in
        /dev/sd*) ;;
        *) return ;;
    esac
    types='sat scsi'
    case $out in
        *'USB bridge'*) types=scsi ;; # unknown bridges have been seen to hang on anything else
    esac
    for type in $types; do
        if has_capacity; then
            return
        fi
        section "smartctl/$label-$type" smartctl ${json:+"$json"} -x -d "$type" "$1"
    done
}

if [ "$(id -u)" -ne 0 ]; then
    echo "collector: not running as root, so smartctl will tell little" >&2
fi

json=
if have smartctl && smartctl --json -V >/dev/null 2>&1; then
    json=--json
fi

printf '### poolwright-capture 1\n'
section hostname uname -n
section uname uname -r
section os-release cat /etc/os-release
section meminfo cat /proc/meminfo
section cpuinfo cat /proc/cpuinfo

if lsblk -J -b -O >/dev/null 2>&1; then
    section lsblk lsblk -J -b -O
else
    section lsblk lsblk -P -b -o "$old_columns"
fi
section by-id ls -l /dev/disk/by-id

section zpool-status zpool status -P
if [ -n "$(zpool list -H -o name 2>/dev/null)" ]; then
    section zpool-list zpool list -v -Hp -P
    section zpool-get zpool get -Hp all
    section zdb-config zdb -C
    # Snapshots are left out: there may be hundreds of thousands.
    section zfs-get zfs get -Hp -t filesystem,volume all
    section date date '+%Y-%m-%d %H:%M:%S'
    zpool list -H -o name 2>/dev/null | while read -r pool; do
        section "zpool-get-vdevs/$pool" zpool get -Hp ashift,guid "$pool" all-vdevs
    done
fi
section zpool-import zpool import
if have zfs; then
    section zfs-version zfs version
elif [ -r /sys/module/zfs/version ]; then
    section zfs-version cat /sys/module/zfs/version
fi

if have smartctl; then
    lsblk -d -n -o NAME,TYPE 2>/dev/null | while read -r device kind; do
        case $kind:$device in
            disk:zd* | disk:zram* | disk:ram* | disk:nbd* | disk:rbd* | disk:drbd* | disk:mmcblk* | disk:fd*) ;;
            disk:*) drive "/dev/$(printf '%s' "$device" | tr '!' '/')" ;;
        esac
    done
    smartctl --scan 2>/dev/null | while read -r device _ kind _; do
        case $kind in
            *,*) drive "$device" "$kind" ;;
        esac
    done
else
    section smartctl smartctl
fi

if have nvme; then
    for device in /dev/nvme*n[0-9] /dev/nvme*n[0-9][0-9]; do
        if [ -b "$device" ]; then
            section "nvme-id-ns/${device#/dev/}" nvme id-ns -o json "$device"
        fi
    done
fi
printf '### end\n'
