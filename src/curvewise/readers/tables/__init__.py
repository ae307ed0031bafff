"""Files that hold all runs and say whose they are: tables, and arrays."""
