// SPDX-License-Identifier: Apache-2.0
// The library's own memcpy, memmove and memset; the version script keeps them local, so what is
// inside binds to these. ThreadSanitizer's and other tools' versions would take our hand-over of
// memory between threads for races, because they do not see our atomics.
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)

// Slow paths only; the fast ones copy words that the compiler expands in place. "rep movsb" is as
// fast as any on CPUs of the last ten years from about 128 bytes on.
extern "C" {

void* memcpy(void* __restrict to, const void* __restrict from, size_t bytes) {
  void* at = to;
  asm volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(bytes) : : "memory");
  return to;
}

void* memset(void* to, int value, size_t bytes) {
  void* at = to;
  asm volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(value) : "memory");
  return to;
}

void* memmove(void* to, const void* from, size_t bytes) {
  if (reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from) >= bytes)
    return memcpy(to, from, bytes);
  auto* out = static_cast<volatile char*>(to);
  const auto* in = static_cast<const volatile char*>(from);
  while (bytes-- != 0) out[bytes] = in[bytes];
  return to;
}
}

#endif
