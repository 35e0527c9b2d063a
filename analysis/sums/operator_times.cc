// SPDX-License-Identifier: Apache-2.0
// Each range hands up what operators within it did; an operator takes that from its own.
#include "analysis/sums/operator_times.h"

#include <utility>

#include "model/devices/source_facts.h"
#include "model/run/program_name.h"
#include "model/run/rank_model.h"

namespace syncline {

OperatorTimes::OperatorTimes(ProgramRun* run, uint64_t base_ns, WorkCurves* curves,
                             const OwnCode& own)
    : run_(*run),
      program_(ProgramName(run->facts)),
      limits_(LimitsOf(*run, base_ns)),
      curves_(curves),
      lines_(run->survey.operators_have_lines ? std::make_unique<OperatorLines>(own) : nullptr) {}

OperatorTimes::Thread& OperatorTimes::ThreadOf(const Stream& stream) {
  if (thread_ != nullptr && stream_ == stream.id()) return *thread_;
  stream_ = stream.id();
  const auto [known, is_new] = threads_.try_emplace(stream.id());
  thread_ = &known->second;
  if (is_new && curves_ != nullptr) thread_->work = curves_->ThreadOf(stream.tid());
  return *thread_;
}

RangeKey OperatorTimes::KeyOf(const RangeEvent& event) const {
  const std::string_view* const name = event.stream.Name(event.record.head.id);
  const DomainEntry* const domain = event.stream.Domain(event.record.domain);
  return {FactsOfSource(event.record.source).name, domain == nullptr ? "" : domain->name,
          std::string(name == nullptr ? std::string_view("(name lost)") : *name), program_};
}

uint32_t OperatorTimes::Number(const RangeEvent& event) {
  RangeKey key = KeyOf(event);
  if (numbers_.size() >= kMostNames && !numbers_.contains(key)) key.name = kOtherNames;
  const auto [at, added] =
      numbers_.try_emplace(std::move(key), static_cast<uint32_t>(sums_.size()));
  if (added) sums_.emplace_back();
  return at->second;
}

uint32_t OperatorTimes::ShapeOf(const RangeEvent& event, std::string shapes) {
  OperatorGroup key{KeyOf(event), std::move(shapes)};
  if (shapes_.size() >= kMostShapes && !shapes_.contains(key)) {
    key.of.name = kOtherNames;
    key.by.clear();
  }
  const auto [at, added] =
      shapes_.try_emplace(std::move(key), static_cast<uint32_t>(shape_sums_.size()));
  if (added) shape_sums_.emplace_back();
  return at->second;
}

const OperatorTimes::Inputs* OperatorTimes::InputsOf(const RangeEvent& event, Thread* thread) {
  constexpr size_t kMostKept =
      1 << 16;  // a program whose sizes differ each time has no end of them
  if (event.attributes == nullptr || event.attributes->arguments == 0 ||
      event.attributes->payload_type != static_cast<uint32_t>(PayloadType::kOperator))
    return nullptr;
  const uint32_t name_id = event.record.head.id, list_id = event.attributes->arguments;
  const uint64_t key = uint64_t{name_id} << 32 | list_id;
  if (thread->inputs.size() >= kMostKept) thread->inputs.clear();
  const auto [at, is_new] = thread->inputs.try_emplace(key);
  if (!is_new) return &at->second;
  const SourceFacts& facts = FactsOfSource(event.record.source);
  const auto text_of = [&event](uint32_t id) {
    const std::string_view* const text = event.stream.Name(id);  // until the next one is asked for
    return std::string(text == nullptr ? std::string_view() : *text);
  };
  const std::string name = text_of(name_id), list = text_of(list_id);
  if (facts.operator_cost != nullptr) at->second.cost = facts.operator_cost(name, list);
  at->second.shape =
      ShapeOf(event, facts.operator_shapes == nullptr ? "" : facts.operator_shapes(list));
  return &at->second;
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

void OperatorTimes::AddComputed(const OperatorCost& cost, uint64_t begin_ns,
                                const OperatorWork& all, ComputedWork* sums) {
  const bool on_device = all.device_ns != 0;
  const auto flops = static_cast<double>(cost.flops);
  flops_.Add(begin_ns, flops, cost.format, on_device);
  if (!on_device) return;
  constexpr double kSecond = 1e9;
  const double seconds = static_cast<double>(all.device_ns) / kSecond;
  const auto bytes = static_cast<double>(cost.bytes.value_or(0));
  ComputedWork one;
  one.flops[static_cast<size_t>(cost.format)] = flops;
  one.best[static_cast<size_t>(cost.format)] = flops / seconds;
  one.device_ns = all.device_ns;
  one.bytes = bytes;
  one.best_bytes = bytes / seconds;
  one.bytes_known = cost.bytes.has_value();
  sums->Add(one);
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
  const OperatorWork within = TakeWithin(&thread, depth);
  OperatorSums sums;
  sums.count = 1;
  const Inputs* const inputs = InputsOf(event, &thread);
  all.flops = within.flops;
  // One that computes within such a one is the same work: aten::convolution and what it calls.
  if (inputs != nullptr && inputs->cost && within.flops == 0) {
    all.flops = static_cast<double>(inputs->cost->flops);
    AddComputed(*inputs->cost, begin_ns, all, &sums.computed);
  }
  sums.all = all;
  sums.own = all.Without(within);
  const uint32_t number = NumberOf(event);
  sums_[number].Add(sums);
  first_.Add(number, begin_ns, sums.own.host_ns, sums.own.device_ns);
  if (lines_ != nullptr) lines_->Add(event, number, sums);
  if (inputs != nullptr) shape_sums_[inputs->shape].Add(sums);
  if (thread.within.size() <= depth) thread.within.resize(depth + 1);
  thread.within[depth].Add(all);
}

// A range of the program's own, or a module, between two operators.
void OperatorTimes::OnRange(const RangeEvent& event) {
  Thread& thread = ThreadOf(event.stream);
  const OperatorWork within = TakeWithin(&thread, event.record.depth);
  if (thread.within.size() > event.record.depth) thread.within[event.record.depth].Add(within);
}

const FlopCurve& OperatorTimes::FinishedFlops() {
  flops_.Finish();
  return flops_;
}

void OperatorTimes::Finish(const std::vector<SteadySteps>& kinds, RunFindings* findings,
                           RankPart* part) {
  for (const auto& [key, number] : numbers_) {
    OperatorSums& sums = sums_[number];
    const StepPart all{sums.count, sums.own.host_ns, sums.own.device_ns};
    for (const SteadySteps& steps : kinds) {
      const StepPart in_steps = first_.Without(number, steps.first_ns(), all);
      if (in_steps.count != 0) sums.in_steps[steps.name()] = in_steps;
    }
    findings->operators[key].Add(sums);
  }
  for (const auto& [key, number] : shapes_) findings->operator_shapes[key].Add(shape_sums_[number]);
  AddTo(&part->flops, flops_.all());
  if (lines_ == nullptr) return;
  std::vector<const RangeKey*> keys(numbers_.size());
  for (const auto& [key, number] : numbers_) keys[number] = &key;
  lines_->Finish([&](uint32_t number) { return *keys[number]; }, findings);
}

}  // namespace syncline
