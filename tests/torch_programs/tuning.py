# SPDX-License-Identifier: Apache-2.0
"""Trains a small GPT-2 with the Trainer of transformers, and evaluates it after each epoch."""

import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments


def texts(count):
    return [{"input_ids": line, "labels": line} for line in torch.randint(0, 128, (count, 32))]


if __name__ == "__main__":
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=128, n_positions=64, n_embd=64, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=0))
    with tempfile.TemporaryDirectory() as folder:
        wanted = TrainingArguments(output_dir=folder, num_train_epochs=2, per_device_train_batch_size=8, per_device_eval_batch_size=16, eval_strategy="epoch",
                                   save_strategy="no", report_to=[], logging_steps=5, disable_tqdm=True, dataloader_pin_memory=False)
        Trainer(model=model, args=wanted, train_dataset=texts(48), eval_dataset=texts(32)).train()
