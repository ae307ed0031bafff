"""Pages are tests; how the site is built, and the scripts of its gallery, are run by ``make docs``."""

collect_ignore_glob = ["*.py", "_build/*", "generated/*"]
