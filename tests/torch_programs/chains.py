# SPDX-License-Identifier: Apache-2.0
"""Trainings that lose time in three known ways at once, at the lines `chain: CASE NAME`, and what they are without some of these.

chains.py CASE [--made NAME,NAME]

--made: what is changed already. tests/harness/chains.py follows the order that a report gives."""

import argparse
import time

import torch
from torch import nn
from twins import Training, compute, measure

WARM_UP = 3


def common(made):
    """The data is made in the loop, the loss is read, and the host keeps its books before the last small kernel."""
    training, losses = Training(), []

    def step(_):
        if "data" not in made:
            compute(0.012)  # chain: common data
        loss = training.step()
        losses.append(loss if "read" in made else loss.item())  # chain: common read
        if "books" not in made:
            time.sleep(0.006)  # chain: common books
        training.x.mul_(1)

    return step


def loading(made):
    """Batches are augmented and copied by the loop itself, and every second one is looked at."""
    training, counts = Training(), []
    batch, labels = torch.ones(16 * Training.size, Training.size), torch.ones(1 << 18).pin_memory()
    batch = batch.pin_memory() if "copy" in made else batch

    def step(number):
        labels.to("cuda", non_blocking=True)
        if "augment" not in made:
            compute(0.009)  # chain: loading augment
        x = batch.to("cuda", non_blocking="copy" in made)  # chain: loading copy
        training.step(x[: Training.size // 4])
        if number % 2 == 0:
            chosen = training.x > 0
            counts.append(chosen.sum() if "look" in made else chosen.nonzero().shape[0])  # chain: loading look

    return step


def files(made):
    """A file every fifth step, statistics at each, and the device is synchronised to measure."""
    training, sums = Training(), []

    def step(number):
        training.step()
        if "synchronise" not in made:
            torch.cuda.synchronize()  # chain: files synchronise
        if "statistics" not in made:
            compute(0.006)  # chain: files statistics
        sums.append(training.x.sum())
        if number % 5 == 4 and "write" not in made:
            time.sleep(0.06)  # chain: files write
        training.x.mul_(1)

    return step


def hidden(made):
    """The host works twice in each step, and reads a value: behind that neither piece of work can hide."""
    training, losses = Training(), []

    def step(_):
        if "first" not in made:
            compute(0.009)  # chain: hidden first
        training.x.mul_(1)
        if "second" not in made:
            compute(0.009)  # chain: hidden second
        loss = training.step()
        losses.append(loss if "read" in made else loss.item())  # chain: hidden read

    return step


def memory(made):
    """Memory is given back in each step, behind what is read and before what is made."""
    training, losses = Training(), []

    def step(_):
        loss = training.step()
        losses.append(loss if "read" in made else loss.item())  # chain: memory read
        if "empty" not in made:
            torch.cuda.empty_cache()  # chain: memory empty
        training.x.mul_(1)
        if "make" not in made:
            time.sleep(0.009)  # chain: memory make

    return step


def uneven(made):
    """What is done in every fourth step alone, between two of the host's works of each."""
    training, log = Training(), []

    def step(number):
        if "prepare" not in made:
            compute(0.0045)  # chain: uneven prepare
        loss = training.step()
        if number % 4 == 3:
            log.append(loss if "log" in made else loss.item())  # chain: uneven log
        if number % 4 == 3 and "evaluate" not in made:
            time.sleep(0.03)  # chain: uneven evaluate
        training.x.mul_(1)

    return step


CASES = (common, loading, files, hidden, memory, uneven)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=[case.__name__ for case in CASES])
    parser.add_argument("--made", default="")
    options = parser.parse_args()
    [case] = [case for case in CASES if case.__name__ == options.case]
    step = case(options.made.split(","))
    for number in range(WARM_UP):
        step(number)
    measure(step)


if __name__ == "__main__":
    main()
