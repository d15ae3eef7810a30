#!/usr/bin/env bash
# Builds the disk of a virtual machine with real OpenZFS: a Debian 12 whose kernel has the modules of one series compiled in.
#   image.sh SERIES FOLDER    2.1 (of Debian 12 itself) or 2.3 (of its backports); leaves image, kernel and initrd there
# Packages come from the mirror that this system is set up with. Takes minutes, needs root and 5 GB while it works.
# Exit status: 0 built, 75 when packages cannot be fetched here or nothing can be set up from them, else a failure.
set -euo pipefail

readonly series=$1 folder=$2 release=bookworm unreachable=75
readonly root=$folder/root
umask 022

# What the tests use beside OpenZFS: makers of everything that a disk may hold, and what reads disks.
tools=(systemd-sysv udev kmod openssh-server iproute2 procps util-linux sudo busybox pciutils python3 dbus)
tools+=(smartmontools nvme-cli lsscsi sg3-utils gdisk parted fio sysstat bonnie++)
tools+=(mdadm lvm2 cryptsetup-bin dmsetup bcache-tools multipath-tools xfsprogs btrfs-progs dosfstools)

say() { printf 'image: %s\n' "$*" >&2; }

cannot() { # WHY: it is no fault of the recipe
  say "$*"
  exit "$unreachable"
}

# The first Debian mirror among this system's sources of packages; false where there is none.
# shellcheck disable=SC2016 # for apt
mirror() { apt-get indextargets --format '$(REPO_URI)' | awk '/\/debian\/?$/ && !found { sub("/$", ""); found = $1 } END { print found; exit found == "" }'; }

in_root() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }

install() { # all is fetched first: after that nothing can fail for want of a network
  in_root apt-get install -y -q --no-install-recommends --download-only "$@" || cannot "packages cannot be fetched: $*"
  in_root apt-get install -y -q --no-install-recommends "$@"
}

leave() {
  umount "$root/proc" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}

make_root() { # MIRROR
  local packages
  packages=$(IFS=,; printf '%s' "${tools[*]}")
  debootstrap --variant=minbase --components=main,contrib --include="$packages" "$release" "$root" "$1" ||
    cannot "debootstrap cannot make a Debian $release here"
  printf 'deb %s %s main contrib\n' "$1" "$release" "$1" "$release-backports" >"$root/etc/apt/sources.list"
  cp /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  printf 'force-unsafe-io\n' >"$root/etc/dpkg/dpkg.cfg.d/unsafe" # an interrupted build begins anew anyway
  mount -t proc proc "$root/proc" || cannot 'nothing may be mounted here'
}

add_openzfs() {
  local from=$release
  [ "$series" = 2.1 ] || from=$release-backports
  in_root apt-get update -q || cannot 'the lists of packages cannot be fetched'
  install initramfs-tools
  # Only what is needed to find the root file system: a small initrd is unpacked sooner by an emulated processor.
  sed -i 's/^MODULES=.*/MODULES=list/' "$root/etc/initramfs-tools/initramfs.conf"
  printf '%s\n' virtio_pci virtio_blk ext4 >>"$root/etc/initramfs-tools/modules"
  install linux-image-amd64 linux-headers-amd64
  install -t "$from" zfs-dkms zfsutils-linux
  find "$root"/lib/modules -name 'zfs.ko*' | grep -q . || { say "the modules of OpenZFS $series were not compiled"; return 1; }
}

set_up() {
  local home=$root/root
  rm -f "$folder/key" "$folder/key.pub"
  ssh-keygen -q -t ed25519 -N '' -f "$folder/key"
  mkdir -p "$home/.ssh"
  cp "$folder/key.pub" "$home/.ssh/authorized_keys"
  chmod -R go= "$home/.ssh"
  printf '/dev/vda / ext4 rw 0 1\n' >"$root/etc/fstab"
  printf 'zfs-vm\n' >"$root/etc/hostname"
  printf '127.0.0.1 localhost zfs-vm\n' >"$root/etc/hosts"
  printf 'zfs\nnvme\n' >"$root/etc/modules-load.d/zfs.conf"
  printf 'options zfs zfs_arc_max=536870912\n' >"$root/etc/modprobe.d/zfs.conf"
  printf 'blacklist floppy\n' >"$root/etc/modprobe.d/floppy.conf" # every look for pools would wait seconds for it
  printf '[Match]\nName=en* eth*\n[Network]\nDHCP=yes\n' >"$root/etc/systemd/network/all.network"
  printf 'UseDNS no\nMaxStartups 100\nMaxSessions 100\n' >>"$root/etc/ssh/sshd_config"
  in_root systemctl -q enable systemd-networkd ssh
  # Nothing looks for pools, checks or scrubs by itself; tests begin all that.
  in_root systemctl -q mask zfs-import-cache zfs-import-scan zfs-mount zfs-share zfs-zed multipathd mdmonitor smartmontools \
    apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer fstrim.timer man-db.timer 2>/dev/null || true
}

make_image() {
  umount "$root/proc"
  cp "$root"/boot/vmlinuz-* "$folder/kernel"
  cp "$root"/boot/initrd.img-* "$folder/initrd"
  rm -rf "${root:?}"/boot/* "$root"/var/cache/apt "$root"/var/lib/apt/lists/* "$root"/usr/src/* "$root"/usr/lib/gcc "$root"/usr/share/{doc,man,locale}
  mkdir -p "$root/var/cache/apt/archives/partial"
  truncate -s 4G "$folder/image.part"
  mke2fs -q -t ext4 -d "$root" "$folder/image.part"
  mv "$folder/image.part" "$folder/image" # last: where it is, it is whole
}

[ "$(id -u)" = 0 ] || cannot 'only root can build it'
from=$(mirror) || cannot 'no Debian mirror among the sources of packages of this system'
/usr/lib/apt/apt-helper download-file "$from/dists/$release/InRelease" "$(mktemp)" >/dev/null 2>&1 ||
  cannot "the packages of Debian's $release cannot be reached"
mkdir -p "$folder"
trap leave EXIT
leave
make_root "$from"
add_openzfs
set_up
make_image
say "OpenZFS $series lies in $folder"
