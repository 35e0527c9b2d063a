// SPDX-License-Identifier: Apache-2.0
// Creating domains, strings, categories and resources in the process's registry.
#include "collectors/nvtx/registry.h"

#include <cstring>

#include "inject/core/arena.h"
#include "inject/core/thread_log.h"

namespace syncline::nvtx {

constinit Registry g_registry = {};

namespace {

constexpr uint32_t kBuckets = 1024;
std::atomic<uint32_t> g_string_buckets[kBuckets];  // 1 + index of the newest string

uint32_t Hash(uint32_t domain, const char* text, size_t bytes) {
  uint32_t hash = 2166136261u ^ domain;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ static_cast<uint8_t>(text[i])) * 16777619u;
  return hash ^ hash >> 15;
}

// False: lost, counted.
bool CopyInto(Text* out, const char* text, size_t bytes) {
  out->data = ArenaCopy(text, bytes);
  out->bytes = static_cast<uint32_t>(bytes);
  if (out->data == nullptr) CountLoss(kLoss_definition);
  return out->data != nullptr;
}

}  // namespace

void* CreateDomain(const char* name, size_t bytes) {
  uint32_t index;
  Domain* domain = g_registry.domains.Claim(&index);
  if (domain == nullptr) {
    CountLoss(kLoss_definition);
    return nullptr;
  }
  if (!CopyInto(&domain->name, name, bytes)) domain->name = {"", 0};
  g_registry.domains.Publish(index);
  return MakeHandle<void*>(HandleKind::kDomain, index);
}

void* RegisterString(uint32_t domain, const char* text, size_t bytes) {
  const uint32_t hash = Hash(domain, text, bytes);
  std::atomic<uint32_t>& bucket = g_string_buckets[hash % kBuckets];
  // Acquire: pairs with the release below, so that an entry's fields are seen.
  uint32_t head = bucket.load(std::memory_order_acquire);
  for (uint32_t at = head; at != 0;) {
    RegisteredString* string = g_registry.strings.At(at - 1);
    if (string == nullptr) break;
    if (string->hash == hash && string->domain == domain && string->text.bytes == bytes &&
        std::memcmp(string->text.data, text, bytes) == 0) {
      return MakeHandle<void*>(HandleKind::kString, at - 1);
    }
    at = string->next;
  }
  uint32_t index;
  RegisteredString* string = g_registry.strings.Claim(&index);
  if (string == nullptr) {
    CountLoss(kLoss_definition);
    return nullptr;
  }
  if (!CopyInto(&string->text, text, bytes)) return nullptr;
  string->domain = domain;
  string->hash = hash;
  string->next = head;
  g_registry.strings.Publish(index);
  // One try: if another thread was faster, this string is only not found again, which costs a
  // second handle.
  bucket.compare_exchange_strong(head, index + 1, std::memory_order_release,
                                 std::memory_order_relaxed);
  return MakeHandle<void*>(HandleKind::kString, index);
}

void* CreateObject(HandleKind kind) {
  uint32_t index;
  if (g_registry.objects.Claim(&index) == nullptr) return nullptr;
  g_registry.objects.Publish(index);
  return MakeHandle<void*>(kind, index);
}

void NameCategory(uint32_t domain, uint32_t category, const char* name, size_t bytes) {
  for (uint32_t i = g_registry.categories.count(); i-- > 0;) {  // the newest name counts
    const Category* known = g_registry.categories.At(i);
    if (known == nullptr || known->domain != domain || known->category != category) continue;
    if (known->name.bytes == bytes && std::memcmp(known->name.data, name, bytes) == 0) return;
    break;
  }
  uint32_t index;
  Category* entry = g_registry.categories.Claim(&index);
  if (entry == nullptr) {
    CountLoss(kLoss_definition);
    return;
  }
  if (!CopyInto(&entry->name, name, bytes)) entry->name = {"", 0};
  entry->domain = domain;
  entry->category = category;
  g_registry.categories.Publish(index);
}

}  // namespace syncline::nvtx
