// SPDX-License-Identifier: Apache-2.0
// Modules of all ranks: what each path took forward and backward, on the host and on devices.
#include "report/module_sections.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "report/section_rows.h"
#include "report/sections.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr size_t kFewModules = 10;
constexpr size_t kMostToldModules = 1000;  // are told one by one

constexpr Column kModules[] = {
    {"", "module", ValueKind::kCode, kShort | kPage},
    {"class", "class", ValueKind::kCode, kEverywhere, "Of its object, of the last one if several"},
    {"device_ms", "GPU time", ValueKind::kDuration, kEverywhere,
     "Of what was submitted in it and in modules below, forward and backward, added up"},
    {"forward_device_ms", "forward", ValueKind::kDuration, kEverywhere,
     "GPU time of its calls, with modules that are called within"},
    {"backward_device_ms", "backward", ValueKind::kDuration, kEverywhere,
     "GPU time of what autograd ran for it and for modules below"},
    {"count", "calls", ValueKind::kCount, kEverywhere},
    {"host_ms", "CPU time", ValueKind::kDuration, kEverywhere,
     "Threads were in its calls, with modules that are called within"},
    {"own_forward_device_ms", "own forward", ValueKind::kDuration, kNotShort,
     "GPU time of what was submitted in it and in no module within"},
    {"own_backward_device_ms", "own backward", ValueKind::kDuration, kNotShort,
     "GPU time of what autograd ran for its own operators"},
    {"own_host_ms", "own CPU time", ValueKind::kDuration, kNotShort,
     "Threads were in it and in no module within"},
    {"backward_host_ms", "backward CPU time", ValueKind::kDuration, kNotShort,
     "Autograd was in what it ran for it and for modules below"},
    {"replayed_ms", "in graphs", ValueKind::kDuration, kNotShort,
     "GPU time of what was captured in it and in modules below, each time that its graph ran"},
    {"blocked_ms", "", ValueKind::kDuration, kFile},
    {"launched", "", ValueKind::kCount, kFile},
    {"backward_launched", "", ValueKind::kCount, kFile},
    {"name", "", ValueKind::kCode, kFile},
    {"domain", "", ValueKind::kCode, kFile},
    {"program", "", ValueKind::kCode, kFile},
    {"source", "", ValueKind::kText, kFile}};

std::vector<Value> CellsOf(const ReportModule& row) {
  const ModuleSums& sums = row.sums;
  return {row.key.name + OfProgram(row.key.program),
          sums.of_class,
          sums.all.device_ns + row.back.device_ns,
          sums.all.device_ns,
          row.back.device_ns,
          sums.count,
          sums.all.host_ns,
          sums.own.device_ns,
          sums.back.device_ns,
          sums.own.host_ns,
          row.back.host_ns,
          row.replayed_ns,
          sums.all.blocked_ns,
          sums.all.launched,
          row.back.launched,
          row.key.name,
          row.key.domain,
          row.key.program,
          row.key.source};
}

std::tuple<uint64_t, uint64_t> CostOf(const ReportModule& row) {
  return {row.sums.all.device_ns + row.back.device_ns + row.replayed_ns,
          row.sums.all.host_ns + row.back.host_ns};
}

// By path; a parent is known by its place.
class Tree {
 public:
  void Add(const RangeKey& key, const ModuleSums& sums) {
    Node& node = nodes_[IndexOf(key)];
    node.row.sums.Add(sums);
    node.is_called = true;
  }
  std::vector<ReportModule> Rows() {
    for (size_t i = nodes_.size(); i > 0; --i) HandUp(&nodes_[i - 1]);
    std::vector<ReportModule> rows;
    Append(roots_, &rows);
    return rows;
  }

 private:
  struct Node {
    ReportModule row;
    size_t parent = SIZE_MAX;
    bool is_called = false;
    std::vector<size_t> below;
  };

  // A parent is made before what stands below it.
  size_t IndexOf(const RangeKey& key) {
    if (const auto known = indexes_.find(key); known != indexes_.end()) return known->second;
    const size_t dot = key.name.rfind('.');
    RangeKey above = key;
    size_t parent = SIZE_MAX;
    if (dot != std::string::npos) {
      above.name.resize(dot);
      parent = IndexOf(above);
    }
    const size_t index = nodes_.size();
    nodes_.emplace_back();
    nodes_.back().row.key = key;
    nodes_.back().parent = parent;
    (parent == SIZE_MAX ? roots_ : nodes_[parent].below).push_back(index);
    indexes_.emplace(key, index);
    return index;
  }

  void HandUp(Node* node) {
    node->row.back.Add(node->row.sums.back);
    node->row.replayed_ns += node->row.sums.own.replayed_ns;
    if (node->parent == SIZE_MAX) return;
    Node& parent = nodes_[node->parent];
    parent.row.back.Add(node->row.back);
    parent.row.replayed_ns += node->row.replayed_ns;
    if (!parent.is_called) parent.row.sums.all.Add(node->row.sums.all);
  }

  void Append(std::vector<size_t> beside, std::vector<ReportModule>* rows) {
    StableSort(&beside, [this](size_t a, size_t b) {
      return CostOf(nodes_[a].row) > CostOf(nodes_[b].row);
    });
    for (const size_t index : beside) {
      rows->push_back(nodes_[index].row);
      Append(nodes_[index].below, rows);
    }
  }

  std::vector<Node> nodes_;
  std::vector<size_t> roots_;
  std::map<RangeKey, size_t> indexes_;
};

// The costliest so many, in their order; `others` gets what is left out.
std::vector<ReportModule> Costliest(const std::vector<ReportModule>& rows, size_t most,
                                    ModuleSums* others) {
  if (rows.size() <= most) return rows;
  std::vector<size_t> order(rows.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  StableSort(&order, [&](size_t a, size_t b) { return CostOf(rows[a]) > CostOf(rows[b]); });
  for (size_t i = most; i < order.size(); ++i) others->Add(rows[order[i]].sums);
  order.resize(most);
  std::sort(order.begin(), order.end());
  std::vector<ReportModule> kept;
  kept.reserve(most + 1);
  for (const size_t i : order) kept.push_back(rows[i]);
  return kept;
}

}  // namespace

void AddModules(const RunFindings& findings, Report* report) {
  Tree tree;
  for (const auto& [key, sums] : findings.modules) tree.Add(key, sums);
  const std::vector<ReportModule> rows = tree.Rows();
  ReportModule others;
  report->modules = Costliest(rows, kMostToldModules, &others.sums);
  if (rows.size() <= kMostToldModules) return;
  others.key.name = Text("(", CountText(rows.size() - kMostToldModules), " other modules)");
  others.sums.all = others.sums.own;
  others.sums.of_class.clear();
  others.back = others.sums.back;
  others.replayed_ns = others.sums.own.replayed_ns;
  report->modules.push_back(std::move(others));
}

Section ModulesSection(const Report& report, const RowChoice& choice) {
  Section section{"modules", "Modules", kModules, {}};
  RowChoice wished = Wished(report, choice);
  wished.costliest_first = false;  // a tree keeps its order
  ModuleSums others;
  const bool few = wished.few && *wished.sort_by == '\0';
  FillRows(
      few ? Costliest(report.modules, kFewModules, &others) : report.modules, wished, kFewModules,
      [](const ReportModule& row) { return CostOf(row); },
      [](const ReportModule& row) { return CellsOf(row); }, &section);
  section.of = report.modules.size();
  return section;
}

}  // namespace syncline
