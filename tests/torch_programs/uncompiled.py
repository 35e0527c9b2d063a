# SPDX-License-Identifier: Apache-2.0
"""For programs that compile nothing: neither their optimizers nor their process groups nor DistributedDataParallel import torch._dynamo, which takes as
long as PyTorch itself, more than a second of CPU.

What those ask of it is here. Whoever asks for more gets an AttributeError."""

import sys
import types

import torch


def leave_dynamo_out():
    module = types.ModuleType("torch._dynamo")
    module.disable = lambda function, *_, **__: function
    module.graph_break = lambda: None
    module.utils = types.SimpleNamespace(get_optimize_ddp_mode=lambda: "no_optimization")
    module.trace_rules = types.SimpleNamespace(clear_lru_cache=lambda: None)
    sys.modules[module.__name__] = torch._dynamo = module
