# SPDX-License-Identifier: Apache-2.0
"""Operators whose inputs are not all plain tensors: lists, scalars of each kind, texts, nothing, many dimensions, each dtype, tensors
without storage, sparse, nested, quantized, of subclasses, under transformations, with symbolic sizes.

odd_tensors.py [apart]     apart: those too that torch.profiler tells otherwise, or not at all"""

import sys

import torch
from torch.autograd.profiler import record_function


class Subclass(torch.Tensor):
    pass


def scalars(x):
    for value in (1e9, 1e12, 1e19, -3.0, -0.0, 0.5, 1 / 3, 1e-300, float("nan"), float("inf"), -float("inf"), 123456789.123):
        torch.full((1,), value, dtype=torch.float64)
    for value in (1.5 - 2.25j, 1j, True, 7, -(2**63)):
        torch.full((1,), value)
    torch.add(x, 3, alpha=2).div(2, rounding_mode="floor").clamp(min=0.1)
    torch.empty(2, 2, memory_format=torch.contiguous_format).to(torch.float64)


def lists(x):
    torch.cat([x, x])
    torch.cat([x] * 30)
    torch.cat([x] * 31)
    torch.zeros(40).view([1] * 35 + [40])
    torch.einsum("ij,jk->ik", x, x)
    torch._foreach_add([x, x[0]], [1.0, 2.0])
    torch._foreach_add([x, x[0]], 1.0)
    x[[0]], x[None, [0], [1]]
    torch.ops.aten.index(x, [None, torch.tensor([0])])
    x.sum(dim=[]), x.logsumexp([0, 1], True)
    torch.nn.functional.interpolate(x[None, None], scale_factor=2.0, mode="bilinear")
    torch.nn.LSTM(2, 2)(x)


def dtypes():
    for name in ("uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex32", "complex64", "complex128", "bool",
                 "bfloat16", "float8_e5m2", "float8_e4m3fn", "uint16", "uint32", "uint64"):
        torch.empty(2, dtype=getattr(torch, name)).view(2)
    torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8).clone()


def shapes(x):
    torch.tensor(3.0).add(1)
    torch.zeros(0, 3).add(1)
    torch.zeros(1, 2, 3, 4, 5, 6, 7)[..., ::2].contiguous()
    torch.zeros([1] * 60)[0].clone()
    x.t().expand(3, 2, 2).neg()
    torch.nn.functional.conv1d(torch.ones(1, 1, 8), torch.ones(1, 1, 3), padding=1)


def without_storage(x):
    torch.empty(2, 3, device="meta").add(1)
    x.to_sparse().add(x.to_sparse()).to_dense()
    x.to_sparse_csr().clone()
    torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]).clone()
    x.as_subclass(Subclass).mul(2).sum()
    if torch.backends.mkldnn.is_available():
        x.to_mkldnn().clone()


def gradients():
    x = torch.ones(2, 3, requires_grad=True)
    first, _second = x.split([1, 2], 1)
    first.sum().backward()
    torch.func.grad(lambda a: a.sin().sum())(x.detach())
    torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False).sum().backward()


def told_otherwise(x):
    torch.func.vmap(lambda a: a.sin() + 1)(x)
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)
    nested.mul(2)
    nested.unsqueeze(-1).expand(2, nested.size(1), 4)  # a size that only Python knows
    torch.func.functionalize(lambda a: a.add_(1))(x.clone())
    torch.cat([torch.zeros([1] * 60)] * 30)  # more than a record tells


def main():
    x = torch.ones(2, 2)
    x.add(1)
    with record_function("compared"):
        scalars(x)
        lists(x)
        dtypes()
        shapes(x)
        without_storage(x)
        gradients()
    if sys.argv[1:] == ["apart"]:
        with record_function("told apart"):
            told_otherwise(x)
    print("done")


if __name__ == "__main__":
    main()
