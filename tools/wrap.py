#!/usr/bin/env python3
"""Wraps the prose of Markdown files at 120 columns.

    tools/wrap.py FILE...            rewrites them
    tools/wrap.py --check FILE...    names the lines that are too long, and fails if there are any

A paragraph, or the text of a list item, is filled anew where one of its lines is too long; the rest
is left as it was written. Tables, code, headings, quotations and HTML are left alone, and so is a
word that is longer than a line. What is rendered stays the same.
"""
import re
import sys
from pathlib import Path

WIDTH = 120
FENCE = re.compile(r" *(```+|~~~+)")
ITEM = re.compile(r"( *)([-*+]|\d{1,9}[.)])( +)(?=\S)")
# lines that are no prose: tables, headings and their underlines, quotations, HTML, definitions
ALONE = re.compile(r" *(\||#{1,6}( |$)|>|<[/!a-zA-Z]|(=+|-{3,}|\*{3,}|_{3,}) *$|\[[^]]+\]: )")
# words that would begin something else if they began a line
GLUED = re.compile(r"([-*+]|\d{1,9}[.)]|#{1,6}|=+|-+|_{3,}|\*{3,})$|[|>]|<[/!a-zA-Z]|```|~~~")
# code and links hold together
WORD = re.compile(r"(?:`+[^`]+`+|\[[^][]*\]\([^()\s]*\)|\S)+")


class Block:
    """Consecutive lines of one text: `first` stands before the first line, `rest` before others."""

    def __init__(self, number, first, rest):
        self.number, self.first, self.rest, self.lines = number, first, rest, []

    def too_long(self):
        """The numbers of the lines that are too long."""
        return [self.number + i for i, line in enumerate(self.lines) if len(line) > WIDTH]

    def words(self):
        """What must not be torn apart."""
        text = " ".join(line.strip() for line in self.lines)[len(self.first.strip()):]
        words = []
        for word in WORD.findall(text):
            if words and GLUED.match(word):
                words[-1] += " " + word
            else:
                words.append(word)
        return words

    def filled(self):
        """The lines of the same words, none longer than it must be."""
        words = self.words()
        lines = [self.first + words[0]]
        for word in words[1:]:
            if len(lines[-1]) + 1 + len(word) > WIDTH:
                lines.append(self.rest + word)
            else:
                lines[-1] += " " + word
        return lines

    def wrapped(self):
        return self.filled() if self.too_long() and self.first is not None else self.lines


def verbatim(number, line):
    """A line that stays as it is."""
    block = Block(number, None, None)
    block.lines.append(line)
    return block


def blocks(text):
    """What a file consists of, in order."""
    fence, block, indent = None, None, 0
    for number, line in enumerate(text.split("\n"), 1):
        found, item = FENCE.match(line), ITEM.match(line)
        depth = len(line) - len(line.lstrip())
        if block is None and line.strip() and depth == 0:
            indent = 0  # a list is over
        code = block is None and depth >= indent + 4
        if fence or found or code or not line.strip() or ALONE.match(line):
            if found and (fence is None or found[1].startswith(fence)):
                fence = None if fence else found[1]
            block = None
            yield verbatim(number, line)
        elif item or block is None:
            first = item[0] if item else line[:depth]
            indent = len(first) if item else indent
            block = Block(number, first, " " * len(first))
            block.lines.append(line)
            yield block
        else:
            block.lines.append(line)


def wrapped(text):
    """The text of a file with its prose wrapped."""
    return "\n".join(line for block in list(blocks(text)) for line in block.wrapped())


def complaints(name, text):
    """A sentence for each text that has a line too many columns wide."""
    return [f"{name}:{block.too_long()[0]}: more than {WIDTH} columns; run tools/wrap.py {name}"
            for block in list(blocks(text)) if block.wrapped() != block.lines]


def main(words):
    check = "--check" in words
    names = [word for word in words if word != "--check"]
    if not names:
        sys.exit(__doc__)
    wrong = []
    for name in names:
        text = Path(name).read_text()
        if check:
            wrong += complaints(name, text)
        elif wrapped(text) != text:
            Path(name).write_text(wrapped(text))
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
