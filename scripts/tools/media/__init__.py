"""Recordings of many kinds, made by crossing what recorders vary, and the packets that are expected of them."""
