"""The page, with a world, a model, a decision or a study inside it."""
from __future__ import annotations

import html
import os
import tempfile
from typing import Any
from urllib.parse import urlencode

from . import _sonde
from ._graph import Graph
from ._model import Model
from ._plan import Plan
from ._sonde import BadInput
from ._study import Study, _page
from ._types import Path

# what the page can be told of a decision's search; it leaves out what does not count
_SETTINGS = ["search", "scope", "embedding", "k", "epsilon", "budget", "beam", "action", "gamma",
             "seed"]


def view(what: Model | Graph | Plan | Study | Path | None = None, *, page: Path | None = None,
         height: int = 760) -> View:
    """Puts something into the page, as `sonde view` does: in a notebook the last line of a cell
    shows it, with the library inside it, no server and no network.

    Parameters
    ----------
    what : Model, Graph, Plan, Study or path, optional
        A world, a model, a decision, a study (which is closed first), or a file with one of them;
        None: a world to play with.
    page : path, optional
        The page with the library inside it, build/page.html after `make page`. None: what
        SONDE_PAGE says, or the page that was installed.
    height : int
        Of the cell, in pixels.

    Returns
    -------
    View
        The page.
    """
    around = page or _page()
    if around is None:
        raise BadInput("page: expected the page that make page builds, found none; "
                       "say where it is, here or in SONDE_PAGE")
    if not isinstance(what, (Model, Graph, Plan, Study, str, bytes, os.PathLike, type(None))):
        raise TypeError("view: expected a Model, a Graph, a Plan, a Study or a file, found "
                        f"{type(what).__name__}")
    if isinstance(what, Study):
        what.close()
        return View(_sonde.view(around, what.db, None, None), height)
    if what is None or isinstance(what, (str, bytes, os.PathLike)):
        return View(_sonde.view(around, what, None, None), height)
    state = _state(what) if isinstance(what, Plan) else None
    model = what.model if isinstance(what, (Plan, Graph)) else what
    source = model.graph or model
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json" if source is model else "world.json")
        source.save(path)
        return View(_sonde.view(around, path, state, None), height)


def _state(plan: Plan) -> str:
    """What stands in the page's address where it shows this decision."""
    settings: dict[str, Any] = plan["settings"]
    chosen = {f"o-{key}": settings[key] for key in _SETTINGS if settings.get(key)}
    return urlencode({"screen": "decision", **chosen})


class View:
    """The page as HTML, which a notebook shows.

    Parameters
    ----------
    page : str
        The whole page.
    height : int
        Of the cell, in pixels.
    """

    def __init__(self, page: str, height: int):
        self.html = page
        self.height = height

    def __repr__(self) -> str:
        return f"<sonde.View of {len(self.html):,} bytes>"

    def _repr_html_(self) -> str:
        """A frame of its own for the page, which can do nothing outside of it."""
        return (f'<iframe sandbox="allow-scripts allow-downloads" width="100%" '
                f'height="{self.height}" style="border: 0" title="Sonde" '
                f'srcdoc="{html.escape(self.html)}"></iframe>')

    def save(self, path: Path) -> None:
        """Writes the page to a file that opens from disk.

        Parameters
        ----------
        path : path
            The file.
        """
        _sonde.write(path, self.html)
