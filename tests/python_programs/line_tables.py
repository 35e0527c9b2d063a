# SPDX-License-Identifier: Apache-2.0
"""Writes the line table of each piece of code of the standard library, and which lines the interpreter itself gives its instructions:
line_tables.py FILE STEP. Every STEPth module is taken. check_line_tables.cc reads the file."""

import ctypes
import dis
import os
import struct
import sys
import warnings

ASKED = 20  # of each so many pieces of code, one is asked about instruction by instruction

line_at = ctypes.pythonapi.PyCode_Addr2Line
line_at.argtypes = [ctypes.py_object, ctypes.c_int]


def pieces(code):
    yield code
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            yield from pieces(constant)


def lines_told(code):
    """(begin, end, line) in bytes; line 0: none."""
    if sys.version_info >= (3, 10):
        return [(begin, end, line or 0) for begin, end, line in code.co_lines()]
    starts = [*dis.findlinestarts(code), (len(code.co_code), 0)]
    return [(begin, end, line) for (begin, line), (end, _) in zip(starts, starts[1:])]


def lines_asked(code):
    return [(at, at + 2, max(line_at(code, at), 0)) for at in range(0, len(code.co_code), 2)]


def write(out, code, lines):
    table = code.co_linetable if sys.version_info >= (3, 10) else code.co_lnotab
    python = sys.version_info[0] << 8 | sys.version_info[1]
    out.write(struct.pack("<4I", python, code.co_firstlineno, len(table), len(lines)) + table)
    for line in lines:
        out.write(struct.pack("<3I", *line))


def modules(folder):
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in ("site-packages", "dist-packages"))
        yield from (os.path.join(path, name) for name in sorted(names) if name.endswith(".py"))


def main(path, step):
    warnings.simplefilter("ignore")
    count = 0
    with open(path, "wb") as out:
        for name in list(modules(os.path.dirname(os.__file__)))[::step]:
            try:
                with open(name, "rb") as file:
                    module = compile(file.read(), name, "exec")
            except (SyntaxError, ValueError, RecursionError):
                continue  # files for tests of the compiler
            for code in pieces(module):
                write(out, code, lines_told(code))
                count += 1
                if count % ASKED == 0:
                    write(out, code, lines_asked(code))


main(sys.argv[1], int(sys.argv[2]))
