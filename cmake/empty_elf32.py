# SPDX-License-Identifier: Apache-2.0
"""Writes a 32-bit x86 library without any code: empty_elf32.py FILE.

It stands where the loader of a 32-bit program looks for libsyncline.so, so that the loader has nothing to complain of. Written
byte by byte, because neither a 32-bit C library nor a linker for 32 bits has to be there."""

import struct
import sys

HEADER, ENTRY = 52, 32  # bytes of the ELF header, of a program header
DYNAMIC, SONAME_TAG = 2, 14
ALIGNMENT = 0x1000


def segment(kind, offset, size, flags, alignment):
    return struct.pack("<8I", kind, offset, offset, offset, size, size, flags, alignment)


def library(name=b"libsyncline.so"):
    strings = b"\0" + name + b"\0"
    strings += b"\0" * (-len(strings) % 4)
    symbols = bytes(16)  # the undefined one
    table = struct.pack("<4I", 1, 1, 0, 0)  # DT_HASH: one bucket, one symbol
    at_strings = HEADER + 3 * ENTRY
    at_symbols = at_strings + len(strings)
    at_table = at_symbols + len(symbols)
    at_dynamic = at_table + len(table)
    entries = ((SONAME_TAG, 1), (4, at_table), (5, at_strings), (6, at_symbols), (10, len(strings)), (11, 16), (0, 0))
    dynamic = b"".join(struct.pack("<2I", *entry) for entry in entries)
    size = at_dynamic + len(dynamic)
    identity = b"\x7fELF" + bytes((1, 1, 1)) + bytes(9)
    header = identity + struct.pack("<2H5I6H", 3, 3, 1, 0, HEADER, 0, 0, HEADER, ENTRY, 3, 0, 0, 0)
    segments = segment(1, 0, size, 6, ALIGNMENT) + segment(DYNAMIC, at_dynamic, len(dynamic), 6, 4)
    segments += segment(0x6474E551, 0, 0, 6, 16)  # GNU_STACK: not executable
    return header + segments + strings + symbols + table + dynamic


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as file:
        file.write(library())
