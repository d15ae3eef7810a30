#!/usr/bin/env bash
# Called by make package: dist/poolwright/ (one folder that needs no Python), dist/poolwright_VERSION_ARCH.deb made of it,
# and a wheel. Everything that is made is tried; nothing outside build/ and dist/ is touched.
#   packaging/package.sh         build and try
#   packaging/package.sh clean-root DEB    install the package in a clean Debian 12 and try it there (as root)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$(pwd -P)
python=$root/.venv/bin/python
most_unpacked=130000000 most_packed=40000000

say() { printf 'package: %s\n' "$@" >&2; }
stop() { say "$@"; exit 1; }
version=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
date=$(git log -1 --format=%cs 2>/dev/null || date +%F)

# The bundle: what PyInstaller makes, and its size.
build_folder() {
  local bytes packed
  say "PyInstaller makes dist/poolwright"
  rm -rf build/pyinstaller dist/poolwright
  mkdir -p build
  "$python" -m PyInstaller --noconfirm --log-level WARN --distpath dist --workpath build/pyinstaller \
    packaging/poolwright.spec >build/pyinstaller.log 2>&1 || { tail -n 30 build/pyinstaller.log >&2; stop "PyInstaller failed"; }
  "$python" packaging/licences.py dist/poolwright >build/licences.txt
  mv build/licences.txt dist/poolwright/
  bytes=$(find dist/poolwright -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
  packed=$(tar -C dist -c poolwright | xz -6 -T2 | wc -c)
  say "$((bytes / 1000000)) MB unpacked, $((packed / 1000000)) MB compressed"
  [ "$bytes" -le "$most_unpacked" ] || stop "the folder has $bytes bytes, more than $most_unpacked"
  [ "$packed" -le "$most_packed" ] || stop "compressed it has $packed bytes, more than $most_packed"
}

# The Debian package of the bundle.
build_deb() {
  local tree=build/deb share=build/deb/usr/share
  rm -rf "$tree"
  mkdir -p "$tree"/{DEBIAN,usr/bin,usr/lib} "$share"/{applications,metainfo,icons/hicolor/scalable/apps,mime/packages,doc/poolwright}
  cp -a dist/poolwright "$tree/usr/lib/poolwright"
  ln -s ../lib/poolwright/poolwright "$tree/usr/bin/poolwright"
  PYTHONPATH=app "$python" packaging/describe.py "$share" "$version" "$date"
  gzip -9n "$share"/man/{,*/}man1/*.1
  cp packaging/desktop/poolwright.desktop "$share/applications/"
  sed -e "s/@VERSION@/$version/" -e "s/@DATE@/$date/" packaging/desktop/poolwright.metainfo.xml \
    >"$share/metainfo/org.poolwright.poolwright.metainfo.xml"
  cp resources/icons/poolwright.svg "$share/icons/hicolor/scalable/apps/"
  install -m 755 packaging/polkit/poolwright-read-disks "$tree/usr/lib/poolwright/"
  install -D -m 644 packaging/polkit/org.poolwright.read-disks.policy -t "$share/polkit-1/actions/"
  if command -v xmllint >/dev/null && [ -e /usr/share/polkit-1/policyconfig-1.dtd ]; then
    xmllint --noout --nonet --dtdvalid /usr/share/polkit-1/policyconfig-1.dtd packaging/polkit/*.policy >&2
  fi
  cp packaging/desktop/poolwright.mime.xml "$share/mime/packages/poolwright.xml"
  cp LICENSE "$share/doc/poolwright/copyright"
  mv "$tree/usr/lib/poolwright/licences.txt" "$share/doc/poolwright/"
  desktop-file-validate "$share/applications/poolwright.desktop"
  appstreamcli validate --pedantic --no-net "$share/metainfo/org.poolwright.poolwright.metainfo.xml" >&2
  control >"$tree/DEBIAN/control"
  chmod -R u+rwX,go+rX,go-w "$tree"
  dpkg-deb --root-owner-group -Zxz -z9 --build "$tree" dist >&2
}

# What the package needs: the libraries of Qt as this distribution and the next call them, and the tools it asks.
control() {
  local needed
  needed=$(awk '$1 == "run" { names = names sep ($2 == "libglib2.0-0" ? $2 " | libglib2.0-0t64" : $2); sep = ", " }
    END { print names }' packaging/system-packages.txt)
  cat <<END
Package: poolwright
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: The Poolwright founders <founders@poolwright.org>
Installed-Size: $(du -sk build/deb/usr | cut -f1)
Depends: libc6 (>= 2.36), libstdc++6, libgcc-s1, $needed, smartmontools, openssh-client
Recommends: fio, pkexec
Suggests: zfsutils-linux, nvme-cli, sysstat
Section: admin
Priority: optional
Description: design ZFS pools: layout, properties, capacity, guarded script
 Takes the disks of a machine, the workload and the budget, ranks every
 sensible layout with reasons, exact capacity, predicted speed, rebuild time
 and risk, and writes a guarded script that builds the pool. A benchmark that
 knows ZFS measures whether the pool does what was predicted.
END
}

# The program as people have it: no Python of ours, no display, no home.
try_program() {
  local program=$1 folder out
  folder=$(mktemp -d)
  env -i LANG=C.UTF-8 PATH=/usr/bin:/bin HOME="$folder" "$program" --self-test
  out=$(env -i LANG=C.UTF-8 PATH=/usr/bin:/bin HOME="$folder" "$program" recommend --example thesis --pool tank --save-design "$folder/tank.json" --json)
  [[ "$out" = *'"candidates"'* ]] || stop "recommend printed no candidates"
  env -i LANG=C.UTF-8 PATH=/usr/bin:/bin HOME="$folder" "$program" script "$folder/tank.json" -w "$folder/tank.sh"
  bash -n "$folder/tank.sh"
  rm -rf "$folder"
}

# What the frozen program starts gets the system's libraries, not its own: lsblk, smartctl, ssh and fio run as they are.
try_children() {
  local program=$1 folder out
  folder=$(mktemp -d)
  out=$(env -i LANG=C.UTF-8 PATH=/usr/bin:/bin HOME="$folder" "$program" inventory --host nowhere.invalid 2>&1) || true
  [[ "$out" = *'ssh: Could not resolve hostname'* ]] || stop "ssh did not run as it is: $out"
  env -i LANG=C.UTF-8 PATH=/usr/bin:/bin HOME="$folder" "$program" inventory --json >"$folder/inventory.json"
  if command -v fio >/dev/null; then
    mkdir -p build/measured
    env -i LANG=C.UTF-8 PATH=/usr/bin:/bin HOME="$folder" "$program" bench --profile sanity --directory build/measured \
      --repeats 1 --seconds 1 --yes --json >"$folder/run.json"
  fi
  rm -rf "$folder"
}

# A clean Debian 12, made once and kept in .cache; the package is installed there as anyone would.
clean_root() {
  local deb=$1 base=$root/.cache/clean-root-bookworm tree=$root/build/clean-root
  [ "$(id -u)" = 0 ] || { say "only root can make a clean root: not tried there"; return 0; }
  [ -e "$base.tar" ] || {
    say "debootstrap makes a clean Debian 12"
    rm -rf "$base" && mkdir -p "$base"
    debootstrap --variant=minbase bookworm "$base" >build/debootstrap.log 2>&1 || { tail -n 20 build/debootstrap.log >&2; stop "debootstrap failed"; }
    tar -C "$base" -cf "$base.tar" . && rm -rf "$base"
  }
  rm -rf "$tree" && mkdir -p "$tree" && tar -C "$tree" -xf "$base.tar"
  cp "$deb" packaging/package.sh "$tree/srv/"
  cp /etc/resolv.conf "$tree/etc/" 2>/dev/null || true
  cp -a /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/apt.conf.d "$tree/etc/apt/" 2>/dev/null || true
  say "installing $(basename "$deb") there"
  in_root "$tree" sh -c 'apt-get -q update && apt-get -q -y install --no-install-recommends /srv/*.deb' \
    >build/clean-root.log 2>&1 || { tail -n 20 build/clean-root.log >&2; stop "the package could not be installed in a clean root"; }
  if in_root "$tree" sh -c 'command -v python3' >/dev/null; then stop "the clean root has a Python: nothing is proved"; fi
  in_root "$tree" bash -c "$(declare -f say stop try_program); set -e; try_program /usr/bin/poolwright"
  printf 'zpool-import\n' | in_root "$tree" /usr/lib/poolwright/poolwright-read-disks | grep -q '^@ end$' ||
    stop "the helper for administrator rights does not answer there"
  rm -rf "$tree"
}

in_root() {
  local tree=$1
  shift
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/srv DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 chroot "$tree" "$@"
}

case ${1:-} in
  clean-root) clean_root "$2" ;;
  '')
    build_folder
    try_program dist/poolwright/poolwright
    try_children dist/poolwright/poolwright
    build_deb
    "$root/.venv/bin/uv" --quiet build --wheel --out-dir dist
    clean_root "dist/poolwright_${version}_$(dpkg --print-architecture).deb"
    say "made: $(echo dist/*.deb dist/*.whl)"
    ;;
  *) stop "usage: packaging/package.sh [clean-root DEB]" ;;
esac
