"""Which algorithms may be the best?"""
