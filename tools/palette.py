#!/usr/bin/env python3
"""Writes the colours of web/palette.json for C and for Python, so that green means one thing.

    tools/palette.py            writes lab/draw/palette.h and python/sonde/_palette.py
    tools/palette.py --check    fails if they are not what it would write

The colours are Okabe and Ito's, which colour-blind readers can tell apart."""
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "lab/draw/palette.h"
MODULE = ROOT / "python/sonde/_palette.py"


def header(palette):
    plain = "".join(f'#define SONDE__{key.upper()} "{value}"\n'
                    for key, value in palette.items() if isinstance(value, str))
    series = ", ".join(f'"{colour}"' for colour in palette["series"])
    return ("/* palette.h: the colours of every picture; tools/palette.py writes it from "
            "web/palette.json. */\n#ifndef SONDE_DRAW_PALETTE_H\n#define SONDE_DRAW_PALETTE_H\n\n"
            f"{plain}"
            "/* of series, one after the other */\n"
            f"{'#define SONDE__SERIES_COLOURS':99}\\\n    {series}\n"
            "\n#endif\n")


def module(palette):
    lines = "".join(f'    "{key}": "{value}",\n' for key, value in palette.items()
                    if isinstance(value, str))
    series = "".join(f'    "{colour}",\n' for colour in palette["series"])
    names = "".join(f'    "{key}": {value},\n' for key, value in palette["names"].items())
    return ('"""The colours of every picture; tools/palette.py writes it from web/palette.json."""'
            "\n"
            f"COLOURS = {{\n{lines}}}\nSERIES = [\n{series}]\nNAMES = {{\n{names}}}\n")


def main():
    palette = json.loads((ROOT / "web/palette.json").read_text())
    wanted = {HEADER: header(palette), MODULE: module(palette)}
    for path, text in wanted.items():
        if "--check" not in sys.argv:
            path.write_text(text)
        elif path.read_text() != text:
            sys.exit(f"{path.relative_to(ROOT)}: expected the colours of web/palette.json, found "
                     "others; run tools/palette.py")


if __name__ == "__main__":
    main()
