"""Which learning-comparison metric can be trusted for what?"""
