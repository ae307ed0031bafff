"""Do the curves differ, in height or in shape?"""
