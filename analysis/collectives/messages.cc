// SPDX-License-Identifier: Apache-2.0
// Sorted by who sends to whom and in which place: both ends of a message then stand side by side.
#include "analysis/collectives/messages.h"

#include <algorithm>
#include <tuple>

#include "base/stable_sort.h"

namespace syncline {
namespace {

// One end of a message.
struct End {
  uint64_t communicator;
  uint32_t sender, receiver;  // ranks of the communicator
  uint32_t sequence;
  bool sends;
  uint32_t rank;     // as given
  uint32_t message;  // of that rank

  auto Pair() const { return std::tuple(communicator, sender, receiver); }
  auto Key() const { return std::tuple(communicator, sender, receiver, sequence, sends); }
};

// On the machine's clock.
int64_t OnMachine(const RankCollectives& rank, uint64_t ns) {
  return static_cast<int64_t>(ns) - rank.clock.offset_ns;
}

class Joiner {
 public:
  explicit Joiner(std::span<const RankCollectives> ranks) : ranks_(ranks) {
    for (const RankCollectives& rank : ranks) {
      found_.waits.emplace_back(rank.messages.size());
      found_.left_out.emplace_back();
    }
  }

  MessageWaits Join() {
    Collect();
    StableSort(&ends_, [](const End& a, const End& b) { return a.Key() < b.Key(); });
    for (size_t i = 0; i < ends_.size();) {
      const bool new_pair = i == 0 || ends_[i].Pair() != ends_[i - 1].Pair();
      if (new_pair) mismatch_ = false;
      size_t end = i;
      while (end < ends_.size() && ends_[end].Pair() == ends_[i].Pair() &&
             ends_[end].sequence == ends_[i].sequence)
        ++end;
      const std::optional<LeftOut> why = Judge(std::span(ends_).subspan(i, end - i));
      for (; i < end; ++i) {
        if (why) ++found_.left_out[ends_[i].rank][static_cast<size_t>(*why)];
      }
    }
    return std::move(found_);
  }

 private:
  void Collect() {
    for (uint32_t i = 0; i < ranks_.size(); ++i) {
      const RankCollectives& rank = ranks_[i];
      for (uint32_t number = 0; number < rank.messages.size(); ++number) {
        const Message& message = rank.messages[number];
        const auto own = rank.own.find(message.communicator);
        if (!rank.complete || own == rank.own.end()) {
          const LeftOut why = rank.complete ? LeftOut::kNotAskedFor : LeftOut::kRecordsLost;
          ++found_.left_out[i][static_cast<size_t>(why)];
          continue;
        }
        const uint32_t sender = message.sends ? own->second : message.peer;
        const uint32_t receiver = message.sends ? message.peer : own->second;
        ends_.push_back(
            {message.communicator, sender, receiver, message.sequence, message.sends, i, number});
      }
    }
  }

  // Why nothing is said.
  std::optional<LeftOut> Judge(std::span<const End> ends) {
    if (mismatch_) return LeftOut::kMismatch;
    if (ends.size() != 2 || ends[0].sends == ends[1].sends || ends[0].rank == ends[1].rank)
      return ends.size() == 1 ? LeftOut::kKernelMissing : LeftOut::kMismatch;
    const bool first_sends = ends[0].sends;
    const End& sender = ends[first_sends ? 0 : 1];
    const End& receiver = ends[first_sends ? 1 : 0];
    const RankCollectives &from = ranks_[sender.rank], &to = ranks_[receiver.rank];
    if (from.clock.machine != to.clock.machine) return LeftOut::kClocks;
    const Message &sent = from.messages[sender.message], &got = to.messages[receiver.message];
    const auto error = static_cast<int64_t>(2 * std::max(from.error_ns, to.error_ns));
    const int64_t send_ns = OnMachine(from, sent.begin_ns),
                  receive_ns = OnMachine(to, got.begin_ns);
    // It had its data before that was sent.
    if (got.EndIsKnown() && OnMachine(to, got.end_ns) + error < send_ns) {
      mismatch_ = true;
      return LeftOut::kMismatch;
    }
    MessageWait of_sender{to.rank, 0}, of_receiver{from.rank, 0};
    if (send_ns > receive_ns + error &&
        static_cast<uint64_t>(send_ns - receive_ns - error) <= got.may_wait_ns)
      of_receiver.waited_ns = static_cast<uint64_t>(send_ns - receive_ns);
    if (receive_ns > send_ns + error && sent.EndIsKnown() &&
        static_cast<uint64_t>(receive_ns - send_ns - error) <= sent.may_wait_ns &&
        OnMachine(from, sent.end_ns) + error > receive_ns)
      of_sender.waited_ns = static_cast<uint64_t>(receive_ns - send_ns);
    found_.waits[sender.rank][sender.message] = of_sender;
    found_.waits[receiver.rank][receiver.message] = of_receiver;
    return std::nullopt;
  }

  std::span<const RankCollectives> ranks_;
  std::vector<End> ends_;
  bool mismatch_ = false;  // in the pair at hand
  MessageWaits found_;
};

}  // namespace

MessageWaits FindMessageWaits(std::span<const RankCollectives> ranks) {
  return Joiner(ranks).Join();
}

}  // namespace syncline
