# SPDX-License-Identifier: Apache-2.0
import torch
from torch import nn

model = nn.Sequential(nn.Linear(256, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, 256)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
y = torch.zeros(1024, 256).cuda()
for step in range(50):
    with torch.cuda.nvtx.range("step"):
        x = torch.randn(1024, 256).cuda()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        history = loss.item()
