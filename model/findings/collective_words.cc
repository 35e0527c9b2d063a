// SPDX-License-Identifier: Apache-2.0
// Looks through the libraries of all sources.
#include "model/findings/collective_words.h"

#include "model/devices/source_facts.h"

namespace syncline {

const CollectiveWords* WordsOfDomain(std::string_view domain) {
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    const CollectiveWords* const words = kSourceFacts[i]->collectives;
    if (words != nullptr && words->domain == domain) return words;
  }
  return nullptr;
}

bool IsSendReceive(std::string_view kind) {
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    const CollectiveWords* const words = kSourceFacts[i]->collectives;
    if (words != nullptr && !kind.empty() && words->send_receive == kind) return true;
  }
  return false;
}

}  // namespace syncline
