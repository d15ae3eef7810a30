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

# section NAME COMMAND [ARGUMENT...]: what the command prints (its complaints, where it prints nothing), its status.
section() {
    name=$1
    shift
    printf '### file: %s\n' "$name"
    if have "$1"; then
        out=$(limited "$@" 2>/dev/null </dev/null)
        status=$?
        if [ -z "$out" ]; then
            out=$(limited "$@" 2>&1 </dev/null)
            status=$?
        fi
        # A line of the output must not look like one of ours.
        printf '%s\n' "$out" | sed 's/^###/ ###/'
    else
        status=127
    fi
    printf '### status: %s\n' "$status"
}

# What smartctl says of DEVICE; TYPE is for drives behind a RAID controller.
drive() {
    label=$(printf '%s' "${1#/dev/}${2:+-$2}" | tr -c 'A-Za-z0-9._+-' '_')
    if [ -n "${2:-}" ]; then
        section "smartctl/$label" smartctl ${json:+"$json"} -x -d "$2" "$1"
    else
        section "smartctl/$label" smartctl ${json:+"$json"} -x "$1"
    fi
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
section zpool-import zpool import
if have zfs; then
    section zfs-version zfs version
elif [ -r /sys/module/zfs/version ]; then
    section zfs-version cat /sys/module/zfs/version
fi

if have smartctl; then
    lsblk -d -n -o NAME,TYPE 2>/dev/null | while read -r device kind; do
        case $kind:$device in
            disk:zd* | disk:zram* | disk:ram* | disk:nbd* | disk:rbd* | disk:drbd* | disk:mmcblk*) ;;
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
