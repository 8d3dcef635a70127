"""Results that are read like the document that says them."""
from __future__ import annotations

from collections.abc import Iterator, KeysView
from typing import TYPE_CHECKING, Any

from ._types import Document


class Keys:
    """The keys of a document as items."""

    if TYPE_CHECKING:
        @property
        def _document(self) -> Document: ...

    def __getitem__(self, key: str) -> Any:
        return self._document[key]

    def keys(self) -> KeysView[str]:
        """Lists what there is.

        Returns
        -------
        view of str
            The keys of the document.
        """
        return self._document.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)


class Attributes(Keys):
    """The keys of a document as attributes, too."""

    _called: str  #: what a sentence calls it

    def __getattr__(self, key: str) -> Any:
        if not key.startswith("_") and key in self._document:
            return self._document[key]
        raise AttributeError(
            key if key.startswith("_") else
            f"{self._called} has no {key!r}; it has {', '.join(self._document)}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._document})
