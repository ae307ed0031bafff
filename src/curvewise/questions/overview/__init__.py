"""Compare, then say where and who leads, behind the overall test."""
