"""Who is who: configurations and names in; algorithm, run, task and metric out."""
