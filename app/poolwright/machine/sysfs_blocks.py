"""What the kernel tells of disks in /sys/block, for machines without lsblk (BusyBox): printed as lsblk -P would.

File systems and labels are not told there, so what uses a disk is known only as far as it is mounted or swapped on.
The collector has the same text (a test compares them).
"""

from poolwright.domain.command import Command

SCRIPT = r"""
get() { r=; [ -r "$1" ] && read -r r <"$1" 2>/dev/null; printf '%s' "$r" | tr -d '"\134'; }
mounted() {
    x=/dev/mapper/$(get "/sys/block/$1/dm/name")
    while read -r d m rest; do
        case $d in "/dev/$1" | "$x") printf '%s' "$m" | tr -d '"\134' && return ;; esac
    done </proc/mounts
    [ -r /proc/swaps ] && while read -r d rest; do [ "$d" = "/dev/$1" ] && printf '[SWAP]' && return; done </proc/swaps
}
line() {
    printf 'NAME="%s" KNAME="%s" PKNAME="%s" TYPE="%s" SIZE="%s"' "$1" "$1" "$2" "$3" "$(($(get "$4/size") * 512))"
    printf ' LOG-SEC="%s" PHY-SEC="%s"' "$(get "$5/queue/logical_block_size")" "$(get "$5/queue/physical_block_size")"
    printf ' ROTA="%s" RM="%s" RO="%s"' "$(get "$5/queue/rotational")" "$(get "$5/removable")" "$(get "$4/ro")"
    serial=$(get "$5/device/serial")
    if [ -z "$serial" ]; then serial=$(get "$5/serial"); fi
    if [ -z "$serial" ] && [ -r "$5/device/vpd_pg80" ]; then
        serial=$(tail -c +5 "$5/device/vpd_pg80" 2>/dev/null | tr -cd 'A-Za-z0-9._-')
    fi
    wwn=$(get "$5/device/wwid"); if [ -z "$wwn" ]; then wwn=$(get "$5/wwid"); fi
    case $wwn in naa.*) wwn=0x${wwn#naa.} ;; eui.*) ;; *) wwn= ;; esac
    if [ "$3" = part ]; then
        serial=''
        wwn=''
    fi
    printf ' MODEL="%s" VENDOR="%s"' "$(get "$5/device/model")" "$(get "$5/device/vendor")"
    printf ' SERIAL="%s" WWN="%s"' "$serial" "$wwn"
    tran=
    case $(cd -P "$5" 2>/dev/null && pwd) in
        */usb*) tran=usb ;;
        */nvme/*) tran=nvme ;;
        */ata[0-9]*) tran=sata ;;
        */virtio*) tran=virtio ;;
    esac
    printf ' TRAN="%s" MOUNTPOINT="%s"\n' "$tran" "$(mounted "$1")"
}
for b in /sys/block/*; do
    n=${b##*/}
    case $n in loop* | ram* | zram* | fd* | sr* | nbd* | '*') continue ;; esac
    k=disk
    case $n in
        dm-*) k=dm ;;
        md[0-9]*) k=md ;;
    esac
    line "$n" "" "$k" "$b" "$b"
    for p in "$b/$n"*; do
        [ -r "$p/partition" ] && line "${p##*/}" "$n" part "$p" "$b"
    done
    for h in "$b"/holders/* "$b/$n"*/holders/*; do
        [ -e "$h" ] && line "${h##*/}" "$n" dm "$h" "$h"
    done
done
:
"""
SYSFS_BLOCKS = Command(argv=("sh", "-c", SCRIPT))
