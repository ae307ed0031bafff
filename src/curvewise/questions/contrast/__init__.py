"""Is a weighted sum of algorithms different from zero?"""
