"""What formats of logs share: bytes, text, databases and JSON in, records out."""
