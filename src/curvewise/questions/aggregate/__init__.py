"""How good is each algorithm over many tasks?"""
