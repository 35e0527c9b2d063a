// SPDX-License-Identifier: Apache-2.0
// Names and places of libraries tell.
#include "model/spool/code_origin.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace syncline {
namespace {

// Names of files begin so, up to '.', '-' or '_' or another letter.
constexpr std::array<std::string_view, 16> kVendors = {
    "libcuda.",     "libcudart", "libcupti", "libnvToolsExt", "libnvidia-",  "libnvrtc",
    "libnvJitLink", "libcublas", "libcudnn", "libcufft",      "libcusparse", "libcusolver",
    "libze_",       "libigdrcl", "libpi_",   "libur_"};
constexpr std::array<std::string_view, 20> kFrameworks = {
    "libtorch",  "libc10",  "libnccl",  "libmpi",     "libopen-",  "libpmix", "libucs",
    "libucp",    "libuct",  "libucc",   "libfabric",  "libsycl",   "libccl",  "libmkl_",
    "libstdc++", "libgomp", "libiomp5", "libnvshmem", "libcurand", "libgcc_s"};
constexpr std::array<std::string_view, 7> kCLibrary = {
    "libc.so", "libc-", "libpthread", "ld-linux", "ld-2.", "linux-vdso", "libdl"};

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <size_t kCount>
bool BeginsWithOneOf(std::string_view text,
                     const std::array<std::string_view, kCount>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [text](std::string_view beginning) { return text.starts_with(beginning); });
}

// What a program has of CUDA's runtime when that is linked in: cudaMalloc, __cudaLaunchKernel,
// cudart::contextState::..., and the inlined cudaMalloc<float> of its headers.
bool IsCudaRuntimes(std::string_view function) {
  if (function.starts_with("cudart::") || function.starts_with("__cuda") ||
      function.starts_with("libcudart_static_"))
    return true;
  return function.size() > 4 && function.starts_with("cuda") &&
         std::isupper(static_cast<unsigned char>(function[4])) != 0;
}

// The standard library: ".../lib/python3.11/...", ".../lib64/python3.11/...".
bool IsInPythonsLibrary(std::string_view path) {
  for (const std::string_view folder : {"/lib/python", "/lib64/python"}) {
    const size_t at = path.find(folder);
    if (at == std::string_view::npos) continue;
    const size_t version = at + folder.size();
    if (version < path.size() && std::isdigit(static_cast<unsigned char>(path[version])) != 0)
      return true;
  }
  return false;
}

bool IsOfPackage(std::string_view path) {
  return Contains(path, "/site-packages/") || Contains(path, "/dist-packages/") ||
         IsInPythonsLibrary(path);
}

// "/usr/lib/x86_64-linux-gnu/libhdf5.so.103", "/lib64/libm.so.6", libraries of wheels and Python's.
bool IsInstalledModule(std::string_view path) {
  constexpr std::array<std::string_view, 5> kFolders = {"/usr/lib", "/lib/", "/lib64/",
                                                        "/opt/intel/", "/opt/nvidia/"};
  return BeginsWithOneOf(path, kFolders) || IsOfPackage(path);
}

}  // namespace

std::string_view FileNameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool IsCLibrary(std::string_view module) { return BeginsWithOneOf(FileNameOf(module), kCLibrary); }

CodeOrigin OriginOfNative(std::string_view module, std::string_view function) {
  const std::string_view file = FileNameOf(module);
  if (BeginsWithOneOf(file, kVendors) || IsCudaRuntimes(function)) return CodeOrigin::kVendor;
  if (BeginsWithOneOf(file, kFrameworks) || IsCLibrary(module) || IsInstalledModule(module))
    return CodeOrigin::kFramework;
  return CodeOrigin::kUsers;
}

bool IsInstalledSource(std::string_view path) {
  constexpr std::array<std::string_view, 5> kFolders = {
      "/usr/lib/", "/usr/include/", "/usr/local/cuda", "/opt/intel/", "/opt/nvidia/"};
  return BeginsWithOneOf(path, kFolders) || Contains(path, "/include/c++/") ||
         Contains(path, "/targets/x86_64-linux/include/") || IsOfPackage(path);
}

}  // namespace syncline
