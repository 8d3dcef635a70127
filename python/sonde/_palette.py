"""The colours of every picture; tools/palette.py writes it from web/palette.json."""
COLOURS = {
    "ink": "#1f2328",
    "soft": "#444b54",
    "grey": "#6b7280",
    "grid": "#e5e7eb",
    "start": "#009e73",
    "destination": "#cc79a7",
    "path": "#e69f00",
    "better": "#0072b2",
    "worse": "#d55e00",
}
SERIES = [
    "#3d3d3d",
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#d55e00",
    "#cc79a7",
    "#56b4e9",
    "#9aa0a8",
]
NAMES = {
    "none": 0,
    "full": 0,
    "bounded": 4,
    "edm": 1,
    "boe": 2,
    "aboe": 3,
    "boe-set": 5,
    "aboe-onehot": 6,
    "aboe-edges": 7,
}
