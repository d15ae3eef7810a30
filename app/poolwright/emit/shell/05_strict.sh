# ---------------------------------------------------------------- strict bash
# Any failure ends the script, and nothing of the caller's shell leaks in.

set -euo pipefail +Ck
while read -r _ _ leaked; do [ "$leaked" = design ] || unset -f "$leaked"; done < <(declare -F)
unset "${!ZPOOL_@}" "${!ZFS_@}" "${!BLKID_@}" TMOUT CDPATH GLOBIGNORE # they change what the tools print, and what is read
# shellcheck disable=SC2123 # the caller's PATH is taken apart
wanted_path=${PATH-} PATH='' IFS=:
set -f
for leaked in $wanted_path; do
  case $leaked in /*) PATH=$PATH$leaked: ;; esac # neither the current folder nor what depends on it
done
set +f
IFS=$' \t\n'
export PATH="$PATH/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin"
export LC_ALL=C
umask 022
