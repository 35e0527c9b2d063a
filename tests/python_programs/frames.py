# SPDX-License-Identifier: Apache-2.0
"""Waits for the GPU in many shapes of code. Writes to a file what the interpreter says of each wait's thread while it waits: frames.py FILE"""

import ctypes
import gc
import json
import sys
import threading

cudart = ctypes.CDLL("libcudart.so.13")
gpu = cudart.cudaStreamSynchronize  # waits; ctypes gives up the interpreter's lock for it
gpu.argtypes = [ctypes.c_void_p]
cudart.cudaLaunchHostFunc.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]

waiters = [None]  # numbers begin with 1
here = threading.local()


class Waiter:
    """A thread that waits: its stream, and its stack at each wait."""

    def __init__(self):
        self.ident, self.tid = threading.get_ident(), threading.get_native_id()
        self.gate = threading.Lock()
        self.gate.acquire()
        self.stacks = []
        self.number = len(waiters)
        waiters.append(self)
        stream = ctypes.c_void_p()
        if cudart.cudaStreamCreate(ctypes.byref(stream)) != 0:
            raise OSError("no stream")
        self.stream = stream.value


def frame_text(frame):
    code = frame.f_code
    name = code.co_qualname if sys.version_info >= (3, 11) else code.co_name
    return code.co_filename, frame.f_lineno or 0, name


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def look(number):
    """On a thread of the GPU's: gets the interpreter's lock when the waiter has begun to wait."""
    waiter = waiters[number]
    waiter.gate.acquire()
    frame, stack = sys._current_frames()[waiter.ident], []
    while frame is not None:
        stack.append(frame_text(frame))
        frame = frame.f_back
    waiter.stacks.append(stack)


def arm():
    """The stream to wait for. After this the thread keeps the interpreter's lock until it waits."""
    if not hasattr(here, "waiter"):
        here.waiter = Waiter()
    waiter = here.waiter
    if cudart.cudaLaunchHostFunc(waiter.stream, look, waiter.number) != 0:
        raise OSError("no host function")
    waiter.gate.release()
    return waiter.stream


def in_threads(count, work):
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main(path):
    import shapes

    gc.disable()  # it runs finalizers where frames are half made, which the interpreter does not show
    sys.setswitchinterval(1000)  # seconds: nobody is asked for the lock
    for depth in (0, 1, 40, 120, 200):
        shapes.deep(depth)
    shapes.all_shapes()
    shapes.traced(shapes.all_shapes)
    in_threads(3, shapes.all_shapes)
    shapes.made_and_dropped(300)
    in_threads(40, lambda: gpu(arm()))
    with open(path, "w") as file:
        for waiter in waiters[1:]:
            json.dump([waiter.tid, waiter.stacks], file)
            file.write("\n")


if __name__ == "__main__":
    sys.modules["frames"] = sys.modules["__main__"]
    main(sys.argv[1])
