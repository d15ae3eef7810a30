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

# Where the disks are. From here to the next rule this is inventory/places/look.sh, word for word.
look_at_places() (
# -----
set -u
LC_ALL=C
export LC_ALL
exec 2>/dev/null </dev/null
sys=${1:-/sys}
pci=' '

thing() { printf '@%s %s\n' "$1" "$2"; }

# fact FILE [NAME]: the first line of a file of the kernel, without starting a program for it.
fact() {
  [ -f "$1" ] || return 0
  value=
  IFS= read -r value <"$1"
  [ -z "$value" ] || printf '%s %s\n' "${2:-${1##*/}}" "$value"
}

# facts FOLDER NAME...
facts() {
  folder=$1
  shift
  for name in "$@"; do
    fact "$folder/$name"
  done
}

# place FOLDER: where it really is in the tree of devices; the bridges and adapters above it are told at the end.
place() {
  where=$(cd -P -- "$1" && pwd -P) || return 0
  where=${where#"$sys"}
  printf 'path %s\n' "$where"
  rest=$where/
  while [ -n "$rest" ]; do
    part=${rest%%/*}
    rest=${rest#*/}
    case $part in
      *[0-9a-f]:[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f].[0-7])
        case $pci in
          *" $part "*) ;;
          *) pci="$pci$part " ;;
        esac
        ;;
    esac
  done
}

echo poolwright-places 1
for disk in "$sys"/block/*; do
  name=${disk##*/}
  case $name in
    dm-*)
      uuid=
      IFS= read -r uuid <"$disk/dm/uuid"
      case $uuid in
        mpath-*)
          thing map "$name"
          facts "$disk/dm" name uuid
          for slave in "$disk"/slaves/*; do
            [ -d "$slave" ] && printf 'slave %s\n' "${slave##*/}"
          done
          ;;
      esac
      continue
      ;;
    sd* | hd* | vd* | xvd* | nvme* | mmcblk* | cciss*) ;;
    *) continue ;;
  esac
  thing disk "$name"
  place "$disk/device"
  facts "$disk" wwid nsid eui nguid uuid hidden
  facts "$disk/device" type vendor model rev wwid state sas_address raid_level level
  while IFS= read -r way; do
    printf 'way %s\n' "$way"
  done <"$disk/device/path_info"
done
for unit in "$sys"/class/enclosure/*; do
  [ -d "$unit" ] || continue
  thing enclosure "${unit##*/}"
  place "$unit/device"
  fact "$unit/id"
  facts "$unit/device" vendor model rev sas_address
  for bay in "$unit"/*; do
    [ -f "$bay/type" ] || continue
    thing bay "${bay##*/}"
    facts "$bay" type slot
    [ -d "$bay/device" ] && place "$bay/device"
  done
done
for device in "$sys"/class/scsi_device/*; do
  kind=
  IFS= read -r kind <"$device/device/type"
  if [ "$kind" = 13 ]; then
    thing ses "${device##*/}"
    facts "$device/device" vendor model
  fi
done
for device in "$sys"/class/sas_device/*; do
  [ -d "$device" ] || continue
  thing sas_device "${device##*/}"
  place "$device/device"
  facts "$device" device_type sas_address enclosure_identifier bay_identifier
done
for expander in "$sys"/class/sas_expander/*; do
  [ -d "$expander" ] || continue
  thing expander "${expander##*/}"
  place "$expander/device"
  facts "$expander" vendor_id product_id product_rev level
done
for port in "$sys"/class/sas_port/*; do
  [ -d "$port" ] || continue
  thing port "${port##*/}"
  place "$port/device"
  for phy in "$port"/device/phy-*; do
    [ -d "$phy" ] && printf 'phy %s\n' "${phy##*/}"
  done
done
for phy in "$sys"/class/sas_phy/*; do
  [ -d "$phy" ] || continue
  thing phy "${phy##*/}"
  facts "$phy" negotiated_linkrate maximum_linkrate
done
for host in "$sys"/class/scsi_host/*; do
  [ -d "$host" ] || continue
  thing host "${host##*/}"
  place "$host/device"
  facts "$host" proc_name board_name version_product version_fw model_name host_fw_model vendor model host_sas_address
done
for link in "$sys"/class/ata_link/*; do
  [ -d "$link" ] || continue
  thing ata_link "${link##*/}"
  place "$link/device"
  facts "$link" sata_spd
done
for port in "$sys"/class/ata_port/*; do
  [ -d "$port" ] || continue
  thing ata_port "${port##*/}"
  facts "$port" port_no
done
for adapter in "$sys"/class/nvme/*; do
  [ -d "$adapter" ] || continue
  thing nvme "${adapter##*/}"
  place "$adapter"
  facts "$adapter" model serial transport subsysnqn state
done
for slot in "$sys"/bus/pci/slots/*; do
  [ -f "$slot/address" ] || continue
  thing slot "${slot##*/}"
  fact "$slot/address"
done
for address in $pci; do
  device=$sys/bus/pci/devices/$address
  [ -d "$device" ] || continue
  thing pci "$address"
  facts "$device" class vendor device subsystem_vendor subsystem_device current_link_speed current_link_width \
    max_link_speed max_link_width label
  driver=$(cd -P -- "$device/driver" && pwd -P) && printf 'driver %s\n' "${driver##*/}"
  lspci -D -vmm -s "$address" | while IFS= read -r line; do
    case $line in
      Class:* | Vendor:* | Device:* | SVendor:* | SDevice:*) printf 'lspci %s\n' "$line" ;;
    esac
  done
done
echo @end
exit 0
# -----
)

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
out=$(look_at_places)
status=$?
show places
if have multipath; then
    section multipath multipath -ll
fi

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
