// SPDX-License-Identifier: Apache-2.0
// Names of calls: what a user knows them by, which are recorded, what they do.
#include "collectors/cuda/calls.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace syncline::cuda {
namespace {

// Every callback name of the CUPTI that this was built with.
constexpr const char* kCallbackNames[] = {
#include "collectors/cuda/callback_names.inc"
};

std::string Plain(const char* name) {
  const size_t bytes = PlainName(&name);
  return std::string(name, bytes);
}

CallFacts Facts(const std::string& name) { return FactsOf(name.data(), name.size()); }
bool Short(const std::string& name) { return Facts(name).on_short_list; }
bool Works(const std::string& name) { return GivesWork(RoleOf(Facts(name).role)); }

enum : int { kNo, kShort, kWork };

constexpr uint8_t Role(CallRole role, bool async = false) {
  return static_cast<uint8_t>(static_cast<uint8_t>(role) | (async ? kCallIsAsync : 0));
}

TEST(Calls, Roles) {
  constexpr bool kAsync = true;
  const std::pair<const char*, uint8_t> roles[] = {
      {"cudaEventQuery", Role(CallRole::kQuery)},
      {"cuStreamQuery", Role(CallRole::kQuery)},
      {"cuQuery", Role(CallRole::kOther)},
      {"EventQuery", Role(CallRole::kOther)},
      {"cudaLaunchKernelExC", Role(CallRole::kLaunch)},
      {"cuLaunchHostFunc", Role(CallRole::kHostFunction)},
      {"cudaLaunchOfTomorrow", Role(CallRole::kLaunch)},
      {"cudaMemcpy2DToArrayAsync", Role(CallRole::kCopy, kAsync)},
      {"cuMemcpyDtoH", Role(CallRole::kCopy)},
      {"cuMemsetD32Async", Role(CallRole::kSet, kAsync)},
      {"cudaMallocFromPoolAsync", Role(CallRole::kAllocate, kAsync)},
      {"cudaMallocHost", Role(CallRole::kAllocateHost)},
      {"cuMemAllocHost", Role(CallRole::kAllocateHost)},
      {"cudaFree", Role(CallRole::kFree)},
      {"cudaFreeAsync", Role(CallRole::kFree, kAsync)},
      {"cudaFreeHost", Role(CallRole::kFreeHost)},
      {"cuCtxDestroy", Role(CallRole::kReset)},
      {"cudaGraphInstantiateWithFlags", Role(CallRole::kGraphInstantiate)},
      {"cudaGraphInstantiateWithParams", Role(CallRole::kGraphPrepare)},
      {"cudaGetLastError", Role(CallRole::kQueryError)},
      {"cudaGetDevice", Role(CallRole::kOther)},
  };
  for (const auto& [name, role] : roles) EXPECT_EQ(Facts(name).role, role) << name;
}

// Programs write cuMemcpyDtoH, and cuda.h makes cuMemcpyDtoH_v2 of it: the trace shows what stands
// in the source. Which of the versions it was is told by `cbid`.
constexpr struct {
  const char* name;
  const char* plain;
  int what;
} kCalls[] = {
    {"cudaLaunchKernel_v7000", "cudaLaunchKernel", kWork},
    {"cudaLaunchKernel_ptsz_v7000", "cudaLaunchKernel", kWork},
    {"__cudaLaunchKernel_v13000", "cudaLaunchKernel", kWork},
    {"__cudaLaunchKernel_ptsz_v13000", "cudaLaunchKernel", kWork},
    {"cudaLaunchKernelExC_v11060", "cudaLaunchKernelExC", kWork},
    {"cudaLaunchCooperativeKernel_v9000", "cudaLaunchCooperativeKernel", kWork},
    {"cudaLaunchHostFunc_v10000", "cudaLaunchHostFunc", kShort},
    {"cudaMemcpy_v3020", "cudaMemcpy", kWork},
    {"cudaMemcpy_ptds_v7000", "cudaMemcpy", kWork},
    {"cudaMemcpy2DToArrayAsync_v3020", "cudaMemcpy2DToArrayAsync", kWork},
    {"cudaMemset_v3020", "cudaMemset", kWork},
    {"cudaMemset3DAsync_ptsz_v7000", "cudaMemset3DAsync", kWork},
    {"cudaGraphLaunch_v10000", "cudaGraphLaunch", kWork},
    {"cudaGraphInstantiate_v12000", "cudaGraphInstantiate", kShort},
    {"cudaGraphUpload_v11010", "cudaGraphUpload", kShort},
    {"cudaMalloc_v3020", "cudaMalloc", kShort},
    {"cudaMallocAsync_v11020", "cudaMallocAsync", kShort},
    {"cudaMallocFromPoolAsync_v11020", "cudaMallocFromPoolAsync", kShort},
    {"cudaFree_v3020", "cudaFree", kShort},
    {"cudaFreeHost_v3020", "cudaFreeHost", kShort},
    {"cudaHostAlloc_v3020", "cudaHostAlloc", kShort},
    {"cudaHostUnregister_v4000", "cudaHostUnregister", kShort},
    {"cudaMemPoolTrimTo_v11020", "cudaMemPoolTrimTo", kShort},
    {"cudaDeviceSynchronize_v3020", "cudaDeviceSynchronize", kShort},
    {"cudaThreadSynchronize_v3020", "cudaThreadSynchronize", kShort},
    {"cudaThreadExit_v3020", "cudaThreadExit", kShort},
    {"cudaStreamSynchronize_ptsz_v7000", "cudaStreamSynchronize", kShort},
    {"cudaEventSynchronize_v3020", "cudaEventSynchronize", kShort},
    {"cudaEventQuery_v3020", "cudaEventQuery", kShort},
    {"cudaEventRecordWithFlags_ptsz_v11010", "cudaEventRecordWithFlags", kShort},
    {"cudaStreamWaitEvent_v3020", "cudaStreamWaitEvent", kShort},
    {"cudaDeviceReset_v3020", "cudaDeviceReset", kShort},
    {"cudaGetDevice_v3020", "cudaGetDevice", kNo},
    {"cudaSetDevice_v3020", "cudaSetDevice", kNo},
    {"cudaGetLastError_v3020", "cudaGetLastError", kNo},
    {"cudaPeekAtLastError_v3020", "cudaPeekAtLastError", kNo},
    {"cudaStreamIsCapturing_v10000", "cudaStreamIsCapturing", kNo},
    {"cudaMemGetInfo_v3020", "cudaMemGetInfo", kNo},
    {"cudaFuncGetAttributes_v3020", "cudaFuncGetAttributes", kNo},
    {"cuInit", "cuInit", kNo},
    {"cuGetProcAddress_v2", "cuGetProcAddress", kNo},
    {"cuCtxGetCurrent", "cuCtxGetCurrent", kNo},
    {"cuCtxSynchronize", "cuCtxSynchronize", kShort},
    {"cuCtxDestroy_v2", "cuCtxDestroy", kShort},
    {"cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease", kShort},
    {"cuMemcpyDtoH_v2", "cuMemcpyDtoH", kWork},
    {"cuMemcpyHtoDAsync_v2_ptsz", "cuMemcpyHtoDAsync", kWork},
    {"cuMemcpy3DPeerAsync_ptsz", "cuMemcpy3DPeerAsync", kWork},
    {"cuMemsetD2D32Async", "cuMemsetD2D32Async", kWork},
    {"cuLaunchKernel_ptsz", "cuLaunchKernel", kWork},
    {"cuLaunchKernelEx", "cuLaunchKernelEx", kWork},
    {"cuLaunchHostFunc", "cuLaunchHostFunc", kShort},
    {"cuGraphLaunch", "cuGraphLaunch", kWork},
    {"cuMemFree_v2", "cuMemFree", kShort},
    {"cuMemAllocManaged", "cuMemAllocManaged", kShort},
    {"cuMemUnmap", "cuMemUnmap", kShort},
    {"cuArrayDestroy", "cuArrayDestroy", kShort},
    {"cuArray3DCreate_v2", "cuArray3DCreate", kShort},
    {"cuModuleUnload", "cuModuleUnload", kShort},
    {"cuLibraryLoadData", "cuLibraryLoadData", kShort},
};

// Calls that docs/waits.md says may make the host wait, by the beginnings of their names there,
// whichever their suffixes.
constexpr const char* kWaits[] = {"cudaDeviceSynchronize",
                                  "cudaThreadSynchronize",
                                  "cuCtxSynchronize",
                                  "cudaStreamSynchronize",
                                  "cuStreamSynchronize",
                                  "cudaEventSynchronize",
                                  "cuEventSynchronize",
                                  "cudaStreamQuery",
                                  "cuStreamQuery",
                                  "cudaEventQuery",
                                  "cuEventQuery",
                                  "cudaDeviceReset",
                                  "cudaThreadExit",
                                  "cuDevicePrimaryCtxReset",
                                  "cuCtxDestroy",
                                  "cuDevicePrimaryCtxRelease",
                                  "cudaLaunch",
                                  "cuLaunch",
                                  "cudaMemcpy",
                                  "cuMemcpy",
                                  "cudaMemset",
                                  "cuMemset",
                                  "cudaFree",
                                  "cuMemFree",
                                  "cuArrayDestroy",
                                  "cuMipmappedArrayDestroy",
                                  "cudaMalloc",
                                  "cuMemAlloc",
                                  "cuMemCreate",
                                  "cuArrayCreate",
                                  "cuArray3DCreate",
                                  "cuMipmappedArrayCreate",
                                  "cudaHostAlloc",
                                  "cudaHostRegister",
                                  "cuMemHostAlloc",
                                  "cuMemHostRegister",
                                  "cudaHostUnregister",
                                  "cuMemHostUnregister",
                                  "cudaMemPoolTrimTo",
                                  "cuMemPoolTrimTo",
                                  "cuMemUnmap",
                                  "cudaEventRecord",
                                  "cuEventRecord",
                                  "cudaStreamWaitEvent",
                                  "cuStreamWaitEvent",
                                  "cudaStreamAddCallback",
                                  "cuStreamAddCallback",
                                  "cudaGraphLaunch",
                                  "cuGraphLaunch",
                                  "cudaGraphInstantiate",
                                  "cuGraphInstantiate",
                                  "cuModuleLoad",
                                  "cuModuleUnload",
                                  "cuLibraryLoad",
                                  "cuLibraryUnload",
                                  "cudaLibraryLoad",
                                  "cudaLibraryUnload"};

TEST(Calls, RealNames) {
  const std::set<std::string> real(std::begin(kCallbackNames), std::end(kCallbackNames));
  size_t known = 0;
  for (const auto& call : kCalls) {
    const std::string plain = Plain(call.name);
    EXPECT_EQ(plain, call.plain);
    EXPECT_EQ(Short(plain), call.what != kNo) << plain;
    EXPECT_EQ(Works(plain), call.what == kWork) << plain;
    known += real.count(call.name);
  }
  // CUDA 12 lacks what 13 launches through.
  EXPECT_GE(known, std::size(kCalls) - 2);
}

TEST(Calls, OddNames) {
  EXPECT_EQ(Plain(""), "");
  EXPECT_EQ(Plain("___"), "");
  EXPECT_EQ(Plain("_v2"), "v2");
  EXPECT_EQ(Plain("x_v"), "x_v");
  EXPECT_EQ(Plain("x_v2a"), "x_v2a");
  EXPECT_EQ(Plain("x_ptsx"), "x_ptsx");
  EXPECT_EQ(Plain("x_y_v2_ptds_v3"), "x_y");
  for (const char* name : {"", "cu", "cuda", "Memcpy", "xuMemcpy", "cudMemcpy", "cuda_Memcpy"}) {
    EXPECT_FALSE(Short(name)) << name;
    EXPECT_FALSE(Works(name)) << name;
  }
}

TEST(Calls, EveryNameIsAsTheSourceHasIt) {
  size_t recorded = 0;
  for (const char* name : kCallbackNames) {
    const std::string plain = Plain(name);
    EXPECT_TRUE(plain.starts_with("cu")) << name;
    EXPECT_EQ(plain.find("_v"), std::string::npos) << name;
    EXPECT_EQ(plain.find("_pt"), std::string::npos) << name;
    EXPECT_EQ(Plain(plain.c_str()), plain);
    EXPECT_TRUE(Short(plain) || !Works(plain)) << plain;
    recorded += Short(plain);
  }
  EXPECT_GT(std::size(kCallbackNames), 1000u);
  EXPECT_LT(recorded, std::size(kCallbackNames) / 2);  // or it would not be short
}

TEST(Calls, NoCallThatWaitsIsMissing) {
  for (const std::string beginning : kWaits) {
    size_t found = 0;
    for (const char* name : kCallbackNames) {
      const std::string plain = Plain(name);
      if (!plain.starts_with(beginning)) continue;
      ++found;
      EXPECT_TRUE(Short(plain)) << plain;
    }
    // cudaLibraryLoad came with 12.8.
    EXPECT_TRUE(found > 0 || beginning.starts_with("cudaLibrary")) << beginning;
  }
}

}  // namespace
}  // namespace syncline::cuda
