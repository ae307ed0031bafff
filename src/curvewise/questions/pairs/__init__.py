"""Which algorithms differ?"""
