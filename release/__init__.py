"""What a release needs besides the code: its changelog, and metadata that agree."""
