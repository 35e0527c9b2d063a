// SPDX-License-Identifier: Apache-2.0
// Copies and memsets of nothing, by the vendor's own structs of parameters.
#include "collectors/cuda/copy_size.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

// After the declarations above: these headers only hold the structs.
#include <generated_cuda_meta.h>
#include <generated_cuda_runtime_api_meta.h>

namespace syncline::cuda {
namespace {

// Every callback name of the CUPTI that this was built with.
constexpr const char* kCallbackNames[] = {
#include "collectors/cuda/callback_names.inc"
};

// With each size at 0 the call is empty, with all of them at 1 it is not.
template <typename Params, typename... Sizes>
void Expect(const char* name, Sizes Params::*... sizes) {
  const SizeWords words = SizeWordsOf(name);
  ASSERT_EQ(words.count, sizeof...(sizes)) << name;
  ASSERT_FALSE(words.by_pointer) << name;
  Params params{};
  ((params.*sizes = 1), ...);
  EXPECT_FALSE(IsEmpty(words, &params)) << name;
  (
      [&] {
        params.*sizes = 0;
        EXPECT_TRUE(IsEmpty(words, &params)) << name;
        params.*sizes = 1;
      }(),
      ...);
}

// The same of sizes in a struct that the call points to.
template <typename Params, typename Meant, typename Get>
void ExpectBehind(const char* name, Get get, uint32_t count) {
  const SizeWords words = SizeWordsOf(name);
  ASSERT_TRUE(words.by_pointer) << name;
  ASSERT_EQ(words.count, count) << name;
  Meant meant{};
  const void* params = &meant;
  for (uint32_t i = 0; i < count; ++i) *get(meant, i) = 1;
  EXPECT_FALSE(IsEmpty(words, &params)) << name;
  for (uint32_t i = 0; i < count; ++i) {
    *get(meant, i) = 0;
    EXPECT_TRUE(IsEmpty(words, &params)) << name;
    *get(meant, i) = 1;
  }
  params = nullptr;
  EXPECT_FALSE(IsEmpty(words, &params)) << name;
}

TEST(CopySize, OfTheRuntime) {
  Expect("cudaMemcpy_v3020", &cudaMemcpy_v3020_params::count);
  Expect("cudaMemcpy_ptds_v7000", &cudaMemcpy_ptds_v7000_params::count);
  Expect("cudaMemcpyAsync_v3020", &cudaMemcpyAsync_v3020_params::count);
  Expect("cudaMemcpyToSymbol_v3020", &cudaMemcpyToSymbol_v3020_params::count);
  Expect("cudaMemcpyFromSymbolAsync_v3020", &cudaMemcpyFromSymbolAsync_v3020_params::count);
  Expect("cudaMemcpyPeer_v4000", &cudaMemcpyPeer_v4000_params::count);
  Expect("cudaMemcpyPeerAsync_v4000", &cudaMemcpyPeerAsync_v4000_params::count);
  Expect("cudaMemcpyToArray_v3020", &cudaMemcpyToArray_v3020_params::count);
  Expect("cudaMemcpyFromArrayAsync_v3020", &cudaMemcpyFromArrayAsync_v3020_params::count);
  Expect("cudaMemcpyArrayToArray_v3020", &cudaMemcpyArrayToArray_v3020_params::count);
  using Rows = cudaMemcpy2DAsync_v3020_params;
  Expect("cudaMemcpy2DAsync_v3020", &Rows::width, &Rows::height);
  using ToArray = cudaMemcpy2DToArray_v3020_params;
  Expect("cudaMemcpy2DToArray_v3020", &ToArray::width, &ToArray::height);
  using FromArray = cudaMemcpy2DFromArray_v3020_params;
  Expect("cudaMemcpy2DFromArray_v3020", &FromArray::width, &FromArray::height);
  using Arrays = cudaMemcpy2DArrayToArray_v3020_params;
  Expect("cudaMemcpy2DArrayToArray_v3020", &Arrays::width, &Arrays::height);
  Expect("cudaMemset_v3020", &cudaMemset_v3020_params::count);
  Expect("cudaMemsetAsync_ptsz_v7000", &cudaMemsetAsync_ptsz_v7000_params::count);
  using SetRows = cudaMemset2D_v3020_params;
  Expect("cudaMemset2D_v3020", &SetRows::width, &SetRows::height);
}

TEST(CopySize, OfBoxes) {
  const auto extent = [](cudaExtent& box, uint32_t i) {
    return i == 0 ? &box.width : i == 1 ? &box.height : &box.depth;
  };
  const auto of = [extent](auto& meant, uint32_t i) { return extent(meant.extent, i); };
  ExpectBehind<cudaMemcpy3D_v3020_params, cudaMemcpy3DParms>("cudaMemcpy3D_v3020", of, 3);
  ExpectBehind<cudaMemcpy3DPeerAsync_v4000_params, cudaMemcpy3DPeerParms>(
      "cudaMemcpy3DPeerAsync_v4000", of, 3);
  cudaMemset3D_v3020_params set{};
  const SizeWords words = SizeWordsOf("cudaMemset3D_v3020");
  set.extent = {1, 1, 1};
  EXPECT_FALSE(IsEmpty(words, &set));
  for (uint32_t i = 0; i < 3; ++i) {
    set.extent = {1, 1, 1};
    *extent(set.extent, i) = 0;
    EXPECT_TRUE(IsEmpty(words, &set)) << i;
  }
}

TEST(CopySize, OfTheDriver) {
  Expect("cuMemcpy", &cuMemcpy_params::ByteCount);
  Expect("cuMemcpyAsync_ptsz", &cuMemcpyAsync_ptsz_params::ByteCount);
  Expect("cuMemcpyPeerAsync", &cuMemcpyPeerAsync_params::ByteCount);
  Expect("cuMemcpyHtoD_v2", &cuMemcpyHtoD_v2_params::ByteCount);
  Expect("cuMemcpyDtoHAsync_v2_ptsz", &cuMemcpyDtoHAsync_v2_ptsz_params::ByteCount);
  Expect("cuMemcpyDtoA_v2", &cuMemcpyDtoA_v2_params::ByteCount);
  Expect("cuMemcpyAtoD_v2", &cuMemcpyAtoD_v2_params::ByteCount);
  Expect("cuMemcpyAtoHAsync_v2", &cuMemcpyAtoHAsync_v2_params::ByteCount);
  Expect("cuMemcpyAtoA_v2", &cuMemcpyAtoA_v2_params::ByteCount);
  Expect("cuMemsetD8_v2", &cuMemsetD8_v2_params::N);
  Expect("cuMemsetD32Async", &cuMemsetD32Async_params::N);
  using Rows = cuMemsetD2D16_v2_params;
  Expect("cuMemsetD2D16_v2", &Rows::Width, &Rows::Height);
  using LaterRows = cuMemsetD2D8Async_params;
  Expect("cuMemsetD2D8Async", &LaterRows::Width, &LaterRows::Height);
  const auto rows = [](auto& meant, uint32_t i) {
    return i == 0 ? &meant.WidthInBytes : &meant.Height;
  };
  const auto box = [](auto& meant, uint32_t i) {
    return i == 0 ? &meant.WidthInBytes : i == 1 ? &meant.Height : &meant.Depth;
  };
  ExpectBehind<cuMemcpy2DUnaligned_v2_params, CUDA_MEMCPY2D>("cuMemcpy2DUnaligned_v2", rows, 2);
  ExpectBehind<cuMemcpy3DAsync_v2_params, CUDA_MEMCPY3D>("cuMemcpy3DAsync_v2", box, 3);
  ExpectBehind<cuMemcpy3DPeer_params, CUDA_MEMCPY3D_PEER>("cuMemcpy3DPeer", box, 3);
}

// Where sizes are not told by fixed words, nothing is called empty.
TEST(CopySize, NotOfListsAndOldForms) {
  for (const char* name :
       {"cudaLaunchKernel_v7000", "cudaGraphLaunch_v10000", "cudaMemcpyBatchAsync_v12080",
        "cudaMemcpy3DBatchAsync_v13000", "cuMemcpyBatchAsync_v2", "cuMemcpyHtoD", "cuMemcpy2D",
        "cuMemcpy3D", "cuMemsetD8", "cuMemsetD2D8", "cuMemcpyDtoHAsync"}) {
    const uint64_t zeros[4] = {};
    EXPECT_FALSE(IsEmpty(SizeWordsOf(name), zeros)) << name;
  }
  EXPECT_FALSE(IsEmpty(SizeWordsOf("cudaMemcpy_v3020"), nullptr));
}

// A form that a newer CUPTI adds has to be looked at: the last row that fits is the plain one.
TEST(CopySize, EveryFormIsKnown) {
  for (const std::string name : kCallbackNames) {
    const bool plain = name.starts_with("cudaMemcpy_") || name.starts_with("cudaMemcpyAsync_") ||
                       name.starts_with("cudaMemcpyToSymbol") ||
                       name.starts_with("cudaMemcpyFromSymbol") || name == "cuMemcpy" ||
                       name.starts_with("cuMemcpy_") || name.starts_with("cuMemcpyAsync");
    const SizeWords words = SizeWordsOf(name.c_str());
    const bool fell_through = name.find("Memcpy") != std::string::npos && words.count == 1 &&
                              words.first == 2 && !words.by_pointer;
    const bool linear =
        name.find("Hto") != std::string::npos || name.find("Dto") != std::string::npos;
    EXPECT_TRUE(!fell_through || plain || linear) << name;
  }
}

}  // namespace
}  // namespace syncline::cuda
