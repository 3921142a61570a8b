"""Benchmarks, run on request: `python -m tests.bench --corpus HOME`. They print figures and assert nothing."""
