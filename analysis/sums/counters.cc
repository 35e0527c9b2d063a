// SPDX-License-Identifier: Apache-2.0
// Words, and the order in which names came.
#include "analysis/sums/counters.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <utility>

#include "model/findings/run_findings.h"

namespace syncline {
namespace {

constexpr size_t kLeastNames = 2;         // of a word that counts
constexpr size_t kLeastUnknownNames = 8;  // of another one

// Words that count also where no separator stands behind them: "epoch1".
constexpr std::string_view kCounters[] = {
    "epoch",       "iter",      "iteration",  "it",      "itr",     "step",   "timestep",
    "batch",       "minibatch", "microbatch", "mb",      "round",   "chunk",  "frame",
    "sample",      "request",   "req",        "query",   "token",   "trial",  "episode",
    "generation",  "gen",       "rollout",    "cycle",   "tick",    "image",  "item",
    "file",        "record",    "row",        "message", "msg",     "packet", "event",
    "transaction", "loop",      "repeat",     "rep",     "attempt", "job",    "id",
    "uuid"};
constexpr std::string_view kThings[] = {
    "layer",  "layers",  "block",   "blocks", "conv",   "fc",      "linear", "dense",
    "bn",     "norm",    "relu",    "pool",   "stage",  "phase",   "level",  "head",
    "gpu",    "cuda",    "device",  "rank",   "stream", "thread",  "worker", "expert",
    "bucket", "param",   "group",   "part",   "shard",  "node",    "pass",   "module",
    "unit",   "encoder", "decoder", "expr",   "kernel", "queue",   "buffer", "port",
    "core",   "version", "v",       "test",   "case",   "section", "task"};

bool IsAlpha(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

template <size_t kCount>
bool IsAnyOf(const std::string& word, const std::string_view (&words)[kCount]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// The last word before `end`, in small: of "train-epoch: " "epoch".
std::string WordBefore(std::string_view text) {
  while (!text.empty() && !IsAlpha(text.back())) text.remove_suffix(1);
  size_t begin = text.size();
  while (begin > 0 && IsAlpha(text[begin - 1])) --begin;
  std::string word(text.substr(begin));
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

// The first number of a name whose family has its '#' there.
uint64_t NumberAt(std::string_view name, size_t at) {
  uint64_t number = 0;
  at = std::min(at, name.size());
  std::from_chars(name.data() + at, name.data() + name.size(), number);
  return number;
}

bool CountsUp(const std::string& family, std::vector<NumberedName>* names) {
  if (names->size() < kLeastUnknownNames) return false;
  std::sort(names->begin(), names->end(),
            [](const NumberedName& a, const NumberedName& b) { return a.order < b.order; });
  const size_t at = family.find('#');
  const auto number = [at](const NumberedName& name) { return NumberAt(name.name, at); };
  for (size_t i = 0; i < names->size(); ++i) {
    if ((*names)[i].count != 1) return false;
    if (i != 0 && number((*names)[i]) <= number((*names)[i - 1])) return false;
  }
  return true;
}

}  // namespace

FamilyKind KindOfFamily(std::string_view family) {
  const size_t at = family.find('#');
  if (at == std::string_view::npos) return FamilyKind::kThing;
  const std::string_view before = family.substr(0, at), behind = family.substr(at + 1);
  if (before.ends_with("0x")) return FamilyKind::kCounter;  // an address
  const bool goes_on = !behind.empty() && (IsAlpha(behind[0]) || behind[0] == '_');
  if (goes_on) return FamilyKind::kThing;
  const std::string word = WordBefore(before);
  if (IsAnyOf(word, kCounters)) return FamilyKind::kCounter;
  const bool is_joined = !before.empty() && IsAlpha(before.back());
  if (is_joined || IsAnyOf(word, kThings)) return FamilyKind::kThing;
  return FamilyKind::kUnknown;
}

std::vector<std::string> CountingFamilies(std::vector<NumberedName> names) {
  std::map<std::string, std::vector<NumberedName>> families;
  for (NumberedName& name : names) {
    std::string family = NumberFamily(name.name);
    if (family != name.name) families[std::move(family)].push_back(std::move(name));
  }
  std::vector<std::string> counting;
  for (auto& [family, members] : families) {
    const FamilyKind kind = KindOfFamily(family);
    const bool counts = kind == FamilyKind::kCounter
                            ? members.size() >= kLeastNames
                            : kind == FamilyKind::kUnknown && CountsUp(family, &members);
    if (counts) counting.push_back(family);
  }
  return counting;
}

}  // namespace syncline
