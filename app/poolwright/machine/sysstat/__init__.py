"""What sysstat measures of a machine: sar, sadf and iostat."""
