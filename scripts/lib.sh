# SPDX-License-Identifier: Apache-2.0
# What the scripts share: messages, packages, the headers and compilers that come as wheels. Sourced by bash.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
deps=$root/build/deps
jobs=${SYNCLINE_JOBS:-$(nproc)}
unset SYNCLINE_JOBS  # the product warns about variables that it does not know

build_packages="build-essential cmake ninja-build pkg-config python3 python3-venv binutils
  libspdlog-dev libfmt-dev nlohmann-json3-dev libcli11-dev libisal-dev zlib1g-dev libgtest-dev"
clang_packages="clang libclang-rt-dev"
check_packages="clang-format clang-tidy git"
mpi_packages="openmpi-bin libopenmpi-dev"
bench_packages="valgrind"

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
fail() { say "$@"; exit 1; }

# missing_packages NAME...: those that this system knows and has not installed. Nothing where there is no dpkg.
missing_packages() {
    command -v dpkg-query >/dev/null 2>&1 || return 0
    local name
    for name in "$@"; do
        if ! dpkg-query -W -f '${db:Status-Status}\n' "$name" 2>/dev/null | grep -q '^installed'; then
            printf '%s\n' "$name"
        fi
    done
}

# install_packages NAME...: installs what is missing, as root. Without root, or with install=no, it names what is missing
# and returns: the libraries may be here by other ways (modules, Spack), and if not, the next step says which one it lacks.
install_packages() {
    local missing name known=""
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    # Word splitting is wanted: names have no blanks.
    if [ "${install:-yes}" != yes ]; then
        say "not installed, and --no-install was given:" $missing
        return 0
    fi
    if [ "$(id -u)" != 0 ]; then
        say "not installed, and only root can:" $missing
        say "run: sudo apt-get install --no-install-recommends" $missing
        return 0
    fi
    say "installing:" $missing
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq </dev/null >&2 || say "apt-get update failed: going on with the package lists that are here"
    for name in $missing; do  # a name that only another release has would make apt-get refuse all of them
        if apt-cache show "$name" >/dev/null 2>&1; then known="$known $name"; else say "no package $name on this system"; fi
    done
    [ -z "$known" ] || apt-get install -y -qq --no-install-recommends $known </dev/null >&2 ||
        fail "apt-get could not install:$known. Install them by hand, then call again with --no-install."
}

# The system's own Python: the one that python3-* packages belong to.
system_python() { if [ -x /usr/bin/python3 ]; then echo /usr/bin/python3; else command -v python3; fi; }

# make_venv DIR [option...]: a virtual environment with pip, made once.
make_venv() {
    local dir=$1; shift
    [ -x "$dir/bin/pip" ] && return 0
    "$(system_python)" -m venv "$@" "$dir" >&2 || fail "python3 -m venv failed. Install python3-venv, then call again."
}

# The NVTX and CUDA headers: from a toolkit if one of CUDA 13 or newer is installed, else from NVIDIA's wheels, kept in build/deps/nvidia.
nvidia_headers() {
    local dir
    for dir in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda "$deps/nvidia/cu13"; do
        [ -n "$dir" ] && [ -f "$dir/include/nvtx3/nvToolsExtCounters.h" ] && return 0
    done
    if [ "${install:-yes}" != yes ]; then
        say "no NVTX headers: set CUDA_HOME, or unpack the wheel nvidia-nvtx so that build/deps/nvidia/cu13/include/nvtx3 exists"
        return 0
    fi
    say "fetching the NVTX and CUDA headers (3 MB)"
    make_venv "$deps/venv"
    mkdir -p "$deps/wheels"
    "$deps/venv/bin/pip" --disable-pip-version-check download -q --no-deps -d "$deps/wheels" \
        nvidia-nvtx==13.5.25 nvidia-cuda-runtime==13.5.37 nvidia-cuda-crt==13.5.37 </dev/null >&2 ||
        fail "the headers could not be fetched. Set CUDA_HOME to an installed toolkit, or call again with a network."
    local wheel
    for wheel in "$deps"/wheels/nvidia_*.whl; do
        (cd "$deps" && "$deps/venv/bin/python" -m zipfile -e "$wheel" .) || fail "$wheel could not be unpacked: remove it and call again."
    done
    rm -rf "$deps/wheels" "$deps"/nvidia_*.dist-info
}

# The compiler of the portable preset: the ziglang package in its own environment, and four wrappers beside it.
portable_compiler() {
    local dir=$deps/zig name tool
    if [ ! -x "$dir/bin/portable-cc" ]; then
        [ "${install:-yes}" = yes ] || fail "the portable preset needs the package ziglang in $dir (--no-install was given)."
        say "fetching the portable preset's compiler (ziglang)"
        make_venv "$dir"
        "$dir/bin/pip" --disable-pip-version-check install -q ziglang==0.17.1 </dev/null >&2 ||
            fail "pip could not install ziglang. The portable preset needs a network once."
        for name in cc c++; do
            printf '#!/bin/sh\nexec "%s/bin/python" -m ziglang %s -target x86_64-linux-gnu.2.17 "$@"\n' "$dir" $name \
                >"$dir/bin/portable-$name"
        done
        for name in ar ranlib; do
            printf '#!/bin/sh\nexec "%s/bin/python" -m ziglang %s "$@"\n' "$dir" $name >"$dir/bin/portable-$name"
        done
        chmod +x "$dir"/bin/portable-*
    fi
}
