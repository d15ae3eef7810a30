# ---------------------------------------------------------------- snapshots, and a copy of them on another machine
# sanoid takes and removes snapshots on both sides. syncoid on the other machine fetches them, as a user who may only
# send here: who breaks into this machine does not reach the copy. Nothing is rolled back, no file is overwritten.

pool_names=("$pool")
readonly sender=zfsbackup
doing='' host='' target=''

usage() {
  printf '%s\n' $"Usage: ${0##*/} --source | --target HOST POOL | --commands HOST POOL" \
    $"Sets up snapshots of $pool and a copy of them: run it on both machines, on the other one first."
  option --target $"on the other machine: POOL/backup/$pool is fetched from HOST, where $pool is"
  option --source $"on the machine of $pool: snapshots, and what the user $sender may do"
  option --commands $"print commands that copy $pool once to POOL on HOST; change nothing"
  option --help $"this text"
}

parse_arguments() {
  case ${1-} in
    --source) [ "$#" = 1 ] || die 2 $"--source stands alone." ;;
    --target | --commands)
      [ "$#" = 3 ] || die 2 $"Say $1 HOST POOL."
      host=$2 target=$3
      [[ $host =~ ^[A-Za-z0-9][A-Za-z0-9.:_@-]*$ ]] || die 2 $"No name of a machine: $host"
      [[ $target =~ ^[A-Za-z][A-Za-z0-9.:_/-]*$ ]] || die 2 $"No name of a pool: $target"
      ;;
    --help | -h)
      usage
      exit 0
      ;;
    *) die 2 $"Say --source, --target or --commands. Try --help." ;;
  esac
  doing=${1#--}
}

tell_left() {
  say $"Not all of it was done. Run it again once the cause is gone: what is there already stays."
}

new_file() { # FILE LINE...: one that is there already is somebody's
  local file=$1 line
  shift
  if [ -e "$file" ] || [ -L "$file" ]; then
    say $"$file is there already and stays as it is. See that it has:"
    for line; do
      say "    $line"
    done
    return 0
  fi
  mkdir -p "${file%/*}"
  (set -C && printf '%s\n' "$@" >"$file") || end_early 3
  say $"Written: $file"
}

# What sanoid is told of a dataset and all below it: what it removes are its own snapshots (autosnap_), by age and number.
retention() { # DATASET TAKEN COUNT...
  sections=("[$1]" 'recursive = yes' "autosnap = $2" 'autoprune = yes' 'frequently = 0')
  shift 2
  sections+=("${@/=/ = }")
}

need() { # POOL TOOL...
  local tool health
  health=$(zpool list -H -o health "${1%%/*}" 2>/dev/null) || refuse 1 $"There is no pool ${1%%/*} here."
  [ "$health" = ONLINE ] || refuse 1 $"The pool ${1%%/*} is $health, not ONLINE."
  for tool in "${@:2}"; do
    have "$tool" || refuse 3 $"$tool is missing: install the package sanoid."
  done
}

is_there() { zfs list -H -- "$1" >/dev/null 2>&1; } # DATASET

set_up_source() {
  local sections=()
  need "$pool" sanoid
  id "$sender" >/dev/null 2>&1 || refuse 1 $"There is no user $sender. Make one with a home and a shell (useradd --system --create-home --shell /bin/sh $sender), and put the key of the other machine into its .ssh/authorized_keys."
  open_log
  changed=yes
  run zfs allow -u "$sender" send,hold,release,bookmark "$pool"
  # shellcheck disable=SC2086 # words
  retention "$pool" yes $keep
  # Copies of other machines in this pool: after one extra snapshot no further copy can arrive; their own retention holds for them.
  ! is_there "$pool/backup" || sections+=("[$pool/backup]" 'recursive = yes' 'autosnap = no' 'autoprune = no')
  new_file "$sanoid_conf" "${sections[@]}"
  say $"Next:" 'systemctl enable --now sanoid.timer'
}

set_up_target() {
  local sections=() base=--create-bookmark key=${sanoid_conf%/*}/$sender-$pool unit=$units/syncoid-$pool fetch
  need "$target" sanoid syncoid ssh-keygen
  if is_there "$target/backup"; then
    [ "$(zfs get -H -o value mountpoint "$target/backup")" = none ] || refuse 1 $"$target/backup is there and has a mountpoint. Copies belong where nothing mounts them: move it, or name another POOL."
  fi
  open_log
  changed=yes
  [ -e "$key" ] || ! is_there "$target/backup/$pool" || say $"note: $target/backup/$pool is there already. If it is no copy of $pool on $host, rename it first: sanoid will remove old autosnap_ snapshots in it."
  is_there "$target/backup" || run zfs create -o canmount=off -o mountpoint=none -o readonly=on "$target/backup"
  [ -e "$key" ] || { mkdir -p "${key%/*}" && run ssh-keygen -q -t ed25519 -N '' -C "$sender $pool" -f "$key"; }
  # shellcheck disable=SC2086 # words
  retention "$target/backup/$pool" no $keep_there
  new_file "$sanoid_conf" "${sections[@]}"
  # A hold keeps the snapshot that the next one builds on; before syncoid 2.2 a bookmark stands in for it.
  if syncoid --help 2>&1 | grep -q -e --use-hold; then base=--use-hold; fi
  # -w sends blocks as they lie on disk, encrypted ones without their key; -u mounts nothing.
  fetch=$(command -v syncoid)' --recursive --no-sync-snap --no-rollback --no-privilege-elevation --compress=none'
  fetch+=" $base --sendoptions=w --recvoptions=u --sshkey=$key $sender@$host:$pool $target/backup/$pool"
  say $"The key for $sender on $host:" "$(cat "$key.pub")"
  if have systemctl; then
    new_file "$unit.service" '[Unit]' 'Description=Fetch snapshots of '"$pool" 'Wants=network-online.target' \
      'After=network-online.target zfs.target' '[Service]' 'Type=oneshot' "ExecStart=$fetch"
    new_file "$unit.timer" '[Unit]' 'Description=Fetch snapshots of '"$pool" '[Timer]' 'OnCalendar=hourly' \
      'RandomizedDelaySec=10min' 'Persistent=true' '[Install]' 'WantedBy=timers.target'
    say $"Once it is there:" "ssh -i $key $sender@$host true &&" 'systemctl daemon-reload && systemctl enable --now' "sanoid.timer ${unit##*/}.timer"
  else
    say $"Once it is there, a line of root's crontab:" "10 * * * * $fetch"
  fi
}

print_commands() {
  local there=$target/backup/$pool to=()
  to=(ssh "$host" zfs receive -s -u)
  say '#' $"Where the copies lie, made once: nothing mounts them, nothing changes them"
  say ssh "$host" zfs create -o canmount=off -o mountpoint=none -o readonly=on "$target/backup"
  say '#' $"The first copy, raw: encrypted datasets need no key over there"
  say zfs snapshot -r "$pool@backup-1"
  say zfs send -R -w "$pool@backup-1" '|' "${to[@]}" -o readonly=on -x mountpoint "$there"
  say '#' $"What changed since; keep backup-1 on both sides until it has arrived"
  say zfs snapshot -r "$pool@backup-2"
  say zfs send -R -w -I @backup-1 "$pool@backup-2" '|' "${to[@]}" -o readonly=on -x mountpoint "$there"
  say '#' $"Where a copy broke off, the dataset it was at goes on; then send what changed"
  say zfs send -t '"$(ssh' "$host" zfs get -H -o value receive_resume_token "$there"')" |' "${to[@]}" "$there"
  say '#' $"Back again, under a new name"
  say ssh "$host" zfs send -R -w "$there@backup-2" '|' zfs receive -s -u -x mountpoint -x readonly "$pool/restored"
}

main() {
  design
  parse_arguments "$@"
  check_fixed_part
  case $doing in
    commands) print_commands ;;
    *)
      if ! have zfs || ! have zpool; then
        refuse 3 $"zfs and zpool are not installed here."
      fi
      [ "$(id -u)" = 0 ] || refuse 2 $"Run it as root."
      "set_up_$doing"
      ;;
  esac
}
