"""python -m sonde: the command."""
from ._command import main

main()
