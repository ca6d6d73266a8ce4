"""Fuzzing of what reads foreign files: `python -m tests.fuzz` says how, tests/bench/fuzz.md what ran."""
