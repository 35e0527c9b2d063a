# SPDX-License-Identifier: Apache-2.0
"""A pipeline as for images from noise: a text encoder, steps of a convolutional denoiser with attention, a decoder, each stage in a
range. Between them what makes such programs wait: print(tensor), nonzero, .cpu(), .tolist(), pageable copies.

pipeline.py [STEPS]"""

import sys

import torch
from stages import new_memory, stage
from torch import nn
from torch.nn import functional

CHANNELS, SIDE = 32, 32


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(4, CHANNELS, 3, stride=2, padding=1)
        self.norm = nn.GroupNorm(4, CHANNELS)
        self.project = nn.Linear(CHANNELS, 3 * CHANNELS)
        self.up = nn.ConvTranspose2d(CHANNELS, 4, 4, stride=2, padding=1)

    def forward(self, x, text):
        x = functional.silu(self.norm(self.down(x)))
        rows = x.flatten(2).transpose(1, 2) + text
        q, k, v = (part.unflatten(2, (4, CHANNELS // 4)).transpose(1, 2) for part in self.project(rows).chunk(3, 2))
        rows = functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        return self.up(rows.transpose(1, 2).reshape(x.shape))


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    encoder = nn.Sequential(nn.Embedding(1000, CHANNELS), nn.Linear(CHANNELS, CHANNELS)).cuda().half()
    denoiser, decoder = Denoiser().cuda().half(), nn.Conv2d(4, 3, 3, padding=1).cuda().half()
    with torch.no_grad():
        with stage("encode"):
            words = torch.randint(0, 1000, (2, 8))
            text = encoder(words.cuda()).mean(1, keepdim=True)
        with stage("noise"):
            picture = torch.randn(2, 4, SIDE, SIDE).cuda().half()  # 32 KiB from pageable memory
            mask = torch.rand(256, 1024).cuda()  # 1 MiB
        for number in range(steps):
            with stage(f"denoise {number}"):
                picture = picture - 0.1 * denoiser(picture, text)
                with stage("watch"), new_memory():
                    bad = torch.isnan(picture).nonzero()
        with stage("decode"):
            image = decoder(picture)
            with stage("show"), new_memory():
                print(type(str(image[0, 0, 0, :4])).__name__, bad.dim(), mask.dim())
            with stage("save"):
                image.cpu()
                picture[0, 0, 0].tolist()
    print(f"{steps} steps, a picture of {tuple(image.shape)}")


if __name__ == "__main__":
    main()
