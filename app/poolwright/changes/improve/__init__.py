"""What to add, replace or rebuild in a pool that exists, ranked, with what each change brings and costs."""
