"""How many runs are needed?"""
