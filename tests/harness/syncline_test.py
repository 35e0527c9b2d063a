# SPDX-License-Identifier: Apache-2.0
"""What a test of tests/e2e gets as `t`: run victims bare or recorded, read their traces, compare.
See tests/README.md."""

import ctypes
import gc
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import processes  # noqa: E402
import torch_judge  # noqa: E402
import trace_check  # noqa: E402
from chrome_trace import load  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VICTIM_SOURCES = os.path.join(ROOT, "tests", "victims")
PYTHON = "/usr/bin/python3"  # the system's, for which Debian's modules are
SAID = re.compile(rb"^syncline: .*\n?", re.MULTILINE)
MOST_LINES = 4  # that Syncline may say after a run
# PyTorch's own race at the end of a process, with nothing of ours in it: a thread of autograd's, or
# of gloo's, takes the interpreter's lock while that goes away. One in 60 runs of a program with
# backward aborted, without Syncline.
EXIT_RACE = b"terminate called without an active exception"
MOST_RACES = 3


class Failed(AssertionError):
    """A check did not hold."""


class Skipped(Exception):
    """The machine lacks what the test needs."""


class Recording(processes.Finished):
    """A command that ran under Syncline. `err` is the program's alone; `said` are Syncline's
    lines."""

    def __init__(self, finished, directory):
        self.__dict__.update(finished.__dict__)
        self.directory = directory
        self.said = [line.decode(errors="replace").rstrip("\n") for line in SAID.findall(self.err)]
        self.err = SAID.sub(b"", self.err)
        self.recovered = False

    def __repr__(self):
        listing = (
            sorted(os.listdir(self.directory)) if os.path.isdir(self.directory) else "no directory"
        )
        return (
            f"{super().__repr__()}\n--- said\n"
            + "\n".join(self.said)
            + f"\n--- {self.directory}: {listing}"
        )

    def ranks(self):
        found = glob.glob(os.path.join(self.directory, "rank-*.trace.json*"))
        return sorted(
            int(re.search(r"rank-(\d+)\.", os.path.basename(path)).group(1)) for path in found
        )

    def trace(self, rank=0):
        """The trace of a rank."""
        found = glob.glob(os.path.join(self.directory, f"rank-{rank}.trace.json*"))
        if len(found) != 1:
            raise Failed(f"traces of rank {rank}: {found}\n{self}")
        return load(found[0])

    def manifest(self, rank=0):
        with open(os.path.join(self.directory, "run", f"rank-{rank}.json")) as file:
            return json.load(file)

    def losses(self, rank=0):
        """Lost records by kind, those that are not 0, summed over the processes of the rank."""
        losses = self.manifest(rank)["losses"]
        return {kind: loss["count"] for kind, loss in losses.items() if loss["count"]}


class Test:
    """One test in one mode. `t.directory` is its scratch folder, gone afterwards."""

    def __init__(self, mode, build, directory):
        self.mode, self.build, self.directory = mode, build, directory
        self.full = bool(os.environ.get("E2E_FULL"))
        self.syncline = os.path.join(build, "bin", "syncline")
        self.library = os.path.join(build, "lib", "libsyncline.so")
        self.runs = 0
        self.recordings = []
        os.makedirs(os.path.join(directory, "tmp"))

    # ---- where things are

    def victim(self, name):
        """A victim program: built (build/*/tests/victims), or a script beside its sources."""
        for path in (
            os.path.join(self.build, "tests", "victims", name),
            os.path.join(VICTIM_SOURCES, name),
        ):
            if os.path.exists(path):
                return path
        raise Skipped(f"the victim {name} was not built: its compiler or library is not installed")

    def cuda_program(self, name, runtime="shared"):
        """A program of tests/simulated_gpu/programs, linked with the shared or static cudart."""
        folder = os.path.join(self.build, "simulated_gpu", "programs")
        path = os.path.join(folder, *(["static"] if runtime == "static" else []), name)
        if not os.path.exists(path):
            raise Skipped(f"{path} was not built: nvcc is not installed")
        return path

    def level_zero_program(self, name):
        """A program of tests/simulated_gpu/level_zero/programs."""
        path = os.path.join(self.build, "simulated_gpu", "level_zero_programs", name)
        if not os.path.exists(path):
            raise Skipped(f"{path} was not built: libze-dev is not installed")
        return [path]

    def gpu_environment(self):
        """What CUDA programs need: the simulated GPUs, or nothing where E2E_GPU names the folders
        of the real libraries."""
        return {"LD_LIBRARY_PATH": os.environ.get("E2E_GPU") or os.path.join(self.build, "simulated_gpu", "lib")}

    def torch_program(self, name, environment="torch-cuda"):
        """The command of a program of tests/torch_programs: PyTorch's CUDA wheel, without its
        warnings. On a real GPU the PyTorch that is installed there."""
        script = os.path.join(ROOT, "tests", "torch_programs", name + ".py")
        if self.on_real_gpu():
            return [self.python_with_torch(environment), "-W", "ignore", script]
        for library in ("libcublas.so.13", "libcudnn.so.9"):
            if not os.path.exists(os.path.join(self.build, "simulated_gpu", "lib", library)):
                raise Skipped(
                    f"the simulated {library} was not built: run tests/harness/make_venvs.sh"
                    " torch-cuda, then scripts/build"
                )
        return [self.venv(environment), "-W", "ignore", script]

    def python_with_torch(self, environment):
        """The interpreter that runs the tests, where it has a PyTorch that sees a GPU."""
        asked = subprocess.run([sys.executable, "-c", "import torch; print(torch.cuda.is_available())"], capture_output=True)
        if environment != "torch-cuda" or asked.stdout.strip() != b"True":
            raise Skipped("no PyTorch here that sees a GPU")
        return sys.executable

    def torch_environment(self, env=None):
        """For a program of tests/torch_programs: where it and the simulated GPUs write what is true."""
        self.runs += 1
        truth, stages = self.path(f"{self.runs}.%p.truth"), self.path(f"{self.runs}.stages")
        told = {"SIMGPU_TRUTH": truth, "STAGES": stages, "OMP_NUM_THREADS": "1"}
        told["PYTHONFAULTHANDLER"] = "1"  # a crash says where it was
        libraries = {} if self.on_real_gpu() else self.gpu_environment()  # PyTorch finds its own
        return {**libraries, **told, **(env or {})}

    def truth(self, trace, env):
        """What the simulated GPUs wrote of the one process of this trace that used them."""
        self.simulated_only()
        [pid] = {call.pid for call in trace.calls()}
        return env["SIMGPU_TRUTH"].replace("%p", str(pid))

    def judge_torch(self, recording, env, what, rank=0, nodes=False):
        """How the trace of a rank compares with what is true; its faults, losses and each error in
        waits end the test. On a real GPU nothing but losses can be judged."""
        self.equal(recording.ending, "status 0", f"{what}: {recording}")
        self.check(b"not modelled" not in recording.err, f"{what}: {recording}")
        trace = recording.trace(rank)
        if self.on_real_gpu():
            self.equal(recording.losses(rank), {}, what)
        self.simulated_only()
        judged = torch_judge.Judged(trace.path, self.truth(trace, env), env["STAGES"], nodes)
        self.equal(judged.faults, [], what)
        self.check(judged.matched > 0, f"{what}: nothing was compared")
        self.equal(recording.losses(rank), {}, what)
        self.equal(judged.invented, [], f"{what}: waits that are told and not true, beside {judged.right} right")
        self.equal(judged.missed, [], f"{what}: waits that could be seen and are not told, beside {judged.right} right")
        return judged

    def past_exit_race(self, run, env):
        """What `run` gives for a program of PyTorch's: of the first run that did not fall into its
        race."""
        for _ in range(MOST_RACES):
            done = run()
            if EXIT_RACE not in done.err:
                return done
            print("PyTorch's own race at the end of a process: once more")
            for name in ("STAGES", "SIMGPU_TRUTH"):  # what is true is appended
                if os.path.exists(env.get(name, "")):
                    os.unlink(env[name])
        return run()

    def record_torch(self, name, *arguments, env=None, environment="torch-cuda", **how):
        """Records a program of tests/torch_programs on the simulated GPUs: the recording and how it
        compares with the truth."""
        self.simulated_only()  # before it takes the time
        env = self.torch_environment(env)
        command = [*self.torch_program(name, environment), *arguments]
        recording = self.past_exit_race(lambda: self.record(command, env=env, **how), env)
        nodes = "--cuda-graphs" in how.get("options", ())
        what = " ".join([*how.get("options", ()), name, *arguments])
        return recording, self.judge_torch(recording, env, what, nodes=nodes)

    def need(self, *programs):
        """Full paths of programs; the test is skipped if one is not installed."""
        found = [shutil.which(program) for program in programs]
        missing = [program for program, path in zip(programs, found) if path is None]
        if missing:
            raise Skipped(f"{', '.join(missing)} not installed (tests/packages.txt)")
        return found[0] if len(found) == 1 else found

    def need_root(self):
        if os.geteuid() != 0:
            raise Skipped("needs root")

    def venv(self, name):
        """Python of a virtual environment that tests/harness/make_venvs.sh made."""
        path = os.path.join(ROOT, "build", f"venv-{name}", "bin", "python")
        if not os.path.exists(path):
            raise Skipped(f"build/venv-{name} is not there: run tests/harness/make_venvs.sh {name}")
        return path

    def skip(self, reason):
        raise Skipped(reason)

    def on_real_gpu(self):
        return bool(os.environ.get("E2E_GPU"))

    def simulated_only(self, reason="a real GPU writes no truth file"):
        """Skips the test on a real GPU."""
        if self.on_real_gpu():
            raise Skipped(reason)

    def need_gpus(self, count):
        """There are as many simulated ones as a program is told."""
        if not self.on_real_gpu():
            return
        listed = self.run(["nvidia-smi", "-L"]).out.count(b"\n") if shutil.which("nvidia-smi") else 0
        if listed < count:
            raise Skipped(f"{count} GPUs are needed, and {listed} are here")

    def need_library(self, name):
        try:
            ctypes.CDLL(name)
        except OSError:
            raise Skipped(f"{name} is not installed (tests/packages.txt)") from None

    def path(self, name):
        return os.path.join(self.directory, name)

    def text(self, name):
        with open(self.path(name)) as file:
            return file.read()

    # ---- running

    def environment(self, more=None):
        """A small environment that is the same everywhere; a value of None removes a variable."""
        env = {
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": self.directory,
            "LC_ALL": "C.UTF-8",
            "TMPDIR": self.path("tmp"),
            "LSAN_OPTIONS": "detect_leaks=0",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        env.update(more or {})
        return {key: str(value) for key, value in env.items() if value is not None}

    def mode_environment(self):
        return {"SYNCLINE_CONSUMER": "process"} if self.mode == "process" else {}

    def start(self, command, env=None, **how):
        """Starts a command as it is; returns at once."""
        return processes.Started(command, self.directory, env=self.environment(env), **how)

    def run(self, command, env=None, timeout=60, **how):
        """Runs a command as it is."""
        return self.start(command, env, **how).wait(timeout)

    def new_directory(self):
        self.runs += 1
        return self.path(f"run{self.runs}")

    def launch(self, program, options=(), directory=None):
        """The command that records `program`."""
        return [
            self.syncline,
            "run",
            "-o",
            directory or self.new_directory(),
            *options,
            "--",
            *program,
        ]

    def record(
        self,
        program,
        options=(),
        env=None,
        timeout=60,
        killed=False,
        leaves=False,
        complete=True,
        **how,
    ):
        """Records a program and holds all that it left to the schema. `killed`: recovery by hand is
        allowed in process
        mode. `leaves`: the program may leave processes running. `complete`: a trace must be there.
        """
        directory = self.new_directory()
        return self.record_command(
            self.launch(program, options, directory),
            directory,
            env=env,
            timeout=timeout,
            killed=killed,
            leaves=leaves,
            complete=complete,
            **how,
        )

    def record_command(self, command, directory, env=None, timeout=60, **more):
        """As `record`, for a command line that has syncline somewhere in it."""
        keep = {key: more.pop(key) for key in ("killed", "leaves", "complete") if key in more}
        before = processes.children(os.getpid())
        finished = self.start(command, {**self.mode_environment(), **(env or {})}, **more).wait(
            timeout
        )
        return self.finish(finished, directory, before=before, **keep)

    def finish(self, finished, directory, killed=False, leaves=False, complete=True, before=()):
        """Checks what every run must leave and must not leave."""
        recording = Recording(finished, directory)
        self.recordings.append(recording)
        if not leaves:
            left = processes.left_behind(3, before)
            self.check(
                not left, f"left running: {', '.join(map(processes.describe, left))}\n{recording}"
            )
        if self.mode == "process" and killed and not self.is_complete(directory):
            self.recover(recording, strict=complete)
        self.check(
            len(recording.said) <= MOST_LINES or not complete or EXIT_RACE in recording.err,  # past_exit_race runs it again
            f"more than {MOST_LINES} lines\n{recording}",
        )
        if complete:
            self.check(self.is_complete(directory), f"no complete trace\n{recording}")
            faults = trace_check.check_directory(directory)
            self.check(not faults, "\n".join(faults) + f"\n{recording}")
        return recording

    def is_complete(self, directory):
        """Whether each trace has its manifest and no spool is left."""
        ranks = glob.glob(os.path.join(directory, "rank-*.trace.json*"))
        spools = glob.glob(os.path.join(directory, "run", "spool", "**", "*.spool"), recursive=True)
        return bool(ranks) and not spools and not any(path.endswith(".tmp") for path in ranks)

    def recover(self, recording, strict=True):
        result = self.run([self.syncline, "recover", recording.directory])
        good = result.status == 0 or not strict
        self.check(good, f"recover failed: {result}\n{recording}")
        recording.recovered = True
        return result

    def transparent(self, program, options=(), env=None, compare=("out", "err"), **how):
        """Runs a program bare and recorded: bytes, exit status and signal must be equal. Returns
        the recording."""
        bare = self.run(
            program,
            env,
            **{k: v for k, v in how.items() if k not in ("killed", "leaves", "complete")},
        )
        recording = self.record(program, options, env, **how)
        for name in compare:
            self.equal(getattr(recording, name), getattr(bare, name), f"std{name}")
        self.equal(recording.ending, bare.ending, "ending")
        return recording

    # ---- checking

    def check(self, good, message):
        if not good:
            raise Failed(message)

    def equal(self, found, wanted, what="value"):
        if found != wanted:
            raise Failed(f"{what} differs\n  found:  {shorten(found)}\n  wanted: {shorten(wanted)}")

    def said(self, result, *words):
        """All words stand in one line that Syncline said, whatever the case of letters."""
        lines = getattr(result, "said", None)
        if lines is None:
            lines = [line.decode(errors="replace") for line in SAID.findall(result.err)]
        wanted = [str(word).lower() for word in words]
        self.check(
            any(all(word in line.lower() for word in wanted) for line in lines),
            f"no line says all of {words}\n{result}",
        )

    def counted(self, names, wanted):
        """Each of `wanted` (name -> number) occurs that often among `names`."""
        found = {name: 0 for name in wanted}
        for name in names:
            if name in found:
                found[name] += 1
        self.equal(found, wanted, "number of ranges")

    def until(self, condition, what, timeout=20):
        """Waits until `condition()` is true; returns its value."""
        deadline = time.monotonic() + timeout
        while True:
            value = condition()
            if value:
                return value
            self.check(time.monotonic() < deadline, f"not within {timeout} s: {what}")
            time.sleep(0.01)


def shorten(value):
    text = repr(value)
    return (
        text if len(text) <= 2000 else f"{text[:1000]} ... {text[-900:]} ({len(text)} characters)"
    )


def tell_losses(recordings):
    """What the recordings of a failed test lost: often the reason for what differs."""
    for recording in recordings:
        for rank in recording.ranks():
            try:
                losses = recording.losses(rank)
            except (OSError, ValueError, KeyError) as error:
                losses = f"no manifest: {error}"
            if losses:
                print(f"lost in {recording.directory}, rank {rank}: {losses}")


def run_one(path, mode, build, directory):
    """Runs one test file in one mode in this process; exit status 0 passed, 1 failed, 3 skipped."""
    namespace = {"__name__": "e2e", "__file__": path}
    with open(path) as file:
        code = compile(file.read(), path, "exec")
    gc.disable()  # a trace is millions of objects without a circle, which it would walk again and again
    processes.become_reaper()
    test = Test(mode, build, directory)
    try:
        exec(code, namespace)
        namespace["test"](test)
        left = processes.left_behind(3)
        if left:
            raise Failed(f"left running at the end: {', '.join(map(processes.describe, left))}")
        left = os.listdir("/dev/shm") if os.environ.get("E2E_ISOLATED") else []
        left = [name for name in left + os.listdir(test.path("tmp")) if name.startswith("syncline")]
        if left:
            raise Failed(f"left in /dev/shm or $TMPDIR: {left}")
        return 0
    except Skipped as reason:
        print(f"skipped: {reason}")
        return 3
    except Failed as error:
        print(error)
        tell_losses(test.recordings)
        return 1
    except subprocess.TimeoutExpired as error:
        print(error)
        return 1
    finally:
        processes.end_all()


if __name__ == "__main__":
    sys.exit(run_one(*sys.argv[1:]))
