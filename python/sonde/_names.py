"""What can be chosen, as the library lists it, so that what is added there appears here."""
from __future__ import annotations

from typing import TYPE_CHECKING

from . import _sonde
from ._sonde import BadInput

if TYPE_CHECKING:
    from ._sonde import Conventions


def searches() -> list[str]:
    """Lists the ways to search.

    Returns
    -------
    list of str
        What `search=` may be in open loop; in closed loop it is "auto", "full", "bounded",
        "pruned", "dpefe", "qmdp" or "uct".
    """
    return list(_sonde.names("fallback"))  # which has no other


def embeddings() -> dict[str, str]:
    """Lists the embeddings.

    Returns
    -------
    dict of str
        What `embedding=` may be, and what each records.
    """
    return _sonde.names("embedding")


def actions() -> list[str]:
    """Lists the rules by which an action is chosen.

    Returns
    -------
    list of str
        What `action=` may be.
    """
    return list(_sonde.names("action"))


def like(package: str, loop: str = "open") -> Conventions:
    """Gives the conventions of another package as settings.

    Parameters
    ----------
    package : str
        "pymdp", "pymdp-legacy" or "spm".
    loop : str
        "open", or "closed" for its tree search of plans over outcomes, thresholds and all: then
        loop is among the settings.

    Returns
    -------
    dict
        Settings that plan, simulate and Agent take, of which preferences and information are the
        model's; alpha is among them where the package's rule for actions has a use for it.

    Examples
    --------
    >>> sonde.plan(model, **sonde.like("pymdp"))
    >>> sonde.plan(model, **sonde.like("pymdp", loop="closed"))
    """
    if loop not in _sonde.names("loop"):
        raise BadInput(f"loop: expected open or closed, found {loop!r}")
    found = _sonde.like(package, loop == "closed")
    if found["action"] not in ("marginal", "softmax"):
        del found["alpha"]
    return found
