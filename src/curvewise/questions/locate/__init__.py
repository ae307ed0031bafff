"""At which steps do the curves differ, from when, until when?"""
