// SPDX-License-Identifier: Apache-2.0
// The one door to memory that is not ours: unwind tables, headers of libraries, stacks that may be
// gone. A load of such an address may end the program; a read through here says false instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace syncline {

// Copies `bytes` from `address` of this process. Asking and loading are one step of the kernel's:
// another thread may unmap the page at any moment. False: not all of it can be read. No lock, no
// heap; in hooks.
bool ReadForeign(uint64_t address, void* out, size_t bytes);

// In the library's constructor. Where the loader began the program with the library, nothing of the
// program has run yet, and the loader has just read the tables that are read while this lives: they
// are loaded as they are. A process that records nothing would pay for asking the kernel.
class ProgramStart {
 public:
  ProgramStart();
  ~ProgramStart();
  ProgramStart(const ProgramStart&) = delete;
  ProgramStart& operator=(const ProgramStart&) = delete;
};

// The kernel refuses every way to read: no answer of ReadForeign says anything of the memory.
bool IsForeignMemoryClosed();

// Keeps what it has read, in windows that never lie across two pages: whoever reads a table asks
// the kernel a few times. What is kept may be out of date: Forget is called before each use.
class ForeignMemory {
 public:
  ForeignMemory(const ForeignMemory&) = delete;
  ForeignMemory& operator=(const ForeignMemory&) = delete;

  bool Copy(uint64_t address, void* out, size_t bytes);

  template <typename T>
  bool Read(uint64_t address, T* value) {
    static_assert(std::is_trivially_copyable_v<T>);
    size_t rest;
    const char* from = WindowAt(address, &rest);
    if (from == nullptr) return false;
    if (rest < sizeof(T)) return Copy(address, value, sizeof(T));
    std::memcpy(value, from, sizeof(T));
    return true;
  }

  // A text and its NUL, of which at most `room` bytes are copied. False: it is longer, or a part of
  // it cannot be read; `out` has its beginning, without a NUL. `*bytes`: without the NUL.
  bool CopyText(uint64_t address, char* out, size_t room, size_t* bytes);
  bool IsText(uint64_t address, const char* text);

  // Of what has read nothing since, it costs a look.
  void Forget() {
    if (__builtin_expect(has_read_, 0)) ForgetWindows();
  }

 protected:
  struct Place {
    uint64_t* windows;  // what each has: its address and 1; 0: nothing
    char* room;
    unsigned count;
    unsigned bytes;  // of a window
  };
  explicit ForeignMemory(const Place& place) : place_(place) {}
  ~ForeignMemory() = default;

 private:
  // Null: it cannot be read. `*rest`: bytes from there on.
  const char* WindowAt(uint64_t address, size_t* rest) {
    const uint64_t begin = address & ~uint64_t{place_.bytes - 1};
    const auto slot = static_cast<unsigned>(address / place_.bytes & (place_.count - 1));
    *rest = begin + place_.bytes - address;
    return place_.windows[slot] == (begin | 1)
               ? place_.room + slot * place_.bytes + (address - begin)
               : Fetch(address, begin, slot);
  }
  const char* Fetch(uint64_t address, uint64_t begin, unsigned slot);
  void ForgetWindows();

  const Place place_;
  bool has_read_ = false;  // since Forget
};

// Powers of two, at most a page of bytes.
template <unsigned kBytes, unsigned kCount>
class ForeignWindows : public ForeignMemory {
  static_assert((kBytes & (kBytes - 1)) == 0 && kBytes <= 4096 && (kCount & (kCount - 1)) == 0);

 public:
  ForeignWindows() : ForeignMemory(Place{windows_, room_, kCount, kBytes}) {}

 private:
  uint64_t windows_[kCount] = {};
  alignas(8) char room_[size_t{kBytes} * kCount];
};

// For the tables of libraries, on the stack of whoever looks.
using ForeignTables = ForeignWindows<1024, 4>;

}  // namespace syncline
