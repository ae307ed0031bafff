"""How much does one condition gain on another?"""
