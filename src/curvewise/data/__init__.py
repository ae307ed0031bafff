"""What is compared: Curves, how they are checked, read from frames and selected."""
