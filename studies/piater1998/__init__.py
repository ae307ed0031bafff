"""Piater, Cohen, Zhang & Atighetchi (1998): error rates and power of two tests."""
