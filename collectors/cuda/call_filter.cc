// SPDX-License-Identifier: Apache-2.0
// The short list, by the beginnings of names: it holds for calls that newer versions add too.
#include "collectors/cuda/call_filter.h"

#include <cstring>

namespace syncline::cuda {
namespace {

// After `cuda` or `cu`. A name that begins with one of these is recorded.
constexpr const char* kBeginnings[] = {
    "Launch",
    "Memcpy",
    "Memset",
    "Malloc",
    "Free",
    "MemAlloc",
    "MemFree",
    "HostAlloc",
    "HostRegister",
    "HostUnregister",
    "MemHostAlloc",
    "MemHostRegister",
    "MemHostUnregister",
    "MemCreate",
    "MemMap",
    "MemUnmap",
    "MemPoolTrimTo",
    "ArrayCreate",
    "Array3DCreate",
    "ArrayDestroy",
    "MipmappedArrayCreate",
    "MipmappedArrayDestroy",
    "MemPrefetch",
    "DeviceSynchronize",
    "CtxSynchronize",
    "ThreadSynchronize",
    "StreamSynchronize",
    "EventSynchronize",
    "StreamQuery",
    "EventQuery",
    "EventRecord",
    "StreamWaitEvent",
    "StreamWaitValue",
    "StreamCreate",
    "StreamDestroy",
    "StreamAddCallback",
    "GraphLaunch",
    "GraphInstantiate",
    "GraphUpload",
    "GraphExecUpdate",
    "GraphExecDestroy",
    "DeviceReset",
    "ThreadExit",
    "CtxDestroy",
    "DevicePrimaryCtxReset",
    "DevicePrimaryCtxRelease",
    "ModuleLoad",
    "ModuleUnload",
    "LibraryLoad",
    "LibraryUnload",
};
constexpr const char* kWork[] = {"Launch", "GraphLaunch", "Memcpy", "Memset"};
constexpr const char* kHostWork[] = {"LaunchHostFunc"};

constexpr const char* kQueries[] = {"StreamQuery", "EventQuery"};

bool BeginsWith(const char* name, size_t bytes, const char* beginning) {
  const size_t length = std::strlen(beginning);
  return bytes >= length && std::memcmp(name, beginning, length) == 0;
}

// Behind `cuda` or `cu`.
template <size_t kCount>
bool AnyBegins(const char* const (&beginnings)[kCount], const char* name, size_t bytes) {
  const size_t prefix = BeginsWith(name, bytes, "cuda") ? 4 : 2;
  if (bytes <= prefix || !BeginsWith(name, bytes, "cu")) return false;
  for (const char* beginning : beginnings) {
    if (BeginsWith(name + prefix, bytes - prefix, beginning)) return true;
  }
  return false;
}

bool IsVersion(const char* text, size_t bytes) {  // v7000
  if (bytes < 2 || text[0] != 'v') return false;
  for (size_t i = 1; i < bytes; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
  }
  return true;
}

bool IsSuffix(const char* text, size_t bytes) {
  return IsVersion(text, bytes) ||
         (bytes == 4 && (std::memcmp(text, "ptsz", 4) == 0 || std::memcmp(text, "ptds", 4) == 0));
}

}  // namespace

size_t PlainName(const char** start) {
  while (**start == '_') ++*start;
  size_t bytes = std::strlen(*start);
  for (size_t i = bytes; i-- > 0;) {
    if ((*start)[i] != '_') continue;
    if (!IsSuffix(*start + i + 1, bytes - i - 1)) break;
    bytes = i;
  }
  return bytes;
}

bool OnShortList(const char* name, size_t bytes) { return AnyBegins(kBeginnings, name, bytes); }

bool Asks(const char* name, size_t bytes) { return AnyBegins(kQueries, name, bytes); }

bool MakesWork(const char* name, size_t bytes) {
  return AnyBegins(kWork, name, bytes) && !AnyBegins(kHostWork, name, bytes);
}

}  // namespace syncline::cuda
