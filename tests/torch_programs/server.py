# SPDX-License-Identifier: Apache-2.0
"""A server: requests come to a queue, threads with a stream each answer them in batches and wait for an event.

server.py [REQUESTS] [THREADS] [--poll]     --poll: ask again and again instead"""

import queue
import sys
import threading

import torch
from stages import stage
from torch import nn


def serve(name, model, requests, answers, poll):
    stream, done = torch.cuda.Stream(), torch.cuda.Event()
    pinned = torch.empty(8, 10).pin_memory()
    with torch.no_grad(), torch.cuda.stream(stream):
        while (request := requests.get()) is not None:
            number, x = request
            with stage(f"request {number}"):
                with stage("compute"):
                    y = model(x.cuda(non_blocking=True))
                    pinned.copy_(y, non_blocking=True)
                    done.record()
                with stage("answer"):
                    if poll:
                        while not done.query():
                            pass
                    else:
                        done.synchronize()
                    answers.put((number, name, pinned.clone()))


def main():
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    count, workers = [*numbers, *(24, 3)[len(numbers):]]
    model = nn.Sequential(nn.Linear(128, 512), nn.ReLU(), nn.Linear(512, 10)).cuda().eval()
    torch.cuda.synchronize()
    requests, answers = queue.Queue(), queue.Queue()
    threads = [threading.Thread(target=serve, args=(f"server {i}", model, requests, answers, "--poll" in sys.argv)) for i in range(workers)]
    for thread in threads:
        thread.start()
    for number in range(count):
        requests.put((number, torch.randn(8, 128).pin_memory()))
    for _ in threads:
        requests.put(None)
    for thread in threads:
        thread.join()
    print(f"{answers.qsize()} answers")


if __name__ == "__main__":
    main()
