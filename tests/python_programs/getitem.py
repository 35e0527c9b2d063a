# SPDX-License-Identifier: Apache-2.0
"""Calls `object[key]` of methods in Python, often enough that the interpreter specialises the places that do it, and writes how often each
function ran. Usage: getitem.py OUT"""

import collections
import json
import sys

ran = collections.Counter()


class Row:
    def __getitem__(self, key):
        ran["__main__.Row.__getitem__"] += 1
        return key


class Child(Row):
    pass


def decorate(function):
    def do_wrapper(self, key):
        ran["__main__.decorate.<locals>.do_wrapper"] += 1
        return function(self, key)

    return do_wrapper


class Decorated:
    @decorate
    def __getitem__(self, key):
        ran["__main__.Decorated.__getitem__"] += 1
        return key


class Late:
    pass


def do_late(self, key):
    ran["__main__.do_late"] += 1
    return key


def do_again(self, key):
    ran["__main__.do_again"] += 1
    return key


def use(row, times=100):
    for key in range(times):
        row[key]


def make():
    class Inner:
        def __getitem__(self, key):
            ran["__main__.make.<locals>.Inner.__getitem__"] += 1
            return key

    return Inner()


use(list(range(100)))  # the place is specialised already when the first method is called
for row in Row(), Child(), Decorated(), make(), make():
    use(row)
Late.__getitem__ = do_late
use(Late(), 3)
use(Late())
do_late.__defaults__ = (None,)  # the interpreter forgets what it knew of the function
use(Late())
Late.__getitem__ = do_again
use(Late())
with open(sys.argv[1], "w") as file:
    json.dump(ran, file)
