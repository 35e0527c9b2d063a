// SPDX-License-Identifier: Apache-2.0
// Numbers calls by group, in the order in which the program made them.
#include "analysis/collectives/operator_collectives.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/stable_sort.h"
#include "model/devices/source_facts.h"
#include "model/findings/collective_words.h"

namespace syncline {
namespace {

constexpr size_t kMostOperators = 1 << 22;
constexpr uint32_t kAnybody = UINT32_MAX;  // as a peer

}  // namespace

uint64_t CommunicatorOf(const OperatorCollective& call) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&hash](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3; };
  for (const char c : call.group) add(static_cast<unsigned char>(c));
  const auto add_number = [&add](uint64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8)
      add(static_cast<unsigned char>(number >> shift));
  };
  add_number(call.ranks);
  if (call.tag != 0) add_number(static_cast<uint64_t>(call.tag));
  return hash;
}

std::optional<OperatorCollective> CollectiveOf(const RangeEvent& event) {
  const SourceFacts& facts = FactsOfSource(event.record.source);
  if (facts.operator_collective == nullptr || event.attributes == nullptr ||
      event.attributes->arguments == 0 ||
      event.attributes->payload_type != static_cast<uint32_t>(PayloadType::kOperator))
    return std::nullopt;
  const auto text_of = [&event](uint32_t id) {
    const std::string_view* const text = event.stream.Name(id);  // until the next one is asked for
    return std::string(text == nullptr ? std::string_view() : *text);
  };
  const std::string_view* const known = event.stream.Name(event.record.head.id);
  if (known == nullptr || !known->starts_with(facts.collective_operators)) return std::nullopt;
  const std::string name(*known);
  return facts.operator_collective(name, text_of(event.attributes->arguments));
}

void OperatorCollectives::OnRange(const RangeEvent& event) {
  const DomainEntry* const domain = event.stream.Domain(event.record.domain);
  if (domain != nullptr && WordsOfDomain(domain->name) != nullptr)
    threads_[event.stream.id()].library_begin = event.record.begin;
}

void OperatorCollectives::OnRangeStart(const RangeEvent& event) {
  const DomainEntry* const domain = event.stream.Domain(event.record.domain);
  const std::string_view* const name = event.stream.Name(event.record.head.id);
  if (domain == nullptr || name == nullptr ||
      !IsOfLibraryCall(FactsOfSource(event.record.source).name, domain->name, *name))
    return;
  std::vector<Started>& started = started_[std::string(name->substr(name->find(':') + 1))];
  if (started.size() < kMostOperators) started.push_back({event.record.end, event.record.begin});
}

void OperatorCollectives::OnRangeEnd(const RangeEvent& event) {
  if (FactsOfSource(event.record.source).operator_collective == nullptr) return;
  if (ends_.size() < kMostOperators) ends_[event.record.end] = event.record.begin;
}

uint32_t OperatorCollectives::OperationOf(const OperatorCollective& call) {
  CollectiveOperation operation{std::string(call.name), std::string(call.type)};
  const auto next = static_cast<uint32_t>(operations_.size() + 1);
  return operations_.try_emplace(std::move(operation), next).first->second;
}

// Operators come in the order of their ends: those around the last one end behind it, and began
// before.
void OperatorCollectives::See(const RangeEvent& event) {
  const auto known = threads_.find(event.stream.id());
  if (known != threads_.end() && known->second.last != UINT32_MAX &&
      event.record.begin >= known->second.last_end) {
    const std::string_view* const name = event.stream.Name(event.record.head.id);
    uint64_t& goes_on = asked_[known->second.last].goes_on;
    if (name == nullptr || *name != FactsOfSource(event.record.source).waiting_operator)
      goes_on = std::min(goes_on, event.record.begin);
  }
  Ask(event);
}

void OperatorCollectives::Ask(const RangeEvent& event) {
  const std::optional<OperatorCollective> call = CollectiveOf(event);
  if (!call) return;
  Thread& thread = threads_[event.stream.id()];
  const uint64_t begin = event.record.begin;
  if (thread.library_begin >= begin) return;
  full_ = full_ || asked_.size() >= kMostOperators;
  if (full_) return;
  const uint64_t communicator = CommunicatorOf(*call);
  groups_.try_emplace(communicator, *call);
  from_anybody_ = from_anybody_ || (!call->kind && !call->peer);
  thread.last = static_cast<uint32_t>(asked_.size());
  thread.last_end = event.record.end;
  asked_.push_back({communicator, begin, 0, UINT64_MAX, call->range, call->bytes.value_or(0),
                    event.stream.tid(), OperationOf(*call), call->peer.value_or(kAnybody),
                    call->kind, call->sends});
}

std::vector<uint32_t> OperatorCollectives::Order() const {
  std::vector<uint32_t> order(asked_.size());
  std::iota(order.begin(), order.end(), 0);
  StableSort(&order, [this](uint32_t a, uint32_t b) { return asked_[a].begin < asked_[b].begin; });
  return order;
}

// An operator before its range, and as many of these as of those.
void OperatorCollectives::TakeEnds() {
  std::map<std::string_view, std::vector<uint32_t>> asked;  // by the range's name
  for (const uint32_t index : Order()) asked[asked_[index].range].push_back(index);
  for (auto& [name, started] : started_) {
    const auto of_name = asked.find(name);
    if (of_name == asked.end() || of_name->second.size() != started.size()) continue;
    StableSort(&started, [](const Started& a, const Started& b) { return a.begin < b.begin; });
    const std::vector<uint32_t>& operators = of_name->second;
    bool is_ordered = true;
    for (size_t i = 0; i < started.size(); ++i)
      is_ordered = is_ordered && asked_[operators[i]].begin <= started[i].begin;
    for (size_t i = 0; is_ordered && i < started.size(); ++i) {
      const auto end = ends_.find(started[i].id);
      if (end != ends_.end()) asked_[operators[i]].end = end->second;
    }
  }
}

void OperatorCollectives::Finish(ProgramRun* run, RankCollectives* out) {
  if (asked_.empty()) return;
  TakeEnds();
  // Where the gate was closed for a while ranks may count from different calls. By their ends that
  // would be seen.
  const bool ends_known = std::all_of(asked_.begin(), asked_.end(), [](const Asked& asked) {
    return !asked.kind || asked.end != 0;
  });
  const bool numbers_right = run->closed.empty() || ends_known;
  out->complete = out->complete && !LostHostRecords(run->losses) && !full_ && numbers_right;
  out->error_ns = std::max(out->error_ns, run->clock_error_ns);
  for (const auto& [communicator, call] : groups_) {
    out->sizes[communicator] = call.ranks;
    out->own[communicator] = call.rank;
    out->groups[communicator] = call.group;
  }
  const auto before = static_cast<uint32_t>(out->operations.size());
  out->operations.resize(before + operations_.size());
  for (const auto& [operation, number] : operations_)
    out->operations[before + number - 1] = operation;
  std::unordered_map<uint64_t, uint32_t> next;  // by communicator
  std::map<std::tuple<uint64_t, uint32_t, bool>, uint32_t> next_message;
  for (const uint32_t index : Order()) {
    const Asked& asked = asked_[index];
    const uint64_t begin_ns = run->timeline.Convert(asked.begin);
    const bool ends = asked.end != 0;
    const uint64_t end_ns = ends ? std::max(run->timeline.Convert(asked.end), begin_ns) : begin_ns;
    uint64_t may_wait_ns = UINT64_MAX;
    if (asked.goes_on != UINT64_MAX)
      may_wait_ns = std::max(run->timeline.Convert(asked.goes_on), begin_ns) - begin_ns;
    if (!asked.kind && asked.peer == kAnybody) continue;
    // Which of the messages that one took nobody knows.
    if (!asked.kind && !asked.sends && from_anybody_) {
      ++out->left_out[static_cast<size_t>(LeftOut::kSendReceive)];
      continue;
    }
    if (!asked.kind) {
      const uint32_t sequence = next_message[{asked.communicator, asked.peer, asked.sends}]++;
      out->messages.push_back({asked.communicator, begin_ns, end_ns, asked.begin, asked.tid,
                               sequence, asked.peer, 0, run->index, asked.sends, may_wait_ns});
      continue;
    }
    Collective& done = out->done.emplace_back();
    done.communicator = asked.communicator;
    done.begin_ns = begin_ns;
    done.end_ns = end_ns;
    done.sequence = next[asked.communicator]++;
    done.process = run->index;
    done.kind = *asked.kind;
    done.operation = before + asked.operation;
    done.tid = asked.tid;
    done.asked = asked.begin;
    done.may_wait_ns = may_wait_ns;
    done.bytes = asked.bytes;
  }
}

}  // namespace syncline
