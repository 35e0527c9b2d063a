// SPDX-License-Identifier: Apache-2.0
// Finds the words of a library by the domain of its ranges.
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

}  // namespace syncline
