// SPDX-License-Identifier: Apache-2.0
// Allocators by what they held; below them lines by what these had at the peak.
#include "report/memory_sections.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "report/section_rows.h"
#include "report/sections.h"

namespace syncline {
namespace {

constexpr char kNotRecorded[] = "(taken while nothing was recorded)";
constexpr size_t kFewAllocators = 2, kFewPlaces = 6, kFewGrowths = 3, kMostTexts = 2;
// A program's first step has one or two such cases: its segments are made then.
constexpr uint64_t kToldTimes = 5;

// Of the peak: a growth that is less is worth no sentence; nor are pieces of what was held.
constexpr uint64_t kToldGrowth = 100, kToldPieces = 10;

constexpr Column kAllocators[] = {
    {"", "memory", ValueKind::kText, kShort | kPage},
    {"allocated_peak_bytes", "allocated", ValueKind::kBytes, kEverywhere, "At its peak"},
    {"reserved_peak_bytes", "reserved", ValueKind::kBytes, kEverywhere,
     "At its peak: what the allocator had of the driver"},
    {"weights_bytes", "weights", ValueKind::kBytes, kEverywhere, "When most was allocated"},
    {"gradients_bytes", "gradients", ValueKind::kBytes, kEverywhere, "When most was allocated"},
    {"state_bytes", "optimizer", ValueKind::kBytes, kEverywhere, "When most was allocated"},
    {"activations_bytes", "activations", ValueKind::kBytes, kEverywhere, "When most was allocated"},
    {"other_bytes", "other", ValueKind::kBytes, kNotShort, "When most was allocated"},
    {"unused_peak_bytes", "unused", ValueKind::kBytes, kEverywhere,
     "The most that was reserved and not allocated"},
    {"outside_bytes", "outside", ValueKind::kBytes, kNotShort,
     "Taken of the driver beside the allocator, when most was reserved"},
    {"blocks", "blocks", ValueKind::kCount, kNotShort, "Given out"},
    {"reserved_at_peak_bytes", "", ValueKind::kBytes, kFile},
    {"unknown_bytes", "", ValueKind::kBytes, kFile},
    {"peak_at_ns", "", ValueKind::kPlain, kFile},
    {"peak_where", "", ValueKind::kCode, kFile},
    {"out_of_memory", "", ValueKind::kCount, kFile},
    {"pieces_bytes", "", ValueKind::kBytes, kFile},
    {"rank", "", ValueKind::kText, kFile},
    {"device", "", ValueKind::kText, kFile},
    {"pid", "", ValueKind::kPlain, kFile}};

constexpr Column kPlaces[] = {
    {"", "what stood in memory", ValueKind::kCode, kShort | kPage},
    {"bytes", "bytes", ValueKind::kBytes, kEverywhere},
    {"share_percent", "share", ValueKind::kShare, kEverywhere, "Of what was allocated then"},
    {"class", "class", ValueKind::kText, kEverywhere},
    {"", "when", ValueKind::kText, kShort},  // where there are several moments
    {"count", "blocks", ValueKind::kCount, kEverywhere},
    {"moment", "when", ValueKind::kText, kNotShort},
    {"operator", "operator", ValueKind::kCode, kNotShort},
    {"where", "", ValueKind::kCode, kFile},
    {"rank", "", ValueKind::kText, kFile},
    {"device", "", ValueKind::kText, kFile}};

constexpr Column kGrowth[] = {
    {"", "grows each step", ValueKind::kCode, kShort | kPage},
    {"bytes_of_step", "a step", ValueKind::kBytes, kEverywhere},
    {"bytes", "in all", ValueKind::kBytes, kEverywhere},
    {"count", "blocks", ValueKind::kCount, kEverywhere},
    {"steps", "steps", ValueKind::kCount, kEverywhere, "In which something was taken and stayed"},
    {"of_steps", "of", ValueKind::kCount, kNotShort},
    {"operator", "operator", ValueKind::kCode, kNotShort},
    {"where", "", ValueKind::kCode, kFile},
    {"rank", "", ValueKind::kText, kFile},
    {"device", "", ValueKind::kText, kFile}};

std::string NameOf(const Report& report, const ReportAllocator& allocator) {
  const size_t same = static_cast<size_t>(std::count_if(
      report.allocators.begin(), report.allocators.end(), [&](const ReportAllocator& other) {
        return other.rank == allocator.rank && other.use.device == allocator.use.device;
      }));
  return Text(allocator.rank, same > 1 ? Text(" (", allocator.use.pid, ")") : "", ", ",
              allocator.use.device);
}

std::string PlaceText(const std::string& where, const std::string& operation) {
  if (where.empty()) return operation.empty() ? "(line not known)" : operation;
  return operation.empty() ? where : Text(where, ", ", operation);
}

std::array<uint64_t, kBlockClasses> ByClass(const MemoryMoment& moment) {
  std::array<uint64_t, kBlockClasses> bytes{};
  for (const MemoryGroup& group : moment.groups)
    bytes[static_cast<size_t>(group.block_class)] += group.bytes;
  return bytes;
}

uint64_t GrowthOfAll(const AllocatorUse& use) {
  uint64_t bytes = 0;
  for (const MemoryGrowth& growth : use.growth) bytes += growth.bytes;
  return bytes;
}

std::string OutOfMemoryText(const ReportAllocator& allocator) {
  const MemoryMoment& moment = allocator.use.out_of_memory.front();
  std::string text =
      Text("out of memory", moment.where.empty() ? "" : " at ", moment.where,
           moment.step.empty() ? "" : Text(", in `", moment.step, "`"), ": ",
           SizeText(moment.requested), " more of ", allocator.use.device, " were asked for, ",
           SizeText(moment.allocated), " were allocated and ", SizeText(moment.held), " reserved");
  const uint64_t free = moment.held - std::min(moment.held, moment.allocated);
  if (free >= moment.requested && moment.requested != 0)
    text += Text(" (", SizeText(free), " of these free, in pieces)");
  if (!moment.groups.empty()) {
    const MemoryGroup& most = moment.groups.front();
    text += Text(
        "; most of it is of ", PlaceText(most.where, most.operation), ": ", SizeText(most.bytes),
        most.block_class == BlockClass::kUnknown ? ""
                                                 : Text(", ", BlockClassName(most.block_class)));
  }
  const uint64_t more = allocator.use.out_of_memory_count - 1;
  return more == 0 ? text : Text(text, " (the first of ", CountText(more + 1), " times)");
}

std::string GrowthText(const ReportAllocator& allocator) {
  const MemoryGrowth& most = allocator.use.growth.front();
  return Text("memory of ", allocator.use.device,
              " grows with each step: ", PlaceText(most.where, most.operation), " took ",
              SizeText(most.bytes), " in ", CountText(most.of_steps), " steps that stayed, ",
              SizeText(most.bytes / std::max<uint64_t>(most.of_steps, 1)), " a step");
}

std::string PiecesText(const ReportAllocator& allocator) {
  const MemoryPieces& pieces = allocator.use.pieces;
  return Text("memory of ", allocator.use.device,
              " lies in pieces: ", pieces.where.empty() ? "the program" : pieces.where, " needed ",
              SizeText(pieces.needed), " while ", SizeText(pieces.free), " of ",
              SizeText(pieces.held), " reserved were free, and none of them held it; ",
              SizeText(pieces.asked), " more were reserved in ",
              Counted(pieces.times, "such case"));
}

bool IsGrowthTold(const AllocatorUse& use) {
  return !use.growth.empty() && GrowthOfAll(use) * kToldGrowth >= use.peak.allocated;
}

bool ArePiecesTold(const AllocatorUse& use) {
  return use.pieces.times >= kToldTimes && use.pieces.free * kToldPieces >= use.held_peak &&
         use.pieces.asked * kToldPieces >= use.held_peak;
}

template <typename Is, typename Words>
void AddTexts(const Report& report, const Is& is, const Words& words,
              std::vector<std::string>* texts) {
  size_t told = 0;
  for (const ReportAllocator& allocator : report.allocators) {
    if (!is(allocator.use) || ++told > kMostTexts) continue;
    const std::string rank = report.ranks.size() > 1 ? Text(allocator.rank, ": ") : "";
    texts->push_back(PrintableText(rank + words(allocator)));
  }
  if (told > kMostTexts)
    texts->push_back(Text("the same of ", Counted(told - kMostTexts, "more allocator")));
}

struct PlaceRow {
  const ReportAllocator* allocator;
  const char* moment;
  size_t number;  // of the allocator's moments of that kind, from 1
  const MemoryMoment* of;
  MemoryGroup group;
};

void AddPlaces(const ReportAllocator& allocator, const char* moment, size_t number,
               const MemoryMoment& of, std::vector<PlaceRow>* rows) {
  for (const MemoryGroup& group : of.groups)
    rows->push_back({&allocator, moment, number, &of, group});
  if (of.unknown != 0)
    rows->push_back(
        {&allocator, moment, number, &of, {kNotRecorded, "", BlockClass::kUnknown, of.unknown}});
}

// Of which moment a row is, where rows of several stand in one table.
Value WhenText(const Report& report, const std::vector<PlaceRow>& rows, const PlaceRow& row) {
  const bool one = std::all_of(rows.begin(), rows.end(),
                               [&](const PlaceRow& other) { return other.of == row.of; });
  if (one) return Nothing{};
  const bool one_allocator = std::all_of(rows.begin(), rows.end(), [&](const PlaceRow& other) {
    return other.allocator == row.allocator;
  });
  return Text(row.moment, row.number > 1 ? Text(" (", row.number, ")") : "",
              one_allocator ? "" : Text(", ", NameOf(report, *row.allocator)));
}

}  // namespace

void AddAllocators(const RunFindings& findings, Report* report) {
  for (const auto& [rank, part] : findings.ranks) {
    for (const AllocatorUse& use : part.allocators) report->allocators.push_back({rank, use});
  }
  StableSort(&report->allocators, [](const ReportAllocator& a, const ReportAllocator& b) {
    return a.use.held_peak > b.use.held_peak;
  });
}

std::vector<std::string> MemoryTexts(const Report& report) {
  std::vector<std::string> texts;
  AddTexts(
      report, [](const AllocatorUse& use) { return !use.out_of_memory.empty(); }, OutOfMemoryText,
      &texts);
  AddTexts(report, IsGrowthTold, GrowthText, &texts);
  AddTexts(report, ArePiecesTold, PiecesText, &texts);
  return texts;
}

Section AllocatorsSection(const Report& report, const RowChoice& choice) {
  Section section{"allocators", "Memory of allocators", kAllocators, {}};
  FillRows(
      report.allocators, Wished(report, choice), kFewAllocators,
      [](const ReportAllocator& row) { return row.use.held_peak; },
      [&report](const ReportAllocator& row) {
        const AllocatorUse& use = row.use;
        const auto by_class = ByClass(use.peak);
        const auto of = [&by_class](BlockClass one) { return by_class[static_cast<size_t>(one)]; };
        return std::vector<Value>{NameOf(report, row),
                                  use.peak.allocated,
                                  use.held_peak,
                                  of(BlockClass::kWeights),
                                  of(BlockClass::kGradients),
                                  of(BlockClass::kState),
                                  of(BlockClass::kActivations),
                                  of(BlockClass::kTemporary) + of(BlockClass::kKept) +
                                      of(BlockClass::kUnknown) + use.peak.unknown,
                                  use.unused_peak,
                                  IfKnown(use.outside, use.outside_known),
                                  use.taken,
                                  use.peak.held,
                                  use.peak.unknown,
                                  use.peak.at_ns,
                                  use.peak.where,
                                  use.out_of_memory_count,
                                  use.pieces.asked,
                                  row.rank,
                                  use.device,
                                  int64_t{use.pid}};
      },
      &section);
  return section;
}

Section MemoryPlacesSection(const Report& report, const RowChoice& choice) {
  Section section{"memory_places", "What stood in memory", kPlaces, {}};
  std::vector<PlaceRow> rows;
  for (const ReportAllocator& allocator : report.allocators) {
    size_t number = 0;
    for (const MemoryMoment& moment : allocator.use.out_of_memory)
      AddPlaces(allocator, "out of memory", ++number, moment, &rows);
  }
  const bool short_of_it = !rows.empty();
  for (const ReportAllocator& allocator : report.allocators)
    AddPlaces(allocator, "at the peak", 1, allocator.use.peak, &rows);
  if (!rows.empty())
    section.note = Text(short_of_it ? "when there was no more: of " : "at the peak: of ",
                        NameOf(report, *rows.front().allocator));
  FillRows(
      rows, Wished(report, choice), kFewPlaces, [](const PlaceRow&) { return uint64_t{0}; },
      [&](const PlaceRow& row) {
        const MemoryGroup& group = row.group;
        return std::vector<Value>{PlaceText(group.where, group.operation),
                                  group.bytes,
                                  ShareOf(group.bytes, row.of->allocated),
                                  BlockClassName(group.block_class),
                                  WhenText(report, rows, row),
                                  group.count == 0 ? Value(Unknown{}) : Value(group.count),
                                  row.moment,
                                  group.operation,
                                  group.where,
                                  row.allocator->rank,
                                  row.allocator->use.device};
      },
      &section);
  return section;
}

Section MemoryGrowthSection(const Report& report, const RowChoice& choice) {
  Section section{"memory_growth", "What grows from step to step", kGrowth, {}};
  std::vector<std::pair<const ReportAllocator*, const MemoryGrowth*>> rows;
  for (const ReportAllocator& allocator : report.allocators) {
    for (const MemoryGrowth& growth : allocator.use.growth) rows.emplace_back(&allocator, &growth);
  }
  FillRows(
      rows, Wished(report, choice), kFewGrowths, [](const auto& row) { return row.second->bytes; },
      [](const auto& row) {
        const MemoryGrowth& growth = *row.second;
        return std::vector<Value>{PlaceText(growth.where, growth.operation),
                                  growth.bytes / std::max<uint64_t>(growth.of_steps, 1),
                                  growth.bytes,
                                  growth.count,
                                  growth.steps,
                                  growth.of_steps,
                                  growth.operation,
                                  growth.where,
                                  row.first->rank,
                                  row.first->use.device};
      },
      &section);
  return section;
}

}  // namespace syncline
