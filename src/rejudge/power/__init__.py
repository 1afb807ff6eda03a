"""What a planned study can detect, and what it costs, by simulating it many times."""
