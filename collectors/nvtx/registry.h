// SPDX-License-Identifier: Apache-2.0
// What the program has created and named: domains, registered strings, categories, resources.
// Private to the process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collectors/nvtx/append_table.h"

namespace syncline::nvtx {

// Nothing here is ever freed or changed after it was published, so handles of destroyed domains
// stay harmless, and a fork's child finds all that its parent had. Any thread, no lock,
// signal-safe.
struct Text {
  const char* data;  // terminated
  uint32_t bytes;
};

// What a user's own NVTX tool returned for the same object (chain.h); null without one.
using ToolHandle = std::atomic<void*>;

struct Domain {
  Text name;
  ToolHandle tool;
};

struct RegisteredString {
  Text text;
  uint32_t domain;  // number
  uint32_t hash;
  uint32_t next;  // 1 + index of the next string of the same bucket
  ToolHandle tool;
};

struct Category {
  uint32_t domain;  // number
  uint32_t category;
  Text name;
};

struct Object {  // a resource or a user's synchronisation object
  ToolHandle tool;
};

// Handles are not addresses: an index with a tag that no pointer of a program has. A handle that is
// not ours is found out without touching memory.
enum class HandleKind : uint8_t { kDomain = 1, kString = 2, kResource = 3, kSync = 4 };
inline constexpr uintptr_t kHandleTag = 0x5359ull << 48;
inline constexpr uintptr_t kHandleKindShift = 40;

template <typename Handle>
inline Handle MakeHandle(HandleKind kind, uint32_t index) {
  return reinterpret_cast<Handle>(kHandleTag | (static_cast<uintptr_t>(kind) << kHandleKindShift) |
                                  index);
}

// Index in its table, or kNoIndex if it is not a handle of that kind.
inline uint32_t HandleIndex(HandleKind kind, const void* handle) {
  const uintptr_t value = reinterpret_cast<uintptr_t>(handle);
  const uintptr_t expected = (kHandleTag >> kHandleKindShift) | static_cast<uintptr_t>(kind);
  return (value >> kHandleKindShift) == expected && (value >> 32 & 0xff) == 0
             ? static_cast<uint32_t>(value)
             : kNoIndex;
}

struct Registry {
  AppendTable<Domain> domains;
  AppendTable<RegisteredString> strings;
  AppendTable<Category> categories;
  AppendTable<Object> objects;
};

extern Registry g_registry;

// A domain's number is its index + 1; the default domain (null handle) is 0. A handle that is not
// ours: kNoIndex.
inline uint32_t DomainNumber(const void* handle) {
  if (handle == nullptr) return 0;
  const uint32_t index = HandleIndex(HandleKind::kDomain, handle);
  return index == kNoIndex || g_registry.domains.At(index) == nullptr ? kNoIndex : index + 1;
}

inline Domain* FindDomain(const void* handle) {
  return g_registry.domains.At(HandleIndex(HandleKind::kDomain, handle));
}

inline RegisteredString* FindString(const void* handle) {
  return g_registry.strings.At(HandleIndex(HandleKind::kString, handle));
}

// New handles as void*; null: out of memory (counted). `name` may hold any bytes. Domains of the
// same name are different domains; the same string registered again in the same domain is the same
// handle.
void* CreateDomain(const char* name, size_t bytes);
void* RegisterString(uint32_t domain, const char* text, size_t bytes);
void* CreateObject(HandleKind kind);

// Names a category from now on. The same name again changes nothing.
void NameCategory(uint32_t domain, uint32_t category, const char* name, size_t bytes);

}  // namespace syncline::nvtx
