"""Are these learning curves really different, where, by how much, and how sure?

The public names are listed in ``__init__.pyi``, once; each is imported when it is first used
(Scientific Python SPEC 1), so that comparing a few curves costs little more than importing
NumPy. The list itself is read with the first of them.
"""

import sys

__version__ = "0.2.0"


def _attach() -> None:
    """Put the public names of the stub in place of the functions below."""
    import lazy_loader

    attached = lazy_loader.attach_stub(__name__, __file__)
    names = "__getattr__", "__dir__", "__all__"
    globals().update(zip(names, attached, strict=True))


def __getattr__(name: str) -> object:
    _attach()
    return getattr(sys.modules[__name__], name)


def __dir__() -> list[str]:
    _attach()
    return dir(sys.modules[__name__])
