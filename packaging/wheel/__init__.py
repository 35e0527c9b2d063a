# SPDX-License-Identifier: Apache-2.0
"""What a program may tell Syncline, the profiler, of itself: regions with labels, pauses. Where it does not run under
`syncline --`, nothing is loaded and nothing happens.

    import syncline

    with syncline.region("step", number=7, mode="train"):
        ...

`syncline --help` is the command that records.
"""

import os as _os

__all__ = ["DEVICE_TIME", "region", "pause", "resume", "flush", "output_dir", "is_recording"]

# For `region`: it is kept for how long devices are busy with what its thread launches in it.
DEVICE_TIME = 2

_ANY_THREAD = 1
_UNKNOWN, _COMPLETE = 0, 3
_STATES = ("unknown", "pending", "at least", "complete")
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
        self._device_time = library.syncline_door_device_time
        self._device_time.restype = ctypes.c_uint32
        self._device_time.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p]
        self.pause, self.resume, self.flush = library.syncline_door_pause, library.syncline_door_resume, library.syncline_door_flush
        self.output_dir, self.is_recording = library.syncline_door_output_dir, library.syncline_door_is_recording
        self.output_dir.restype = ctypes.c_char_p

    def device_time(self, region):
        """(nanoseconds, state) of a region's id."""
        known = self.ctypes.c_uint64()
        state = self._device_time(region, 0, self.ctypes.byref(known))
        return known.value, state

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
    device_ns = None

    def device_time(self):
        return None, _STATES[_UNKNOWN]

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

    __slots__ = ("_name", "_labels", "_flags", "_id", "_began", "_device_time", "elapsed_ns")

    def __init__(self, name, flags, labels):
        self._name = str(name).encode("utf-8", "replace").split(b"\0")[0]
        self._labels, self._flags = labels, flags
        self._device_time = None  # when it is complete
        self._id = self._began = 0
        self.elapsed_ns = None

    def _begin(self, flags):
        self._device_time = None
        flags |= self._flags
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

    def device_time(self):
        """(nanoseconds, state): how long devices have been busy with what the region's thread launched in it, as far as it is
        known now. The state is "complete", "pending" (more is to come), "at least" (what is missing is not known) or "unknown"
        (then it is None, not nanoseconds). Waits for nothing."""
        if self._device_time is None:
            known, state = _door.device_time(self._id)
            told = (None if state == _UNKNOWN else known, _STATES[state])
            if state != _COMPLETE:
                return told
            self._device_time = told
        return self._device_time

    @property
    def device_ns(self):
        """The region's device time; None: it is not complete, or was not asked for."""
        known, state = self.device_time()
        return known if state == _STATES[_COMPLETE] else None

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
                async with _Region(name, 0, labels):
                    return await function(*words, **named)

        else:

            @functools.wraps(function)
            def watched(*words, **named):
                with _Region(name, 0, labels):
                    return function(*words, **named)

        return watched


_nothing = _Nothing()
_door = _find_door()

if _door is None:

    def region(name, *flags, **labels):
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

    def region(name, *flags, **labels):
        """A region of the program: `with`, `async with`, or a decorator. `elapsed_ns` has what it took, when it has ended. With
        DEVICE_TIME behind the name `device_ns` has for how long devices were busy with what its thread launched in it."""
        return _Region(name, DEVICE_TIME if DEVICE_TIME in flags else 0, labels)

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
