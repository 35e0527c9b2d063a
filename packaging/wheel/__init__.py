# SPDX-License-Identifier: Apache-2.0
"""What a program may tell Syncline, the profiler, of itself: regions with labels, pauses. Where it does not run under
`syncline --`, nothing is loaded and nothing happens.

    import syncline

    with syncline.region("step", number=7, mode="train"):
        ...

`syncline --help` is the command that records.
"""

import os as _os

__all__ = ["region", "pause", "resume", "flush", "output_dir", "is_recording"]

_ANY_THREAD = 1
_TEXT, _INTEGER, _REAL = 1, 2, 3
_door = None


def _find_door():
    """The profiler's library, if this process was started with it."""
    if "syncline" not in _os.environ.get("LD_PRELOAD", ""):
        return None
    try:
        import ctypes
        import time

        library = ctypes.PyDLL(None)  # calls keep the GIL: they are short
        return _Door(library, ctypes, time)
    except (ImportError, OSError, AttributeError):
        return None


class _Door:
    """The functions of syncline.h. A region is two words, of which the second is for C programs."""

    def __init__(self, library, ctypes, time):
        class Label(ctypes.Structure):
            _fields_ = [("key", ctypes.c_char_p), ("kind", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("value", ctypes.c_uint64)]

        self.now = getattr(time, "monotonic_ns", None) or (lambda: int(time.monotonic() * 1e9))
        self.label, self.ctypes = Label, ctypes
        self.begin, self.end = library.syncline_door_begin, library.syncline_door_end
        self.begin.restype = ctypes.c_uint64
        self.begin.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32]
        self.end.restype = ctypes.c_uint64
        self.end.argtypes = [ctypes.c_uint64, ctypes.c_uint64]
        self.pause, self.resume, self.flush = library.syncline_door_pause, library.syncline_door_resume, library.syncline_door_flush
        self.output_dir, self.is_recording = library.syncline_door_output_dir, library.syncline_door_is_recording
        self.output_dir.restype = ctypes.c_char_p

    def labels(self, labels):
        """(array, what it points to): texts, and numbers as their bits."""
        array, kept = (self.label * len(labels))(), []
        for place, (key, value) in zip(array, labels.items()):
            place.key = key.encode("utf-8", "replace")
            if isinstance(value, float):
                place.kind = _REAL
                place.value = self.ctypes.c_uint64.from_buffer(self.ctypes.c_double(value)).value
            elif isinstance(value, int) and -(2**63) <= int(value) < 2**63:
                place.kind, place.value = _INTEGER, int(value) % 2**64
            else:
                text = self.ctypes.create_string_buffer(_text_of(value))
                kept.append(text)
                place.kind, place.value = _TEXT, self.ctypes.addressof(text)
        return array, kept


def _text_of(value):
    """Of what is no text or number its type alone: to print a tensor would wait for its device."""
    text = str(value) if value is None or isinstance(value, (str, int)) else type(value).__name__
    return text.encode("utf-8", "replace").split(b"\0")[0]


class _Nothing:
    """A region where nobody records."""

    __slots__ = ()
    elapsed_ns = None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return None

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, error, trace):
        return None

    def __call__(self, function):
        return function


class _Region:
    """One region after the other, each begun by `with` or `async with`, or by a call of what it decorates."""

    __slots__ = ("_name", "_labels", "_id", "_began", "elapsed_ns")

    def __init__(self, name, labels):
        self._name = str(name).encode("utf-8", "replace").split(b"\0")[0]
        self._labels = labels
        self._id = self._began = 0
        self.elapsed_ns = None

    def _begin(self, flags):
        self._began = _door.now()
        if self._labels:
            array, _kept = _door.labels(self._labels)
            self._id = _door.begin(self._name, array, len(array), flags)
        else:
            self._id = _door.begin(self._name, None, 0, flags)
        return self

    def _end(self):
        _door.end(self._id, 0)
        self.elapsed_ns = _door.now() - self._began

    def __enter__(self):
        return self._begin(0)

    def __exit__(self, kind, error, trace):
        self._end()

    async def __aenter__(self):
        return self._begin(_ANY_THREAD)

    async def __aexit__(self, kind, error, trace):
        self._end()

    def __call__(self, function):
        import functools
        import inspect

        name, labels = self._name.decode("utf-8", "replace"), self._labels
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def watched(*words, **named):
                async with _Region(name, labels):
                    return await function(*words, **named)

        else:

            @functools.wraps(function)
            def watched(*words, **named):
                with _Region(name, labels):
                    return function(*words, **named)

        return watched


_nothing = _Nothing()
_door = _find_door()

if _door is None:

    def region(name, **labels):
        """A region of the program: `with`, `async with`, or a decorator."""
        return _nothing

    def pause():
        """Nothing that begins from now on is recorded (with --gate program). True: so it is."""
        return False

    def resume():
        """It is again."""
        return False

    def flush():
        """What devices have done and their driver still holds goes to the launcher now."""

    def output_dir():
        """The run's directory; None: nobody records."""
        return None

    def is_recording():
        """Whether what begins on this thread now is recorded."""
        return False

else:

    def region(name, **labels):
        """A region of the program: `with`, `async with`, or a decorator. `elapsed_ns` has what it took, when it has ended."""
        return _Region(name, labels)

    def pause():
        """Nothing that begins from now on is recorded (with --gate program). True: so it is."""
        return _door.pause() == 1

    def resume():
        """It is again."""
        return _door.resume() == 1

    def flush():
        """What devices have done and their driver still holds goes to the launcher now."""
        _door.flush()

    def output_dir():
        """The run's directory; None: nobody records."""
        directory = _door.output_dir()
        return None if directory is None else _os.fsdecode(directory)

    def is_recording():
        """Whether what begins on this thread now is recorded."""
        return _door.is_recording() == 1
