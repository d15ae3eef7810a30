# ---------------------------------------------------------------- the machine
take_turn() { # two runs at once would each find half of what the other leaves
  local turn
  have flock || return 0
  exec {turn}<"$dev_by_id" || return 0
  flock -n "$turn" || refuse 1 $"Another such script is at work on the disks of this machine. Let it end first."
}

mount_lists=/etc/zfs/zfs-list.cache

tell_list() { # POOL that was destroyed: zed keeps the list by which systemd mounts, but hears nothing of that
  local list=$mount_lists/$1
  [ ! -s "$list" ] || say $"note: $list still names $1: at every start systemd will try to mount it and fail. To empty it: : >$(quoted "$list")"
}

require_machine() { # every tool is there, and root runs it
  local tool missing='' packages=$"OpenZFS and util-linux" tools=(id zpool zfs lsblk blkid blockdev wipefs)
  tools+=(readlink stat cat date tee ${more_tools[@]+"${more_tools[@]}"})
  if partitioned; then
    packages=$"OpenZFS, util-linux and gdisk" tools+=(sgdisk udevadm sleep)
  fi
  packages="$packages${install:+ ($install)}"
  # One that is missing in the middle would leave the work half done.
  for tool in "${tools[@]}"; do
    have "$tool" || missing="$missing $tool"
  done
  # Others of these names, as busybox has them, know neither word, and would find no process and no mount.
  [ "$(find / -maxdepth 0 -printf x 2>&1)$(stat -c %m / 2>&1)" = x/ ] || missing+=' findutils coreutils'
  if [ -n "$missing" ]; then
    die 3 $"Not installed:$missing. Install $packages, then run this script again."
  fi
  if [ "$(id -u)" != 0 ]; then
    die 3 $"Only root can read and use the disks. Run: sudo bash $0"
  fi
}
