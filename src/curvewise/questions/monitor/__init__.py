"""May I stop, or do I need more runs? Looks at an experiment while its batches come in."""
