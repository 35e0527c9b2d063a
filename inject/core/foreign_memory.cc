// SPDX-License-Identifier: Apache-2.0
// process_vm_readv on ourselves; where a container refuses it, the file that the kernel makes of
// our memory.
#include "inject/core/foreign_memory.h"

#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/uio.h>

#include <algorithm>
#include <atomic>

#include "inject/core/sys.h"

namespace syncline {
namespace {

enum Way : int { kCall, kFile, kNone };
std::atomic<int> g_way{kCall};  // the first that is not refused
std::atomic<bool> g_program_starts;

// Of the linker: the beginning of the file that this is linked into.
extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));  // NOLINT: its name

// What is opened later stands behind the loader in the loader's list.
int FirstOfUsAndTheLoader(dl_phdr_info* object, size_t, void* is_ours) {
  const bool ours = object->dlpi_addr == reinterpret_cast<uintptr_t>(__ehdr_start);
  *static_cast<bool*>(is_ours) = ours;
  return ours || object->dlpi_addr == getauxval(AT_BASE) ? 1 : 0;
}

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

ProgramStart::ProgramStart() {
  bool ours = false;
  dl_iterate_phdr(FirstOfUsAndTheLoader, &ours);
  g_program_starts.store(ours, std::memory_order_relaxed);
}

ProgramStart::~ProgramStart() { g_program_starts.store(false, std::memory_order_relaxed); }

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

void ForeignMemory::ForgetWindows() {
  for (unsigned i = 0; i < place_.count; ++i) place_.windows[i] = 0;
  has_read_ = false;
}

const char* ForeignMemory::Fetch(uint64_t address, uint64_t begin, unsigned slot) {
  if (__builtin_expect(g_program_starts.load(std::memory_order_relaxed), 0))
    return reinterpret_cast<const char*>(address);  // NOLINT: see ProgramStart
  char* window = place_.room + slot * place_.bytes;
  has_read_ = true;
  place_.windows[slot] = 0;  // a handler may leave this by a jump
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (!ReadForeign(begin, window, place_.bytes)) return nullptr;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  place_.windows[slot] = begin | 1;
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
