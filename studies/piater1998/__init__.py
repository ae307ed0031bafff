"""Piater, Cohen, Zhang & Atighetchi (1998): how often the two tests err, and their power."""
