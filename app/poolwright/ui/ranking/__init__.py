"""The ranked layouts: the first choice, the table, the plot, and why not another."""
