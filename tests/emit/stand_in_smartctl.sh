#!/bin/bash
# smartctl as three drives answer it: in facts/KERNEL `grown` lets sectors grow, `failed` lets the self-test fail.
echo "$*" >>"@ROOT@/asked"
case $* in
  *--version*) exit 0 ;;
  '-t long '*) [ ! -e "@ROOT@/no_test" ] || exit 4; echo 'Testing has begun.'; exit 0 ;;
esac
name=$(readlink -f "${!#}"); name=${name##*/}
facts=@ROOT@/facts/$name; grown=0; passed=0; rows='[]'
[ "$1" != --json ] || printf x >>"$facts/asked"
if [ "$(wc -c <"$facts/asked")" -gt 1 ]; then
  [ ! -e "$facts/grown" ] || grown=8
  [ ! -e "$facts/failed" ] || passed=121
  rows='[{"type": {"value": 2}, "status": {"value": '$passed'}, "lifetime_hours": 9}]'
fi
case $* in
  --json*) cat <<END
{"smartctl": {"exit_status": 0}, "device": {"name": "${!#}", "protocol": "ATA"},
 "serial_number": "$(cat "$facts/serial")",
 "model_name": "ST6000NM0034", "user_capacity": {"bytes": @SIZE@}, "smart_status": {"passed": true},
 "ata_smart_attributes": {"table": [
  {"id": 5, "name": "Reallocated_Sector_Ct", "value": 100, "raw": {"value": $grown, "string": "$grown"}},
  {"id": 199, "name": "UDMA_CRC_Error_Count", "value": 100, "raw": {"value": 3, "string": "3"}}]},
 "ata_smart_self_test_log": {"extended": {"table": $rows}}}
END
    ;;
  '-A '*) echo "  5 Reallocated_Sector_Ct 0x0033 100 100 010 Pre-fail Always - $grown" ;;
  '-c -l selftest '*) [ ! -e "$facts/gone" ] || rm -f "@ROOT@/dev/by-id/$(cat "$facts/gone")" ;;
  '-l selftest '*)
    if [ "$passed" = 0 ]; then echo '# 1  Extended offline  Completed without error  00%  9  -'
    else echo '# 1  Extended offline  Completed: read failure  90%  9  77'; fi ;;
esac
exit 0
