// SPDX-License-Identifier: Apache-2.0
// process_vm_readv on ourselves; where a container refuses it, the file that the kernel makes of
// our memory.
#include "inject/core/foreign_memory.h"

#include <fcntl.h>
#include <sys/uio.h>

#include <algorithm>
#include <atomic>

#include "inject/core/sys.h"

namespace syncline {
namespace {

enum Way : int { kCall, kFile, kNone };
std::atomic<int> g_way{kCall};  // the first that is not refused

bool IsRefused(long result) {
  return result == -ENOSYS || result == -EPERM || result == -EACCES || result == -ENOENT;
}

long ByCall(uint64_t address, void* out, size_t bytes) {
  const iovec to = {out, bytes};
  const iovec from = {reinterpret_cast<void*>(address), bytes};  // NOLINT: the kernel's to follow
  return SysCall(SYS_process_vm_readv, SysPid(), AsLong(&to), 1, AsLong(&from), 1, 0);
}

// A descriptor that stays would have to be hidden from the program.
long ByFile(uint64_t address, void* out, size_t bytes) {
  const int file = SysOpen("/proc/self/mem", O_RDONLY);
  if (file < 0) return file;
  const long result =
      SysCall(SYS_pread64, file, AsLong(out), static_cast<long>(bytes), static_cast<long>(address));
  SysClose(file);
  return result;
}

}  // namespace

bool ReadForeign(uint64_t address, void* out, size_t bytes) {
  const int way = g_way.load(std::memory_order_relaxed);
  if (way == kNone) return false;
  const long result = way == kCall ? ByCall(address, out, bytes) : ByFile(address, out, bytes);
  if (__builtin_expect(result == static_cast<long>(bytes), 1)) return true;
  if (!IsRefused(result)) return false;
  g_way.store(way + 1, std::memory_order_relaxed);
  return ReadForeign(address, out, bytes);
}

bool IsForeignMemoryClosed() { return g_way.load(std::memory_order_relaxed) == kNone; }

void ForeignMemory::Forget() {
  for (unsigned i = 0; i < place_.count; ++i) place_.windows[i] = 0;
}

// Null: it cannot be read. `*rest`: bytes from there on.
const char* ForeignMemory::WindowAt(uint64_t address, size_t* rest) {
  const uint64_t begin = address & ~uint64_t{place_.bytes - 1};
  const uint64_t slot = address / place_.bytes & (place_.count - 1);
  char* window = place_.room + slot * place_.bytes;
  if (place_.windows[slot] != (begin | 1)) {
    place_.windows[slot] = 0;  // a handler may leave this by a jump
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (!ReadForeign(begin, window, place_.bytes)) return nullptr;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    place_.windows[slot] = begin | 1;
  }
  *rest = begin + place_.bytes - address;
  return window + (address - begin);
}

bool ForeignMemory::Copy(uint64_t address, void* out, size_t bytes) {
  auto* to = static_cast<char*>(out);
  while (bytes != 0) {
    size_t rest;
    const char* from = WindowAt(address, &rest);
    if (from == nullptr) return false;
    rest = std::min(rest, bytes);
    std::memcpy(to, from, rest);
    to += rest;
    address += rest;
    bytes -= rest;
  }
  return true;
}

bool ForeignMemory::CopyText(uint64_t address, char* out, size_t room, size_t* bytes) {
  *bytes = 0;
  while (*bytes != room) {
    size_t rest;
    const char* from = WindowAt(address + *bytes, &rest);
    if (from == nullptr) return false;
    rest = std::min(rest, room - *bytes);
    const size_t length = strnlen(from, rest);
    std::memcpy(out + *bytes, from, std::min(rest, length + 1));
    *bytes += length;
    if (length != rest) return true;
  }
  return false;
}

bool ForeignMemory::IsText(uint64_t address, const char* text) {
  const size_t bytes = std::strlen(text) + 1;
  for (size_t done = 0; done < bytes;) {
    size_t rest;
    const char* from = WindowAt(address + done, &rest);
    if (from == nullptr) return false;
    rest = std::min(rest, bytes - done);
    if (std::memcmp(from, text + done, rest) != 0) return false;
    done += rest;
  }
  return true;
}

}  // namespace syncline
