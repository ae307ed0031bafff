"""The local page: a server on this computer that shows reports of files dropped on it."""
