# SPDX-License-Identifier: Apache-2.0
"""Two pictures by Stable Diffusion of diffusers, with small random weights: diffusion.py [STEPS]."""

import json
import os
import sys
import tempfile

import torch
from diffusers import AutoencoderKL, DDIMScheduler, StableDiffusionPipeline, UNet2DConditionModel
from transformers import CLIPTextConfig, CLIPTextModel, CLIPTokenizer

PROMPTS = ("a boat at dawn", "the same boat at night, in the rain")


def tokenizer(folder):
    letters = [chr(code) for code in range(ord("!"), 127)]
    words = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    with open(os.path.join(folder, "vocab.json"), "w") as file:
        json.dump({word: number for number, word in enumerate(words)}, file)
    with open(os.path.join(folder, "merges.txt"), "w") as file:
        file.write("#version: 0.2\n")
    return CLIPTokenizer(os.path.join(folder, "vocab.json"), os.path.join(folder, "merges.txt"), model_max_length=77), len(words)


def pipeline():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        words, count = tokenizer(folder)
    text = CLIPTextModel(CLIPTextConfig(vocab_size=count, hidden_size=32, intermediate_size=64, num_attention_heads=4, num_hidden_layers=2,
                                        bos_token_id=count - 2, eos_token_id=count - 1, pad_token_id=count - 1))
    unet = UNet2DConditionModel(sample_size=16, block_out_channels=(32, 64), layers_per_block=1, norm_num_groups=8, cross_attention_dim=32,
                                down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"))
    vae = AutoencoderKL(block_out_channels=(32, 64), down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2,
                        latent_channels=4, norm_num_groups=8)
    made = StableDiffusionPipeline(vae=vae, text_encoder=text, tokenizer=words, unet=unet, scheduler=DDIMScheduler(), safety_checker=None,
                                   feature_extractor=None, requires_safety_checker=False)
    made.set_progress_bar_config(disable=True)
    return made.to("cuda")


if __name__ == "__main__":
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    pipe = pipeline()
    for prompt in PROMPTS:
        pictures = pipe(prompt, num_inference_steps=steps, height=32, width=32, output_type="np").images
        print(pictures.shape)
