"""Wishes and limits: space, money, failures, what may be done."""
