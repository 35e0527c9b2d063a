# SPDX-License-Identifier: Apache-2.0
# What the scripts share: messages, packages, the headers and compilers that come as wheels. Sourced by bash.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
deps=$root/build/deps
jobs=${SYNCLINE_JOBS:-$(nproc)}
unset SYNCLINE_JOBS  # the product warns about variables that it does not know

product_packages="build-essential cmake ninja-build python3 python3-venv
  libspdlog-dev libfmt-dev nlohmann-json3-dev libcli11-dev libisal-dev zlib1g-dev libze-dev"
build_packages="$product_packages binutils libgtest-dev libze1 libdw1 xz-utils"
clang_packages="clang libclang-rt-dev lld"
check_packages="clang-format clang-tidy git ccache"
mpi_packages="openmpi-bin libopenmpi-dev"
bench_packages="valgrind"
portable_packages="nasm zstd"

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

# What NVIDIA's wheels give, all of one release, in build/deps/nvidia/cu13: the headers of NVTX, CUDA and CUPTI, which the collectors
# are compiled with, and nvcc with what it needs, for the CUDA programs of the tests.
header_wheels="nvidia-nvtx==13.5.25 nvidia-cuda-runtime==13.5.37 nvidia-cuda-crt==13.5.37 nvidia-cuda-cupti==13.5.25"
nvcc_wheels="nvidia-cuda-nvcc==13.5.37 nvidia-nvvm==13.5.37 nvidia-cuda-cccl==13.3.5.0.6"

# cuda_toolkit DIR: whether DIR holds a CUDA 13 toolkit with all that the tests need. Some installations have no CUPTI headers,
# or an older CUDA: they do not count, here and in cmake/SynclineNvidia.cmake.
cuda_toolkit() {
    [ -x "$1/bin/nvcc" ] && [ -f "$1/include/cuda.h" ] && [ -f "$1/include/nvtx3/nvToolsExtCounters.h" ] &&
        { [ -f "$1/include/cupti_driver_cbid.h" ] || [ -f "$1/extras/CUPTI/include/cupti_driver_cbid.h" ]; }
}

# fetch_wheels NAME==VERSION...: downloads and unpacks them. False where the download failed.
fetch_wheels() {
    make_venv "$deps/venv"
    mkdir -p "$deps/wheels"
    "$deps/venv/bin/pip" --disable-pip-version-check download -q --no-deps -d "$deps/wheels" "$@" </dev/null >&2 || return 1
    local wheel
    for wheel in "$deps"/wheels/nvidia_*.whl; do
        (cd "$deps" && "$deps/venv/bin/python" -m zipfile -e "$wheel" .) || fail "$wheel could not be unpacked: remove it and call again."
    done
    rm -rf "$deps/wheels" "$deps"/nvidia_*.dist-info
}

# Whether a whole CUDA 13 toolkit is installed, or has been fetched.
has_toolkit() {
    local dir nvcc
    nvcc=$(readlink -f "$(command -v nvcc || true)" || true)
    for dir in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda "${nvcc%/bin/nvcc}" "$deps/nvidia/cu13"; do
        [ -z "$dir" ] || ! cuda_toolkit "$dir" || return 0
    done
    return 1
}

# The headers that the collectors are compiled with: an installed toolkit's, else from the wheels.
nvidia_headers() {
    local include=$deps/nvidia/cu13/include
    ! has_toolkit || return 0
    [ ! -f "$include/nvtx3/nvToolsExtCounters.h" ] || [ ! -f "$include/crt/host_config.h" ] ||
        [ ! -f "$include/cupti_driver_cbid.h" ] || return 0
    if [ "${install:-yes}" != yes ]; then
        say "no CUDA 13 toolkit with nvcc and CUPTI headers was found, and --no-install was given: what has no headers is not recorded." \
            "Set CUDA_HOME to a toolkit, or call again without --no-install, which fetches the headers to build/deps (16 MB)."
        return 0
    fi
    say "fetching the NVTX, CUDA and CUPTI headers (16 MB)"
    fetch_wheels $header_wheels ||
        fail "the headers could not be fetched. Set CUDA_HOME to an installed toolkit, or call again with a network."
}

# The headers, and nvcc for the tests: an installed toolkit's, else from the wheels.
nvidia_toolkit() {
    local wheels=$deps/nvidia/cu13
    ! has_toolkit || return 0
    nvidia_headers
    if [ "${install:-yes}" != yes ]; then
        say "there is no nvcc either: the CUDA programs of the tests are not built (a call without --no-install fetches it, 125 MB)."
        return 0
    fi
    say "fetching nvcc for the tests: no CUDA 13 toolkit with nvcc and CUPTI headers is installed (125 MB, 400 MB on disk)"
    if ! fetch_wheels $nvcc_wheels; then
        say "nvcc could not be fetched (pip's message is above): the build goes on without the CUDA programs of the tests, and their" \
            "tests are skipped. Set CUDA_HOME to a CUDA 13 toolkit, or call again with a network."
        return 0
    fi
    ln -sf libcudart.so.13 "$wheels/lib/libcudart.so"  # what -cudart shared links with
    chmod +x "$wheels"/nvvm/bin/* "$wheels"/bin/*      # the last step: nvcc that can be executed says that all is here
}

# wheel and towncrier, in build/deps/venv.
packaging_tools() {
    [ ! -x "$deps/venv/bin/wheel" ] || [ ! -x "$deps/venv/bin/towncrier" ] || return 0
    [ "${install:-yes}" = yes ] || fail "the Python packages wheel and towncrier are needed in $deps/venv (--no-install was given)."
    make_venv "$deps/venv"
    "$deps/venv/bin/pip" --disable-pip-version-check install -q wheel==0.45.1 towncrier==25.8.0 </dev/null >&2 ||
        fail "pip could not install wheel and towncrier. Packing needs a network once."
}
