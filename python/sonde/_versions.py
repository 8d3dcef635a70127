"""What the package is made of, for whoever writes to us about it."""
from __future__ import annotations

import importlib
import importlib.metadata
import platform
import subprocess
from types import ModuleType

from . import _command, _sonde

# packages that are used where they are installed
OTHERS = ("numpy", "matplotlib", "networkx", "scipy")


def need(module: str, what: str) -> ModuleType:
    """A package that is used where it is installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(f"{what} needs {module}, which is not installed: pip install "
                          f"{module}") from None


def _installed(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def _of_command() -> list[str]:
    """The lines of `sonde --version` that only the command knows."""
    try:
        done = subprocess.run([_command.PATH, "--version"], capture_output=True, text=True,
                              check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return [f"command: none ({error})"]
    return [line for line in done.stdout.splitlines() if line.startswith(("MPI: ", "page: "))]


def show_versions() -> None:
    """Prints what the package is made of, as `sonde --version` does, and Python's part of it.

    Notes
    -----
    A package that is not installed is "none"; NumPy alone has to be.
    """
    print(f"sonde {_sonde.version()}")
    print(_sonde.versions(), end="")
    print(*_of_command(), sep="\n")
    print(f"Python: {platform.python_version()}")
    for package in OTHERS:
        print(f"{package}: {_installed(package)}")
