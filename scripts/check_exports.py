#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds libsyncline.so to what a library in every program may be.

Exports: exactly the names of inject/exports.txt and collectors/*/exports.txt. NEEDED: libc and ld-linux (with --portable also libpthread, libdl and
librt, which old glibc keeps apart). No static initialiser but our one constructor. Thread-local storage initial-exec and
small. No exception or RTTI machinery, no executable stack, no text relocation, SONAME, BIND_NOW, NODELETE. With
--portable, no glibc symbol version above 2.17.
"""

import pathlib
import re
import shutil
import subprocess
import tempfile

import checklib

SONAME = "libsyncline.so"
NEEDED = re.compile(r"^(libc\.so\.6|ld-linux-x86-64\.so\.2|ld-linux-aarch64\.so\.1)$")
NEEDED_PORTABLE = re.compile(r"^(libc\.so\.6|ld-linux-x86-64\.so\.2|libpthread\.so\.0|libdl\.so\.2|librt\.so\.1)$")
OLDEST_GLIBC = (2, 17)
# One pointer and a few flags: static TLS of a library that is opened late comes from a small surplus.
MAX_TLS_BYTES = 64
# Ours is one; crtbegin's frame_dummy is the other entry.
MAX_CONSTRUCTORS = 2
RUNTIME = re.compile(r"(__cxa_throw|__cxa_begin_catch|__gxx_personality_v0|__dynamic_cast|_ZTVN10__cxxabiv1|__cxa_atexit)$")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def allowed_names(root):
    """Names that the frame and each collector declare, one a line."""
    lists = [root / "inject/exports.txt", *sorted((root / "collectors").glob("*/exports.txt"))]
    lines = [line.strip() for file in lists for line in checklib.text(file).splitlines()]
    return {line for line in lines if line and not line.startswith("#")}


def check_names(library, allowed):
    exported = set()
    for line in output("nm", "-D", "--defined-only", str(library)).splitlines():
        fields = line.split()
        name = fields[-1].split("@")[0]
        if fields[-2] != "A":  # the version node itself
            exported.add(name)
    problems = [f"exports {name}, which no exports.txt has" for name in sorted(exported - allowed)]
    return problems + [f"does not export {name}, which an exports.txt has" for name in sorted(allowed - exported)]


def check_dynamic(library, portable):
    problems, dynamic = [], output("readelf", "-dW", str(library))
    pattern = NEEDED_PORTABLE if portable else NEEDED
    for name in re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic):
        if not pattern.match(name):
            problems.append(f"needs {name}: only libc and ld-linux may be needed")
    soname = re.findall(r"\(SONAME\).*\[(.+)\]", dynamic)
    if soname != [SONAME]:
        problems.append(f"has the SONAME {soname}, wanted {SONAME}")
    if re.search(r"\((RPATH|RUNPATH)\)", dynamic):
        problems.append("has an RPATH or RUNPATH")
    if "(TEXTREL)" in dynamic:
        problems.append("has text relocations")
    if not re.search(r"\bNOW\b", dynamic):
        problems.append("is bound late: -z now is missing")
    if "NODELETE" not in dynamic:
        problems.append("can be unmapped by dlclose: -z nodelete is missing")
    if re.search(r"GNU_STACK.*RWE", output("readelf", "-lW", str(library))):
        problems.append("wants an executable stack")
    return problems


def check_initialisers(library):
    problems = []
    sections = output("readelf", "-SW", str(library))
    for name in (".init_array", ".preinit_array", ".ctors"):
        match = re.search(rf"\s{re.escape(name)}\s+\S+\s+\S+\s+\S+\s+([0-9a-f]+)", sections)
        entries = int(match.group(1), 16) // 8 if match else 0
        if entries > (MAX_CONSTRUCTORS if name == ".init_array" else 0):
            problems.append(f"{name} has {entries} entries: a static initialiser stands beside our one constructor")
    symbols = output("nm", "-C", str(library))
    for name in sorted(set(re.findall(r"\b(_GLOBAL__sub_I_\S+|__static_initialization_and_destruction\w*)", symbols))):
        problems.append(f"has the static initialiser {name}")
    return problems


def check_code(library):
    problems = []
    for line in output("nm", str(library)).splitlines():
        name = line.split()[-1]
        if RUNTIME.search(name.split("@")[0]):
            problems.append(f"has {name}: exceptions, RTTI or destructors at exit came in")
    relocations = output("readelf", "-rW", str(library))
    if re.search(r"R_X86_64_(DTPMOD64|DTPOFF64|TLSDESC)|R_AARCH64_TLS_?(DTPMOD|TLSDESC)", relocations):
        problems.append("uses the general TLS model (__tls_get_addr may allocate): -ftls-model=initial-exec is missing")
    tls = re.search(r"^\s*TLS\s+\S+\s+\S+\s+\S+\s+\S+\s+0x([0-9a-f]+)", output("readelf", "-lW", str(library)), re.M)
    if tls and int(tls.group(1), 16) > MAX_TLS_BYTES:
        problems.append(f"has {int(tls.group(1), 16)} bytes of thread-local storage, at most {MAX_TLS_BYTES}")
    return problems


def check_versions(library):
    problems = []
    for line in output("nm", "-D", "--undefined-only", str(library)).splitlines():
        match = re.search(r"(\S+)@+GLIBC_(\d+(?:\.\d+)+)$", line)
        if match and tuple(int(part) for part in match.group(2).split(".")) > OLDEST_GLIBC:
            problems.append(f"needs {match.group(1)} of glibc {match.group(2)}; the portable library runs from 2.17 on")
    return problems


def check_library(library, root, portable):
    problems = check_names(library, allowed_names(root)) + check_dynamic(library, portable)
    problems += check_initialisers(library) + check_code(library)
    if portable:
        problems += check_versions(library)
    return [f"{library.name}: {problem}" for problem in problems]


def check(root, arguments):
    built = root / ("build/portable" if arguments.portable else "build/release") / "lib/libsyncline.so"
    library = pathlib.Path(arguments.library or built)
    if not library.exists():
        return [f"{library} is missing: run scripts/build" + (" portable" if arguments.portable else "")]
    return check_library(library, root, arguments.portable)


CLEAN = """
extern "C" __attribute__((visibility("default"))) int InitializeInjection() { return 1; }
extern "C" __attribute__((visibility("default"))) void _exit(int) { for (;;) {} }
__thread void* t_log __attribute__((tls_model("initial-exec")));
extern "C" __attribute__((constructor, visibility("hidden"))) void Begin() { t_log = &t_log; }
"""
FAULTS = {  # fault: (source added, options added, options removed)
    "exports Stray": ('extern "C" __attribute__((visibility("default"))) int Stray() { return 2; }', ["MAP:Stray"], []),
    "does not export": ("", ["MAP:-"], []),
    "needs libm": ('extern "C" double lgamma(double); double g(double x) { return lgamma(x); }\n'
                   'extern "C" { __attribute__((used)) double (*keep)(double) = g; }', ["-lm"], []),
    "static initialiser": ("struct S { S(); int x; }; S::S() : x(__builtin_ia32_rdtsc() & 1) {} S s;", [], []),
    "destructors at exit": ("struct D { ~D(); int x; }; int h; D::~D() { h = x; } D d;", ["-fuse-cxa-atexit"], []),
    "general TLS model": ("__attribute__((used)) __thread int other; extern \"C\" __attribute__((used)) int* F() { return &other; }",
                          ["-ftls-model=global-dynamic"], []),
    "of thread-local storage": ("__thread char large[4096]; extern \"C\" __attribute__((used)) char* G() { return large; }", [], []),
    "SONAME": ("", [], ["-Wl,-soname,libsyncline.so"]),
    "nodelete": ("", [], ["-Wl,-z,nodelete"]),
    "late": ("", ["-Wl,-z,lazy"], ["-Wl,-z,now"]),
    "executable stack": ("", ["-Wl,-z,execstack"], []),
    "RPATH": ("", ["-Wl,-rpath,/x"], []),
}


def build_fake(folder, source, options, removed):
    for list_name, text in {"inject": "# the frame's\n_exit\n", "collectors/x": "InitializeInjection\n"}.items():
        (folder / list_name).mkdir(parents=True, exist_ok=True)
        (folder / list_name / "exports.txt").write_text(text)
    linked_map = folder / "linked.map"
    extra = [option[4:] for option in options if option.startswith("MAP:")]
    visible = "" if "-" in extra else f"global: {'; '.join(['_exit', 'InitializeInjection', *extra])}; "
    linked_map.write_text("{ %slocal: *; };\n" % visible)
    (folder / "x.cc").write_text(CLEAN + source)
    recipe = ["-fPIC", "-O1", "-fvisibility=hidden", "-ftls-model=initial-exec", "-fno-exceptions", "-Wl,--as-needed",
              "-Wl,-soname,libsyncline.so", "-Wl,-z,now", "-Wl,-z,nodelete", f"-Wl,--version-script={linked_map}"]
    recipe = [option for option in recipe if option not in removed]
    library = folder / "libsyncline.so"
    others = [option for option in options if not option.startswith("MAP:")]
    subprocess.run(["g++", "-shared", "-o", str(library), str(folder / "x.cc"), *recipe, "-static-libgcc", *others], check=True)
    return library


def self_test():
    checklib.expect(shutil.which("g++"), "g++ is needed")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        found = check_library(build_fake(folder, "", [], []), folder, False)
        checklib.expect(found == [], f"a clean library is reported: {found}")
        for fault, (source, options, removed) in FAULTS.items():
            found = check_library(build_fake(folder, source, options, removed), folder, False)
            checklib.expect(any(fault in problem for problem in found), f"\"{fault}\" is not found: {found}")
        newer = 'extern "C" int memfd_create(const char*, unsigned); extern "C" __attribute__((used)) int H() { return memfd_create("", 0); }'
        library = build_fake(folder, newer, [], [])
        checklib.expect(any("glibc 2.27" in problem for problem in check_library(library, folder, True)),
                        "a symbol of glibc 2.27 passes as portable")


def add_arguments(parser):
    parser.add_argument("--portable", action="store_true", help="hold it to glibc 2.17")
    parser.add_argument("--library", help="the library to check")


if __name__ == "__main__":
    checklib.main(__doc__, check, self_test, add_arguments)
