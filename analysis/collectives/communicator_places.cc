// SPDX-License-Identifier: Apache-2.0
// Payloads that have a communicator, its size and a rank in it.
#include "analysis/collectives/communicator_places.h"

#include "analysis/collectives/communicator_fields.h"
#include "analysis/collectives/operator_collectives.h"

namespace syncline {
namespace {

constexpr uint64_t kMostBytesOfSpool = 16 << 20;
constexpr size_t kMostCommunicators = 1000;
constexpr uint64_t kMostRanks = 1 << 20;  // no job has more: the payload is something else

}  // namespace

void CommunicatorPlaces::OnRange(const RangeEvent& event) {
  if (event.payloads == nullptr || event.record.domain == 0) return;
  const DomainEntry* domain = event.stream.Domain(event.record.domain);
  const CollectiveWords* words = domain == nullptr ? nullptr : WordsOfDomain(domain->name);
  if (words == nullptr) return;
  for (const ExtendedPayload& payload : *event.payloads) {
    CommunicatorFields fields(*words);
    if (WalkPayload(event.stream, payload, &fields) != PayloadShape::kWhole) continue;
    const bool is_place = fields.communicator && fields.ranks && fields.rank &&
                          *fields.ranks <= kMostRanks && *fields.rank < *fields.ranks;
    if (is_place)
      Add(*fields.communicator, static_cast<uint32_t>(*fields.rank),
          static_cast<uint32_t>(*fields.ranks));
  }
}

void CommunicatorPlaces::OnOperator(const RangeEvent& event) {
  const std::optional<OperatorCollective> call = CollectiveOf(event);
  if (call && call->rank < call->ranks) Add(CommunicatorOf(*call), call->rank, call->ranks);
}

void CommunicatorPlaces::Add(uint64_t communicator, uint32_t rank, uint32_t ranks) {
  if (found_.size() >= kMostCommunicators && !found_.contains(communicator)) return;
  const auto [place, is_new] = found_.try_emplace(communicator);
  place->second.several |= !is_new && place->second.rank != rank;
  place->second.rank = rank;
  place->second.ranks = ranks;
}

bool CommunicatorPlaces::OnBlockDone(uint64_t bytes_read, uint64_t) {
  return bytes_read < kMostBytesOfSpool;
}

}  // namespace syncline
