#!/bin/bash
root='@ROOT@'
tool=${0##*/}
printf '%s\0' "$tool" "$#" "$@" >>"$root/calls"
last=${!#}
facts=$root/facts/${last##*/}
show() { local text; IFS= read -rd '' text <"$1"; printf '%s' "$text"; } # without a further process
fact() { if [ -e "$facts/$1" ]; then show "$facts/$1"; else printf '%s' "$2"; fi; }
record() { printf '%s\t%s\t%s\n' "$1" "${2%%=*}" "${2#*=}" >>"$root/properties"; }
property() { # NAME PROPERTY
  local value=-
  while IFS=$'\t' read -r n p v; do
    if [ "$n" = "$1" ] && [ "$p" = "$2" ]; then value=$v; fi
  done <"$root/properties"
  printf '%s\n' "$value"
}
row() { # DATASET COLUMNS
  local column value line=
  for column in $2; do
    value=$(property "$1" "$column")
    if [ "$value" = - ]; then
      case $column in
        name) value=$1 ;;
        type) value=filesystem ;;
        guid) value=${#1} ;;
        mounted) value=yes ;;
        logicalreferenced) value=43008 ;;
        mountpoint) value=$root/mounted/$1; mkdir -p "$value" ;;
      esac
    fi
    line=$line${line:+$'\t'}$value
  done
  printf '%s\n' "$line"
}
case $tool in
  id) show "$root/uid" ;;
  stat) if [ "$2" = '%u %a' ]; then exec /usr/bin/stat "$@"; fi
    case $last in /dev/* | "$root"*) ;; *) exec /usr/bin/stat "$@" ;; esac
    if [ -e "$facts/stat" ]; then show "$facts/stat"; else echo "block special file"; fi ;;
  lsblk)
    case $2 in
      TYPE) fact type disk ;;
      SERIAL) fact serial '' ;;
      NAME,SERIAL) cat "$root/serials" 2>/dev/null ;;
      MOUNTPOINT) fact mount '' ;;
    esac ;;
  blockdev)
    case $1 in
      --getsize64) fact size 0 ;;
      --getss) fact sector 512 ;;
      --getro) fact read_only 0 ;;
    esac ;;
  wipefs) if [ "$1" = -n ]; then fact wipefs ''; else rm -f "$facts/blkid"; fi ;;
  blkid) [ -e "$facts/blkid" ] || exit 2; show "$facts/blkid" ;;
  sgdisk)
    name=${last##*/} device=$(readlink -f "$last") kernel=
    kernel=${device##*/}
    [ "$1" != --pretend ] || exit 0
    if [ -e "$root/sgdisk_fails" ] && [ "$(cat "$root/sgdisk_fails")" = "$kernel" ]; then exit 4; fi
    while [ "$#" -gt 1 ]; do
      number=${2%%:*} value=${2#*:} part=$kernel${2%%:*}
      case $1 in
        -U) mkdir -p "$root/facts/$kernel"; printf 'PTTYPE=gpt\nPTUUID=%s\n' "$2" >"$root/facts/$kernel/blkid" ;;
        -n)
          start=${value%%M:*} size=${value#*+}
          mkdir -p "$root/facts/$part" "$root/sys/$kernel/$part/holders"
          touch "$root/dev/$part"
          echo "$number" >"$root/sys/$kernel/$part/partition"
          ln -sfn "$kernel/$part" "$root/sys/$part"
          ln -sfn "../$part" "$root/dev/by-id/$name-part$number"
          printf 'PART_ENTRY_NUMBER=%s\n' "$number" >"$root/facts/$part/blkid"
          printf 'PART_ENTRY_OFFSET=%s\nPART_ENTRY_SIZE=%s\n' $((start * 2048)) $((${size%M} * 2048)) \
            >>"$root/facts/$part/blkid" ;;
        -t)
          case $value in
            BF01) guid=6a898cc3-1dd2-11b2-99a6-080020736631 ;;
            EF00) guid=c12a7328-f81f-11d2-ba4b-00a0c93ec93b ;;
            8200) guid=0657fd6d-a4ab-43c4-84e5-0933c84b4f4f ;;
          esac
          printf 'PART_ENTRY_TYPE=%s\n' "$guid" >>"$root/facts/$part/blkid" ;;
        -u) printf 'PART_ENTRY_UUID=%s\n' "$value" >>"$root/facts/$part/blkid" ;;
        -d)
          rm -rf "$root/facts/$kernel$2" "$root/sys/$kernel/$kernel$2" "$root/sys/$kernel$2"
          rm -f "$root/dev/$kernel$2" "$root/dev/by-id/$name-part$2" ;;
      esac
      shift 2
    done ;;
  udevadm) if [ "$2" = --query=symlink ]; then fact links ''; else fact udev ''; fi ;;
  smartctl) fact smartctl ''; exit 4 ;;
  zdb) fact zdb 'failed to unpack label 0'; exit 2 ;;
  zpool)
    case $1 in
      list)
        case $* in
          *name*) show "$root/pools" ;;
          *health*) echo ONLINE ;;
          *size*) echo 1000 ;;
        esac ;;
      status)
        if [ "$2" = -gLP ]; then cat "$root/vdev_guids" 2>/dev/null; exit 0; fi
        if [ -e "$root/status.$last" ]; then show "$root/status.$last"; exit 0; fi
        cat "$root/status" "$root"/status.* 2>/dev/null ;;
      import) if [ -e "$root/importable" ]; then show "$root/importable"; else echo "no pools available"; exit 1; fi ;;
      destroy)
        if [ -e "$root/destroy_fails" ]; then echo "cannot destroy '$last': pool is busy" >&2; exit 1; fi
        for list in pools datasets; do
          grep -vE -- "^$last(/|\$)" "$root/$list" >"$root/kept"
          mv "$root/kept" "$root/$list"
        done
        rm -f "$root/status.$last"
        sed -i "s/state: 0/state: 2/" "$root"/facts/*/zdb 2>/dev/null ;;
      labelclear) rm -f "$facts/zdb" ;;
      get)
        case " $* " in
          *" guid "*) if [ "$last" = rest ]; then echo 4712; else echo 4711; fi ;;
          *) property "pool:$last" "${@: -2:1}" ;;
        esac ;;
      set) record "pool:$last" "${@: -2:1}" ;;
      create)
        if [ "$2" = -n ]; then
          if [ -e "$root/rehearsal_fails" ]; then echo "invalid vdev specification" >&2; exit 1; fi
          if [ -e "$root/then_occupied" ]; then echo TYPE=ext4 >"$root/facts/$(cat "$root/then_occupied")/blkid"; fi
          echo "would create"
          exit 0
        fi
        [[ $* != *keylocation=prompt* ]] || cat >>"$root/keys"
        if [ -s "$root/named_late" ]; then
          sed -i 1d "$root/named_late"
          echo "cannot create 'tank': no such pool or dataset" >&2
          exit 1
        fi
        if [ -e "$root/labels_only" ]; then
          for path in "${@: -4}"; do
            kernel=$(readlink -f "$root/dev/by-id/${path##*/}")
            kernel=${kernel##*/}
            [ -e "$root/facts/$kernel" ] || continue
            printf 'PTTYPE=gpt\n' >"$root/facts/$kernel/blkid"
            for n in 1 9; do
              mkdir -p "$root/sys/$kernel/$kernel$n" "$root/facts/$kernel$n"
              echo "$n" >"$root/sys/$kernel/$kernel$n/partition"
              ln -sfn "$kernel/$kernel$n" "$root/sys/$kernel$n"
              touch "$root/dev/$kernel$n"
            done
            printf 'PART_ENTRY_NAME=zfs-01\nPART_ENTRY_TYPE=6a898cc3-1dd2-11b2-99a6-080020736631\n' \
              >"$root/facts/${kernel}1/blkid"
            printf 'PART_ENTRY_TYPE=6a945a3b-1dd2-11b2-99a6-080020736631\n' >"$root/facts/${kernel}9/blkid"
          done
          touch "$root/labelled"
          case $(cat "$root/labels_only") in
            waits) /bin/sleep 30 & wait ;;
          esac
          echo "cannot create: comment may only have printable characters" >&2
          exit 1
        fi
        shift
        name=
        while [ -z "$name" ]; do
          case $1 in
            -f) ;;
            -o) record "new-pool" "$2"; shift ;;
            -O) record "new-root" "$2"; shift ;;
            -m) record "new-root" "mountpoint=$2"; shift ;;
            *) name=$1 ;;
          esac
          shift
        done
        sed -i "s/^new-pool/pool:$name/; s/^new-root/$name/" "$root/properties"
        echo "$name" >>"$root/pools"
        echo "$name" >>"$root/datasets"
        cp "$root/status_planned.$name" "$root/status.$name" ;;
    esac ;;
  zfs)
    [ "$1 $2 $3" != 'get -H -d' ] || exit 0 # every property is known
    case $1 in
      userspace) objects=$(property "$last" objects); echo "${objects/#-/1}" ;;
      set) for ((i = 2; i < $#; i++)); do record "$last" "${!i}"; done ;;
      version) echo zfs-2.3.9-1; echo zfs-kmod-2.3.9-1 ;;
      list)
        case $* in
          *snapshot*) grep -sE -- "^${last}[/@]" "$root/snapshots"; exit 0 ;;
          *bookmark*) cat "$root/bookmarks" 2>/dev/null ;;
          *filesystem,volume*)
            columns="$*" columns=${columns% "$last"} columns=${columns##* }
            while IFS= read -r n; do
              case $n in "$last" | "$last"/*) row "$n" "${columns//,/ }" ;; esac
            done <"$root/datasets" ;;
          *) grep -qxF -- "$last" "$root/datasets" || exit 1 ;;
        esac ;;
      get)
        case ${@: -2:1} in
          used,available) echo 40; echo 60 ;;
          *) property "$last" "${@: -2:1}" ;;
        esac ;;
      create)
        if grep -qsxF -- "$last" "$root/dataset_fails"; then echo "no space" >&2; exit 1; fi
        shift
        while [ "$#" -gt 1 ]; do
          case $1 in
            -o) record "$last" "$2" ;;
          esac
          shift
        done
        echo "$last" >>"$root/datasets" ;;
    esac ;;
esac
exit 0
