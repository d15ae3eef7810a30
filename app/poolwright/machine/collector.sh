#!/bin/sh
# Poolwright collector: prints what the disks of this machine are, as one text. It only reads.
#
#   sudo sh collector.sh > this-machine.capture
#
# Then open the file in Poolwright, or: poolwright inventory --from this-machine.capture
# With --redact serial numbers, world-wide names, UUIDs and the host name are replaced by others of the same shape;
# sh collector.sh --redact-text < old.capture does that to a capture that is there already.
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

# No answer is waited for longer than two minutes: a dying disk must not stop the collector. An old BusyBox has another
# timeout.
patient=
if timeout 9 true >/dev/null 2>&1; then
    patient=yes
fi
limited() {
    if [ -n "$patient" ]; then
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

# Where the disks of this machine are: shelves, bays, controllers, links, several ways to one disk. It reads files of the
# kernel below $1 (/sys) and asks lspci for names, as anyone may; starts nothing on a disk.
# Prints things: a line "@KIND NAME", then lines "FACT VALUE". What a kernel does not tell is left out.
# What stands between "# --- NAME" and "# ---" Poolwright also runs by itself.
look_at_places() (
# --- places
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
# ---
)

# What the kernel tells of disks, as lsblk -P would print it: for machines without lsblk.
sysfs_blocks() {
# --- blocks
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
# ---
}

if [ "$(id -u)" -ne 0 ] && [ "${1:-}" != --redact-text ]; then
    echo 'collector: not running as root, so smartctl will tell little' >&2
fi

json=
if have smartctl && smartctl --json -V >/dev/null 2>&1; then
    json=--json
fi

collect() {
    printf '### poolwright-capture 1\n'
    section hostname uname -n
    section uname uname -r
    section os-release cat /etc/os-release
    section meminfo cat /proc/meminfo
    section cpuinfo cat /proc/cpuinfo

    if lsblk -J -b -O >/dev/null 2>&1; then
        section lsblk lsblk -J -b -O
    elif lsblk -P -b -o "$old_columns" >/dev/null 2>&1; then
        section lsblk lsblk -P -b -o "$old_columns"
    else
        out=$(sysfs_blocks 2>/dev/null)
        status=$?
        show lsblk
    fi
    section by-id ls -l /dev/disk/by-id
    out=$(look_at_places)
    status=$?
    show places
    if have multipath; then
        section multipath multipath -ll
    fi

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
        { lsblk -d -n -o NAME,TYPE 2>/dev/null || sysfs_blocks 2>/dev/null | sed -n 's/^NAME="\([^"]*\)".* TYPE="disk".*/\1 disk/p'; } | while read -r device kind; do
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
}

# Letters and digits are moved within their kind by an amount that depends on secrets of this run and on what stands
# before them: equal beginnings stay equal, different ones different. Pseudonyms, no encryption.
redact() {
    random=$(od -An -N32 -tu4 /dev/urandom 2>/dev/null | tr -s ' \n' '  ')
    if [ -z "$random" ]; then
        random=$({ cat /proc/uptime /proc/stat; date; echo $$; } | cksum)
    fi
    awk -v random="$random" '
function moved(text, kept, last, alphabet,    n, i, c, kind, at, made) {
    n = length(text); made = ""
    h1 = s1; h2 = s2; h3 = s3
    for (i = 1; i <= n; i++) {
        c = substr(text, i, 1)
        kind = alphabet
        if (kind == "") kind = index(digits, c) ? digits : index(lower, c) ? lower : upper
        at = index(kind, c)
        if (i <= kept || i > n - last || !at) made = made c
        else made = made substr(kind, (at - 1 + 1 + (h1 + 7 * h2 + 13 * h3) % (length(kind) - 1)) % length(kind) + 1, 1)
        at = index(all, tolower(c)) + 1
        h1 = (h1 * a1 + at) % 8388593; h2 = (h2 * a2 + at) % 8388587; h3 = (h3 * a3 + at) % 8388571
    }
    return made
}
function hexes(text) { return text == tolower(text) ? hex : toupper(hex) }
function run(text) { return moved(text, text ~ /^[0-9]+$/ ? 1 : 0, 0, "") }
function wwn(text) { return moved(text, 7, 1, hexes(text)) }
function eui(text) { return moved(text, 6, 1, hexes(text)) }
function number(text,    i, n) {
    n = 0
    for (i = 1; i <= length(text); i++) n = n * 16 + index(hex, substr(text, i, 1)) - 1
    return sprintf("%.0f", n)
}
function hexed(n, width,    text) {
    text = ""
    while (width-- > 0) { text = substr(hex, n - 16 * int(n / 16) + 1, 1) text; n = int(n / 16) }
    return text
}
function coded(text,    i, code, made) {
    made = ""
    for (i = 1; i < length(text); i += 2) {
        code = 16 * (index(hex, substr(text, i, 1)) - 1) + index(hex, substr(text, i + 1, 1)) - 1
        made = made sprintf("%c", code)
    }
    return made
}
function decoded(text,    i, made) {
    made = ""
    for (i = 1; i <= length(text); i++) made = made hexed(index(ascii, substr(text, i, 1)) + 31, 2)
    return made
}
function keep(value, host,    t, n, part, i, l) {
    t = value
    gsub(/[^0-9A-Za-z]+/, " ", t)
    n = split(t, part, " ")
    for (i = 1; i <= n; i++) {
        l = tolower(part[i])
        if (length(l) < 4 || index(common, " " l " ")) continue
        if (n > 1 && !host && part[i] in model) continue
        if (host || length(l) > 8 || l ~ /[0-9]/ || (length(l) > 5 && part[i] == toupper(part[i]))) secret[part[i]] = 1
    }
}
function named(name,    t) {
    if (name !~ /^(ata|scsi|nvme|usb|virtio|mmc)-.*_/) return
    sub(/-part[0-9]+$/, "", name); sub(/-0:[0-9]+$/, "", name); sub(/_[0-9]$/, "", name)
    t = name; sub(/.*_/, "", t)
    if (!(t in model)) keep(t, 0)
}
function models(line,    t, n, i, part) {
    while (match(tolower(line), /(model|product)[a-z_ ]*"? *[:=] *"?/)) {
        line = substr(line, RSTART + RLENGTH); t = line
        sub(/".*/, "", t); gsub(/[^0-9A-Za-z]+/, " ", t)
        n = split(t, part, " ")
        for (i = 1; i <= n && i <= 8; i++) model[part[i]] = 1
    }
}
function values(line, pattern, host,    l, t) {
    while (match(tolower(line), pattern)) {
        t = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
        sub(/"$/, "", t); sub(/.*"/, "", t)
        if (pattern == link) named(t); else keep(t, host)
    }
}
function learn(line,    l, t, n, f) {
    l = tolower(line)
    values(line, "\"[a-z_]*serial(_?number)?\" *: *\"[^\"]+\"", 0)
    values(line, "\"sn\" *: *\"[^\"]+\"", 0)
    values(line, "serial(-short)?=\"[^\"]+\"", 0)
    values(line, link, 0)
    values(line, "\"[a-z_]*guid\" *: *\"?[0-9]+", 0)
    if (l ~ /^[ \t]*(unit )?serial( number)?[ \t]*:/ || l ~ /^[ \t]*sn[ \t]*:/) { t = line; sub(/[^:]*:/, "", t); keep(t, 0) }
    if (l ~ /^serial [^ ]/) { t = line; sub(/[^ ]* /, "", t); keep(t, 0) }
    if (l ~ /^[ \t]*id: [0-9]+$/) { t = line; sub(/.*: /, "", t); keep(t, 0) }
    if (l ~ /^[ \t]*hostname:/) { t = line; sub(/[^:]*:/, "", t); keep(t, 1) }
    if (before == "### file: hostname") keep(line, 1)
    if (line ~ / -> (\.\.\/)+/) { n = split(line, f, " "); named(f[n - 2]) }
    before = line
}
function is_hex(text) { return text ~ /^[0-9a-fA-F]+$/ }
function uuid(text) {
    return text ~ /^[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+$/ && substr(text, 9, 1) == "-" &&
        substr(text, 14, 1) == "-" && substr(text, 19, 1) == "-" && substr(text, 24, 1) == "-" && length(text) == 36
}
function word(text, out,    l, n, b) {
    l = tolower(text); n = length(text); b = substr(out, length(out) - 4)
    if (n == 18 && l ~ /^0x/ && is_hex(substr(l, 3)) && l !~ /^0x0+$/) return substr(text, 1, 2) wwn(substr(text, 3))
    if (n == 34 && l ~ /^0x[56]/ && is_hex(substr(l, 3))) return substr(text, 1, 2) wwn(substr(text, 3))
    if (text in secret) return run(text)
    if (!is_hex(text)) return text
    if (b ~ /eui\.$/ && (n == 16 || n == 32)) return eui(text)
    if (b ~ /naa\.$/ && (n == 16 || n == 32)) return wwn(text)
    if (b == "scsi-" && (n == 17 || n == 33)) return substr(text, 1, 1) wwn(substr(text, 2))
    if (out ~ /"(eui64|nguid)" *: *"$/ && (n == 16 || n == 32)) return eui(text)
    if (out ~ /nvme\.[0-9a-f][0-9a-f][0-9a-f][0-9a-f]-$/) return decoded(words(coded(text), 4))
    if (l !~ /[a-f]/ && b !~ /"$/) return text
    if (n == 16 && l ~ /^[2356]/ || n == 32 && l ~ /^[56]/) return wwn(text)
    return text
}
function words(text, least,    out) {
    out = ""
    while (match(text, /[0-9A-Za-z]+/)) {
        out = out substr(text, 1, RSTART - 1) (RLENGTH < least ? substr(text, RSTART, RLENGTH) : run(substr(text, RSTART, RLENGTH)))
        text = substr(text, RSTART + RLENGTH)
    }
    return out text
}
function change(line,    out, text, u, f, n, t) {
    if (above == "### file: hostname") { above = line; return words(line, 1) }
    above = line
    if (match(line, /LU WWN Device Id: +[0-9a-f] [0-9a-f]+ [0-9a-f]+$/)) {
        n = split(line, f, " ")
        t = wwn(f[n - 2] f[n - 1] f[n])
        return "LU WWN Device Id: " substr(t, 1, 1) " " substr(t, 2, 6) " " substr(t, 8)
    }
    if (line ~ /EUI-64: +[0-9a-f]+ [0-9a-f]+$/) {
        n = split(line, f, " "); t = eui(f[n - 1] f[n])
        sub(/[0-9a-f]+ [0-9a-f]+$/, substr(t, 1, 6) " " substr(t, 7), line)
        return line
    }
    if (line ~ /^ *"naa": [0-9]+,?$/) { t = line; gsub(/[^0-9]/, "", t); naa = t; return line }
    if (line ~ /^ *"oui": [0-9]+,?$/) { t = line; gsub(/[^0-9]/, "", t); oui = t; return line }
    if (line ~ /^ *"id": [0-9]+,?$/ && naa != "" && oui != "") {
        t = line; gsub(/[^0-9]/, "", t); u = wwn(hexed(naa, 1) hexed(oui, 6) hexed(t, 9))
        sub(/[0-9]+/, number(substr(u, 8)), line); naa = oui = ""
        return line
    }
    if (line ~ /^ *"ext_id": [0-9]+,?$/ && oui != "") {
        t = line; gsub(/[^0-9]/, "", t); u = eui(hexed(oui, 6) hexed(t, 10))
        sub(/[0-9]+/, number(substr(u, 7)), line); oui = ""
        return line
    }
    out = ""; text = line
    while (match(text, /[0-9A-Za-z]+/)) {
        out = out substr(text, 1, RSTART - 1)
        u = substr(text, RSTART, 36)
        if (RLENGTH == 8 && uuid(u)) {
            t = tolower(substr(out, length(out) - 24))
            out = out (t ~ /parttype|partition guid code/ ? u : moved(u, 0, 0, hexes(u)))
            text = substr(text, RSTART + 36)
            continue
        }
        t = substr(text, RSTART, RLENGTH); text = substr(text, RSTART + RLENGTH)
        out = out word(t, out)
    }
    return out text
}
BEGIN {
    digits = "0123456789"; lower = "abcdefghijklmnopqrstuvwxyz"; upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    hex = "0123456789abcdef"; all = digits lower; link = "\"id-link\" *: *\"[^\"]+\""
    for (i = 32; i < 127; i++) ascii = ascii sprintf("%c", i)
    common = " localhost localdomain debian ubuntu fedora centos linux server proxmox truenas freenas home local example"
    common = common " none null unknown serial number default disk true false part device redacted hidden "
    split(random, r, " ")
    s1 = r[1] % 8388593; s2 = r[2] % 8388587; s3 = r[3] % 8388571
    a1 = 2 + r[4] % 8388000; a2 = 2 + r[5] % 8388000; a3 = 2 + r[6] % 8388000
}
{ line[NR] = $0; models($0) }
END {
    for (i_ = 1; i_ <= NR; i_++) learn(line[i_])
    for (i_ = 1; i_ <= NR; i_++) print change(line[i_])
}'
}

needs_awk() {
    if ! have awk; then
        echo 'collector: --redact needs awk, which is not here' >&2
        exit 1
    fi
}

case ${1:-} in
    --redact)
        needs_awk
        collect | redact
        ;;
    --redact-text)
        needs_awk
        redact
        ;;
    '') collect ;;
    *)
        echo 'usage: sh collector.sh [--redact] > this-machine.capture' >&2
        exit 2
        ;;
esac
