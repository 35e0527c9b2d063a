// SPDX-License-Identifier: Apache-2.0
// What ranges of calls say beside their times: adds up by the values of labels, and keeps what went
// in and out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analysis/sums/stage_sums.h"
#include "model/devices/source_facts.h"
#include "model/findings/run_findings.h"
#include "model/spool/record_sink.h"
#include "model/spool/value_text.h"

namespace syncline {

// One thread. Ranges are known by the numbers of their names (`name`).
class CallSums {
 public:
  static constexpr size_t kMostValues = 1 << 12;      // of labels; the others are one
  static constexpr size_t kMostSignatures = 1 << 12;  // the others are not kept

  // `curves`: null: nothing was done with devices.
  explicit CallSums(WorkCurves* curves);

  static bool HasDetails(const RangeEvent& event) {
    return HasValueWords(event) || HasLabelPayload(event);
  }

  // Of ranges that have details. A push/pop range:
  void AddNested(const RangeEvent& event, uint32_t name, uint64_t begin_ns, uint64_t end_ns);
  // The labels of a start/end range, for AddStarted.
  std::vector<uint32_t> LabelsOfStarted(const RangeEvent& event, uint32_t name, uint64_t begin_ns);
  void AddStarted(const std::vector<uint32_t>& labels, uint64_t length_ns);
  // Where it ends, with its result.
  void AddEnd(const RangeEvent& event, uint32_t name, uint64_t begin_ns, uint64_t end_ns);

  // After the last range. `key_of`: of a name. `stretches_of`: the name of the stretches of such
  // calls; its own: it is none of calls.
  template <typename KeyOf, typename StretchesOf>
  void Finish(const KeyOf& key_of, const StretchesOf& stretches_of, RunFindings* findings) {
    if (work_) work_->Finish(0);
    Join(stretches_of);
    for (const auto& [label, number] : numbers_) {
      const auto& [name, text, value] = label;
      if (sums_[number].durations.count != 0)
        findings->labels[{text, value, key_of(name)}].Add(sums_[number]);
    }
    for (const auto& [form, call] : signatures_)
      findings->signatures[{key_of(form.first), form.second}].Add(call);
  }

 private:
  using Label = std::tuple<uint32_t, std::string, std::string>;  // name, label, value

  static bool HasValueWords(const RangeEvent& event) {
    return event.attributes != nullptr &&
           event.attributes->payload_type == static_cast<uint32_t>(PayloadType::kDetails);
  }
  static bool HasLabelPayload(const RangeEvent& event) {
    return event.payloads != nullptr && FactsOfSource(event.record.source).payloads_are_labels;
  }

  std::vector<uint32_t> NumbersOf(std::vector<LabelText> labels, uint32_t name);
  // Valid until the next call.
  const std::vector<uint32_t>& LabelsOf(const RangeEvent& event, uint32_t name);
  uint32_t NumberOf(Label label);
  void Keep(const RangeEvent& event, uint32_t name, uint64_t begin_ns, uint64_t end_ns);
  // Calls get the work of their stretches, which are told no more.
  template <typename StretchesOf>
  void Join(const StretchesOf& stretches_of) {
    for (size_t number = 0; work_ && number < sums_.size() && number < work_->sums().size();
         ++number)
      sums_[number].work = work_->sums()[number];
    std::vector<uint32_t> joined;
    for (const auto& [label, number] : numbers_) {
      const auto& [name, text, value] = label;
      const auto stretches = numbers_.find({stretches_of(name), text, value});
      if (stretches == numbers_.end() || stretches->second == number) continue;
      sums_[number].work.Add(sums_[stretches->second].work);
      joined.push_back(stretches->second);
    }
    for (const uint32_t number : joined) sums_[number] = {};
  }

  std::optional<StageSums> work_;  // by the numbers of labels
  std::map<Label, uint32_t> numbers_;
  std::vector<LabelSums> sums_;
  // By the stream's serial and the list of arguments, and by name.
  std::map<std::pair<uint64_t, uint32_t>, std::vector<uint32_t>> known_;
  std::vector<uint32_t> of_payload_;
  std::map<std::pair<uint32_t, std::string>, CallSignature> signatures_;
};

}  // namespace syncline
