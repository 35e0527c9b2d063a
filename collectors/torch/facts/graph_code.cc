// SPDX-License-Identifier: Apache-2.0
// "# Topologically Sorted Source Nodes: [add, z], Original ATen: [aten.add, aten.relu]" stands
// above each kernel of a GPU and each call; "#   z => relu" below it. Kernels of the CPU have
// neither.
#include "collectors/torch/facts/graph_code.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace syncline::torch {
namespace {

constexpr size_t kMostNames = 64;
constexpr size_t kMostLines = 32;
constexpr size_t kLongestPart = 512;
constexpr std::string_view kNodesWord = "Source Nodes: [";
constexpr std::string_view kAtenWord = "Original ATen: [";
constexpr std::string_view kMadeOf = " => ";
constexpr std::string_view kGraphId = "# AOT ID: ['";
constexpr std::string_view kDefinition = " = async_compile.";

// "a, b": what stands between `begin` and the next bracket.
std::vector<std::string> ListAt(std::string_view line, std::string_view begin) {
  const size_t at = line.find(begin);
  if (at == std::string_view::npos) return {};
  line = line.substr(at + begin.size());
  line = line.substr(0, line.find(']'));
  std::vector<std::string> list;
  while (!line.empty() && list.size() < kMostNames) {
    const size_t comma = line.find(", ");
    list.emplace_back(line.substr(0, std::min(comma, kLongestPart)));
    line = comma == std::string_view::npos ? "" : line.substr(comma + 2);
  }
  return list;
}

void AddLine(const CompiledLine& line, std::vector<CompiledLine>* lines) {
  if (line.file.empty() || lines->size() >= kMostLines) return;
  if (std::find(lines->begin(), lines->end(), line) == lines->end()) lines->push_back(line);
}

// The innermost frame: 'File "/a/train.py", line 7, in f'.
CompiledLine InnermostOf(std::string_view stack) {
  constexpr std::string_view kFileWord = "File \"", kLineWord = "\", line ", kInWord = ", in ";
  const size_t at = stack.rfind(kFileWord);
  if (at == std::string_view::npos) return {};
  stack = stack.substr(at + kFileWord.size());
  stack = stack.substr(0, stack.find('\n'));
  const size_t line_at = stack.find(kLineWord);
  if (line_at == std::string_view::npos) return {};
  CompiledLine line;
  line.file = stack.substr(0, line_at);
  const std::string_view rest = stack.substr(line_at + kLineWord.size());
  std::from_chars(rest.data(), rest.data() + rest.size(), line.line);
  const size_t in = rest.find(kInWord);
  if (in != std::string_view::npos)
    line.function = FunctionOf(Trimmed(rest.substr(in + kInWord.size())));
  return line;
}

// "kernel_0:12": the number is that of the call among those of the graph.
using Numbered = std::map<std::string, std::map<uint32_t, const CompileJson*>>;
Numbered ByName(const CompileJson& object) {
  Numbered by_name;
  if (!object.is_object()) return by_name;
  for (const auto& [key, value] : object.items()) {
    const size_t colon = key.rfind(':');
    uint32_t number = 0;
    if (colon != std::string::npos)
      std::from_chars(key.data() + colon + 1, key.data() + key.size(), number);
    if (value.is_array()) by_name[key.substr(0, colon)][number] = &value;
  }
  return by_name;
}

}  // namespace

void GraphCode::Line(std::string_view text) {
  if (in_source_) {
    in_source_ = !text.starts_with("'''");
    return;
  }
  const std::string_view line = Trimmed(text);
  if (line.starts_with("#")) return Comment(line);
  const size_t definition = text.find(kDefinition);
  if (definition != std::string_view::npos && text.find_first_of(" (") == definition) {
    Add(CompiledKind::kKernel, text.substr(0, definition));
    in_source_ = text.ends_with("'''");
    return;
  }
  Statement(line);
}

void GraphCode::Comment(std::string_view line) {
  if (line.starts_with(kGraphId) && pass_.empty()) {
    const size_t begin = line.find('_');
    const size_t end = line.rfind('\'');
    if (begin != std::string_view::npos && end > begin)
      pass_ = line.substr(begin + 1, std::min(end - begin - 1, kLongestPart));
  }
  if (line.find(kNodesWord) != std::string_view::npos) {
    origin_ = {ListAt(line, kAtenWord), ListAt(line, kNodesWord), {}};
    return;
  }
  const size_t made = line.find(kMadeOf);
  if (made == std::string_view::npos || origin_.made.size() >= kMostNames) return;
  origin_.made[std::string(Trimmed(line.substr(1, made - 1)))] = ListAt(line.substr(made), kMadeOf);
}

// "buf0 = torch.ops.aten.histc.default(arg0_1, 4)", "extern_kernels.mm(buf0, arg0_1, out=buf1)"
void GraphCode::Statement(std::string_view line) {
  const size_t call = line.find('(');
  if (call == std::string_view::npos || call == 0) return;
  std::string_view called = line.substr(0, call);
  const size_t equal = called.rfind(" = ");
  if (equal != std::string_view::npos) called.remove_prefix(equal + 3);
  if (called.starts_with("extern_kernels.")) return Add(CompiledKind::kLibrary, called);
  if (called.starts_with("torch.ops.")) return Add(CompiledKind::kFallback, called.substr(10));
  if (called.ends_with(".run") || called.starts_with("cpp_fused")) origin_ = {};
}

void GraphCode::Add(CompiledKind kind, std::string_view name) {
  if (parts_.size() >= kMostParts) {
    ++left_out_;
    return;
  }
  parts_.push_back({kind, std::string(name.substr(0, kLongestPart)), std::move(origin_), {}});
  origin_ = {};
}

std::vector<GraphCode::Part*> GraphCode::PartsNamed(std::string_view name) {
  std::vector<Part*> named;
  if (name.starts_with("torch.ops.")) name.remove_prefix(10);
  for (Part& part : parts_) {
    if (part.name == name) named.push_back(&part);
  }
  return named;
}

// As many calls as parts: one of each. Else what is told is of all of them.
void GraphCode::TakeStacks(const CompileJson& stacks) {
  for (const auto& [name, calls] : ByName(stacks)) {
    const std::vector<Part*> parts = PartsNamed(name);
    size_t at = 0;
    for (const auto& [number, told] : calls) {
      for (size_t i = 0; i < parts.size(); ++i) {
        if (parts.size() == calls.size() && i != at) continue;
        for (const CompileJson& stack : *told) {
          if (stack.is_string())
            AddLine(InnermostOf(stack.get_ref<const std::string&>()), &parts[i]->lines);
        }
      }
      ++at;
    }
  }
  for (Part& part : parts_) std::sort(part.lines.begin(), part.lines.end());
}

void GraphCode::TakeNodes(const CompileJson& nodes, const GraphNodes& last_graph) {
  if (!nodes.is_object() || !nodes.contains("cppCodeToPost")) return;
  for (const auto& [name, calls] : ByName(nodes["cppCodeToPost"])) {
    for (Part* const part : PartsNamed(name)) {
      if (part->kind != CompiledKind::kKernel || !part->origin.operators.empty()) continue;
      std::set<std::string> operators;
      for (const auto& [number, told] : calls) {
        for (const CompileJson& node : *told) {
          const GraphNode* const known =
              node.is_string() ? last_graph.Of(node.get<std::string>()) : nullptr;
          if (known != nullptr && !known->op.empty() && operators.size() < kMostNames)
            operators.insert(known->op);
        }
      }
      part->origin.operators.assign(operators.begin(), operators.end());
    }
  }
}

// A node of backward that is made of nothing but itself may have the name of another one of the
// graph that was traced.
void GraphCode::AddLines(const Origin& origin, const GraphNodes* graph,
                         const GraphNodes* last_graph, std::vector<CompiledLine>* lines) const {
  for (const std::string& name : origin.nodes) {
    const auto made = origin.made.find(name);
    const bool itself = made == origin.made.end() || made->second == std::vector{name};
    const bool known = graph != nullptr && (pass_ != "backward" || !itself);
    const GraphNode* const node = known ? graph->Of(name) : nullptr;
    if (node != nullptr) AddLine(node->line, lines);
    if (last_graph == nullptr || made == origin.made.end()) continue;
    for (const std::string& last : made->second) {
      if (const GraphNode* const of = last_graph->Of(last); of != nullptr) AddLine(of->line, lines);
    }
  }
}

std::vector<CompiledPart> GraphCode::Parts(const GraphNodes* graph,
                                           const GraphNodes* last_graph) const {
  std::vector<CompiledPart> parts;
  for (const Part& part : parts_) {
    CompiledPart& told = parts.emplace_back();
    told.kind = part.kind;
    told.name = part.name;
    told.operators = part.origin.operators;
    if (told.operators.empty() && part.kind == CompiledKind::kFallback)
      told.operators = {OperatorOf(part.name)};
    told.lines = part.lines;
    if (told.lines.empty()) AddLines(part.origin, graph, last_graph, &told.lines);
  }
  return parts;
}

}  // namespace syncline::torch
