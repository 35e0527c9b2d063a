// SPDX-License-Identifier: Apache-2.0
// A framework's operator that several ranks call together, as its inputs tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/findings/collective.h"

namespace syncline {

struct OperatorCollective {
  std::optional<CollectiveKind> kind{};  // nothing: between two ranks
  bool sends = false;                    // of these: it sends
  std::string_view name;                 // as readers of traces know it: "allreduce"
  // The range of the library that moves the data, behind its own name: "all_reduce". Empty: none.
  std::string_view range{};
  std::string group{};                  // its name, the same in all its ranks
  uint32_t ranks = 0;                   // how many it has
  uint32_t rank = 0;                    // of this process, in the group
  std::optional<uint32_t> root{};       // the rank that has, or gets, all; in the group
  std::optional<uint32_t> peer{};       // whom it sends to or receives from; in the group
  int64_t tag = 0;                      // of what is sent: apart from those of other tags
  std::string_view type{};              // of the elements: "Float"; empty: not known, or none
  std::optional<uint64_t> in{}, out{};  // elements; nothing: not known
  std::optional<uint64_t> bytes{};      // of the larger one of these
};

}  // namespace syncline
