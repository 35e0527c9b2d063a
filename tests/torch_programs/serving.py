# SPDX-License-Identifier: Apache-2.0
"""Answers eight requests at once with a small Llama of transformers: a server on asyncio that computes in a thread."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import torch
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.generation.streamers import BaseStreamer

REQUESTS = 8


class Enough(Exception):
    pass


class Tokens(BaseStreamer):
    """Ends the generation after so many: also where a device computes no ends."""

    def __init__(self, most):
        self.most, self.count = most, -1  # the prompt comes first

    def put(self, value):
        self.count += 1
        if self.count == self.most:
            raise Enough

    def end(self):
        pass


class Server:
    def __init__(self):
        torch.manual_seed(0)
        config = LlamaConfig(vocab_size=128, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
                             num_key_value_heads=2, bos_token_id=1, eos_token_id=None, pad_token_id=0)
        self.model = LlamaForCausalLM(config).to("cuda").eval()
        self.worker = ThreadPoolExecutor(1)

    def generate(self, tokens, most):
        streamer = Tokens(most)
        try:
            with torch.no_grad():
                self.model.generate(tokens, attention_mask=torch.ones_like(tokens), max_new_tokens=64, do_sample=False, streamer=streamer)
        except Enough:
            pass
        return streamer.count

    async def answer(self, request_id, length, most):
        begin = time.perf_counter()
        tokens = torch.randint(2, 128, (1, length)).to("cuda")
        await asyncio.sleep(0.002 * (length % 5))
        answered = await asyncio.get_running_loop().run_in_executor(self.worker, self.generate, tokens, most)
        print(f"{request_id} {answered} {time.perf_counter() - begin:.6f}", flush=True)


async def main():
    server = Server()
    await asyncio.gather(*(server.answer(f"request-{i}", 4 + i, 2 + i % 3) for i in range(REQUESTS)))


if __name__ == "__main__":
    asyncio.run(main())
