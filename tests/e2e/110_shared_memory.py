# SPDX-License-Identifier: Apache-2.0
"""8 MiB of /dev/shm, none, and a full TMPDIR too: the program runs as ever, and each loss is
counted."""

LABELS = ("fault",)
EMITTED = 100000


def test(t):
    t.need_root()
    victim = t.victim("fast")
    none = "mount -t tmpfs -o ro tmpfs /dev/shm"
    full = f"mount -t tmpfs -o size=64k tmpfs {t.path('tmp')}; head -c 1m /dev/zero > {t.path('tmp')}/full 2>/dev/null"
    for script in ("mount -t tmpfs -o size=8m tmpfs /dev/shm", none, full, f"{none}; {full}"):
        directory = t.new_directory()
        inner = " ".join(t.launch([victim, str(EMITTED // 2), "2"], directory=directory))
        result = t.record_command(
            ["unshare", "-m", "sh", "-c", f"{script}; exec {inner}"], directory
        )
        t.equal((result.out, result.ending), (b"done\n", "status 0"), script)
        lost = result.losses()
        t.equal(
            len(result.trace().ranges()) + sum(lost.values()),
            EMITTED,
            f"{script}: recorded + lost {lost}",
        )
