// SPDX-License-Identifier: Apache-2.0
// Fields by the words of their library.
#include "analysis/collectives/communicator_fields.h"

namespace syncline {

void CommunicatorFields::Key(std::string_view key) {
  wanted_ = key == words_.communicator ? &communicator
            : key == words_.ranks      ? &ranks
            : key == words_.rank       ? &rank
            : key == words_.peer       ? &peer
                                       : nullptr;
  if (wanted_ != nullptr && wanted_->has_value()) wanted_ = nullptr;
}

}  // namespace syncline
