"""What the papers' error term does to the shuffle test, and what a split one mends."""
