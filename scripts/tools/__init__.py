"""What the scripts have in Python: checks, benchmarks, and what ships beside the program."""
