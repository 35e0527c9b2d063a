# SPDX-License-Identifier: Apache-2.0
"""What a program may tell Syncline, the profiler, of itself: regions with labels, pauses. Where it does not run under
`syncline --`, nothing is loaded and nothing happens. With it, nothing here raises and no code of the program runs: what
cannot be recorded is left out.

    import syncline

    with syncline.region("step", number=7, mode="train"):
        ...

`syncline --help` is the command that records.
"""

import os as _os
import sys as _sys

__all__ = ["DEVICE_TIME", "region", "pause", "resume", "flush", "output_dir", "is_recording"]

# For `region`: it is kept for how long devices are busy with what its thread launches in it.
DEVICE_TIME = 2

_ANY_THREAD = 1
_UNKNOWN, _COMPLETE = 0, 3
_STATES = ("unknown", "pending", "at least", "complete")
_TEXT, _INTEGER, _REAL = 1, 2, 3
_MOST_BYTES = 4096  # of a text
_MOST_BITS = 800  # of a number that is a text
_door = None

# What leaves a region out. CPython before 3.10 ends a process that goes on for 50 frames behind a RecursionError: there
# it is the program's, which it would have got a few frames later.
_LEFT_OUT = Exception if _sys.version_info >= (3, 10) else (MemoryError, AttributeError, TypeError)

# Of what is asked for a function's kind: its flags, as `inspect` names them.
_GENERATOR, _COROUTINE, _OTHER_KINDS = 0x20, 0x80, 0x100 | 0x200


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
    """The functions of syncline.h. A region is two words, of which the second is for C programs. No function has argtypes:
    what fails while ctypes converts by them is an ArgumentError, whatever it was."""

    def __init__(self, library, ctypes, time):
        class Label(ctypes.Structure):
            _fields_ = [("key", ctypes.c_char_p), ("kind", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("value", ctypes.c_uint64)]

        self.now = getattr(time, "monotonic_ns", None) or (lambda: int(time.monotonic() * 1e9))
        self.label, self.ctypes, self.word = Label, ctypes, ctypes.c_uint64
        self.nothing = ctypes.c_uint64(0)
        self.begin, self.end = library.syncline_door_begin, library.syncline_door_end
        self.begin.restype = ctypes.c_uint64
        self.end.restype = ctypes.c_uint64
        self._device_time = library.syncline_door_device_time
        self._device_time.restype = ctypes.c_uint32
        self.pause, self.resume, self.flush = library.syncline_door_pause, library.syncline_door_resume, library.syncline_door_flush
        self.output_dir, self.is_recording = library.syncline_door_output_dir, library.syncline_door_is_recording
        self.output_dir.restype = ctypes.c_char_p

    def device_time(self, region):
        """(nanoseconds, state) of a region's id."""
        known = self.word()
        state = self._device_time(region, self.nothing, self.ctypes.byref(known))
        return known.value, state

    def labels(self, labels):
        """(array, its length, what it points to): texts, and numbers as their bits."""
        array, kept = (self.label * len(labels))(), []
        for place, (key, value) in zip(array, labels.items()):
            place.key = str.encode(key, "utf-8", "replace")
            kind = type(value)
            number = int.__int__(value) if issubclass(kind, int) else None
            if issubclass(kind, float):
                place.kind = _REAL
                place.value = self.word.from_buffer(self.ctypes.c_double(float.__float__(value))).value
            elif number is not None and -(2**63) <= number < 2**63:
                place.kind, place.value = _INTEGER, number % 2**64
            else:
                text = self.ctypes.create_string_buffer(_text_of(value))
                kept.append(text)
                place.kind, place.value = _TEXT, self.ctypes.addressof(text)
        return array, self.ctypes.c_size_t(len(labels)), kept


_name_of_type = type.__dict__["__name__"].__get__


def _text_of(value):
    """What texts and numbers hold, also those of classes of the program, by functions of Python's own. Of what is none its
    type alone: to print a tensor would wait for its device."""
    kind = type(value)
    if issubclass(kind, str):
        text = value
    elif issubclass(kind, int) and int.bit_length(value) <= _MOST_BITS:
        text = int.__repr__(value)
    elif issubclass(kind, float):
        text = float.__repr__(value)
    else:
        text = "None" if value is None else _name_of_type(kind)
    return str.encode(str.__getitem__(text, slice(_MOST_BYTES)), "utf-8", "replace").split(b"\0")[0]


class _Nothing:
    """A region where nobody records."""

    __slots__ = ()
    elapsed_ns = 0
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
        """`name` and `labels` as the door takes them: nothing of the program is kept."""
        self._name, self._flags, self._labels = name, flags, labels
        self._device_time = None  # when it is complete
        self._id = None
        self._began = self.elapsed_ns = 0

    def _begin(self, flags):
        self._id = self._device_time = None
        self._began = _door.now()
        array, count, _kept = self._labels
        self._id = _door.word(_door.begin(self._name, array, count, flags))

    def _end(self):
        if self._id is not None:
            _door.end(self._id, _door.nothing)
            self.elapsed_ns = _door.now() - self._began

    def device_time(self):
        """(nanoseconds, state): how long devices have been busy with what the region's thread launched in it, as far as it is
        known now. The state is "complete", "pending" (more is to come), "at least" (what is missing is not known) or "unknown"
        (then it is None, not nanoseconds). Waits for nothing."""
        try:
            if self._device_time is None:
                known, state = (0, _UNKNOWN) if self._id is None else _door.device_time(self._id)
                told = (None if state == _UNKNOWN else known, _STATES[state])
                if state != _COMPLETE:
                    return told
                self._device_time = told
            return self._device_time
        except _LEFT_OUT:
            return None, "unknown"

    @property
    def device_ns(self):
        """The region's device time; None: it is not complete, or was not asked for."""
        try:
            known, state = self.device_time()
            return known if state == _STATES[_COMPLETE] else None
        except _LEFT_OUT:
            return None

    def __enter__(self):
        try:
            self._begin(self._flags)
        except _LEFT_OUT:
            pass
        return self

    def __exit__(self, kind, error, trace):
        try:
            self._end()
        except _LEFT_OUT:
            pass

    async def __aenter__(self):
        try:
            self._begin(self._flags | _ANY_THREAD)
        except _LEFT_OUT:
            pass
        return self

    async def __aexit__(self, kind, error, trace):
        try:
            self._end()
        except _LEFT_OUT:
            pass

    def __call__(self, function):
        try:
            kind = type(function)
            if kind is staticmethod or kind is classmethod:
                return kind(_watched(self._name, self._labels, function.__func__))
            return _watched(self._name, self._labels, function)
        except _LEFT_OUT:
            return function


def _again(name, flags, labels):
    """A region for one call."""
    try:
        return _Region(name, flags, labels)
    except _LEFT_OUT:
        return _nothing


def _watched(name, labels, function):
    """A function of the same kind, each call of which is a region; or the function itself, if it is none of Python's or an
    asynchronous generator's."""
    if type(function) is not type(_watched) or function.__code__.co_flags & _OTHER_KINDS:
        return function
    import functools

    if function.__code__.co_flags & _COROUTINE:

        @functools.wraps(function)
        async def watched(*words, **named):
            with _again(name, _ANY_THREAD, labels):
                return await function(*words, **named)

    elif function.__code__.co_flags & _GENERATOR:

        @functools.wraps(function)
        def watched(*words, **named):
            with _again(name, _ANY_THREAD, labels):
                return (yield from function(*words, **named))

    else:

        @functools.wraps(function)
        def watched(*words, **named):
            with _again(name, 0, labels):
                return function(*words, **named)

    return watched


_nothing = _Nothing()
_door = _find_door()
_no_labels = (None, 0, None)

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
        try:
            asked = 0
            for flag in flags:
                if type(flag) is int and flag == DEVICE_TIME:
                    asked = DEVICE_TIME
            return _Region(_text_of(name), asked, _door.labels(labels) if labels else _no_labels)
        except _LEFT_OUT:
            return _nothing

    def pause():
        """Nothing that begins from now on is recorded (with --gate program). True: so it is."""
        try:
            return _door.pause() == 1
        except _LEFT_OUT:
            return False

    def resume():
        """It is again."""
        try:
            return _door.resume() == 1
        except _LEFT_OUT:
            return False

    def flush():
        """What devices have done and their driver still holds goes to the launcher now."""
        try:
            _door.flush()
        except _LEFT_OUT:
            pass

    def output_dir():
        """The run's directory; None: nobody records."""
        try:
            directory = _door.output_dir()
            return None if directory is None else _os.fsdecode(directory)
        except _LEFT_OUT:
            return None

    def is_recording():
        """Whether what begins on this thread now is recorded."""
        try:
            return _door.is_recording() == 1
        except _LEFT_OUT:
            return False
