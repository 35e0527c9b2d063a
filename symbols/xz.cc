// SPDX-License-Identifier: Apache-2.0
// liblzma is found at run time: nearly every system has it, and the product needs it for names
// only.
#include "symbols/xz.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>

namespace syncline {
namespace {

// lzma_stream_buffer_decode() of liblzma's <lzma/container.h>, and two of its answers
// (<lzma/base.h>).
using LzmaDecode = int (*)(uint64_t* memory_limit, uint32_t flags, const void* allocator,
                           const uint8_t* in, size_t* in_at, size_t in_bytes, uint8_t* out,
                           size_t* out_at, size_t out_bytes);
constexpr int kLzmaOk = 0;
constexpr int kLzmaBufferError = 10;  // here: what is unpacked does not fit

constexpr uint64_t kLzmaMemory = 128 << 20;
constexpr size_t kMostUnpacked = 256 << 20;
constexpr size_t kLeastRoom = 4096;
constexpr size_t kUsualTimes = 8;  // as large as packed; tables of symbols are four to eight times
constexpr size_t kMostTimes = 128;

LzmaDecode FindLzma() {
  void* library = dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL);
  return library == nullptr
             ? nullptr
             : reinterpret_cast<LzmaDecode>(dlsym(library, "lzma_stream_buffer_decode"));
}

}  // namespace

// How large it becomes is only known once it is unpacked. What is cut looks as if there were no
// room.
std::string UnpackXz(std::string_view packed) {
  static const LzmaDecode decode = FindLzma();
  if (decode == nullptr || packed.empty() || packed.size() > kMostUnpacked) return "";
  std::string out;
  for (size_t times = kUsualTimes; times <= kMostTimes; times *= 4) {
    const size_t room = std::min(packed.size() * times + kLeastRoom, kMostUnpacked);
    out.assign(room, '\0');
    uint64_t memory = kLzmaMemory;
    size_t in_at = 0, out_at = 0;
    const int answer =
        decode(&memory, 0, nullptr, reinterpret_cast<const uint8_t*>(packed.data()), &in_at,
               packed.size(), reinterpret_cast<uint8_t*>(out.data()), &out_at, out.size());
    if (answer == kLzmaOk) {
      out.resize(out_at);
      return out;
    }
    if (answer != kLzmaBufferError || room == kMostUnpacked) break;
  }
  return "";
}

}  // namespace syncline
