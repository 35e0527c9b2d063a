# SPDX-License-Identifier: Apache-2.0
"""Stages of every kind, on several threads, crossing and nested, before a fork, an exec and SIGKILL: what lies in one is recorded, and
nothing else."""

from collections import Counter

LABELS = ("thin", "sanitized")
ENV = {"TSAN_OPTIONS": "die_after_fork=0"}
STAGES = ["--stages", "stage*"]
KINDS = ("plain", "registered", "wide", "coloured", "started", "overlapping")


def recorded(t, part, options=STAGES, **how):
    return t.record([t.victim("stages"), part], options, ENV, **how)


def test(t):
    kinds = recorded(t, "kinds").trace()
    wanted = Counter({f"{where} {kind}": 2 for kind in KINDS for where in ("stage", "in")})
    t.equal(Counter(kinds.names()), wanted, "kinds")
    t.equal([m.name for m in kinds.marks()], ["in mark"] * 2, "marks")
    [first, _] = kinds.ranges(name="stage coloured")
    t.check("color" in str(first.args), f"{first.args}")

    t.equal(Counter(recorded(t, "crossing").trace().names()),
            Counter(["stage crossing", "stage of other", "in both", "in other", "stage outer", "stage inner", "in inner", "in outer"]), "crossing")
    of_domain = recorded(t, "crossing", ["--stages", "stage*@other"]).trace()
    t.equal(Counter(of_domain.names()), Counter(["stage of other", "in both", "in other"]), "one domain")
    inside = recorded(t, "crossing", [*STAGES, "--exclude-stages", "stage inner,*other"]).trace()
    t.equal(Counter(inside.names()), Counter(["stage crossing", "stage outer", "in outer"]), "exclude wins")

    several = recorded(t, "threads").trace()
    t.equal(Counter(several.names()),
            Counter(["stage of main", "in of main", "in by another thread", "stage of worker", "in of worker", "in by worker"]), "threads")
    alone = recorded(t, "threads", [*STAGES, "--stage-scope", "thread"])
    t.equal(Counter(alone.trace().names()), Counter(["stage of main", "in of main", "stage of worker", "in of worker"]), "scope thread")
    t.equal(alone.manifest()["processes"][0]["gate"]["windows"], 2, f"{alone.manifest()['processes'][0]['gate']}")

    forked = recorded(t, "fork").trace()
    t.equal(Counter(forked.names()), Counter(["stage forking", "in child", "in parent", "stage of child", "in a child's own"]), "fork")
    executed = recorded(t, "exec").trace()
    names = Counter(executed.names())
    t.check(names["stage before exec"] == names["in before exec"] == names["in both"] == 1, f"{names}")
    t.equal([name for name in names if name.startswith("out")], [], "a stage ends at exec")

    killed = recorded(t, "killed", killed=True)
    t.equal(Counter(killed.trace().names()), Counter(["stage killed", "in killed"]), "killed")
    pipeline(t)


def pipeline(t):
    """Steps that overlap: what begins inside a step is part of it, with a gate as without."""
    whole = recorded(t, "pipeline", ["--step-range", "step *"]).trace()
    steps = [s for s in whole.slices() if s.name.startswith("ProfilerStep#")]
    t.equal([(s.name, s.args["step_range"]) for s in steps], [(f"ProfilerStep#{n}", f"step {2 * n}") for n in range(5)], "all")
    some = recorded(t, "pipeline", ["--step-range", "step *", "--steps", "1:3"]).trace()
    shown = [(s.name, s.args["step_range"]) for s in some.slices() if s.name.startswith("ProfilerStep#")]
    t.equal(shown, [("ProfilerStep#1", "step 2"), ("ProfilerStep#2", "step 4")], "1:3")
    t.equal([r.name for r in some.ranges() if r.name.startswith("in")], [f"in {n}" for n in range(2, 6)], "what began in them")
