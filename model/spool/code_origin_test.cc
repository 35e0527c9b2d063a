// SPDX-License-Identifier: Apache-2.0
// Which libraries, functions and files are whose.
#include "model/spool/code_origin.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(CodeOrigin, LibrariesOfTheVendor) {
  for (const char* module : {"/usr/lib/x86_64-linux-gnu/libcuda.so.1",
                             "/x/site-packages/nvidia/cu13/lib/libcudart.so.13", "libcupti.so.13",
                             "/usr/local/cuda/lib64/libcublas.so.12", "/usr/lib/libze_loader.so.1",
                             "/usr/lib/libze_intel_gpu.so.1", "/lib/libnvidia-ptxjitcompiler.so.1"})
    EXPECT_EQ(OriginOfNative(module, "f"), CodeOrigin::kVendor) << module;
}

TEST(CodeOrigin, LibrariesOfFrameworks) {
  for (const char* module :
       {"/x/site-packages/torch/lib/libtorch_cuda.so", "/opt/me/libc10_cuda.so", "libnccl.so.2",
        "/opt/openmpi/lib/libmpi.so.40", "/lib/x86_64-linux-gnu/libc.so.6", "libstdc++.so.6",
        "/usr/lib/x86_64-linux-gnu/libhdf5.so.103", "/lib64/ld-linux-x86-64.so.2",
        "linux-vdso.so.1", "/home/me/.pyenv/versions/3.11.7/lib/python3.11/lib-dynload/_ctypes.so",
        "/v/lib/python3.11/site-packages/numpy/core/_multiarray_umath.so"})
    EXPECT_EQ(OriginOfNative(module, "f"), CodeOrigin::kFramework) << module;
}

TEST(CodeOrigin, AllElseIsTheUsers) {
  for (const char* module : {"/home/me/run", "./libsolver.so", "/home/me/libcudasolver.so",
                             "/home/me/libcoffee.so", "/scratch/lib/libmine.so", ""})
    EXPECT_EQ(OriginOfNative(module, "relax"), CodeOrigin::kUsers) << module;
}

TEST(CodeOrigin, TheRuntimeThatIsLinkedIn) {
  for (const char* function : {"cudaMalloc", "cudaMalloc<float>", "cudart::contextState::f",
                               "__cudaRegisterFatBinary", "cudaStreamSynchronize_ptsz"})
    EXPECT_EQ(OriginOfNative("/home/me/run", function), CodeOrigin::kVendor) << function;
  for (const char* function : {"cuda", "cudamalloc", "mycudaMalloc", "cuda_solver::step", "main"})
    EXPECT_EQ(OriginOfNative("/home/me/run", function), CodeOrigin::kUsers) << function;
}

TEST(CodeOrigin, TheCLibrary) {
  for (const char* module :
       {"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libpthread-2.17.so", "/lib/libc-2.31.so"})
    EXPECT_TRUE(IsCLibrary(module)) << module;
  for (const char* module : {"libc10.so", "libcuda.so.1", "/home/me/run", "libcommon.so", ""})
    EXPECT_FALSE(IsCLibrary(module)) << module;
}

TEST(CodeOrigin, SourcesOfInstallations) {
  for (const char* path :
       {"/usr/include/c++/12/bits/stl_algo.h",
        "/usr/lib/gcc/x86_64-linux-gnu/12/include/xmmintrin.h",
        "/usr/local/cuda-13.0/include/cuda_runtime.h", "/opt/gcc/12/include/c++/12/vector",
        "/apps/cuda/12.2/targets/x86_64-linux/include/thrust/sort.h"})
    EXPECT_TRUE(IsInstalledSource(path)) << path;
  for (const char* path :
       {"/home/me/include/solver.h", "/usr/local/src/solver.cc", "src/usr/include.cc", ""})
    EXPECT_FALSE(IsInstalledSource(path)) << path;
}

}  // namespace
}  // namespace syncline
