"""How much do the tests find? Power of the overall test, of typical runs, and of pairs."""
