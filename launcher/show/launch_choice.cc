// SPDX-License-Identifier: Apache-2.0
// Sums by kernel and process first; then each chosen kernel's launches are looked at once more.
#include "launcher/show/launch_choice.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "inject/core/glob.h"
#include "inject/core/range_names.h"
#include "inject/core/text.h"

namespace syncline {
namespace {

struct Place {
  size_t rank = 0;
  uint64_t process = 0;
  bool operator<(const Place& other) const {
    return std::pair(rank, process) < std::pair(other.rank, other.process);
  }
};

struct KernelSum {
  std::string name;
  uint64_t total_ns = 0;
  size_t launches = 0;
  bool is_graph = false;
  std::map<Place, uint64_t> places;
};

bool Counts(const KernelLaunch& launch, bool in_stage) { return !in_stage || launch.stage >= 0; }

std::vector<KernelSum> SumsOf(const std::vector<RankLaunches>& ranks, bool in_stage,
                              uint64_t* all_ns) {
  std::map<std::string, KernelSum> sums;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    const KernelLaunches& found = ranks[rank].found;
    std::vector<KernelSum*> of_names(found.names.size(), nullptr);
    for (const KernelLaunch& launch : found.launches) {
      if (!Counts(launch, in_stage)) continue;
      KernelSum*& sum = of_names[launch.name];
      if (sum == nullptr) sum = &sums[found.names[launch.name]];
      sum->name = found.names[launch.name];
      sum->total_ns += launch.length_ns;
      sum->is_graph = sum->is_graph || launch.is_graph;
      ++sum->launches;
      sum->places[{rank, launch.process}] += launch.length_ns;
      *all_ns += launch.length_ns;
    }
  }
  std::vector<KernelSum> sorted;
  for (auto& [name, sum] : sums) sorted.push_back(std::move(sum));
  StableSort(&sorted,
             [](const KernelSum& a, const KernelSum& b) { return a.total_ns > b.total_ns; });
  return sorted;
}

// The process that has all of a trace's device work, where no call says whose a launch is.
uint64_t OnlyProcess(const RankManifest& manifest) {
  uint64_t pid = 0;
  for (const ManifestProcess& process : manifest.processes) {
    if (process.device_ops == 0) continue;
    if (pid != 0) return 0;
    pid = static_cast<uint64_t>(process.pid);
  }
  return pid;
}

// Why the launches of a process cannot be counted; empty: they can.
// `all_are_recorded`: those that are to be counted, whatever else is not.
std::string Uncounted(const RankManifest& manifest, uint64_t pid, bool all_are_recorded) {
  for (const ManifestProcess& process : manifest.processes) {
    if (static_cast<uint64_t>(process.pid) != pid) continue;
    if (process.not_shown.device_ops != 0)
      return "the trace leaves kernels out (--min-duration or --kernels): record without them";
    if (process.gate.not_recorded.device_ops != 0 && !all_are_recorded)
      return "not all of the program was recorded (--stages, --steps, --delay ...), so the number "
             "of "
             "a launch is not known: record all of it";
  }
  return "";
}

// The launch of median length; of an even number the shorter of both in the middle.
const KernelLaunch& MedianOf(std::vector<const KernelLaunch*>* launches) {
  const auto middle = launches->begin() + static_cast<ptrdiff_t>((launches->size() - 1) / 2);
  std::nth_element(
      launches->begin(), middle, launches->end(), [](const KernelLaunch* a, const KernelLaunch* b) {
        return a->length_ns != b->length_ns ? a->length_ns < b->length_ns : a->IsBefore(*b);
      });
  return **middle;
}

// Whether each call of a range like this one was recorded: it is a stage of --stages.
bool IsRecordedWhole(const StageCall& call, const std::string& only_recorded) {
  if (IsOwnDomain(call.domain)) return false;  // what counts is not limited to it
  const char* rest = only_recorded.c_str();
  for (std::string_view word = NextWord(&rest); !word.empty(); word = NextWord(&rest)) {
    const size_t mark = word.rfind(kDomainMark);
    const bool any_domain = mark == std::string_view::npos;
    if (MatchesGlob(word.substr(0, mark), call.name) &&
        (any_domain || MatchesGlob(word.substr(mark + 1), call.domain)))
      return true;
  }
  return false;
}

// Which of the calls of the stage the other tool takes for the same as `within`.
std::vector<const StageCall*> CallsLike(const StageCall& within, const KernelLaunches& found) {
  std::vector<const StageCall*> calls;
  for (const StageCall& call : found.stage_calls) {
    if (call.process == within.process && call.name == within.name &&
        call.domain == within.domain && call.any_thread == within.any_thread)
      calls.push_back(&call);
  }
  return calls;
}

bool IsWithin(const KernelLaunch& launch, const std::vector<const StageCall*>& calls) {
  // Sorted by their begin. Calls of one name hardly nest, and a few threads have them.
  auto next =
      std::upper_bound(calls.begin(), calls.end(), launch.call_ns,
                       [](uint64_t ns, const StageCall* call) { return ns < call->begin_ns; });
  constexpr int kMostBack = 1000;
  for (int back = 0; next != calls.begin() && back < kMostBack; ++back) {
    if ((*--next)->Holds(launch)) return true;
  }
  return false;
}

void Count(const KernelLaunches& found, const KernelLaunch& chosen, bool in_stage,
           ChosenLaunch* out) {
  std::vector<const StageCall*> calls;
  if (in_stage) {
    out->within = found.stage_calls[static_cast<size_t>(chosen.stage)];
    out->is_helped = chosen.is_helped;
    if (!IsOwnDomain(out->within->domain) && !chosen.is_helped)
      calls = CallsLike(*out->within, found);
  }
  std::vector<char> fits(found.names.size(), 0);
  for (size_t i = 0; i < found.names.size(); ++i) {
    fits[i] = found.names[i] == out->kernel ||
              (!out->function.empty() && FunctionOfKernel(found.names[i]) == out->function);
  }
  std::set<uint32_t> threads;
  for (const KernelLaunch& launch : found.launches) {
    if (launch.process != chosen.process) continue;
    out->has_whole_graphs = out->has_whole_graphs || launch.is_graph;
    if (!fits[launch.name] || launch.is_graph) continue;
    if (!calls.empty() && !IsWithin(launch, calls)) continue;
    ++out->fitting;
    if (launch.IsBefore(chosen)) ++out->before;
    threads.insert(launch.thread);
  }
  out->length_ns = chosen.length_ns;
  out->several_threads = threads.size() > 1;
  out->without_calls = !chosen.has_call;
}

ChosenLaunch Choose(const KernelSum& sum, const std::vector<RankLaunches>& ranks, bool in_stage,
                    const std::string& only_recorded) {
  ChosenLaunch chosen;
  chosen.kernel = sum.name;
  chosen.function = FunctionOfKernel(sum.name);
  chosen.total_ns = sum.total_ns;
  chosen.launches = sum.launches;
  const auto [place, most_ns] =
      *std::max_element(sum.places.begin(), sum.places.end(),
                        [](const auto& a, const auto& b) { return a.second < b.second; });
  chosen.rank = place.rank;
  const RankLaunches& rank = ranks[place.rank];
  const uint64_t process = place.process != 0 ? place.process : OnlyProcess(rank.manifest);
  if (sum.is_graph) {
    chosen.problem =
        "this is a whole graph: record with --cuda-graphs node, and its kernels are known";
  } else if (process == 0) {
    chosen.problem = "which process launched it is not known: record its calls, too";
  }
  if (!chosen.problem.empty()) return chosen;
  std::vector<const KernelLaunch*> own;
  for (const KernelLaunch& launch : rank.found.launches) {
    if (launch.process == place.process && Counts(launch, in_stage) &&
        rank.found.names[launch.name] == sum.name)
      own.push_back(&launch);
  }
  chosen.process = process;
  Count(rank.found, MedianOf(&own), in_stage, &chosen);
  chosen.problem = Uncounted(
      rank.manifest, process,
      chosen.within && !chosen.is_helped && IsRecordedWhole(*chosen.within, only_recorded));
  return chosen;
}

// Where the parameters of a function's name begin, or its template's arguments: the bracket that
// fits the last character.
size_t OpeningOf(std::string_view name, char open, char close) {
  int depth = 0;
  for (size_t at = name.size(); at-- > 0;) {
    if (name[at] == close) ++depth;
    if (name[at] == open && --depth == 0) return at;
  }
  return std::string_view::npos;
}

}  // namespace

bool IsOwnDomain(const std::string& domain) {
  return domain == "py" || domain == "torch" || domain == "region";
}

std::string FunctionOfKernel(const std::string& kernel) {
  std::string_view name = kernel;
  if (name.starts_with("_Z")) return "";
  constexpr std::string_view kClone = " [clone";
  if (const size_t clone = name.find(kClone); clone != std::string_view::npos)
    name = name.substr(0, clone);
  if (name.ends_with(')')) {
    const size_t open = OpeningOf(name, '(', ')');
    if (open == std::string_view::npos || open == 0) return kernel;
    name = name.substr(0, open);
  }
  if (name.ends_with('>')) {
    const size_t open = OpeningOf(name, '<', '>');
    if (open == std::string_view::npos || open == 0) return kernel;
    name = name.substr(0, open);
  }
  // What stands in front: a result's type, namespaces, and what they are made with.
  const size_t last = name.find_last_of(": >)");
  return std::string(last == std::string_view::npos ? name : name.substr(last + 1));
}

std::vector<ChosenLaunch> ChooseLaunches(const std::vector<RankLaunches>& ranks, bool in_stage,
                                         size_t most, const std::string& only_recorded) {
  uint64_t all_ns = 0;
  std::vector<ChosenLaunch> chosen;
  for (const KernelSum& sum : SumsOf(ranks, in_stage, &all_ns)) {
    if (chosen.size() == most) break;
    chosen.push_back(Choose(sum, ranks, in_stage, only_recorded));
    chosen.back().share =
        static_cast<double>(sum.total_ns) / static_cast<double>(std::max<uint64_t>(all_ns, 1));
  }
  return chosen;
}

}  // namespace syncline
