"""How things look: tables, figures, curves, forests. Nothing here knows a question or a result."""
