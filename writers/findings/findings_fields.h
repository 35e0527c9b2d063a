// SPDX-License-Identifier: Apache-2.0
// The fields of findings in a file, once for writing and reading.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include "model/findings/run_findings.h"
#include "writers/findings/field_visitors.h"

namespace syncline {

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, DurationSums>& sums) {
  visit.Sums(sums);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, RangeKey>& key) {
  visit("source", key.source);
  visit("domain", key.domain);
  visit("name", key.name);
  visit("program", key.program);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, OpKey>& key) {
  visit("source", key.source);
  visit("name", key.name);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, CompileKey>& key) {
  visit("source", key.source);
  visit.OneOf("kind", kCompileKinds, CompileKindName, key.kind);
  visit("where", key.where);
  visit("why", key.why);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, CompiledKey>& key) {
  visit("source", key.source);
  visit.OneOf("kind", kCompiledKinds, CompiledKindName, key.kind);
  visit("name", key.name);
  visit("operators", key.operators);
  visit("lines", key.lines);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, CompiledSums>& sums) {
  visit("count", sums.count);
  visit("graphs", sums.graphs);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, CompileStep>& step) {
  visit("pid", step.pid);
  visit("steps", step.steps);
  visit("number", step.number);
  visit("begin_ns", step.begin_ns);
  visit("duration_ns", step.duration_ns);
  visit("compile_ns", step.compile_ns);
  visit("count", step.count);
  visit("again", step.again);
  visit("what", step.what);
  visit("why", step.why);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, CopySums>& sums) {
  visit("bytes", sums.bytes);
  visit.Sums(sums.durations);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, WaitKey>& key) {
  visit("source", key.source);
  visit.OneOf("class", kWaitClasses, WaitClassName, key.wait_class);
  visit("call", key.call);
  visit("ranges", key.ranges);
  visit("where", key.where);
  visit("program", key.program);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, WaitSums>& sums) {
  visit.Sums(sums.blocked);
  visit("idle_after_ns", sums.idle_after_ns);
  visit("needless", sums.needless);
  visit("needless_ns", sums.needless_ns);
  visit("unknown", sums.unknown);
  visit("statement", sums.statement);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, LongWait>& wait) {
  visit("blocked_ns", wait.blocked_ns);
  visit("rank", wait.rank);
  visit("begin_ns", wait.begin_ns);
  visit("pid", wait.pid);
  visit("tid", wait.tid);
  Fields(visit, wait.what);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, GapKey>& key) {
  visit("source", key.source);
  visit.OneOf("cause", kGapCauses, GapCauseName, key.cause);
  visit("call", key.call);
  visit("ranges", key.ranges);
  visit("before", key.lines.before);
  visit("next", key.lines.next);
  visit("below", key.lines.below);
  visit("statement", key.lines.statement);
  visit.OneOf("span", kHostSpans, HostSpanName, key.lines.span);
  visit("program", key.program);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, HostWorkKey>& key) {
  visit("where", key.where);
  visit.OneOf("activity", kHostActivities, HostActivityName, key.activity);
  visit("what", key.what);
  visit("program", key.program);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, HostWorkSums>& sums) {
  visit("samples", sums.samples);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, StageWork>& work) {
  visit("blocked_ns", work.blocked_ns);
  visit("launched", work.launched);
  visit("device_ns", work.device_ns);
  visit("busy_ns", work.busy_ns);
  visit("busy_of_ns", work.busy_of_ns);
  visit("memory_peak", work.memory_peak);
  visit("allocated_peak", work.allocated_peak);
  visit("reserved_peak", work.held_peak);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, LabelKey>& key) {
  visit("label", key.label);
  visit("value", key.value);
  Fields(visit, key.of);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, LabelSums>& sums) {
  visit.Sums(sums.durations);
  Fields(visit, sums.work);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, SignatureKey>& key) {
  visit("form", key.form);
  Fields(visit, key.of);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, CallSignature>& call) {
  visit("inputs", call.inputs);
  visit("result", call.result);
  visit("gradients", call.gradients);
  visit("begin_ns", call.begin_ns);
  visit("duration_ns", call.duration_ns);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, OperatorSums>& sums) {
  visit("count", sums.count);
  visit("host_ns", sums.all.host_ns);
  visit("blocked_ns", sums.all.blocked_ns);
  visit("launched", sums.all.launched);
  visit("device_ns", sums.all.device_ns);
  visit("replayed_ns", sums.all.replayed_ns);
  visit("own_host_ns", sums.own.host_ns);
  visit("own_blocked_ns", sums.own.blocked_ns);
  visit("own_launched", sums.own.launched);
  visit("own_device_ns", sums.own.device_ns);
  visit("own_replayed_ns", sums.own.replayed_ns);
  visit.Real("flops", sums.all.flops);
  visit.Real("own_flops", sums.own.flops);
  visit.Reals("computed_flops", sums.computed.flops);
  visit.Reals("best_flops", sums.computed.best);
  visit("computed_ns", sums.computed.device_ns);
  visit.Real("bytes", sums.computed.bytes);
  visit.Real("best_bytes", sums.computed.best_bytes);
  visit("bytes_known", sums.computed.bytes_known);
  visit.InSteps(sums.in_steps);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, ModuleSums>& sums) {
  visit("count", sums.count);
  visit("class", sums.of_class);
  visit("host_ns", sums.all.host_ns);
  visit("blocked_ns", sums.all.blocked_ns);
  visit("launched", sums.all.launched);
  visit("device_ns", sums.all.device_ns);
  visit("own_host_ns", sums.own.host_ns);
  visit("own_blocked_ns", sums.own.blocked_ns);
  visit("own_launched", sums.own.launched);
  visit("own_device_ns", sums.own.device_ns);
  visit("own_replayed_ns", sums.own.replayed_ns);
  visit("back_host_ns", sums.back.host_ns);
  visit("back_blocked_ns", sums.back.blocked_ns);
  visit("back_launched", sums.back.launched);
  visit("back_device_ns", sums.back.device_ns);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, OperatorGroup>& key) {
  Fields(visit, key.of);
  visit("by", key.by);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, StepWork>& work) {
  visit.Reals("flops", work.flops);
  visit.Real("all_flops", work.all_flops);
  visit("steps", work.steps);
  visit("total_ns", work.total_ns);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, StepOps>& ops) {
  visit("steps", ops.steps);
  visit("kernels", ops.kernels);
  visit("copies", ops.copies);
  visit("from_host_bytes", ops.from_host_bytes);
  visit("to_host_bytes", ops.to_host_bytes);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, StarvedSums>& sums) {
  visit("count", sums.count);
  visit("idle_ns", sums.idle_ns);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, KernelFill>& fill) {
  const auto sums = [&visit](const std::string& what, auto& of, const char* sum) {
    visit((what + "_launches").c_str(), of.launches);
    visit((what + "_ns").c_str(), of.ns);
    visit((what + sum).c_str(), of.sum);
  };
  visit("multiprocessors", fill.multiprocessors);
  sums("few_blocks", fill.few_blocks, "_sum");
  for (size_t limit = 0; limit < kRoomLimits; ++limit)
    sums(RoomLimitName(static_cast<RoomLimit>(limit)), fill.low[limit], "_percent_sum");
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, PriceKey>& key) {
  visit("source", key.source);
  visit.OneOf("change", kChanges, ChangeName, key.change);
  visit.OneOf("class", kWaitClasses, WaitClassName, key.wait_class);
  visit("call", key.call);
  visit("ranges", key.ranges);
  visit("where", key.where);
  visit("before", key.before);
  visit("below", key.below);
  visit.OneOf("span", kHostSpans, HostSpanName, key.span);
  visit("caller", key.caller);
  visit("statement", key.statement);
  visit("program", key.program);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, PriceSums>& sums) {
  visit("count", sums.count);
  visit("removed_ns", sums.removed_ns);
  visit.Gains(sums.of_ranks);
  visit("known_ns", sums.known_ns);
  visit("read_ns", sums.read_ns);
  visit("send_ns", sums.send_ns);
  visit("read_backs", sums.read_backs);
  visit("pinned_reads", sums.pinned_reads);
  visit("read_bytes", sums.read_bytes);
  visit("sends", sums.sends);
  visit("pinned_sends", sums.pinned_sends);
  visit("sent_faster", sums.sent_faster);
  if constexpr (!Visitor::kWrites) {
    for (const auto& [rank, gain] : sums.of_ranks) sums.gain.Add(gain);
  }
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, StageTime>& stage) {
  Fields(visit, stage.key);
  visit("count", stage.count);
  visit("total_ns", stage.total_ns);
  visit("device_ns", stage.device_ns);
  visit("own_ns", stage.own_ns);
  visit("own_deviation_ns", stage.own_deviation_ns);
  visit("blocked_ns", stage.blocked_ns);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, ReplayFacts>& facts) {
  visit("whole_ns", facts.whole_ns);
  visit("replayed_ns", facts.replayed_ns);
  visit("windows", facts.windows);
  visit("waited_ns", facts.waited_ns);
  visit("recording_ns", facts.recording_ns);
  visit("together_ns", facts.together_ns);
  visit("unpriced", facts.unpriced);
  visit("ungrouped", facts.ungrouped);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, HostLoad>& load) {
  visit("launcher_pid", load.launcher_pid);
  visit("whole_ns", load.whole_ns);
  visit("busy_ns", load.busy_ns);
  visit("own_ns", load.own_ns);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, RecordingCost>& cost) {
  visit("pid", cost.pid);
  visit("recorded", cost.recorded);
  visit("recorded_ns", cost.recorded_ns);
  visit("bare", cost.bare);
  visit("bare_ns", cost.bare_ns);
  visit("calls", cost.calls);
  visit("is_clear", cost.is_clear);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, ProcessEnding>& ending) {
  visit("pid", ending.pid);
  visit("program", ending.program);
  visit("how", ending.how);
  visit("at_ns", ending.at_ns);
  visit("silent_ns", ending.silent_ns);
  visit("ranges", ending.ranges);
  visit("call", ending.call);
  visit("where", ending.where);
  visit("open_ns", ending.open_ns);
  visit("other_threads", ending.other_threads);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, MemoryGroup>& group) {
  visit("where", group.where);
  visit("operator", group.operation);
  visit.OneOf("class", kBlockClasses, BlockClassName, group.block_class);
  visit("bytes", group.bytes);
  visit("count", group.count);
}

// But for the groups.
template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, MemoryMoment>& moment) {
  visit("at_ns", moment.at_ns);
  visit("allocated", moment.allocated);
  visit("reserved", moment.held);
  visit("unknown", moment.unknown);
  visit("requested", moment.requested);
  visit("where", moment.where);
  visit("operator", moment.operation);
  visit("step", moment.step);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, MemoryGrowth>& growth) {
  visit("where", growth.where);
  visit("operator", growth.operation);
  visit("bytes", growth.bytes);
  visit("count", growth.count);
  visit("steps", growth.steps);
  visit("of_steps", growth.of_steps);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, MemoryPieces>& pieces) {
  visit("times", pieces.times);
  visit("asked", pieces.asked);
  visit("free", pieces.free);
  visit("needed", pieces.needed);
  visit("reserved", pieces.held);
  visit("at_ns", pieces.at_ns);
  visit("where", pieces.where);
}

// But for moments and lists.
template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, AllocatorUse>& use) {
  visit("pid", use.pid);
  visit("program", use.program);
  visit("source", use.source);
  visit("device", use.device);
  visit("taken", use.taken);
  visit("reserved_peak", use.held_peak);
  visit("reserved_peak_at_ns", use.held_peak_at_ns);
  visit("unused_peak", use.unused_peak);
  visit("outside", use.outside);
  visit("outside_known", use.outside_known);
  visit("out_of_memory_count", use.out_of_memory_count);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, CoverageFact>& fact) {
  visit("source", fact.source);
  visit("recorded", fact.recorded);
  visit("why", fact.why);
  visit("begin_ns", fact.begin_ns);
  visit("end_ns", fact.end_ns);
}

// But for those that are objects.
template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, DeviceUse>& use) {
  visit("pid", use.pid);
  visit("processes", use.processes);
  visit("source", use.source);
  visit("device", use.device);
  visit("name", use.name);
  visit("uuid", use.uuid);
  visit("begin_ns", use.begin_ns);
  visit("end_ns", use.end_ns);
  visit("operations", use.operations);
  visit("busy_ns", use.busy_ns);
  visit("unseen_ns", use.unseen_ns);
  visit("others_ns", use.others_ns);
  visit("other_ranks", use.other_ranks);
  if constexpr (Visitor::kWrites) visit("idle_ns", use.IdleNs());
  visit("computing_ns", use.computing_ns);
  visit("beside_ns", use.beside_ns);
  visit("communicating_ns", use.communicating_ns);
  visit("communicating_alone_ns", use.communicating_alone_ns);
  visit("copying_ns", use.copying_ns);
  visit("copying_alone_ns", use.copying_alone_ns);
  visit("memory_peak_bytes", use.memory_peak_bytes);
  visit("memory_peak_at_ns", use.memory_peak_at_ns);
  visit("kernels_ns", use.kernels_ns);
  visit("queued_ns", use.queued_ns);
}

template <typename Visitor>
void Fields(Visitor& visit, FieldsOf<Visitor, RankPart>& part) {
  visit("rank", part.rank);
  visit("world_size", part.world_size);
  visit("complete", part.complete);
  visit("job", part.job);
  visit("host", part.host);
  visit("begin_ns", part.begin_ns);
  visit("end_ns", part.end_ns);
  visit("analysed_until_ns", part.analysed_until_ns);
  visit("processes", part.processes);
  visit("ranges", part.ranges);
  visit("marks", part.marks);
  visit("calls", part.calls);
  visit("device_ops", part.device_ops);
  visit("missing", part.missing);
  visit("idle_devices", part.idle_devices);
  visit("problems", part.problems);
  visit("limits", part.limits);
  visit("steps_left_out", part.steps_left_out);
  visit("between_ranges_ns", part.between_ranges_ns);
  visit("joint_ns", part.joint_ns);
  visit.Reals("flops", part.flops);
}

// All fields of what stands together in one object.
template <typename... Parts>
Json ObjectOf(SumsWriter write, const Parts&... parts) {
  Json object = Json::object();
  FieldWriter visit(&object, write);
  (Fields(visit, parts), ...);
  return object;
}

// False: of a kind that is not known.
template <typename... Parts>
bool TakeObject(const JsonValue& object, Parts*... parts) {
  FieldReader visit(object);
  (Fields(visit, *parts), ...);
  return visit.known();
}

template <typename List>
Json ListJson(const List& list, SumsWriter write) {
  Json array = Json::array();
  for (const auto& item : list) array.push_back(ObjectOf(write, item));
  return array;
}

template <typename Map>
Json MapJson(const Map& map, SumsWriter write) {
  Json array = Json::array();
  for (const auto& [key, value] : map) array.push_back(ObjectOf(write, key, value));
  return array;
}

// At most `most` items.
template <typename Item>
void TakeList(const JsonValue& array, size_t most, std::vector<Item>* list) {
  for (const JsonValue each : array.Items()) {
    Item item;
    if (list->size() < most && TakeObject(each, &item)) list->push_back(std::move(item));
  }
}

// Of our own files the keys ascend, and each is there once.
template <typename Map>
void TakeMap(const JsonValue& array, Map* map) {
  for (const JsonValue each : array.Items()) {
    typename Map::key_type name;
    typename Map::mapped_type value;
    if (!TakeObject(each, &name, &value)) continue;
    const size_t before = map->size();
    const auto at = map->try_emplace(map->end(), std::move(name), std::move(value));
    if (map->size() == before) at->second.Add(value);
  }
}

}  // namespace syncline
