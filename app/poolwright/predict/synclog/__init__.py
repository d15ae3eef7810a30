"""Synchronous writes as the paper describes them: commits of the intent log, and the disks its blocks go to."""
