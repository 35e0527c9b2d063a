# SPDX-License-Identifier: Apache-2.0
"""Python is entered before the program's first line, however it is started; not where it was not asked for; and where that cannot be done, one
line says why. Ranges of functions are stages by their names, and hold no code alive."""

import glob
import json
import os
import zipfile

import interpreters

LABELS = ("python",)
TIMEOUT = 300
SCRIPT = "def do_first():\n    return 1\ndo_first()\n"
CHOSEN = ["--python-ranges", "*.do_*"]
STAGES = """
def do_inner(): pass
def do_stage(): do_inner()
def do_other(): do_inner()
for _ in range(3):
    do_stage()
    do_other()
"""
LEAK = """
import gc, sys, weakref
def do_nothing(): pass
do_nothing()
kept = []
for number in range(300):
    names = {"__name__": "made"}
    exec("def do_made():\\n    yield 1\\n    raise ValueError", names)
    try:
        list(names["do_made"]())
    except ValueError:
        pass
    kept.append(weakref.ref(names["do_made"].__code__))
before = sys.getallocatedblocks()
for _ in range(100000):
    do_nothing()
grown = sys.getallocatedblocks() - before
del names
gc.collect()
print("alive:", sum(ref() is not None for ref in kept), "grown:", grown > 100)
print(sorted(name for name in sys.modules if "syncline" in name), sys.argv, len(sys.meta_path))
"""
TRACED = """
import cProfile, sys
def do_one(depth):
    return depth and do_one(depth - 1)
def watch(*unused): return watch
sys.settrace(watch); do_one(2); sys.settrace(None)
sys.setprofile(watch); do_one(2); sys.setprofile(None)
cProfile.runctx("do_one(2)", globals(), {})
if sys.version_info >= (3, 12): sys.monitoring.restart_events()
do_one(2)
"""
DEEP = """
import sys
sys.setrecursionlimit(150)
def do_deep():
    do_deep()
def do_around():
    for _ in range(3):
        try:
            do_deep()
        except RecursionError:
            pass
    do_last()
def do_last(): pass
do_around()
"""
KILLED = """
import os
def do_inner(): os.kill(os.getpid(), 9)
def do_outer(): do_inner()
do_outer()
"""
INTERRUPTED = """
import signal
spinning = False
def interrupt(*unused):
    if spinning: raise KeyboardInterrupt
    signal.setitimer(signal.ITIMER_REAL, 0.001)
signal.signal(signal.SIGALRM, interrupt)
def do_spin():
    global spinning
    spinning = True
    while True: list(do_in())
def do_in(): yield sum(range(10000))
def do_outer():
    global spinning
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    try: do_spin()
    except KeyboardInterrupt: spinning = False
for _ in range(50): do_outer()
"""
AWAITED = """
import ast, asyncio
source = "import asyncio\\ndef do_cell(): pass\\nasync def bad():\\n  await asyncio.sleep(0)\\n  raise ValueError('mine')\\nawait asyncio.sleep(0)\\ndo_cell()\\nawait asyncio.gather(bad())"
cell = eval(compile(source, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), {"__name__": "cell"})
try:
    asyncio.run(cell)
except ValueError as error:
    print(error)
"""
LEFT_BEHIND = """
import threading, time
def do_spin(): return sum(range(10000))
def spin():
    while True: do_spin()
for _ in range(4): threading.Thread(target=spin, daemon=True).start()
time.sleep(0.02)
"""
INTERPRETERS = """
try: import _interpreters as interpreters
except ImportError: import _xxsubinterpreters as interpreters
def do_main(): pass
do_main()
other = interpreters.create()
interpreters.run_string(other, "def do_other(): pass\\ndo_other()\\nimport json")
interpreters.destroy(other)
do_main()
"""
REPLACED = """
import types
def do_made(): return 1
class Other:
    def made(self): return 2
exec("def made(): return 3", globals())
rebuilt = types.FunctionType(do_made.__code__.replace(co_stacksize=50), globals())
for _ in range(3): rebuilt(); Other().made(); made()
"""
ASK = """
import ctypes
api = ctypes.pythonapi
api.PyInterpreterState_Main.restype = api._PyInterpreterState_GetEvalFrameFunc.restype = ctypes.c_void_p
now = api._PyInterpreterState_GetEvalFrameFunc(ctypes.c_void_p(api.PyInterpreterState_Main()))
print("Python's" if now == ctypes.cast(api._PyEval_EvalFrameDefault, ctypes.c_void_p).value else "another's")
"""
PUT_BACK = """
import ctypes
api = ctypes.pythonapi
api.PyInterpreterState_Main.restype = ctypes.c_void_p
interpreter = ctypes.c_void_p(api.PyInterpreterState_Main())
def do_put_back():
    api._PyInterpreterState_SetEvalFrameFunc(interpreter, api._PyEval_EvalFrameDefault)
    do_unseen()
def do_unseen(): pass
def do_seen(): pass
do_put_back()
do_seen()
"""
FAR = """
import sys
sys.setrecursionlimit(10**6)
def do_far(depth): return depth and do_far(depth - 1)
def do_after(): pass
do_far(100000)
do_after()
"""
TAKE = "import sys\nsys.monitoring.use_tool_id(3, 'mine')\nsys.monitoring.use_tool_id(4, 'mine')"
USE = "def do_late(): pass\nfor _ in range(3): do_late()"

# A program that uses sys.monitoring itself, with one id or with both that belong to nobody.
MONITORS = """
import sys
m = sys.monitoring
def do_first(): pass
def do_second(): pass
seen = []
do_first()
do_second()
print([m.get_tool(tool) for tool in range(6)])
m.free_tool_id(4)
try: m.set_events(4, m.events.PY_START)
except ValueError as error: print(error)
def use(tool):
    m.use_tool_id(tool, "mine")
    m.register_callback(tool, m.events.PY_START, lambda code, at: seen.append(code.co_name))
    m.set_events(tool, m.events.PY_START)
    do_first()
    len([])
    m.set_events(tool, 0)
    print(m.get_tool(tool), [name for name in seen if name != "<module>"])
    seen.clear()
for tool in sys.argv[1:]: use(int(tool))
do_second()
try: m.use_tool_id(4, "again")
except ValueError as error: print(error)
"""

METHODS = """
import functools
def deco(function):
    @functools.wraps(function)
    def do_wrapper(): return function()
    return do_wrapper
@deco
def do_decorated(): pass
def do_cycle(): pass
do_cycle.__wrapped__ = do_cycle
class C:
    @staticmethod
    def do_static(): pass
    @classmethod
    def do_class(cls): pass
    class In:
        def do_nested(self): pass
"""
CALLED = "do_decorated(); do_cycle(); C.do_static(); C.do_class(); C.In().do_nested()"
MET = ["__main__.do_decorated", "__main__.deco.<locals>.do_wrapper", "__main__.do_cycle", "__main__.C.do_static", "__main__.C.do_class", "__main__.C.In.do_nested"]


def test(t):
    tried = []
    for version, python in interpreters.found(t):
        if version not in (("3.11",) if t.mode == "process" else ("3.8", "3.10", "3.11", "3.12", "3.13")):
            continue
        tried.append(version)
        ways_in(t, python)
        off(t, python, version)
        stages(t, python)
        t.equal(names(t, [python, "-c", TRACED]), ["__main__.do_one"] * 12, f"{version}: other tools")
        t.equal(names(t, [python, "-c", REPLACED]), ["__main__.do_made"] * 3, f"{version}: code that was made of another")
        deep = names(t, [python, "-c", DEEP])
        t.equal((deep[-2:], deep.count("__main__.do_around")), (["__main__.do_last"] * 1 + ["__main__.do_around"], 1), f"{version}: {deep[-3:]}")
        leak = t.transparent([python, "-c", LEAK], CHOSEN)
        t.check(leak.out.startswith(b"alive: 0 grown: False\n[] ['-c']"), f"{version}: {leak.out}")
        late(t, python, version)
        endings(t, python)
        if version in ("3.9", "3.10", "3.11"):
            t.equal(names(t, [python, "-c", PUT_BACK]), ["__main__.do_put_back", "__main__.do_seen"], f"{version}: after another tool")
        if version == "3.11":
            far(t, python)
        if version in ("3.12", "3.13"):
            monitors(t, python)
    too_old(t)
    t.check(tried, "none of the versions is installed")


def monitors(t, python):
    """The id that is ours looks free, and is when the program asks for it."""
    begins = ["__main__.do_first", "__main__.do_second", "__main__.do_first"]
    t.equal(names(t, [python, "-c", MONITORS, "4"]), [*begins, "__main__.do_second"], "one id")
    recording = t.transparent([python, "-c", MONITORS, "4", "3"], CHOSEN)
    t.said(recording, "error: --python-ranges records nothing from here on: the program uses the tool ids 3 and 4")
    t.equal(sorted(recording.trace().names()), sorted(begins), f"both: {recording}")


def far(t, python):
    """A recursion that C's stack would end: beyond half of it calls are no ranges, and the program's ending is its own."""
    recording = t.transparent([python, "-c", FAR], CHOSEN)
    found = recording.trace().names()
    t.equal((found.count("__main__.do_after"), 512 <= found.count("__main__.do_far") < 100000), (1, True), f"{recording}")
    t.check("calls in a recursion that has used half of its thread's stack are no ranges" in json.dumps(recording.manifest()), f"{recording}")


def too_old(t):
    for python in glob.glob(os.path.expanduser("~/.pyenv/versions/3.7.*/bin/python3")):
        recording = t.record([python, "-c", SCRIPT], CHOSEN, complete=False)
        t.check("syncline: error: --python-ranges records nothing: it needs Python 3.8 or later, and this is 3.7" in recording.said, f"{recording}")


def names(t, program, options=CHOSEN, **how):
    """Names of the ranges in the order of their ends."""
    recording = t.transparent(program, options, **how)
    t.equal(recording.losses(), {}, f"{program}")
    return [r.name for r in sorted(recording.trace().ranges(), key=lambda r: (r.end, -r.begin))]


def ways_in(t, python):
    os.makedirs(t.path("pkg"), exist_ok=True)
    for name in ("script.py", "pkg/__main__.py", "pkg/__init__.py"):
        with open(t.path(name), "w") as file:
            file.write("" if "init" in name else SCRIPT)
    with zipfile.ZipFile(t.path("app.zip"), "w") as file:
        file.write(t.path("script.py"), "__main__.py")
    t.run([python, "-c", f"import py_compile; py_compile.compile({t.path('script.py')!r}, {t.path('script.pyc')!r})"])
    for program in ([t.path("script.py")], [t.path("script.pyc")], [t.path("app.zip")], ["-c", SCRIPT], ["-S", "-c", SCRIPT], ["-I", "-S", t.path("script.pyc")]):
        t.equal(names(t, [python, *program]), ["__main__.do_first"], f"{program}")
    t.equal(names(t, [python, "-m", "pkg"], cwd=t.directory), ["__main__.do_first"], "-m")


def off(t, python, version):
    """Nothing of ours is in the interpreter."""
    ask, wanted = "import sys\nprint([sys.monitoring.get_tool(tool) for tool in range(6)])\n", b"[None, None, None, None, None, None]\n"
    if version == "3.8":
        ask, wanted = "print(None)\n", b"None\n"
    elif version in ("3.9", "3.10", "3.11"):
        ask, wanted = ASK, b"Python's\n"
    ask += SCRIPT
    for options in ([], [*CHOSEN, "--no-python"], [*CHOSEN, "--collect", "nvtx"], ["--python-ranges", ""]):
        recording = t.record([python, "-c", ask], options, complete=False)
        t.equal((recording.out, recording.ending), (wanted, "status 0"), f"{options}: {recording}")
        t.check(not [line for line in recording.said if "error" in line], f"{options}: {recording}")


def stages(t, python):
    program = [python, "-c", STAGES]
    t.equal(names(t, program, [*CHOSEN, "--stages", "*.do_stage@py"]), ["__main__.do_inner", "__main__.do_stage"] * 3, "a stage")
    t.equal(names(t, program, [*CHOSEN, "--exclude-stages", "__main__.do_other"]), ["__main__.do_inner", "__main__.do_stage"] * 3, "all but one")
    t.equal(names(t, program, [*CHOSEN, "--step-range", "*.do_stage", "--steps", "1:2"]),
            ["__main__.do_inner", "__main__.do_stage"] + ["__main__.do_inner", "__main__.do_other"], "a step")


def endings(t, python):
    killed = t.record([python, "-c", KILLED], CHOSEN, killed=True)
    t.equal((killed.ending, sorted(killed.trace().names())), ("signal 9", ["__main__.do_inner", "__main__.do_outer"]), f"{killed}")
    interrupted = names(t, [python, "-c", INTERRUPTED])
    t.equal([name for name in interrupted if name != "__main__.do_in"], ["__main__.do_spin", "__main__.do_outer"] * 50, "signals")
    t.equal(names(t, [python, "-c", AWAITED]), ["cell.do_cell"], "exceptions that are thrown into a module that waits")
    t.transparent([python, "-c", LEFT_BEHIND], CHOSEN)
    t.equal(names(t, [python, "-c", INTERPRETERS]), ["__main__.do_main"] * 2, "another interpreter's functions are left alone")


def late(t, python, version):
    """A program that opens the library when it runs already."""
    found = glob.glob(os.path.join(os.path.dirname(os.path.dirname(python)), "lib", "libpython3.*.so.1.0"))
    if not found:
        return
    home = {"PYTHONHOME": os.path.dirname(os.path.dirname(python))}
    late_python = [t.victim("late_python"), found[0]]
    late = t.record([*late_python, USE], CHOSEN, home)
    t.equal([r.name for r in late.trace().ranges() if "do_" in r.name], ["__main__.do_late"] * 3, f"{late}")
    met = t.record([*late_python, METHODS, CALLED], CHOSEN, home)
    t.equal([r.name for r in sorted(met.trace().ranges(), key=lambda r: r.end) if "do_" in r.name], MET, f"functions that were there before: {met}")
    if version in ("3.8", "3.9", "3.10", "3.11"):
        return
    taken = t.record([*late_python, TAKE, USE], CHOSEN, home)
    t.equal((taken.ending, taken.err), ("status 0", b""), f"{taken}")
    t.said(taken, "error: --python-ranges records nothing: no tool id of sys.monitoring is free")
    t.equal(taken.trace().names(), ["before", "on a thread"], f"{taken}")
