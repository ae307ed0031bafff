"""Which of two algorithms is better on many tasks as a whole, and on how many of them?"""
