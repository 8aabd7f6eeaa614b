"""Object stores, near and far, and robots that bring recordings into them."""
