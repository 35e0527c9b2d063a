// SPDX-License-Identifier: Apache-2.0
// Each range hands up what operators within it did; an operator takes that from its own.
#include "analysis/sums/operator_times.h"

#include <utility>

#include "model/devices/source_facts.h"
#include "model/run/program_name.h"
#include "model/run/rank_model.h"

namespace syncline {

OperatorTimes::OperatorTimes(ProgramRun* run, uint64_t base_ns, WorkCurves* curves)
    : run_(*run),
      program_(ProgramName(run->facts)),
      limits_(LimitsOf(*run, base_ns)),
      curves_(curves) {}

OperatorTimes::Thread& OperatorTimes::ThreadOf(const Stream& stream) {
  if (thread_ != nullptr && stream_ == stream.id()) return *thread_;
  stream_ = stream.id();
  const auto [known, is_new] = threads_.try_emplace(stream.id());
  thread_ = &known->second;
  if (is_new && curves_ != nullptr) thread_->work = curves_->ThreadOf(stream.tid());
  return *thread_;
}

uint32_t OperatorTimes::Number(const RangeEvent& event) {
  const std::string_view* const name = event.stream.Name(event.record.head.id);
  const DomainEntry* const domain = event.stream.Domain(event.record.domain);
  RangeKey key{FactsOfSource(event.record.source).name, domain == nullptr ? "" : domain->name,
               std::string(name == nullptr ? std::string_view("(name lost)") : *name), program_};
  if (numbers_.size() >= kMostNames && !numbers_.contains(key)) key.name = kOtherNames;
  const auto [at, added] =
      numbers_.try_emplace(std::move(key), static_cast<uint32_t>(sums_.size()));
  if (added) sums_.emplace_back();
  return at->second;
}

uint32_t OperatorTimes::NumberOf(const RangeEvent& event) {
  return names_.Get(event.stream, event.record.head.id, [&] { return Number(event); });
}

OperatorWork OperatorTimes::TakeWithin(Thread* thread, uint32_t depth) {
  OperatorWork within;
  if (thread->within.size() <= depth + 1) return within;
  for (size_t i = depth + 1; i < thread->within.size(); ++i) within.Add(thread->within[i]);
  thread->within.resize(depth + 1);
  return within;
}

void OperatorTimes::OnOperator(const RangeEvent& event) {
  const uint64_t begin_ns = run_.timeline.Convert(event.record.begin);
  const uint64_t end_ns = run_.timeline.Convert(event.record.end);
  if (!limits_.Hold(begin_ns, end_ns)) return;
  Thread& thread = ThreadOf(event.stream);
  OperatorWork all{end_ns - begin_ns};
  if (curves_ != nullptr) {
    const StageWork given = curves_->GivenBetween(thread.work, begin_ns, end_ns);
    all.blocked_ns = given.blocked_ns;
    all.launched = given.launched;
    all.device_ns = given.device_ns;
  }
  const uint32_t depth = event.record.depth;
  OperatorSums& sums = sums_[NumberOf(event)];
  ++sums.count;
  sums.all.Add(all);
  sums.own.Add(all.Without(TakeWithin(&thread, depth)));
  if (thread.within.size() <= depth) thread.within.resize(depth + 1);
  thread.within[depth].Add(all);
}

// A range of the program's own, or a module, between two operators.
void OperatorTimes::OnRange(const RangeEvent& event) {
  Thread& thread = ThreadOf(event.stream);
  const OperatorWork within = TakeWithin(&thread, event.record.depth);
  if (thread.within.size() > event.record.depth) thread.within[event.record.depth].Add(within);
}

void OperatorTimes::Finish(RunFindings* findings) const {
  for (const auto& [key, number] : numbers_) findings->operators[key].Add(sums_[number]);
}

}  // namespace syncline
