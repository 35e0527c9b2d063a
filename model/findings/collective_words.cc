// SPDX-License-Identifier: Apache-2.0
// Looks through the libraries of all sources.
#include "model/findings/collective_words.h"

#include <algorithm>

#include "model/devices/source_facts.h"

namespace syncline {

const CollectiveWords* WordsOfDomain(std::string_view domain) {
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    const CollectiveWords* const words = kSourceFacts[i]->collectives;
    if (words != nullptr && words->domain == domain) return words;
  }
  return nullptr;
}

bool IsOfLibraryCall(std::string_view source, std::string_view domain, std::string_view name) {
  if (WordsOfDomain(domain) != nullptr) return true;
  const auto is_it = [name](std::string_view call) {
    return call.ends_with('*') ? name.starts_with(call.substr(0, call.size() - 1)) : name == call;
  };
  return std::any_of(kSourceFacts, kSourceFacts + kSourceFactsCount, [&](const SourceFacts* facts) {
    const std::span<const std::string_view> calls = facts->ranges_of_calls;
    return source == facts->name && std::any_of(calls.begin(), calls.end(), is_it);
  });
}

bool IsSendReceive(std::string_view kind) {
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    const CollectiveWords* const words = kSourceFacts[i]->collectives;
    if (words != nullptr && !kind.empty() && words->send_receive == kind) return true;
  }
  return false;
}

}  // namespace syncline
