"""What sysstat measures of a machine: sar and sadf."""
