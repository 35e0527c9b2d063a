// SPDX-License-Identifier: Apache-2.0
// Domains and categories as a thread's stream knows them: numbered per stream, defined in-band
// before their first use.
#pragma once

#include <cstdint>
#include <string_view>

#include "inject/core/emit.h"

namespace syncline::nvtx {

inline constexpr Source kSource = SYNCLINE_SOURCE_nvtx;

// A domain beyond the first 64 of a stream has this id plus its number and is defined again at each
// use.
inline constexpr uint16_t kFirstOverflowDomain = kThreadDomains + 1;

// Stands for a domain that the stream has not defined; no range is ever pushed with it.
inline constexpr uint16_t kNoDomain = 0xffff;

// Slow half of DomainId. A handle that is not ours counts as bad_attributes and is the default
// domain.
uint16_t DefineDomain(ThreadLog& log, const void* handle);

// The id of a domain in this thread's stream, or kNoDomain.
inline uint16_t KnownDomainId(const ThreadLog& log, const void* handle) {
  if (handle == nullptr) return 0;
  for (uint64_t i = 0; i < log.domain_count; ++i) {
    if (log.domains[i] == handle) return static_cast<uint16_t>(i + 1);
  }
  return kNoDomain;
}

// The same, defining it on first sight.
inline uint16_t DomainId(ThreadLog& log, const void* handle) {
  const uint16_t id = KnownDomainId(log, handle);
  return __builtin_expect(id != kNoDomain, 1) ? id : DefineDomain(log, handle);
}

// The domain's id if it is that of the last range opened, or kNoDomain.
inline uint16_t TopDomainId(const ThreadLog& log, const void* handle) {
  if (handle == nullptr) return 0;
  if (log.depth == 0) return kNoDomain;
  const uint16_t top = log.stack[log.depth - 1].domain;
  return top - 1u < log.domain_count && log.domains[top - 1] == handle ? top : kNoDomain;
}

// The id under which this thread's last open range of the domain was pushed; without one, an id
// that has no open range.
uint16_t OpenDomainId(const ThreadLog& log, const void* handle);

// The same, quick when that range is the last one opened.
inline uint16_t PoppedDomainId(const ThreadLog& log, const void* handle) {
  const uint16_t id = TopDomainId(log, handle);
  return __builtin_expect(id != kNoDomain, 1) ? id : OpenDomainId(log, handle);
}

// The name of a domain of this thread's stream; "": the default one, or unknown.
std::string_view DomainText(const ThreadLog& log, uint16_t domain);

// Defines, in this stream, the names of categories that were given since the stream last looked.
void DefineCategories(ThreadLog& log);

}  // namespace syncline::nvtx
