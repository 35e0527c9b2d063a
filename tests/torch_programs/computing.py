# SPDX-License-Identifier: Apache-2.0
"""Matrix products, convolutions and attention, forward and backward, of which torch.utils.flop_counter knows what they compute.

computing.py DEVICE [COUNTS]     COUNTS: counts what runs, and writes that to this file: {"aten::mm": FLOPs}"""

import json
import sys

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention
from torch.utils import flop_counter


def layers(device):
    model = nn.Sequential(nn.Linear(24, 40), nn.GELU(), nn.Linear(40, 40, bias=False), nn.Tanh(), nn.Linear(40, 3)).to(device)
    model(torch.ones(7, 5, 24, device=device)).sum().backward()
    model(torch.ones(0, 24, device=device)).sum().backward()  # nothing


def convolutions(device):
    model = nn.Sequential(
        nn.Conv2d(4, 8, 3, stride=2, padding=1),
        nn.Conv2d(8, 8, (3, 1), groups=4, dilation=(2, 1)),
        nn.ConvTranspose2d(8, 6, 4, stride=3, padding=1, output_padding=1, groups=2),
    ).to(device)
    model(torch.ones(2, 4, 21, 19, device=device, requires_grad=True)).sum().backward()
    line = nn.Sequential(nn.Conv1d(3, 5, 4, bias=False), nn.ConvTranspose1d(5, 2, 3)).to(device)
    line(torch.ones(2, 3, 30, device=device)).sum().backward()
    nn.Conv3d(2, 3, 2, padding="same").to(device)(torch.ones(1, 2, 5, 6, 7, device=device)).sum().backward()


def attention(device):
    query = torch.ones(2, 4, 16, 8, device=device, requires_grad=True)
    other = torch.ones(2, 4, 24, 8, device=device, requires_grad=True)
    scaled_dot_product_attention(query, other, other).sum().backward()
    scaled_dot_product_attention(query, query, query, is_causal=True).sum().backward()
    nn.MultiheadAttention(16, 2, batch_first=True).to(device)(*[torch.ones(2, 5, 16, device=device)] * 3)


def products(device):
    a, b = torch.ones(3, 6, 10, device=device, requires_grad=True), torch.ones(3, 10, 4, device=device, requires_grad=True)
    torch.bmm(a, b).sum().backward()
    torch.baddbmm(torch.ones(3, 6, 4, device=device), a, b, beta=0.5).sum().backward()
    torch.einsum("bij,bjk->ik", a, b).sum().backward()
    (a[0].double() @ b[0].double()).sum().backward()
    torch.mm(a[0].bfloat16(), b[0].bfloat16())
    torch.matmul(a, b[0]).sum().backward()


def run(device):
    for part in (layers, convolutions, attention, products):
        part(device)


def grouped(*arguments, out_shape, **_):
    """flop_counter counts the gradient of a grouped convolution's weights as if it had one group."""
    *before, groups, mask = arguments
    backward = flop_counter.flop_registry[torch.ops.aten.convolution_backward]
    to_input, to_weights = (backward(*before, groups, wanted, out_val=out_shape) for wanted in ([mask[0], False, False], [False, mask[1], False]))
    return to_input + to_weights // groups


def main():
    torch.manual_seed(0)
    device = sys.argv[1]
    if len(sys.argv) == 2:
        return run(device)
    with flop_counter.FlopCounterMode(display=False, custom_mapping={torch.ops.aten.convolution_backward: grouped}) as counter:
        run(device)
    counts = {str(name).replace("aten.", "aten::"): flops for name, flops in counter.get_flop_counts()["Global"].items()}
    with open(sys.argv[2], "w") as file:
        json.dump(counts, file)


if __name__ == "__main__":
    main()
