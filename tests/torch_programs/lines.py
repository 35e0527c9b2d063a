# SPDX-License-Identifier: Apache-2.0
"""What people write in PyTorch that waits for the GPU. Each line that waits says so in a comment.

lines.py"""

import torch
from torch.utils.data import DataLoader, TensorDataset


class Noisy(torch.nn.Module):
    def forward(self, x):
        return x * x.sum().item()  # waits


def read_back(x):
    x.sum().item()  # waits
    x.cpu()  # waits
    x.nonzero()  # waits
    print(float(x[0]))  # waits
    if x.sum() > 0:  # waits
        pass
    x.tolist()  # waits
    return [y.item() for y in x[:2]]  # waits


def copies(x, host):
    x.copy_(host)  # waits
    host.to("cuda")  # waits
    torch.tensor([1.0, 2.0], device="cuda")  # waits
    x.to("cpu", non_blocking=True)
    torch.cuda.synchronize()  # waits


def memory():
    big = torch.empty(64 << 20, device="cuda")
    big.add_(1)
    del big
    torch.cuda.empty_cache()  # waits


def loader():
    data = TensorDataset(torch.ones(8, 4))
    for (batch,) in DataLoader(data, batch_size=4, pin_memory=True):
        batch.to("cuda", non_blocking=True)
    torch.cuda.synchronize()  # waits


def scaled_step(x):
    layer = Noisy()
    weight = torch.nn.Parameter(x.clone())
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scaler = torch.amp.GradScaler("cuda")
    loss = scaler.scale(layer(weight).sum())
    loss.backward()
    scaler.step(optimizer)  # waits
    scaler.update()


def generated(x):
    for value in (y.sum().item() for y in (x, x)):  # waits
        assert isinstance(value, float)


def main():
    host = torch.ones(1 << 16)
    x = host.cuda()  # waits
    read_back(x[:4])
    copies(x, host)
    memory()
    loader()
    scaled_step(x[:64])
    generated(x)
    print("done")


if __name__ == "__main__":
    main()
