# SPDX-License-Identifier: Apache-2.0
"""Small programs as people write them, each with one line that costs it most: `answer: CASE` (two where either change brings the same);
`also: CASE` at what a report may name, too.
What has no `answer` is as good as it can be.

answers.py CASE"""

import gc
import hashlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time

import torch
from torch import nn

STEPS, PAUSE = 25, 0.012


def work(pause=PAUSE):
    """A processor that computes, whatever else runs on the machine."""
    until = time.thread_time() + pause
    while time.thread_time() < until:
        hashlib.sha256(bytes(1000)).hexdigest()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(256, 256) for _ in range(4))

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x.square().mean()


def producer(model):
    """Another thread makes the batches, too slowly."""
    ready = queue.Queue(2)

    def make():
        for _ in range(STEPS):
            time.sleep(PAUSE)
            ready.put(torch.ones(64, 256).pin_memory())
        ready.put(None)

    threading.Thread(target=make, daemon=True).start()
    while (x := ready.get()) is not None:  # answer: producer
        model(x.cuda(non_blocking=True)).backward()


def read_files(model):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.json")
        with open(path, "w") as file:
            json.dump([[float(i)] * 256 for i in range(128)], file)
        for _ in range(STEPS):
            with open(path) as file:
                rows = json.load(file)  # answer: read_files
            x = torch.tensor(rows).pin_memory().cuda(non_blocking=True)  # also: read_files
            model(x).backward()


def augment(model):
    images = torch.ones(64, 256)
    for _ in range(STEPS):
        x = flipped(images)  # answer: augment
        model(x.pin_memory().cuda(non_blocking=True)).backward()


def flipped(images):
    rows = []
    for row in images:
        work(PAUSE / 64)
        rows.append(row.flip(0))
    return torch.stack(rows)


class Trainer:
    def __init__(self, model):
        self.model = model

    def fit(self):
        for _ in range(STEPS):
            self.step(torch.ones(64, 256, device="cuda"))
            self.at_end()  # answer: callback

    def step(self, x):
        self.model(x).backward()

    def at_end(self):
        for callback in (self.collect,):
            callback()

    def collect(self):
        gc.collect()
        work()


def callback(model):
    Trainer(model).fit()


def metrics(model):
    """One value is read for each of the metrics of a step."""
    x, seen = torch.ones(64, 256, device="cuda"), []
    for _ in range(STEPS):
        loss = model(x)
        loss.backward()
        seen.append(loss.item())  # answer: metrics
    print(len(seen))


def clip(model):
    x = torch.ones(64, 256, device="cuda")
    for _ in range(STEPS):
        model(x).backward()
        norm = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
        if norm > 1:  # answer: clip
            model.zero_grad()


def log_helper(model):
    x = torch.ones(64, 256, device="cuda")
    for step in range(STEPS):
        loss = model(x)
        loss.backward()
        log("loss", loss)  # answer: log_helper
        if step % 12 == 0:
            log("norm", x.norm())


def log(name, value):
    print(name, float(value), file=sys.stderr)


def results(model):
    """Predictions are brought back one batch after the other."""
    x, kept = torch.ones(4096, 256, device="cuda"), []
    for _ in range(STEPS):
        y = model.layers[0](x)
        kept.append(y.detach().cpu())  # answer: results
    print(len(kept))


def synchronise(model):
    x = torch.ones(64, 256, device="cuda")
    for _ in range(STEPS):
        model(x).backward()
        torch.cuda.synchronize()  # answer: synchronise
        work(0.001)  # answer: synchronise


def poll(model):
    x, done = torch.ones(64, 256, device="cuda"), torch.cuda.Event()
    for _ in range(STEPS):
        model(x).backward()
        done.record()
        while not done.query():  # answer: poll
            pass
        work(0.001)  # answer: poll


def every_tenth(model):
    """Now and then the host evaluates."""
    x = torch.ones(64, 256, device="cuda")
    for step in range(2 * STEPS):
        model(x).backward()
        if step % 10 == 9:
            work(8 * PAUSE)  # answer: every_tenth


def server(model):
    """Requests come one after the other, each when the one before was answered."""
    requests, answers = queue.Queue(), queue.Queue()

    def client():
        for _ in range(STEPS):
            time.sleep(PAUSE)
            requests.put(torch.ones(8, 256))
            answers.get()
        requests.put(None)

    threading.Thread(target=client, daemon=True).start()
    while True:
        request = requests.get()  # answer: server
        if request is None:
            return
        with torch.no_grad():
            answers.put(model(request.pin_memory().cuda(non_blocking=True)))


def child(model):
    x = torch.ones(64, 256, device="cuda")
    for _ in range(STEPS):
        model(x).backward()
        subprocess.run(["sleep", str(PAUSE)], check=True)  # answer: child


def tokens(model):
    text = "a word and another " * 4000
    for _ in range(STEPS):
        ids = [sum(map(ord, word)) % 256 for word in text.split() for _ in range(4)]  # answer: tokens
        x = torch.tensor(ids[:256], dtype=torch.float32).pin_memory()
        model(x.cuda(non_blocking=True)[None]).backward()


def epochs(model):
    """The data is shuffled anew before each epoch."""
    x = torch.ones(64, 256, device="cuda")
    for _ in range(8):
        shuffle()  # answer: epochs
        for _ in range(5):
            model(x).backward()


def shuffle():
    work(4 * PAUSE)


def batch_of_lists(model):
    for _ in range(STEPS):
        rows = [[float(i)] * 256 for i in range(512)]  # also: batch_of_lists
        x = torch.tensor(rows, device="cuda")  # answer: batch_of_lists
        model(x).backward()


def checkpoints(model):
    x = torch.ones(64, 256, device="cuda")
    with tempfile.TemporaryDirectory() as folder:
        for step in range(STEPS):
            model(x).backward()
            if step % 5 == 4:
                state = {name: [value] * 20 for name, value in model.state_dict().items()}  # also: checkpoints
                torch.save(state, os.path.join(folder, str(step)))  # answer: checkpoints


def generate(model):
    """Each token depends on the one before, and the host looks at it."""
    x, text = torch.ones(1, 256, device="cuda"), []
    with torch.no_grad():
        for _ in range(4 * STEPS):
            for layer in model.layers:
                x = layer(x)  # also: generate
            token = x.argmax()
            text.append(int(token))  # answer: generate
    print(len(text))


def gives_back(model):
    """Memory is given back after each step, and taken again."""
    for _ in range(STEPS):
        x = torch.ones(64, 256, device="cuda")
        model(x).backward()
        del x
        torch.cuda.empty_cache()  # answer: gives_back


def ahead(model):
    """As good as it can be: another thread is in time, nothing is waited for before the end."""
    x, steps = torch.ones(64, 256, device="cuda"), []
    for _ in range(4 * STEPS):
        loss = model(x)
        loss.backward()
        steps.append(loss.detach())
    print(torch.stack(steps).sum().item())


def prefetched(model):
    """As good as it can be: the next batch is copied while this one is computed."""
    side = torch.cuda.Stream()
    batches = [torch.ones(64, 256).pin_memory() for _ in range(4)]
    for step in range(2 * STEPS):
        with torch.cuda.stream(side):
            x = batches[step % 4].cuda(non_blocking=True)
        torch.cuda.current_stream().wait_stream(side)
        model(x).backward()


CASES = (producer, read_files, augment, callback, metrics, clip, log_helper, results, synchronise, poll, every_tenth, server, child,
         tokens, epochs, batch_of_lists, checkpoints, generate, gives_back, ahead, prefetched)


def main():
    model = Model().cuda()
    model(torch.ones(64, 256).cuda()).backward()  # loads the code
    torch.cuda.synchronize()
    {case.__name__: case for case in CASES}[sys.argv[1]](model)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
