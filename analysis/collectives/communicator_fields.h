// SPDX-License-Identifier: Apache-2.0
// What the payload of a collective library's range says of the communicator.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/findings/collective_words.h"
#include "model/spool/payload_walk.h"

namespace syncline {

// For WalkPayload. A field that the payload has twice counts once, the first time; a negative
// number counts as none.
class CommunicatorFields : public PayloadVisitor {
 public:
  explicit CommunicatorFields(const CollectiveWords& words) : words_(words) {}

  void Key(std::string_view key) override;
  void Unsigned(uint64_t value) override { Take(value); }
  void Address(uint64_t value) override { Take(value); }
  void Signed(int64_t value) override {
    if (value >= 0) Take(static_cast<uint64_t>(value));
  }

  std::optional<uint64_t> communicator;
  std::optional<uint64_t> ranks, rank, peer;

 private:
  void Take(uint64_t value) {
    if (wanted_ != nullptr) *wanted_ = value;
    wanted_ = nullptr;
  }

  const CollectiveWords& words_;
  std::optional<uint64_t>* wanted_ = nullptr;
};

}  // namespace syncline
