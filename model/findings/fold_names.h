// SPDX-License-Identifier: Apache-2.0
// Where some have names one by one and others have "request #", all of these are the latter.
#pragma once

#include <map>
#include <string>

#include "model/findings/run_findings.h"

namespace syncline {

// `text`: the part of the key that may stand for a family.
template <typename Key, typename Sums>
void FoldInto(std::map<Key, Sums>* sums, std::string Key::*text) {
  for (auto at = sums->begin(); at != sums->end();) {
    Key family = at->first;
    family.*text = NumberFamily(family.*text);
    const auto found = family.*text == at->first.*text ? sums->end() : sums->find(family);
    if (found == sums->end()) {
      ++at;
      continue;
    }
    found->second.Add(at->second);
    at = sums->erase(at);
  }
}

}  // namespace syncline
