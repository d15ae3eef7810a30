# ---------------------------------------------------------------- the machine
require_machine() {
  local tool missing=
  for tool in "${needed_tools[@]}"; do
    have "$tool" || missing="$missing $tool"
  done
  if [ -n "$missing" ]; then
    die 3 "Not installed:$missing. Install $needed_packages, then run this script again."
  fi
  if [ "$(id -u)" != 0 ]; then
    die 3 "Only root can read and use the disks. Run: sudo bash $0"
  fi
}
