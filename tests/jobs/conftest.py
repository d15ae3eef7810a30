"""What a job leaves behind fails the test: a running timer, a process, a thread."""

from tests.leaks import nothing_leaks, worker_of_module

__all__ = ["nothing_leaks", "worker_of_module"]
