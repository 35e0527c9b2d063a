// SPDX-License-Identifier: Apache-2.0
// The table of names.
#include "analysis/call_rules.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace syncline {
namespace {

struct Row {
  std::string_view name;
  CallRule rule;
};

constexpr Row kRows[] = {
    {"__cudaLaunchKernel", CallRule::kLaunch},
    {"cuArrayDestroy", CallRule::kFree},
    {"cuCtxDestroy", CallRule::kReset},
    {"cuCtxSynchronize", CallRule::kDeviceSync},
    {"cuDevicePrimaryCtxRelease", CallRule::kRelease},
    {"cuDevicePrimaryCtxReset", CallRule::kReset},
    {"cuEventQuery", CallRule::kQuery},
    {"cuEventRecord", CallRule::kEnqueue},
    {"cuEventRecordWithFlags", CallRule::kEnqueue},
    {"cuEventSynchronize", CallRule::kEventSync},
    {"cuGraphInstantiate", CallRule::kInstantiate},
    {"cuGraphInstantiateWithFlags", CallRule::kInstantiate},
    {"cuGraphInstantiateWithParams", CallRule::kUpload},
    {"cuGraphLaunch", CallRule::kGraphLaunch},
    {"cuLaunch", CallRule::kLaunch},
    {"cuLaunchCooperativeKernel", CallRule::kLaunch},
    {"cuLaunchCooperativeKernelMultiDevice", CallRule::kLaunch},
    {"cuLaunchGrid", CallRule::kLaunch},
    {"cuLaunchGridAsync", CallRule::kLaunch},
    {"cuLaunchHostFunc", CallRule::kHostFunction},
    {"cuLaunchKernel", CallRule::kLaunch},
    {"cuLaunchKernelEx", CallRule::kLaunch},
    {"cuLibraryUnload", CallRule::kUnload},
    {"cuMemAlloc", CallRule::kAllocate},
    {"cuMemAllocAsync", CallRule::kAllocate},
    {"cuMemAllocFromPoolAsync", CallRule::kAllocate},
    {"cuMemAllocManaged", CallRule::kAllocate},
    {"cuMemAllocPitch", CallRule::kAllocate},
    {"cuMemCreate", CallRule::kAllocate},
    {"cuMemFree", CallRule::kFree},
    {"cuMemFreeHost", CallRule::kFreeHost},
    {"cuMemHostUnregister", CallRule::kFreeHost},
    {"cuMemPoolTrimTo", CallRule::kTrim},
    {"cuMemUnmap", CallRule::kTrim},
    {"cuMipmappedArrayDestroy", CallRule::kFree},
    {"cuModuleUnload", CallRule::kUnload},
    {"cuStreamAddCallback", CallRule::kHostFunction},
    {"cuStreamQuery", CallRule::kQuery},
    {"cuStreamSynchronize", CallRule::kStreamSync},
    {"cuStreamWaitEvent", CallRule::kEnqueue},
    {"cudaDeviceReset", CallRule::kReset},
    {"cudaDeviceSynchronize", CallRule::kDeviceSync},
    {"cudaEventQuery", CallRule::kQuery},
    {"cudaEventRecord", CallRule::kEnqueue},
    {"cudaEventRecordWithFlags", CallRule::kEnqueue},
    {"cudaEventSynchronize", CallRule::kEventSync},
    {"cudaFree", CallRule::kFree},
    {"cudaFreeArray", CallRule::kFree},
    {"cudaFreeHost", CallRule::kFreeHost},
    {"cudaFreeMipmappedArray", CallRule::kFree},
    {"cudaGetLastError", CallRule::kLastError},
    {"cudaGraphInstantiate", CallRule::kInstantiate},
    {"cudaGraphInstantiateWithFlags", CallRule::kInstantiate},
    {"cudaGraphInstantiateWithParams", CallRule::kUpload},
    {"cudaGraphLaunch", CallRule::kGraphLaunch},
    {"cudaHostUnregister", CallRule::kFreeHost},
    {"cudaLaunch", CallRule::kLaunch},
    {"cudaLaunchCooperativeKernel", CallRule::kLaunch},
    {"cudaLaunchCooperativeKernelMultiDevice", CallRule::kLaunch},
    {"cudaLaunchHostFunc", CallRule::kHostFunction},
    {"cudaLaunchKernel", CallRule::kLaunch},
    {"cudaLaunchKernelExC", CallRule::kLaunch},
    {"cudaLibraryUnload", CallRule::kUnload},
    {"cudaMalloc", CallRule::kAllocate},
    {"cudaMalloc3D", CallRule::kAllocate},
    {"cudaMalloc3DArray", CallRule::kAllocate},
    {"cudaMallocArray", CallRule::kAllocate},
    {"cudaMallocAsync", CallRule::kAllocate},
    {"cudaMallocFromPoolAsync", CallRule::kAllocate},
    {"cudaMallocManaged", CallRule::kAllocate},
    {"cudaMallocPitch", CallRule::kAllocate},
    {"cudaMemPoolTrimTo", CallRule::kTrim},
    {"cudaPeekAtLastError", CallRule::kLastError},
    {"cudaStreamAddCallback", CallRule::kHostFunction},
    {"cudaStreamQuery", CallRule::kQuery},
    {"cudaStreamSynchronize", CallRule::kStreamSync},
    {"cudaStreamWaitEvent", CallRule::kEnqueue},
    {"cudaThreadExit", CallRule::kReset},
    {"cudaThreadSynchronize", CallRule::kDeviceSync},
};

constexpr bool Sorted() {
  for (size_t i = 1; i < std::size(kRows); ++i) {
    if (!(kRows[i - 1].name < kRows[i].name)) return false;
  }
  return true;
}
static_assert(Sorted(), "RuleOf searches by halves");

bool IsVersion(std::string_view suffix) {
  return suffix.size() > 1 && suffix[0] == 'v' &&
         std::all_of(suffix.begin() + 1, suffix.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string_view WithoutForm(std::string_view name) {
  for (;;) {
    const size_t at = name.rfind('_');
    if (at == std::string_view::npos || at == 0) return name;
    const std::string_view suffix = name.substr(at + 1);
    if (suffix != "ptsz" && suffix != "ptds" && !IsVersion(suffix)) return name;
    name = name.substr(0, at);
  }
}

bool StartsWith(std::string_view name, std::string_view start) {
  return name.substr(0, start.size()) == start;
}

}  // namespace

CallRule RuleOf(std::string_view call) {
  const std::string_view name = WithoutForm(call);
  const bool async = name.find("Async") != std::string_view::npos;
  if (StartsWith(name, "cudaMemcpy") || StartsWith(name, "cuMemcpy")) {
    return async ? CallRule::kAsyncCopy : CallRule::kCopy;
  }
  if (StartsWith(name, "cudaMemset") || StartsWith(name, "cuMemsetD")) {
    return async ? CallRule::kEnqueue : CallRule::kSet;
  }
  const auto* row =
      std::lower_bound(std::begin(kRows), std::end(kRows), name,
                       [](const Row& a, std::string_view wanted) { return a.name < wanted; });
  return row != std::end(kRows) && row->name == name ? row->rule : CallRule::kNever;
}

}  // namespace syncline
