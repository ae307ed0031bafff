"""How the papers' pooled error term misleads the shuffle test, and how a split one helps."""
