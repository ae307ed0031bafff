"""What bringing runs to common steps, and failing runs, do to the false-alarm rate."""
