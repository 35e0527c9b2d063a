# SPDX-License-Identifier: Apache-2.0
"""A 32-bit helper of a recorded program says what it says alone, and is no reason not to record the program."""

import os


def test(t):
    t.need("as", "ld")
    if not os.path.exists("/lib/ld-linux.so.2"):
        t.skip("no loader for 32-bit programs (libc6-i386 has it)")
    with open(t.path("seven.s"), "w") as file:
        file.write(".globl _start\n_start: movl $1, %eax\n movl $7, %ebx\n int $0x80\n")
    program = t.path("seven")
    for command in (["as", "--32", "-o", program + ".o", program + ".s"],
                    ["ld", "-m", "elf_i386", "-pie", "-dynamic-linker", "/lib/ld-linux.so.2", "-o", program, program + ".o"]):
        t.equal(t.run(command).ending, "status 0")
    if t.run([program]).ending != "status 7":
        t.skip("the kernel runs no 32-bit programs")
    recording = t.transparent(["sh", "-c", '"$1"; echo $?; "$0" 1', t.victim("deep"), program])
    t.equal((recording.out, recording.err), (b"7\n", b""), f"{recording}")
    t.equal(recording.trace().names(), ["level 0", "afterwards"])
