# SPDX-License-Identifier: Apache-2.0
"""A transformer answers: prompts without a CUDA graph, then tokens by replaying one, each read back to the host.

inference.py [TOKENS]"""

import sys

import torch
from stages import stage
from torch import nn

WIDTH, LENGTH, BATCH = 256, 64, 4


def main():
    tokens = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    layer = nn.TransformerEncoderLayer(WIDTH, 8, 4 * WIDTH, batch_first=True, norm_first=True)
    model = nn.Sequential(nn.TransformerEncoder(layer, 3, enable_nested_tensor=False), nn.Linear(WIDTH, 1000)).cuda().half().eval()
    static = torch.zeros(BATCH, LENGTH, WIDTH, device="cuda", dtype=torch.half)
    side = torch.cuda.Stream()
    with torch.no_grad():
        with stage("prompt"):
            for _ in range(2):
                static.copy_(torch.randn(BATCH, LENGTH, WIDTH).half().pin_memory(), non_blocking=True)
                model(static)
        with stage("capture"):
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(3):
                    model(static)
            torch.cuda.current_stream().wait_stream(side)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                odds = model(static)
        for number in range(tokens):
            with stage(f"token {number}"):
                with stage("replay"):
                    graph.replay()
                with stage("read"):
                    odds[:, -1].argmax(-1).cpu()
        with stage("drain"):
            torch.cuda.synchronize()
    print(f"{tokens} tokens of {tuple(odds.shape)}")


if __name__ == "__main__":
    main()
