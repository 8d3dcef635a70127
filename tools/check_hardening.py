#!/usr/bin/env python3
"""Checks what was built for what makes a mistake in memory harder to use, as hardening-check does.

    tools/check_hardening.py FILE...    a program, a shared library, Python's extension

Prints a line for each file: yes, or what is missing; and fails if something is.
"""
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def has_endbr(path):
    """Whether what can be called from outside begins with a place to land, where there is such."""
    if "X86-64" not in output("readelf", "-h", path):
        return True
    code = output("objdump", "-d", "--no-show-raw-insn", path)
    return len(re.findall(r"\bendbr64\b", code)) > 10


def qualities(path):
    """What is looked for, and whether it is there."""
    header, program = output("readelf", "-h", path), output("readelf", "-lW", path)
    dynamic, names = output("readelf", "-dW", path), output("nm", "-D", path)
    stack = re.search(r"GNU_STACK.* (RWE?|RW) ", program)
    return {
        "position independent": re.search(r"Type:\s+DYN", header) is not None,
        "stack protected": "__stack_chk_fail" in names,
        "fortified": re.search(r"\b__\w+_chk\b", names) is not None,
        "read-only relocations": "GNU_RELRO" in program,
        "bound at once": re.search(r"BIND_NOW|FLAGS_1.*\bNOW\b", dynamic) is not None,
        "control flow protected": has_endbr(path),
        "stack not executable": stack is not None and "E" not in stack.group(1),
        "code not writable": "TEXTREL" not in dynamic,
    }


def main():
    failed = False
    for path in sys.argv[1:]:
        missing = [name for name, there in qualities(path).items() if not there]
        print(f"{path}: {'not ' + ', not '.join(missing) if missing else 'all yes'}")
        failed = failed or bool(missing)
    if len(sys.argv) < 2:
        sys.exit("usage: tools/check_hardening.py FILE...")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
