"""What numpy_replay.py draws."""
