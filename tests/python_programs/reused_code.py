# SPDX-License-Identifier: Apache-2.0
"""Code that takes the place of code that was dropped, of the same name and size, and waits in another line of another file: for each wait its
own, as in lines(). Says at how many addresses all of it was, and whether anybody else looked when code was dropped.

reused_code.py COUNT"""

import ctypes
import sys

FILES, LINES = 7, 11
DEALLOC = 48  # tp_dealloc, in a type
gpu = ctypes.CDLL("libcudart.so.13").cudaDeviceSynchronize


def lines(count):
    """(file, line) of each wait."""
    return [(f"/made/{number % FILES}.py", 2 + number % LINES) for number in range(count)]


def made(path, line):
    return compile("\n" * (line - 2) + "def same():\n gpu()\n", path, "exec").co_consts[0]


def main(count):
    """Of the first half file name and line table are new too, of the second half the code alone. Now and then whoever looks is put out."""
    function = type(main)
    dealloc = ctypes.c_void_p.from_address(id(type(main.__code__)) + DEALLOC)
    original, watched = dealloc.value, False
    kept = [made(path, line) for path, line in lines(FILES * LINES)]
    places = set()
    for number, (path, line) in enumerate(lines(count)):
        code = made("".join(path), line) if number < count // 2 else kept[number % len(kept)].replace()
        places.add(id(code))
        function(code, {"gpu": gpu})()
        watched = watched or dealloc.value != original
        if number % 100 == 0:
            dealloc.value = original
        del code
    print(len(places), watched)


if __name__ == "__main__":
    main(int(sys.argv[1]))
