# SPDX-License-Identifier: Apache-2.0
"""--preset: functions of a framework become ranges with labels, by the files that come with the command or by one of the user's; mistakes are errors."""

import os
from collections import Counter

import interpreters
from syncline_test import ROOT

LABELS = ("python",)
# A package with the names of diffusers', of which only some are stages.
PACKAGE = {
    "diffusers/__init__.py": "",
    "diffusers/pipelines/__init__.py": "",
    "diffusers/pipelines/toy/__init__.py": "",
    "diffusers/pipelines/toy/pipeline_toy.py": """
from diffusers.models.autoencoders.autoencoder_kl import AutoencoderKL
from diffusers.schedulers.scheduling_toy import ToyScheduler

class ToyPipeline:
    def __init__(self):
        self.vae, self.scheduler = AutoencoderKL(), ToyScheduler()
    def encode_prompt(self, prompt):
        return self.helper(prompt)
    def helper(self, prompt):
        return len(prompt)
    def __call__(self, prompt, steps):
        value = self.encode_prompt(prompt)
        for _ in range(steps):
            value = self.scheduler.step(value)
        return self.vae.decode(value)
""",
    "diffusers/schedulers/__init__.py": "",
    "diffusers/schedulers/scheduling_toy.py": """
class ToyScheduler:
    _step_index = 0
    def step(self, value):
        self._step_index += 1
        return value + 1
""",
    "diffusers/models/__init__.py": "",
    "diffusers/models/autoencoders/__init__.py": "",
    "diffusers/models/autoencoders/autoencoder_kl.py": "class AutoencoderKL:\n    def decode(self, value):\n        return value * 2\n",
    "main.py": "from diffusers.pipelines.toy.pipeline_toy import ToyPipeline\n\ndef own(pipeline):\n    return pipeline('prompt', 3)\n\nprint(own(ToyPipeline()))\n",
}
PIPELINE = "diffusers.pipelines.toy.pipeline_toy.ToyPipeline"
STAGES = {f"{PIPELINE}.__call__": 1, f"{PIPELINE}.encode_prompt": 1, "diffusers.schedulers.scheduling_toy.ToyScheduler.step": 3,
          "diffusers.models.autoencoders.autoencoder_kl.AutoencoderKL.decode": 1}


def test(t):
    for name, text in PACKAGE.items():
        os.makedirs(os.path.dirname(t.path(name)), exist_ok=True)
        with open(t.path(name), "w") as file:
            file.write(text)
    with open(t.path("mine.toml"), "w") as file:
        file.write('package = "main"\npython-ranges = ["__main__.own", "*.helper"]\nstep-range = "__main__.*"\n')
    python = interpreters.found(t)[-1][1]

    def record(*options, env=None):
        return t.record([python, t.path("main.py")], list(options), env)

    own = record("--preset", "diffusers")
    t.equal(names(own), Counter(STAGES), "of the command's own")
    labels = [r.args["labels"] for r in own.trace().ranges() if r.name.endswith("Scheduler.step")]
    t.equal(labels, [{"self._step_index": step} for step in range(3)], "labels of a preset")
    t.equal([line for line in own.said if "no function" in line or "none of" in line], [], "a framework has more than a program uses")
    mine = {"__main__.own": 1, f"{PIPELINE}.helper": 1}
    t.equal(names(record("--preset", t.path("mine.toml"))), Counter(mine), "of a file")
    both = record("--preset", f"diffusers, vllm, {t.path('mine.toml')}", "--python-ranges", "*.nobody")
    t.said(both, "--preset vllm: none of its functions was called; --python-ranges: no function that was called fits '*.nobody'")
    t.equal(names(both), Counter({**STAGES, **mine}), "several, and what the line says")
    t.equal(both.manifest()["steps"], 1, "other options of the file")
    t.equal(record("--preset", t.path("mine.toml"), "--step-range", "nothing").manifest()["steps"], 0, "the line wins")
    t.equal(names(record(env={"SYNCLINE_PRESET": "diffusers"})), Counter(STAGES), "by the variable")
    for name in ("lightning", "torchtitan", "transformers", "vllm"):
        done = t.run([t.syncline, "-o", t.new_directory(), "--preset", name, "--", python, t.path("main.py")])
        t.equal((done.status, done.out), (0, b"18\n"), f"{name} can be read: {done}")
    hint(t, python)
    mistakes(t)


def hint(t, python):
    """A program that waits within such a package is told of the preset, once, if it asks for none."""
    library = os.path.join(t.gpu_environment()["LD_LIBRARY_PATH"], "libcudart.so.13")
    if not os.path.exists(library):
        return
    package = t.path("gpu/site-packages/diffusers")
    os.makedirs(package)
    with open(os.path.join(ROOT, "tests", "python_programs", "ranges_gpu.py")) as file, open(os.path.join(package, "__init__.py"), "w") as copy:
        copy.write(file.read())
    with open(t.path("gpu/main.py"), "w") as file:
        file.write("import diffusers\n")
    env = {**t.gpu_environment(), "PYTHONPATH": os.path.dirname(package)}
    words = "the program uses diffusers: `--preset diffusers` shows its stages"
    t.said(t.record([python, t.path("gpu/main.py")], env=env), words)
    for options in (["--preset", "vllm"], ["--python-ranges", "a.b"]):
        asked = t.record([python, t.path("gpu/main.py")], options, env)
        t.check(not any(words in line for line in asked.said), f"{options}: {asked}")


def names(recording):
    return Counter(recording.trace().names())


def mistakes(t):
    with open(t.path("bad.toml"), "w") as file:
        file.write('package = "x"\npython-range = ["a.b"]\n')
    with open(t.path("nested.toml"), "w") as file:
        file.write('preset = "vllm"\n')
    for preset, said in (("diffuser", "there is no preset diffuser (did you mean diffusers?): --preset takes diffusers, lightning"),
                         (t.path("bad.toml"), "bad.toml:2: there is no option python-range: did you mean python-ranges?"),
                         (t.path("nested.toml"), "names another one."), ("./gone.toml", "cannot read the preset ./gone.toml: No such file")):
        done = t.run([t.syncline, "--preset", preset, "--", "true"])
        t.check(done.status == 125 and said in done.err.decode(), f"{preset}: {done}")
