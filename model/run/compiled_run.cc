// SPDX-License-Identifier: Apache-2.0
// Texts of what was compiled.
#include "model/run/compiled_run.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"

namespace syncline {
namespace {

constexpr size_t kMostVariants = 8;

std::string FunctionText(const std::string& function) {
  if (function.empty() || function.starts_with("<")) return function;
  return function + "()";
}

// Which graphs say what, in their order.
using Opinions = std::vector<std::pair<std::string, std::string>>;

std::string TextOfAll(const Opinions& opinions) {
  const bool one = std::all_of(opinions.begin(), opinions.end(), [&](const auto& opinion) {
    return opinion.second == opinions.front().second;
  });
  if (one) return opinions.empty() ? "" : opinions.front().second;
  std::string text;
  for (size_t i = 0; i < std::min(opinions.size(), kMostVariants); ++i) {
    const auto& [graph, what] = opinions[i];
    text += Text(i == 0 ? "" : "; ", graph, ": ", what.empty() ? "?" : what);
  }
  if (opinions.size() > kMostVariants)
    text += Text("; ", CountText(opinions.size() - kMostVariants), " more");
  return text;
}

}  // namespace

std::string CompiledWhere(const CompileEvent& event, const OwnCode& own) {
  std::string where(ShownPath(own, event.file));
  if (!where.empty() && event.line != 0) where += Text(":", event.line);
  if (!where.empty() && !event.function.empty()) where += " ";
  where += FunctionText(event.function);
  return where.empty() ? "?" : where;
}

std::string OperatorsText(const CompiledPart& part) {
  std::string text;
  for (const std::string& one : part.operators) text += (text.empty() ? "" : ", ") + one;
  return text;
}

std::string LinesText(const CompiledPart& part, const OwnCode& own) {
  std::vector<CompiledLine> lines = part.lines;
  StableSort(&lines, [](const CompiledLine& a, const CompiledLine& b) {
    return std::tie(a.file, a.function, a.line) < std::tie(b.file, b.function, b.line);
  });
  std::string text;
  for (size_t i = 0; i < lines.size();) {
    const CompiledLine& first = lines[i];
    text +=
        Text(text.empty() ? "" : ", ", std::string(ShownPath(own, first.file)), ":", first.line);
    for (++i;
         i < lines.size() && lines[i].file == first.file && lines[i].function == first.function;
         ++i)
      text += Text(",", lines[i].line);
    if (!first.function.empty()) text += " " + FunctionText(first.function);
  }
  return text;
}

void NameKernels(const OwnCode& own, CompiledRun* run) {
  std::map<std::string, std::pair<Opinions, Opinions>> by_name;
  for (const CompiledPart& part : run->parts) {
    if (part.kind != CompiledKind::kKernel) continue;
    auto& [operators, lines] = by_name[part.name];
    operators.emplace_back(part.graph, OperatorsText(part));
    lines.emplace_back(part.graph, LinesText(part, own));
  }
  for (const auto& [name, opinions] : by_name)
    run->kernels[name] = {TextOfAll(opinions.first), TextOfAll(opinions.second)};
}

}  // namespace syncline
