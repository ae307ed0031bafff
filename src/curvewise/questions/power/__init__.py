"""How often would an experiment find a difference?"""
