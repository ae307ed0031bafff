"""How often would common tests cry wolf on these very runs?"""
