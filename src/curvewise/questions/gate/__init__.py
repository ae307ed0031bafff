"""May the candidate replace the baseline: is it not worse by more than a margin?"""
