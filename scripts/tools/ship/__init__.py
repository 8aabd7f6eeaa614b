"""What ships beside the program: its bill of materials, its image, and the oldest system it is for."""
