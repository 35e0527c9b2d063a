# SPDX-License-Identifier: Apache-2.0
"""A Python program with ranges of the `nvtx` package: default and named domains, categories,
colours, payloads, threads."""

import threading

import nvtx


@nvtx.annotate("decorated", color="red")
def decorated():
    with nvtx.annotate("inside", domain="loader", category="decode", payload=5):
        return 1


def main():
    with nvtx.annotate("whole", color="blue"):
        for step in range(3):
            with nvtx.annotate(f"step {step}", payload=step):
                decorated()
        thread = threading.Thread(target=decorated)
        thread.start()
        thread.join()
        nvtx.mark("mark", domain="loader")
        token = nvtx.start_range("started", domain="loader")
        nvtx.end_range(token)
    print("done")


if __name__ == "__main__":
    main()
