"""What can be chosen, as the library lists it, so that what is added there appears here."""
from __future__ import annotations

from typing import Any

from . import _sonde


def searches() -> list[str]:
    """The ways to search, for `search=`."""
    return list(_sonde.names("search"))


def embeddings() -> dict[str, str]:
    """The embeddings, for `embedding=`, and what each records."""
    return _sonde.names("embedding")


def actions() -> list[str]:
    """The rules by which an action is chosen, for `action=`."""
    return list(_sonde.names("action"))


def like(package: str) -> dict[str, Any]:
    """The conventions of another package ("pymdp", "pymdp-legacy", "spm") as settings.

    preferences and information are for Model, the others for plan, simulate and Agent.
    """
    return _sonde.like(package)
