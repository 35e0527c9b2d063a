// SPDX-License-Identifier: Apache-2.0
// Memory and events that several processes use: memory files, found by /proc/PID/fd.
#include "tests/simulated_gpu/engine/interprocess.h"

#include <cuda.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/memory_file.h"
#include "tests/simulated_gpu/engine/memory_table.h"

namespace simgpu {
namespace {

constexpr uint64_t kMemoryMagic = 0x6d656d2e67707573, kEventMagic = 0x6576742e67707573;

struct Opened {
  void* address = nullptr;
  int users = 0;
};

std::mutex& Mutex() {
  static auto& mutex = *new std::mutex;
  return mutex;
}

std::map<uint64_t, int>& Shared() {  // descriptors by allocation; under Mutex()
  static auto& shared = *new std::map<uint64_t, int>;
  return shared;
}

std::map<std::pair<int, int>, Opened>& OpenedHere() {  // by process and descriptor; under Mutex()
  static auto& opened = *new std::map<std::pair<int, int>, Opened>;
  return opened;
}

// A memory file of that size, or -1.
int MakeFile(uint64_t bytes) {
  const int file = MakeMemoryFile("simulated GPU memory");
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) == 0) return file;
  close(file);
  return -1;
}

// Pages that nobody wrote to stay holes.
bool CopyPages(int file, const char* from, uint64_t bytes) {
  static const char kZeros[kPage] = {};
  for (uint64_t at = 0; at < bytes; at += kPage) {
    if (std::memcmp(from + at, kZeros, kPage) == 0) continue;
    if (pwrite(file, from + at, kPage, static_cast<off_t>(at)) != static_cast<ssize_t>(kPage))
      return false;
  }
  return true;
}

void* MapFile(int file, uint64_t bytes, void* where) {
  const int fixed = where == nullptr ? 0 : MAP_FIXED;
  void* mapped = mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | fixed, file, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

// The file a name of another process means, mapped; null where it is not there any more.
void* MapOther(const IpcName& name) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", name.process, name.descriptor);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  struct stat facts {};
  const bool fits = fstat(file, &facts) == 0 && static_cast<uint64_t>(facts.st_size) == name.bytes;
  void* mapped = fits ? MapFile(file, name.bytes, nullptr) : nullptr;
  close(file);
  return mapped;
}

}  // namespace

int ShareMemory(const void* address, IpcName* name) {
  const std::optional<Allocation> memory = Table().Find(address);
  const bool fits = memory && memory->kind == MemoryKind::kDevice && memory->pool == nullptr &&
                    memory->origin == MemoryOrigin::kCall;
  if (!fits) return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(Mutex());
  auto found = Shared().find(memory->id);
  if (found == Shared().end()) {
    const int file = MakeFile(memory->bytes);
    if (file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    void* base = reinterpret_cast<void*>(memory->base);
    if (!CopyPages(file, static_cast<const char*>(base), memory->bytes) ||
        MapFile(file, memory->bytes, base) == nullptr) {
      close(file);
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    found = Shared().emplace(memory->id, file).first;
  }
  *name = IpcName{kMemoryMagic, getpid(), found->second, memory->bytes};
  return CUDA_SUCCESS;
}

int OpenMemory(const IpcName& name, Context* context, void** address) {
  if (name.magic != kMemoryMagic) return CUDA_ERROR_INVALID_VALUE;
  if (name.process == getpid()) return CUDA_ERROR_INVALID_CONTEXT;  // as the real driver refuses it
  std::lock_guard<std::mutex> lock(Mutex());
  Opened& opened = OpenedHere()[{name.process, name.descriptor}];
  if (opened.users == 0) {
    Allocation memory;
    opened.address = MapOther(name);
    if (opened.address == nullptr) return CUDA_ERROR_INVALID_VALUE;
    memory.base = reinterpret_cast<uintptr_t>(opened.address);
    memory.bytes = name.bytes;
    memory.kind = MemoryKind::kDevice;
    memory.origin = MemoryOrigin::kOtherProcess;
    memory.context = context;
    Table().Insert(&memory);
  }
  ++opened.users;
  *address = opened.address;
  return CUDA_SUCCESS;
}

int CloseMemory(void* address) {
  std::lock_guard<std::mutex> lock(Mutex());
  for (auto& [name, opened] : OpenedHere()) {
    if (opened.users == 0 || opened.address != address) continue;
    if (--opened.users > 0) return CUDA_SUCCESS;
    const std::optional<Allocation> memory = Table().FindBase(address);
    if (memory && Table().Erase(memory->base)) munmap(address, memory->bytes);
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

void ForgetShared(uint64_t allocation_id) {
  std::lock_guard<std::mutex> lock(Mutex());
  const auto found = Shared().find(allocation_id);
  if (found == Shared().end()) return;
  close(found->second);
  Shared().erase(found);
}

int ShareEvent(Event* event, IpcName* name) {
  const unsigned needed = CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING;
  if ((event->flags & needed) != needed) return CUDA_ERROR_INVALID_HANDLE;
  std::lock_guard<std::mutex> lock(Mutex());
  if (event->shared == nullptr) {
    const int file = MakeFile(kPage);
    void* page = file < 0 ? nullptr : MapFile(file, kPage, nullptr);
    if (page == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    {
      EngineLock engine(EngineMutex());
      event->shared_descriptor = file;  // open for good: another process may still look for it
      event->shared = new (page) SharedRecord;
    }
    if (event->recorded) PublishRecord(event);
  }
  *name = IpcName{kEventMagic, getpid(), event->shared_descriptor, kPage};
  return CUDA_SUCCESS;
}

int OpenEvent(const IpcName& name, Context* context, Event** out) {
  if (name.magic != kEventMagic) return CUDA_ERROR_INVALID_VALUE;
  if (name.process == getpid()) return CUDA_ERROR_INVALID_CONTEXT;
  void* page = MapOther(name);
  if (page == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Event* event = CreateEvent(context, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
  {
    EngineLock lock(EngineMutex());
    event->shared = static_cast<SharedRecord*>(page);
  }
  *out = event;
  return CUDA_SUCCESS;
}

void PublishRecord(Event* event) {
  EngineLock lock(EngineMutex());
  if (event->shared == nullptr || event->capture != nullptr) return;
  event->shared->end_ns.store(event->point.pending == nullptr ? event->point.ns : Now(),
                              std::memory_order_relaxed);
  event->shared_number = event->shared->number.fetch_add(1, std::memory_order_release) + 1;
}

void TakeRecord(Event* event) {
  if (event->shared == nullptr) return;
  const uint64_t number = event->shared->number.load(std::memory_order_acquire);
  if (number == event->shared_number) return;
  event->shared_number = number;
  event->recorded = true;
  event->point = Point{event->shared->end_ns.load(std::memory_order_relaxed), 0, nullptr};
}

}  // namespace simgpu
