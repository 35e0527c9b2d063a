# SPDX-License-Identifier: Apache-2.0
# What the portable preset is built with, in build/deps: a compiler for glibc 2.17 and static libraries. Sourced by scripts/build.

ziglang_version=0.17.1
# python-isal brings ISA-L's sources; only those are used. Debian has no static ISA-L before release 13.
isal_release="isal==1.9.1 --hash=sha256:d210dca02a689ef2af709d2c62d2daac2e36b5d2fa06e6dc0d023c83fee77e91"
# Header-only libraries, and zlib: taken from the system's packages. Their headers stand beside the C library's in
# /usr/include, which must not be seen by a compiler for another C library.
portable_headers="CLI fmt nlohmann spdlog zlib.h zconf.h"

# portable_wrapper NAME ARGUMENT...: a command that runs zig with these. zig compiles its own C++ library, and writes where that and
# the current folder are into debug information; these names are the same wherever the checkout lies. The cache is of this
# checkout alone, for what others put into theirs has their names.
portable_wrapper() {
    local path=$deps/zig/bin/portable-$1; shift
    cat >"$path" <<EOF
#!/bin/sh
export ZIG_GLOBAL_CACHE_DIR=/proc/self/fd/8 ZIG_LIB_DIR=/proc/self/fd/9 PWD=/proc/self/cwd
exec 8<"$deps/zig/cache" 9<"$ziglang/lib" "$ziglang/zig" $* "\$@"
EOF
    chmod +x "$path"
}

# The compiler: the ziglang package in its own environment, and four wrappers.
portable_compiler() {
    local dir=$deps/zig ziglang
    [ ! -x "$dir/bin/portable-ranlib" ] || return 0
    [ "${install:-yes}" = yes ] || fail "the portable preset needs the package ziglang in $dir (--no-install was given)."
    say "fetching the portable preset's compiler (ziglang)"
    make_venv "$dir"
    "$dir/bin/pip" --disable-pip-version-check install -q "ziglang==$ziglang_version" </dev/null >&2 ||
        fail "pip could not install ziglang. The portable preset needs a network once."
    ziglang=$("$dir/bin/python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__))')
    mkdir -p "$dir/cache"
    portable_wrapper cc cc -target x86_64-linux-gnu.2.17
    portable_wrapper c++ c++ -target x86_64-linux-gnu.2.17
    portable_wrapper ar ar
    portable_wrapper ranlib ranlib
}

# ISA-L as build/deps/portable/lib/libisal.a, with its headers and its licence.
portable_isal() {
    local to=$deps/portable work=$deps/isal
    [ ! -f "$to/lib/libisal.a" ] || return 0
    [ "${install:-yes}" = yes ] || fail "the portable preset needs ISA-L in $to (--no-install was given)."
    command -v nasm >/dev/null || fail "the portable preset needs nasm, to assemble ISA-L: install the package nasm, then call again."
    say "fetching and building ISA-L"
    rm -rf "$work"
    mkdir -p "$work" "$to/lib" "$to/include" "$to/licenses"
    printf '%s\n' "$isal_release" >"$work/requirements.txt"
    make_venv "$deps/venv"
    "$deps/venv/bin/pip" --disable-pip-version-check download -q --no-deps --no-binary :all: -d "$work" -r "$work/requirements.txt" \
        </dev/null >&2 || fail "pip could not fetch ISA-L's sources. The portable preset needs a network once."
    tar -xzf "$work"/isal-*.tar.gz -C "$work" --strip-components=1 --wildcards '*/src/isal/isa-l'
    {
        cmake -S "$work/src/isal/isa-l" -B "$work/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$root/cmake/PortableToolchain.cmake" \
            -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DISAL_BUILD_TESTS=OFF -DISAL_BUILD_PERF_TESTS=OFF \
            -DISAL_BUILD_ISAL_SHIM=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_C_FLAGS=-g0 &&
            cmake --build "$work/build" -j "$jobs" --target isal
    } >"$root/build/isal.log" 2>&1 </dev/null || fail "ISA-L could not be built; the log is build/isal.log"
    rm -rf "$to/include/isa-l"
    cp -r "$work/src/isal/isa-l/include" "$to/include/isa-l"
    cp "$work/src/isal/isa-l/LICENSE" "$to/licenses/isa-l.txt"
    # Without the names of its sources, which say where the checkout lies. The last step: that the file is here says that all is.
    objcopy --enable-deterministic-archives --wildcard --strip-symbol='*.asm' "$work/build/libisal.a" "$to/lib/libisal.a"
}

# first_of PATH...: the first that exists, or nothing.
first_of() {
    local path
    for path in "$@"; do
        if [ -e "$path" ]; then printf '%s\n' "$path"; return 0; fi
    done
}

# The system's header-only libraries and zlib, each by a link. Names what is missing.
portable_libraries() {
    local to=$deps/portable name found missing=
    mkdir -p "$to/include" "$to/lib" "$to/licenses"
    for name in $portable_headers; do
        found=$(first_of "/usr/include/$name" "/usr/include/$(uname -m)-linux-gnu/$name")
        if [ -n "$found" ]; then ln -sfn "$found" "$to/include/$name"; else missing="$missing $name"; fi
    done
    found=$(first_of "/usr/lib/$(uname -m)-linux-gnu/libz.a" /usr/lib64/libz.a /usr/lib/libz.a)
    if [ -n "$found" ]; then ln -sfn "$found" "$to/lib/libz.a"; else missing="$missing libz.a"; fi
    [ -z "$missing" ] || fail "the portable preset needs these below /usr:$missing. Install: $build_packages"
    portable_isal
}
