# SPDX-License-Identifier: Apache-2.0
"""What the programs share: NVTX ranges whose true times are written down beside them, for the tests to compare with.

$STAGES names the file, one JSON object a line: name, thread, start_ns and end_ns on CLOCK_MONOTONIC."""

import contextlib
import json
import os
import threading
import time

import torch

_path = os.environ.get("STAGES")


def write(**row):
    if _path:
        file = os.open(_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(file, (json.dumps(row) + "\n").encode())  # one write: whole lines from all threads
        os.close(file)


@contextlib.contextmanager
def stage(name):
    begin = time.monotonic_ns()
    with torch.cuda.nvtx.range(name):
        yield
    write(name=name, thread=threading.get_native_id(), start_ns=begin, end_ns=time.monotonic_ns())


@contextlib.contextmanager
def new_memory():
    """Memory that nobody used before is zeros. Where kernels write nothing, other memory has any numbers in it, and what an
    operator counts there has no meaning."""
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        yield
    _pools.append(pool)


_pools = []
