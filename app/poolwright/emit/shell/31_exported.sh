# ---------------------------------------------------------------- pools of the same name
# Two pools of one name cannot be imported together: the one that is exported would be out of reach.

namesakes=() # names of pools of the design that some exported pool bears too

find_namesakes() {
  local text line name='' id='' number
  namesakes=()
  text=$(zpool import 2>&1) || true # its status is 1 when there is none
  while IFS= read -r line; do
    line=${line#"${line%%[! ]*}"}
    case $line in
      'pool: '*) name=${line#pool: } ;;
      'id: '*) id=${line#id: } ;;
      'state: '*)
        for number in "${!pool_names[@]}"; do
          if [ "${pool_names[number]}:${pool_state[number]}" = "$name:absent" ]; then
            namesakes+=("$name")
            say "  - There is an exported pool $name already (id $id, ${line#state: }). Look: zpool import"
            say "    To keep both, give it another name first: zpool import $id NEWNAME"
          fi
        done
        ;;
    esac
  done < <(printf '%s\n' "$text")
}
