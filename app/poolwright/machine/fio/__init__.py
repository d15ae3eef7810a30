"""What fio prints, in each of its formats."""
