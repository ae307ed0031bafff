"""What all questions share about evidence: results, effects, warnings, requirements, families."""
