// SPDX-License-Identifier: Apache-2.0
// The table of forms. Arguments and fields are words of 8 bytes each, or padded to one.
#include "collectors/cuda/copy_size.h"

#include <cstring>

namespace syncline::cuda {
namespace {

struct Form {
  const char* beginning;  // the first row that fits a name counts
  SizeWords size;
  bool since_v2 = false;  // before that its sizes had 32 bits
};
constexpr bool kByPointer = true, kSinceV2 = true;

constexpr Form kForms[] = {
    {"cudaMemcpy3DPeer", {3, 18, kByPointer}},
    {"cudaMemcpy3DBatch", {}},
    {"cudaMemcpy3DWith", {}},
    {"cudaMemcpy3D", {3, 16, kByPointer}},
    {"cudaMemcpy2DToArray", {2, 5, false}},
    {"cudaMemcpy2DFromArray", {2, 5, false}},
    {"cudaMemcpy2DArrayToArray", {2, 6, false}},
    {"cudaMemcpy2D", {2, 4, false}},
    {"cudaMemcpyPeer", {1, 4, false}},
    {"cudaMemcpyToArray", {1, 4, false}},
    {"cudaMemcpyFromArray", {1, 4, false}},
    {"cudaMemcpyArrayToArray", {1, 6, false}},
    {"cudaMemcpyBatch", {}},
    {"cudaMemcpyWith", {}},
    {"cudaMemcpy", {1, 2, false}},
    {"cudaMemset3D", {3, 5, false}},
    {"cudaMemset2D", {2, 3, false}},
    {"cudaMemset", {1, 2, false}},
    {"cuMemcpy3DPeer", {3, 22, kByPointer}},
    {"cuMemcpy3DBatch", {}},
    {"cuMemcpy3DWith", {}},
    {"cuMemcpy3D", {3, 22, kByPointer}, kSinceV2},
    {"cuMemcpy2D", {2, 14, kByPointer}, kSinceV2},
    {"cuMemcpyPeer", {1, 4, false}},
    {"cuMemcpyAtoA", {1, 4, false}, kSinceV2},
    {"cuMemcpyAto", {1, 3, false}, kSinceV2},
    {"cuMemcpyDtoA", {1, 3, false}, kSinceV2},
    {"cuMemcpyHtoA", {1, 3, false}, kSinceV2},
    {"cuMemcpyDto", {1, 2, false}, kSinceV2},
    {"cuMemcpyHto", {1, 2, false}, kSinceV2},
    {"cuMemcpyBatch", {}},
    {"cuMemcpyWith", {}},
    {"cuMemcpy", {1, 2, false}},
    {"cuMemsetD8Async", {1, 2, false}},
    {"cuMemsetD16Async", {1, 2, false}},
    {"cuMemsetD32Async", {1, 2, false}},
    {"cuMemsetD2D8Async", {2, 3, false}},
    {"cuMemsetD2D16Async", {2, 3, false}},
    {"cuMemsetD2D32Async", {2, 3, false}},
    {"cuMemsetD2D", {2, 3, false}, kSinceV2},
    {"cuMemsetD", {1, 2, false}, kSinceV2},
};

}  // namespace

SizeWords SizeWordsOf(const char* name) {
  for (const Form& form : kForms) {
    if (std::strncmp(name, form.beginning, std::strlen(form.beginning)) != 0) continue;
    return form.since_v2 && std::strstr(name, "_v2") == nullptr ? SizeWords{} : form.size;
  }
  return {};
}

bool IsEmpty(const SizeWords& size, const void* params) {
  if (size.count == 0 || params == nullptr) return false;
  const void* words = params;
  if (size.by_pointer) std::memcpy(&words, params, sizeof(words));
  if (words == nullptr) return false;
  for (uint32_t i = 0; i < size.count; ++i) {
    uint64_t word;
    std::memcpy(&word, static_cast<const char*>(words) + 8 * (size.first + i), sizeof(word));
    if (word == 0) return true;
  }
  return false;
}

}  // namespace syncline::cuda
