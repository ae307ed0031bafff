"""How relabellings are planned, visited, counted, stopped and resumed."""
