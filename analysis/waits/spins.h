// SPDX-License-Identifier: Apache-2.0
// Joins a thread's queries of one stream or event into one wait: rule 4 of docs/waits.md.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "analysis/waits/waits.h"
#include "model/devices/gpu_records.h"

namespace syncline {

// The stream or event that a query asked about, if the vendor recorded it. If not, queries of one
// name are taken for queries of one object.
struct QueriedObject {
  uint64_t id = 0;  // 0: unknown
  uint32_t context = kNoId;
  uint32_t op = kNoOp;    // the operation that the object stands for
  uint8_t number = 0;     // SourceCall::queried
  uint32_t function = 0;  // of the host, behind that operation: its correlation, 0: none
  bool operator==(const QueriedObject& other) const {
    return id == other.id && number == other.number;
  }
};

struct Spin {
  Wait wait;
  QueriedObject object;
  uint32_t not_ready = 0;
  bool answered = false;  // the last query: ready
};

// The spins of one process. Takes each thread's calls in their order.
class Spins {
 public:
  // `not_ready`: the result of a query whose object is not done.
  explicit Spins(uint16_t not_ready) : not_ready_(not_ready) {}

  // The spin that this call ended, if it was one. A query begins or continues another.
  std::optional<Spin> OnQuery(const SourceCall& call, const QueriedObject& object);
  std::optional<Spin> OnOtherCall(const SourceCall& call);

  template <typename Visit>
  void Finish(Visit&& visit) {
    for (auto& [tid, spin] : open_) {
      if (IsWait(spin)) visit(spin);
    }
    open_.clear();
  }

 private:
  // A thread that asks a few times and goes on did not wait.
  static constexpr uint32_t kLeastAnswered = 2, kLeastUnanswered = 8;

  static bool IsWait(const Spin& spin) {
    return spin.not_ready >= (spin.answered ? kLeastAnswered : kLeastUnanswered);
  }
  std::optional<Spin> Close(uint32_t tid);

  const uint16_t not_ready_;
  std::unordered_map<uint32_t, Spin> open_;  // by thread
};

}  // namespace syncline
