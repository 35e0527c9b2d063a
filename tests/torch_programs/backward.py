# SPDX-License-Identifier: Apache-2.0
"""Calls of backward() for which autograd's own thread waits for the GPU: the choice of some elements counts them again on the way back.
Lines that ask for gradients say in a comment what they are.

backward.py"""

import os
import sys
import threading
import time

import torch

TURNS = 3
STARTED = 0.3  # s: from a thread's last line before autograd into it


def loss_of(weight, hook=None):
    chosen = weight * 2
    if hook is not None:
        chosen.register_hook(hook)
    return chosen[weight.detach() > 0].sum()


def step(weight):
    loss_of(weight).backward()  # alone


def gradient(weight):
    return torch.autograd.grad(loss_of(weight), weight)  # alone


def fail(gradient):
    raise ArithmeticError("a hook's")


def failing(weight):
    try:
        loss_of(weight, fail).backward()  # alone
    except ArithmeticError:
        pass
    else:
        raise AssertionError("the hook was not called")


class Again(torch.autograd.Function):
    """Asks for gradients while autograd does, as checkpoints do: of the inner call the thread has lines of its own."""

    @staticmethod
    def forward(context, weight):
        context.save_for_backward(weight)
        return weight * 1

    @staticmethod
    def backward(context, gradient):
        with torch.enable_grad():
            weight = context.saved_tensors[0].detach().requires_grad_()
            weight.sum().backward()  # inside
        return gradient * weight.grad


def nested(weight):
    Again.apply(weight * 2)[weight.detach() > 0].sum().backward()  # alone
    before = weight * 3
    Again.apply(before[weight.detach() > 0]).sum().backward()  # alone


def is_in_autograd(thread):
    frame = sys._current_frames().get(thread.ident)
    return frame is not None and frame.f_code.co_name == "_engine_run_backward"


def at_once(weight):
    """One thread's hook holds up autograd's until the other thread is in there as well."""

    def hold(gradient):
        held.set()
        while not is_in_autograd(other):
            time.sleep(0.001)
        time.sleep(STARTED)

    def late():
        held.wait()
        loss_of(weight.detach().clone().requires_grad_()).backward()  # met

    held, other = threading.Event(), threading.Thread(target=late)
    other.start()
    chosen = (weight * 2)[weight.detach() > 0]
    chosen.register_hook(hold)
    chosen.sum().backward()  # met
    other.join()


def main():
    weight = torch.ones(1 << 10, device="cuda", requires_grad=True)
    for _ in range(TURNS):
        step(weight)
        gradient(weight)
        failing(weight)
        nested(weight)
        at_once(weight)
        step(weight)
    torch.cuda.synchronize()
    print("done", flush=True)
    os._exit(0)  # an exit in which autograd's thread takes the interpreter's lock aborts, with Syncline and without it


main()
