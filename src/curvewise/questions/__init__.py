"""One folder for each question; its name is the command's."""
