# SPDX-License-Identifier: Apache-2.0
"""Four steps as a training loop names them, some ranges shorter than a microsecond, on two
threads."""

import threading

import nvtx


def short():
    for _ in range(50):
        with nvtx.annotate("tiny"):
            pass
        with nvtx.annotate("tiny too"):
            pass


def main():
    thread = threading.Thread(target=short)
    thread.start()
    for step in range(1, 5):
        with nvtx.annotate(f"ProfilerStep#{step}"):
            for name in ("forward", "backward", "optimizer"):
                with nvtx.annotate(name):
                    short()
    thread.join()


if __name__ == "__main__":
    main()
