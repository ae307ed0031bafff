"""Mutated tables, logs, frames, options, checkpoints and plans through every command."""
