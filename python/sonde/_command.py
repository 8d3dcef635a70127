"""The command `sonde`, which comes with the package."""
import os
import sys
from pathlib import Path

PATH = Path(__file__).with_name("bin") / "sonde"


def main() -> None:
    """Becomes the compiled command, with the same arguments."""
    try:
        os.execv(PATH, ["sonde", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"sonde: {PATH}: {error.strerror}")
