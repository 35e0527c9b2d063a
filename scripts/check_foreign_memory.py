#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds injected code to one door for memory that is not ours (inject/core/foreign_memory.h): an address that the loader, a table or
a stack told is not loaded from anywhere else."""

import re

import checklib

ROOMS = ("collectors/", "inject/core/", "inject/runtime/")
TEST = re.compile(r"_(test|fuzzer|bench)\.cc$|/test_\w+\.(cc|h)$|/fake_\w+\.h$|/(source_facts|wait_rules)\.cc$")
# What is looked for, and where it may stand: a file, or a folder that ends in /, and why nothing can be gone there.
RULES = [
    (re.compile(r"\*\s*reinterpret_cast<(?!Append)"), "a load from what was an integer", {
        "collectors/stacks/stack_memory.h": "the part in use of the thread's own stack",
    }),
    (re.compile(r"\bdlpi_phdr\b"), "program headers: ForEachPart reads them", {
        "inject/core/object_tables.h": "takes the address only",
    }),
    (re.compile(r"->\s*(l_addr|l_name|l_ld|l_next|l_prev|d_tag|d_un|p_vaddr|p_type|st_name|st_value|r_offset|r_info|n_type)\b"),
     "the loader's words of a library, or its tables", {
         "collectors/cuda/got_hooks.cc": "the handle holds the library",
     }),
    (re.compile(r"reinterpret_cast<(const )?(ElfW\(\w+\)|Elf\d+_\w+|(struct )?link_map)\s*\*"), "a pointer to a library's tables", {}),
    (re.compile(r"reinterpret_cast<(const )?(u?int\d+_t|char|unsigned char|Method|Dealloc)( const)?\s*\*+>"),
     "a pointer into memory that may be another's", {
         "collectors/stacks/stack_memory.h": "the part in use of the thread's own stack",
         "collectors/stacks/own_stack.cc": "the thread's own struct pthread",
         "collectors/stacks/code_deaths.cc": "a type of the interpreter's, which is kept",
         "collectors/stacks/code_deaths.h": "a type of the interpreter's, which is kept",
         "collectors/python/function_versions.cc": "a function that a frame or a class holds, under the interpreter's lock",
         "collectors/torch/methods.cc": "the address of a word that was read through the door",
         "collectors/nvtx/": "what the program hands over in this call, and our own records",
         "inject/core/foreign_memory.cc": "before the program's first instruction",
         "inject/core/arena.cc": "our own memory",
         "inject/core/exported.cc": "names of libraries that the program began with, which are never closed",
         "inject/runtime/rings.cc": "our own segment",
     }),
    (re.compile(r"\bReadAt<"), "an object of Python's: python_state.h says why those are loaded as they are", {
        "collectors/stacks/": "frames of the thread that reads them, and what they refer to",
        "collectors/python/": "objects of the interpreter, under its lock",
        "inject/core/python_text.h": "for these, and for copies of another process's memory",
    }),
]
COMMENT = re.compile(r"^\s*//")


def allowed(name, places):
    return next((place for place in places if name == place or place.endswith("/") and name.startswith(place)), None)


def check(root, unused_arguments):
    problems, used = [], set()
    for path in checklib.files(root, checklib.CODE):
        name = path.relative_to(root).as_posix()
        if not name.startswith(ROOMS) or TEST.search(name):
            continue
        for number, line in enumerate(checklib.text(path).splitlines(), 1):
            if COMMENT.match(line):
                continue
            for pattern, what, places in RULES:
                if not pattern.search(line):
                    continue
                place = allowed(name, places)
                used.add((what, place))
                if place is None:
                    problems.append(f"{name}:{number}: {what}: read it through inject/core/foreign_memory.h, or say in "
                                    "scripts/check_foreign_memory.py why it cannot be gone")
    if (root / "inject/core/foreign_memory.h").exists():
        problems += [f"scripts/check_foreign_memory.py: {place} has none of {what!r} any more: take it off the list"
                     for _, what, places in RULES for place in places if (what, place) not in used]
    return problems


def self_test():
    good = {
        "collectors/stacks/stack_memory.h": "return *reinterpret_cast<const uint64_t*>(address);\n",
        "collectors/stacks/walk.cc": "const auto at = ReadAt<const char*>(frame, 8);\n// *reinterpret_cast<const int*>(x)\n",
        "collectors/stacks/walk_test.cc": "EXPECT_EQ(*reinterpret_cast<int*>(at), 1);\n",
        "inject/core/tables.cc": "if (!memory->Read(place, &entry) || entry.d_tag == DT_NULL) return;\n",
        "launcher/l.cc": "auto* head = reinterpret_cast<const uint8_t*>(data);\n",
    }
    checklib.expect_faults(check, good, {
        "collectors/stacks/a.cc": "const uint64_t pc = *reinterpret_cast<const Word*>(slot);",
        "collectors/cuda/a.cc": "const auto* bytes = reinterpret_cast<const uint8_t*>(module.begin);",
        "collectors/torch/a.cc": "const ElfW(Phdr)& part = info->dlpi_phdr[i];",
        "inject/core/a.cc": "for (; entry->d_tag != DT_NULL; ++entry) continue;",
        "inject/runtime/a.cc": "const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(base);",
        "collectors/stacks/b.cc": "found->bias = object.map->l_addr;",
        "collectors/level_zero/a.cc": "return ReadAt<uint64_t>(object, 8);",
    })
    with checklib.FakeTree({**good, "inject/core/foreign_memory.h": "\n"}) as tree:
        checklib.expect(any("take it off the list" in problem for problem in check(tree.root, None)), "a stale permission is not found")


if __name__ == "__main__":
    checklib.main(__doc__, check, self_test)
