"""What a release needs besides the code: metadata that agree."""
