// SPDX-License-Identifier: Apache-2.0
// One thing for each source of records in a process.
#pragma once

#include <array>
#include <memory>
#include <utility>

#include "inject/core/source.h"

namespace syncline {

// Made when it is first asked for, and never moved. Numbers are below kMaxSources: the reader takes
// no other from a spool.
template <typename Value>
class BySource {
 public:
  Value& At(Source source) {
    if (all_[source] == nullptr) all_[source] = std::make_unique<Value>(source);
    return *all_[source];
  }
  template <typename... Arguments>
  Value& Make(Source source, Arguments&&... arguments) {
    all_[source] = std::make_unique<Value>(std::forward<Arguments>(arguments)...);
    return *all_[source];
  }
  Value* Find(Source source) { return all_[source].get(); }
  const Value* Find(Source source) const { return all_[source].get(); }

  // In the order of the numbers; visit(source, value).
  template <typename Visit>
  void Each(Visit&& visit) {
    for (Source source = 0; source < kMaxSources; ++source) {
      if (all_[source] != nullptr) visit(source, *all_[source]);
    }
  }
  template <typename Visit>
  void Each(Visit&& visit) const {
    for (Source source = 0; source < kMaxSources; ++source) {
      if (all_[source] != nullptr) visit(source, std::as_const(*all_[source]));
    }
  }

 private:
  std::array<std::unique_ptr<Value>, kMaxSources> all_;
};

}  // namespace syncline
