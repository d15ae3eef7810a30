"""Work beside the window. Importing this package makes Qt safe to use on the interpreter at hand."""

from poolwright.jobs.interpreter import keep_singletons

keep_singletons()
