#!/bin/sh
# look.sh [SYS]: tells where the disks of this machine are: shelves, bays, controllers, links, several ways to one disk.
# Reads files of the kernel under SYS (/sys) and asks lspci for names, as anyone may; starts nothing on a disk.
# Prints things: a line "@KIND NAME", then lines "FACT VALUE". What a kernel does not tell is left out.
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
