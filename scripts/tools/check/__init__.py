"""What is compared with something else: the sources with their rules, the server with its reference, films with what players read."""
