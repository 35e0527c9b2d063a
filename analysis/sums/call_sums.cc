// SPDX-License-Identifier: Apache-2.0
// Lists of labels are read once for each stream.
#include "analysis/sums/call_sums.h"

#include <utility>

#include "analysis/sums/payload_labels.h"

namespace syncline {
namespace {

constexpr size_t kMostKnown = 1 << 14;

uint64_t ListOf(const RangeEvent& event) {
  return uint64_t{event.stream.serial()} << 32 | event.attributes->arguments;
}

}  // namespace

CallSums::CallSums(WorkCurves* curves) {
  if (curves != nullptr) work_.emplace(curves);
}

uint32_t CallSums::NumberOf(Label label) {
  if (numbers_.size() >= kMostValues && !numbers_.contains(label))
    std::get<2>(label) = kOtherValues;
  const auto [at, is_new] =
      numbers_.try_emplace(std::move(label), static_cast<uint32_t>(sums_.size()));
  if (is_new) sums_.emplace_back();
  return at->second;
}

std::vector<uint32_t> CallSums::NumbersOf(std::vector<LabelText> labels, uint32_t name) {
  std::vector<uint32_t> numbers;
  for (LabelText& label : labels)
    numbers.push_back(NumberOf({name, std::move(label.name), std::move(label.plain)}));
  return numbers;
}

const std::vector<uint32_t>& CallSums::LabelsOf(const RangeEvent& event, uint32_t name) {
  if (HasLabelPayload(event))
    return of_payload_ = NumbersOf(LabelsOfPayloads(event.stream, *event.payloads), name);
  if (known_.size() >= kMostKnown) known_.clear();
  const auto [at, is_new] = known_.try_emplace({ListOf(event), name});
  if (!is_new) return at->second;
  const std::string_view* bytes = event.stream.Name(event.attributes->arguments);
  if (bytes != nullptr) at->second = NumbersOf(syncline::LabelsOf(*bytes), name);
  return at->second;
}

void CallSums::AddNested(const RangeEvent& event, uint32_t name, uint64_t begin_ns,
                         uint64_t end_ns) {
  for (const uint32_t number : LabelsOf(event, name)) {
    sums_[number].durations.Add(end_ns - begin_ns);
    if (work_) work_->AddNested(event.stream, number, event.record.depth, begin_ns, end_ns);
  }
  Keep(event, name, begin_ns, end_ns);
}

std::vector<uint32_t> CallSums::LabelsOfStarted(const RangeEvent& event, uint32_t name,
                                                uint64_t begin_ns) {
  Keep(event, name, begin_ns, begin_ns);
  return LabelsOf(event, name);
}

void CallSums::AddStarted(const std::vector<uint32_t>& labels, uint64_t length_ns) {
  for (const uint32_t number : labels) sums_[number].durations.Add(length_ns);
}

void CallSums::AddEnd(const RangeEvent& event, uint32_t name, uint64_t begin_ns, uint64_t end_ns) {
  Keep(event, name, begin_ns, end_ns);
}

void CallSums::Keep(const RangeEvent& event, uint32_t name, uint64_t begin_ns, uint64_t end_ns) {
  if (!HasValueWords(event)) return;
  const std::string_view* bytes = event.stream.Name(event.attributes->arguments);
  if (bytes == nullptr) return;
  DetailsText details = DetailsOf(*bytes);
  if (details.inputs.empty()) return;
  const std::pair<uint32_t, std::string> form{name, std::move(details.form)};
  const auto found = signatures_.find(form);
  CallSignature call{std::move(details.inputs), std::move(details.result),
                     std::move(details.gradients), begin_ns, end_ns - begin_ns};
  if (found != signatures_.end()) return found->second.Add(call);
  if (signatures_.size() < kMostSignatures) signatures_.emplace(form, std::move(call));
}

}  // namespace syncline
