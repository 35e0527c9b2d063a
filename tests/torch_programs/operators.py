# SPDX-License-Identifier: Apache-2.0
"""One operator after the other, forward and, where there is one, backward, each in a range of its name: what the simulated
libraries must have. An operator that raises is named, and the exit status is 1."""

import sys

import torch
from stages import stage
from torch import nn
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel


def tensor(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda", dtype=dtype, requires_grad=True)


def attention(backend, dtype=torch.bfloat16):
    q = tensor(2, 4, 128, 64, dtype=dtype)
    with sdpa_kernel(backend):
        return functional.scaled_dot_product_attention(q, q, q, is_causal=True)


def matrix():
    return torch.eye(8, device="cuda")


def convolution(channels_last=False, dtype=torch.float16):
    net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)).cuda().to(dtype)
    layout = torch.channels_last if channels_last else torch.contiguous_format
    return net(tensor(2, 3, 32, 32, dtype=dtype).to(memory_format=layout))


def sequence_loss():
    odds = functional.log_softmax(tensor(16, 2, 20), 2)
    return functional.ctc_loss(odds, torch.ones(2, 8, dtype=torch.int32), torch.tensor([16, 16]), torch.tensor([8, 8]))


def sparse():
    """Made on the host: what a kernel would have counted is not there."""
    return torch.eye(8).to_sparse_csr().cuda()


def half_sparse():
    """Two of four elements are zero."""
    weights = torch.eye(64).repeat_interleave(2, 1).half().cuda()
    return torch._cslt_sparse_mm(torch._cslt_compress(weights), tensor(128, 64, dtype=torch.half).detach())


OPERATORS = {
    "matmul": lambda: tensor(64, 64) @ tensor(64, 64),
    "bmm": lambda: tensor(4, 64, 64) @ tensor(4, 64, 64),
    "linear of halves": lambda: nn.Linear(64, 64).cuda().half()(tensor(8, 64, dtype=torch.half)),
    "double": lambda: tensor(64, 64, dtype=torch.double) @ tensor(64, 64, dtype=torch.double),
    "complex": lambda: (tensor(64, 64, dtype=torch.cfloat) @ tensor(64, 64, dtype=torch.cfloat)).abs(),
    "dot": lambda: torch.dot(tensor(64), tensor(64)),
    "matrix by vector": lambda: tensor(64, 64) @ tensor(64),
    "convolution": convolution,
    "convolution, channels last": lambda: convolution(True),
    "transposed convolution": lambda: nn.ConvTranspose2d(3, 8, 3).cuda()(tensor(2, 3, 32, 32)),
    "convolution of three dimensions": lambda: nn.Conv3d(3, 8, 3).cuda()(tensor(2, 3, 8, 8, 8)),
    "layer norm": lambda: nn.LayerNorm(64).cuda()(tensor(8, 64)),
    "group norm": lambda: nn.GroupNorm(2, 8).cuda()(tensor(2, 8, 4, 4)),
    "LSTM": lambda: nn.LSTM(16, 32, num_layers=2, bidirectional=True, dropout=0.5).cuda()(tensor(5, 2, 16))[0],
    "GRU": lambda: nn.GRU(16, 32, bias=False).cuda()(tensor(5, 2, 16))[0],
    "attention, math": lambda: attention(SDPBackend.MATH),
    "attention, flash": lambda: attention(SDPBackend.FLASH_ATTENTION),
    "attention, efficient": lambda: attention(SDPBackend.EFFICIENT_ATTENTION),
    "attention, cuDNN": lambda: attention(SDPBackend.CUDNN_ATTENTION),
    "transformer layer": lambda: nn.TransformerEncoderLayer(64, 4, 128, batch_first=True).cuda()(tensor(2, 16, 64)),
    "CTC loss": sequence_loss,
    "grid sample": lambda: functional.grid_sample(tensor(2, 3, 8, 8), tensor(2, 8, 8, 2), align_corners=True),
    "affine grid": lambda: functional.affine_grid(tensor(2, 2, 3), (2, 3, 8, 8), align_corners=True),
    "embedding": lambda: nn.Embedding(16, 8).cuda()(torch.zeros(4, dtype=torch.long, device="cuda")),
    "fft": lambda: torch.fft.rfft(tensor(8, 64)).abs(),
    "fft of two dimensions": lambda: torch.fft.fft2(tensor(8, 64, dtype=torch.cfloat)).abs(),
    "cholesky": lambda: torch.linalg.cholesky(matrix()),
    "inverse": lambda: torch.linalg.inv(matrix()),
    "solve": lambda: torch.linalg.solve(matrix(), matrix()),
    "qr": lambda: torch.linalg.qr(matrix())[1],
    "svd": lambda: torch.linalg.svdvals(matrix()),
    "eigenvalues": lambda: torch.linalg.eigvalsh(matrix()),
    "triangular solve": lambda: torch.linalg.solve_triangular(matrix(), matrix(), upper=True),
    "sparse by dense": lambda: sparse() @ matrix(),
    "sparse by vector": lambda: sparse() @ torch.ones(8, device="cuda"),
    "sparse by sparse": lambda: (sparse() @ sparse()).values(),
    "half sparse by dense": half_sparse,
    "jiterator": lambda: torch.special.bessel_j0(torch.ones(8, device="cuda")),
    "sort": lambda: tensor(64).sort()[0],
    "cumulated sum": lambda: tensor(64).cumsum(0),
    "multinomial": lambda: torch.multinomial(torch.rand(10, device="cuda"), 3).float(),
}


def main():
    failed = 0
    for name, operator in OPERATORS.items():
        with stage(name):
            try:
                result = operator()
                if result.requires_grad:
                    result.sum().backward()
            except Exception as error:  # the program's purpose is to name them all
                failed += 1
                print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0]}")
    torch.cuda.synchronize()
    print(f"{len(OPERATORS)} operators, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
