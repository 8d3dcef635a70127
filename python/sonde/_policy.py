"""Policies: what planning without a horizon has found, kept for later."""
from __future__ import annotations

import gzip
import os
import warnings
from pathlib import Path as File
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from . import _sonde
from ._arrays import doubles, run_of
from ._types import Memory, Path

if TYPE_CHECKING:
    from ._model import Model

#: how the name of a file ends that has SARSOP's format
SARSOP = ".policy"


class Policy:
    """What planning in closed loop without a horizon has found: vectors and points that bound the
    value of every belief. With it agents act by one exact step from the first decision on.

    Plan.policy and Agent.policy make one, `from_file` reads one; plan, simulate and Agent take it
    as `policy`. It is of one model, backup and discount, and refused with others. It can be pickled
    and copied.

    Parameters
    ----------
    document : str or bytes
        A sonde-policy document, or SARSOP's XML, which is of models with information "off" and
        backup "min".
    origin : str
        What messages call it.
    memory : int or str, optional
        The most to ask for at once: bytes, or a text such as "500M".

    Examples
    --------
    >>> plan = sonde.plan("tiger.json", loop="closed", horizon="inf", backup="min", gap=1e-3)
    >>> plan.save_policy("tiger.policy.json")
    >>> agent = sonde.Agent("tiger.json", loop="closed", horizon="inf", backup="min",
    ...                     policy="tiger.policy.json", budget=1)
    """

    def __init__(self, document: str | bytes, origin: str = "policy", *, memory: Memory = None):
        self._document = document.encode() if isinstance(document, str) else bytes(document)
        self._origin = origin
        self._handle = _sonde.vectors_read(self._document, origin, run_of(None, memory, None))
        self._fields = _sonde.vectors_fields(self._handle)

    @classmethod
    def from_file(cls, path: Path, *, memory: Memory = None) -> Policy:
        """Reads what `save`, the command's --save-policy or SARSOP has written.

        Parameters
        ----------
        path : path
            The file, plain or compressed by gzip.
        memory : int or str, optional
            As in Policy.

        Returns
        -------
        Policy
            What it says.
        """
        try:
            document = File(path).read_bytes()
        except OSError:  # in the library's words
            _sonde.vectors_read(None, os.fspath(path), None)
            raise
        return cls(gzip.decompress(document) if document[:2] == b"\x1f\x8b" else document,
                   os.fspath(path), memory=memory)

    def save(self, path: Path) -> None:
        """Writes it into a file, as it is.

        Parameters
        ----------
        path : path
            The file.
        """
        _sonde.write(path, self._document)

    @property
    def document(self) -> str:
        """All of it as text."""
        return self._document.decode(errors="replace")

    @property
    def format(self) -> str:
        """"sonde-policy", or "sarsop"."""
        return self._fields["format"]

    @property
    def backup(self) -> str:
        """With what it was found."""
        return self._fields["backup"]

    @property
    def gamma(self) -> float:
        """Precision with which it was found; no number where it is SARSOP's."""
        return self._fields["gamma"]

    @property
    def discount(self) -> float:
        """Discount with which it was found; no number where it is SARSOP's."""
        return self._fields["discount"]

    @property
    def n_vectors(self) -> int:
        """Vectors, which bound values from above (SARSOP's, rewards from below)."""
        return self._fields["n_vector"]

    @property
    def n_points(self) -> int:
        """Beliefs whose values are bounded from below."""
        return self._fields["n_point"]

    def __reduce__(self) -> tuple[type[Policy], tuple[bytes, str]]:
        return Policy, (self._document, self._origin)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and self._document == other._document

    def __hash__(self) -> int:
        return hash(self._document)

    def __repr__(self) -> str:
        found = "" if self.format == "sarsop" else f", discount {self.discount:g}"
        return (f"<sonde.Policy: {self.format}, {self.n_vectors:,} vectors, {self.n_points:,} "
                f"points; backup {self.backup}{found}>")


def found_by(agent: _sonde.Handle, format: str) -> Policy:
    """What an agent has found."""
    if format not in ("sonde-policy", "sarsop"):
        raise _sonde.BadInput(f"format: expected sonde-policy or sarsop, found {format!r}")
    return Policy(_sonde.agent_vectors(agent, format == "sarsop"))


def format_of(path: Path) -> str:
    """What a file of this name has, as the command's --save-policy chooses."""
    return "sarsop" if os.fspath(path).endswith(SARSOP) else "sonde-policy"


def lent(policy: Policy | Path | None, prior: npt.ArrayLike | None = None) -> dict[str, Any]:
    """What is known beforehand, as the extension takes it beside the settings: a policy, or the
    file of one, and a prior of actions."""
    if isinstance(policy, (str, os.PathLike)):
        policy = Policy.from_file(policy)
    elif policy is not None and not isinstance(policy, Policy):
        raise TypeError(f"policy: expected a sonde.Policy, or the path of one, found {policy!r}")
    given: dict[str, Any] = {} if policy is None else {"policy": policy}
    if prior is not None:
        given["action_prior"] = doubles(prior, "action_prior").reshape(-1)
    return given


def note_prior(model: Model, settings: Any) -> None:
    """Warns that sequences of actions have another prior than actions, where a model has the
    latter."""
    if settings.get("loop") in (None, "open") and model._fields.get("action_prior") is not None:
        warnings.warn("open loop takes no notice of the model's action_prior, which is of closed "
                      "loop", UserWarning, stacklevel=3)
