case "${BASH_VERSION-}:${SHELLOPTS-}:" in :* | [0-3].* | 4.[01].* | *:posix:*) echo $"This script is written for bash 4.2 or newer. Run it so: sudo bash $0. Nothing was changed." >&2; exit 2 ;; esac #
line_end=
[ -z "$line_end" ] || { echo $"The lines of this script end with CR LF: it was converted on its way. Copy it again unconverted, or run dos2unix on it. Nothing was changed." >&2; exit 3; } #
[ ! -f "${BASH_SOURCE[0]-}" ] || mapfile -t script_lines <"${BASH_SOURCE[0]}"
[ -z "${script_lines+read}" ] || [ "${script_lines[${#script_lines[@]} - 1]}" = '# The end of the script' ] || { echo $"This script is cut off: its last line is not the last line it was written with. Copy it again. Nothing was changed." >&2; exit 3; }
{ # bash reads all up to the closing brace before any of it runs, and nothing after it
