#!/usr/bin/env bash
# Set-up of a checkout, called by make: system packages, .venv, uv, and what uv.lock names.
#   packaging/setup.sh                  all of it; next to no work when nothing changed
#   packaging/setup.sh packages GROUP   only the packages of one group of packaging/system-packages.txt
#   packaging/setup.sh python           only print which Python .venv would be made with
# PYTHON=python3.12       the Python to build .venv with (3.11 or newer; otherwise the distribution's, or the first one found)
# SYSTEM_PACKAGES=skip    neither check nor install system packages
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$(pwd -P)
venv=$root/.venv
unset VIRTUAL_ENV PYTHONHOME PYTHONPATH # of another environment; they would mislead python and uv

say() { printf 'setup: %s\n' "$@" >&2; }
stop() { say "$@"; exit 1; }

# Prints the packages of group $1 that are not installed. A package also counts under the names it provides:
# newer releases carry libglib2.0-0 as libglib2.0-0t64.
missing_packages() {
  awk -v group="$1" -v native="$(dpkg --print-architecture)" '
    FNR == NR { if ($1 == group) wanted[++count] = $2; next }
    {
      split($0, field, "\t")
      if (field[1] != "installed" || (field[2] != native && field[2] != "all")) next
      present[field[3]] = 1
      names = split(field[4], provided, /, */)
      for (i = 1; i <= names; i++) { sub(/ .*/, "", provided[i]); present[provided[i]] = 1 }
    }
    END { for (i = 1; i <= count; i++) if (!(wanted[i] in present)) print wanted[i] }
  ' packaging/system-packages.txt <(dpkg-query -W -f '${db:Status-Status}\t${Architecture}\t${Package}\t${Provides}\n')
}

# Installs the packages given, or stops with the command that does.
install_packages() {
  local log=$root/.cache/setup-apt.log apt=(apt-get -q -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0)
  if [ "$(id -u)" != 0 ]; then
    stop "system packages are missing and only root can install them. Run this, then make again:" \
      "    sudo apt-get update && sudo apt-get install --no-install-recommends $*" \
      "If you have them in another way, tell make: SYSTEM_PACKAGES=skip"
  fi
  say "installing $# system packages with apt-get: $*"
  mkdir -p .cache
  export DEBIAN_FRONTEND=noninteractive
  # A source that cannot be refreshed is no reason to stop: the packages may come from the others.
  "${apt[@]}" update >"$log" 2>&1 </dev/null || true
  "${apt[@]}" install -y --no-install-recommends "$@" >>"$log" 2>&1 </dev/null || {
    tail -n 20 "$log" >&2
    stop "apt-get could not install the packages (see above). Its whole output is in $log."
  }
}

# The packages of group $1, and any more that are given.
need_packages() {
  local missing
  [ "${SYSTEM_PACKAGES:-}" != skip ] || return 0
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "no apt-get here, so nobody checks the libraries Qt needs; packaging/system-packages.txt lists them"
    return 0
  fi
  mapfile -t missing < <(missing_packages "$1")
  shift
  missing+=("$@")
  [ "${#missing[@]}" = 0 ] || install_packages "${missing[@]}"
}

# Prints the real path of Python $1 if it is 3.11 or newer. The base executable, so that an activated .venv
# is not built upon itself.
base_python() {
  "$1" -c 'import os, sys; sys.version_info >= (3, 11) and print(os.path.realpath(sys._base_executable))' 2>/dev/null </dev/null
}

# The distribution's Python before any other: it is built with the optimisations that one compiled at home often lacks
# (the same steps took 2.9 times as long in one), and it is the one that an installed package runs in. One that lacks
# the parts to make a virtual environment comes after those that have them, unless they can be installed.
find_python() {
  local name path found=() names=(/usr/bin/python3 python3 python3.14 python3.13 python3.12 python3.11)
  [ -z "${PYTHON:-}" ] || names=("$PYTHON")
  for name in "${names[@]}"; do
    path=$(base_python "$name") || continue
    [ -n "$path" ] || continue
    ! may_make_venv "$path" || { printf '%s\n' "$path"; return; }
    found+=("$path")
  done
  [ "${#found[@]}" = 0 ] || { printf '%s\n' "${found[0]}"; return; }
  if [ -n "${PYTHON:-}" ]; then
    stop "PYTHON=$PYTHON is not a Python that runs and is 3.11 or newer"
  fi
  stop "no Python 3.11 or newer found. Install one (Debian 12 and Ubuntu 24.04: apt-get install python3)," \
    "or name one: make run PYTHON=/path/to/python3.12"
}

# Debian keeps this part of its Python in a package of its own.
can_make_venv() { "$1" -c 'import ensurepip, venv' >/dev/null 2>&1 </dev/null; }

may_make_venv() {
  can_make_venv "$1" && return
  [[ "$1" = /usr/bin/* && "${SYSTEM_PACKAGES:-}" != skip && "$(id -u)" = 0 ]] && command -v apt-get >/dev/null
}

# Whether .venv runs, belongs to this folder (checkouts get moved and copied) and has the Python asked for.
venv_is_good() {
  local has quoted=${venv//\'/\'\"\'\"\'} # as uv writes it into the scripts
  [ -x "$venv/bin/poolwright" ] && head -n 3 "$venv/bin/poolwright" | grep -qF "$quoted/bin/python" || return 1
  has=$("$venv/bin/python" -c 'import sys; sys.version_info >= (3, 11) and print(sys.prefix)' 2>/dev/null) || return 1
  [ "$has" = "$venv" ] || return 1
  [ -z "${PYTHON:-}" ] || [ "$(base_python "$venv/bin/python")" = "$(base_python "$PYTHON")" ]
}

build_venv() {
  local python=$1
  [ ! -e "$venv" ] || say ".venv is unfinished, from another place or of another Python: making it anew"
  rm -rf "$venv"
  say "making .venv with $("$python" --version) ($python)"
  "$python" -m venv "$venv" || stop "$python could not make a virtual environment in $venv"
}

install_uv() {
  local version
  version=$(sed -n 's/^uv==\([^ ]*\).*/\1/p' packaging/uv-requirements.txt)
  [[ "$("$venv/bin/uv" --version 2>/dev/null)" != "uv $version"* ]] || return 0
  "$venv/bin/python" -m pip --version >/dev/null 2>&1 || "$venv/bin/python" -m ensurepip >/dev/null
  say "installing uv $version"
  "$venv/bin/python" -m pip --quiet --disable-pip-version-check --no-input install \
    --require-hashes --only-binary :all: -r packaging/uv-requirements.txt ||
    stop "pip could not install uv $version (see above). Is there no network? The first set-up needs it."
}

install_locked() {
  say "installing what uv.lock names"
  [ -w "${HOME:-}" ] || export UV_CACHE_DIR=${UV_CACHE_DIR:-$root/.cache/uv}
  # The system's certificates: a site behind its own proxy has its own authority.
  UV_SYSTEM_CERTS=1 UV_COMPILE_BYTECODE=1 UV_PYTHON=$venv/bin/python UV_PYTHON_DOWNLOADS=never UV_PROJECT_ENVIRONMENT=$venv \
    "$venv/bin/uv" --quiet sync --frozen ||
    stop "uv could not install what uv.lock names (see above). Is there no network? The first set-up needs it."
}

# The window is on the screen a tenth of a second earlier where nothing is compiled at its start: our modules, which
# nobody else compiles where PYTHONDONTWRITEBYTECODE is set, and the part of PySide that it carries as a zip of sources
# (SBK_EMBED=0 unpacks it; https://doc.qt.io/qtforpython-6/).
compile_modules() {
  rm -rf "$venv"/lib/python*/site-packages/shiboken6/files.dir
  SBK_EMBED=0 "$venv/bin/python" -c 'import shiboken6' ||
    stop "PySide6 cannot be imported (see above)"
  "$venv/bin/python" -m compileall -q app "$venv"/lib/python*/site-packages/shiboken6/files.dir ||
    stop "Python could not compile what is in app (see above)"
}

# What the languages say, as the program reads it; without, it tells everything in English.
compile_languages() {
  local po
  for po in resources/languages/*.po; do
    [ "${po%.po}.mo" -nt "$po" ] || "$venv/bin/python" - "$po" "${po%.po}.mo" <<'EOF' || stop "$po could not be compiled (see above)"
import sys
from babel.messages import mofile, pofile
with open(sys.argv[1], "rb") as po, open(sys.argv[2], "wb") as mo:
    mofile.write_mo(mo, pofile.read_po(po))
EOF
  done
}

set_up_everything() {
  local inputs stamp=$venv/.set-up python venv_package=()
  inputs=$(cat uv.lock pyproject.toml packaging/{setup.sh,system-packages.txt,uv-requirements.txt} | sha256sum)
  if venv_is_good; then
    [ "$(cat "$stamp" 2>/dev/null)" != "$inputs" ] || { compile_languages; return 0; }
    need_packages run
  else
    python=$(find_python)
    can_make_venv "$python" ||
      venv_package=("$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')")
    need_packages run "${venv_package[@]}"
    build_venv "$python"
  fi
  install_uv
  install_locked
  compile_modules
  compile_languages
  printf '%s\n' "$inputs" >"$stamp"
  say "done: .venv/bin/poolwright"
}

case ${1:-everything} in
  everything) set_up_everything ;;
  packages) need_packages "${2:?which group of packaging/system-packages.txt?}" ;;
  python) find_python ;;
  *) stop "unknown argument: $1" ;;
esac
