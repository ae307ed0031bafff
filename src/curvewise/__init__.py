"""Are these learning curves really different, where, by how much, and how sure?

The public names are listed in ``__init__.pyi``, once; each is imported when it is first used
(Scientific Python SPEC 1), so that comparing a few curves costs little more than importing
NumPy.
"""

import lazy_loader

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
