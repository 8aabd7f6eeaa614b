print("footage")
