// SPDX-License-Identifier: Apache-2.0
// Defining domains and categories in a stream.
#include "collectors/nvtx/domains.h"

#include <algorithm>
#include <cstdint>

#include "collectors/nvtx/registry.h"

namespace syncline::nvtx {
namespace {

uint16_t OverflowId(uint32_t number) {
  constexpr uint32_t kLast = kNoDomain - 1u - kFirstOverflowDomain;
  return static_cast<uint16_t>(kFirstOverflowDomain + (number < kLast ? number : kLast));
}

// Readers keep no more of a domain's name.
bool EmitDomain(ThreadLog& log, uint16_t id, uint32_t number, const Domain& domain) {
  const size_t bytes = std::min<size_t>(domain.name.bytes, UINT16_MAX);
  return EmitText(log, RecordKind::kDomain, id, number, 0, kSource, domain.name.data, bytes);
}

}  // namespace

uint16_t DefineDomain(ThreadLog& log, const void* handle) {
  const Domain* domain = FindDomain(handle);
  if (domain == nullptr) {
    CountLoss(kLoss_bad_attributes);
    return 0;
  }
  const uint32_t number = DomainNumber(handle);
  if (log.domain_count < kThreadDomains) {
    const auto id = static_cast<uint16_t>(log.domain_count + 1);
    if (EmitDomain(log, id, number, *domain)) {
      log.domains[log.domain_count++] = handle;
      return id;
    }
    CountLoss(kLoss_definition);
    return OverflowId(number);
  }
  const uint16_t id = OverflowId(number);
  if (!EmitDomain(log, id, number, *domain)) CountLoss(kLoss_definition);
  return id;
}

uint16_t OpenDomainId(const ThreadLog& log, const void* handle) {
  const uint32_t number = DomainNumber(handle);
  if (number == kNoIndex) return 0;  // as DefineDomain
  uint16_t listed = kNoDomain;
  for (uint64_t i = 0; i < log.domain_count; ++i) {
    if (log.domains[i] == handle) listed = static_cast<uint16_t>(i + 1);
  }
  const uint16_t overflow = OverflowId(number);
  for (uint32_t depth = log.depth; depth-- > 0;) {
    const uint16_t open = log.stack[depth].domain;
    if (open == listed || open == overflow) return open;
  }
  return listed;
}

std::string_view DomainText(const ThreadLog& log, uint16_t domain) {
  const Domain* found = nullptr;
  if (domain - 1u < log.domain_count) {
    found = FindDomain(log.domains[domain - 1]);
  } else if (domain > kFirstOverflowDomain && domain != kNoDomain) {
    found = g_registry.domains.At(domain - kFirstOverflowDomain - 1u);
  }
  if (found == nullptr) return {};
  return {found->name.data, found->name.bytes};
}

void DefineCategories(ThreadLog& log) {
  const uint32_t count = g_registry.categories.count();
  while (log.registry_seen < count) {
    const Category* category = g_registry.categories.At(static_cast<uint32_t>(log.registry_seen));
    if (category == nullptr) return;  // being named by another thread: at the next event
    uint16_t domain = 0;
    if (category->domain != 0) {
      domain = DomainId(log, MakeHandle<void*>(HandleKind::kDomain, category->domain - 1));
    }
    if (!EmitText(log, RecordKind::kCategory, domain, category->category, domain, 0,
                  category->name.data, category->name.bytes)) {
      CountLoss(kLoss_definition);
      return;  // again at the next event
    }
    ++log.registry_seen;
  }
}

}  // namespace syncline::nvtx
