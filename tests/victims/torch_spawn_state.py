# SPDX-License-Identifier: Apache-2.0
"""What processes of torch.multiprocessing.spawn have from their start."""

import torch.multiprocessing as mp
from print_state import state


def work(number, queue):
    queue.put((number, state(f"worker {number}")))


if __name__ == "__main__":
    queue = mp.get_context("spawn").SimpleQueue()
    context = mp.spawn(work, args=(queue,), nprocs=2, join=False)
    found = sorted(queue.get() for _ in range(2))
    context.join()
    for _, lines in [*found, (0, state("parent"))]:
        print("\n".join(lines))
