"""What is measured: scripts/bench.sh takes these by name."""
