
main "$@"
exit
}
# The end of the script
