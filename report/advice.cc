// SPDX-License-Identifier: Apache-2.0
// The table.
#include "report/advice.h"

#include <algorithm>

#include "model/devices/source_facts.h"

namespace syncline {
namespace {

constexpr Advice kAdviceRows[kProblemKinds] = {
    {"read_back", "the host waits to read a value back from the GPU",
     "if the value is not needed there",
     "read it once in N steps, or add it up on the GPU and read it at the end"},
    {"copy_back", "the host waits for a copy from the GPU", "if the data is not needed there",
     "copy without waiting, into pinned memory, and wait where the data is needed"},
    {"pageable_copy", "a copy of pageable memory makes the host wait",
     "if the buffer is pinned and stays as it is until the copy is done",
     "pin the buffer, and copy without waiting"},
    {"sync_copy", "a synchronous copy makes the host wait",
     "if the data is not needed before the next wait",
     "copy without waiting, from or to pinned memory, and wait where the data is needed"},
    {"device_wait", "the host waits until the whole GPU is idle",
     "if nothing there needs the results",
     "leave it out, or wait for the one event whose result is needed"},
    {"stream_wait", "the host waits for a stream", "if nothing there needs the results",
     "leave it out, or submit the next work before it"},
    {"event_wait", "the host waits for an event",
     "if nothing there needs the results, or writes what the GPU still reads",
     "leave it out, or submit the next work before it; where it keeps a buffer from being written "
     "too early: more buffers in turn"},
    {"legacy_stream_wait", "the host waits for the default stream, and so for all blocking streams",
     "if nothing there needs the results",
     "leave it out, or wait for the stream whose result is needed"},
    {"query_spin", "the host asks again and again whether the GPU is done",
     "if something else is to do meanwhile", "submit the next work instead, or wait once"},
    {"queue_full", "the queue of launches is full", "if the queue had room",
     "fewer and larger kernels, or a graph: a full queue alone costs nothing"},
    {"module_load", "the host waits while code is loaded for the GPU",
     "if the code is loaded beforehand", "run each kernel once before the loop"},
    {"graph_wait", "the host waits in a call of a graph", "if the graph is ready beforehand",
     "instantiate and upload the graph once, before the loop"},
    {"peer_wait", "the host waits for another process", "if what it sends were there already",
     "look at what that process does meanwhile, or do other work until it has answered"},
    {"file_wait", "the host waits for a file", "if the data is read or written beforehand",
     "read ahead or write behind, in another thread"},
    {"saving", "the host saves or loads what the GPU holds",
     "if that is left out, or done by another thread",
     "do it less often, or in another thread from a copy in pinned memory"},
    {"allocation", "memory is taken from the driver, or given back to it",
     "if it is taken once and kept", "allocate before the loop and use the memory again"},
    {"host_work", "the GPU has nothing to do while the host does something else",
     "if one other thread does it meanwhile", "do it less often, or in another thread"},
    {"data_work", "the GPU has nothing to do while the host makes its data",
     "if one other thread does it beforehand", "prepare it ahead, in another thread"},
    {"awaits_others",
     "the GPU has nothing to do while the host waits for another thread, a process or a client",
     "if that were done already",
     "leave it if these are requests to a server; else whoever hands it over is slower than the "
     "GPU: more of these, or ahead of time"},
    {"slow_launch", "the GPU has nothing to do while the host is on its way to the next launch",
     "if the next work is launched at once", "fewer and larger kernels, or a graph"},
    {"exchange", "the GPU has nothing to do while the ranks exchange data",
     "if other work is done meanwhile",
     "give the GPU what needs no neighbour before the exchange, or exchange from its memory"},
    {"first_use", "code is loaded for the GPU when it is used for the first time", "",
     "it happens once: leave it, or run one step before what counts"},
    {"other_device", "a GPU has nothing to do until another GPU's work is done",
     "if no piece needs all the others",
     "divide the work into pieces, so that the GPUs work at the same time"},
    {"host_function", "a stream waits for a function of the host",
     "if nothing that follows has to wait for it",
     "put it into a stream of its own, behind an event, and copy what it needs there"},
    {"shared_device", "ranks compute on one GPU, while others have nothing to do", "",
     "give each rank a GPU of its own, by its number on its machine"},
    {"launch_bound", "the GPU is done with each kernel before the next is launched",
     "if what is launched without a wait between is launched at once",
     "fewer and larger kernels, or a graph"},
    {"copy_blocks", "copies keep kernels waiting", "if data is copied one step ahead",
     "copy in a stream of its own, from and to pinned memory, while the step before computes"},
    {"default_stream", "the default stream and the others wait for each other",
     "if their work is independent", "use streams that do not wait for the default one"},
    {"communication", "the GPU only communicates", "if other work is done meanwhile",
     "begin as soon as its data is there, in pieces, while what does not need the result computes"},
    {"late_rank", "the other ranks wait for one that comes late to collectives",
     "if that rank comes when the others do",
     "look at what it does before its collectives, and at its data and its machine"},
    {"late_sender", "other ranks wait for what one sends late", "",
     "look at what it does before it sends, or give it less of the work"},
    {"imbalance", "one rank has more to compute than the others", "if the work is shared evenly",
     "divide the work by its cost, not by its count"},
    {"slow_rank", "a rank takes longer than the others", "",
     "look at what it does there, and at its data and its machine"}};

const char* RowOf(const SourceFacts& facts, ProblemKind kind, std::string_view range) {
  const auto row = std::find_if(
      facts.advice.begin(), facts.advice.end(),
      [&](const AdviceRow& each) { return each.kind == kind && range.starts_with(each.in); });
  return row == facts.advice.end() ? nullptr : row->advice;
}

bool IsPython(std::string_view line) { return line.find(".py:") != std::string_view::npos; }

// Lines that are known tell the language; a program whose lines are not known may be Python.
bool MayBePython(const RunFindings& findings) {
  bool any = false;
  for (const auto& [what, sums] : findings.waits) {
    if (what.where.empty() || what.where == kOtherLines) continue;
    if (IsPython(what.where)) return true;
    any = true;
  }
  for (const auto& [what, sums] : findings.gaps) {
    if (IsPython(what.lines.next) || IsPython(what.lines.before)) return true;
  }
  return !any;
}

}  // namespace

const Advice& AdviceOf(ProblemKind kind) { return kAdviceRows[static_cast<size_t>(kind)]; }

std::set<std::string> FrameworksOf(const RunFindings& findings) {
  std::set<std::string> found;
  if (!MayBePython(findings)) return found;
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    const std::string_view part = kSourceFacts[i]->framework_kernels;
    const bool uses =
        !part.empty() &&
        std::any_of(findings.kernels.begin(), findings.kernels.end(), [part](const auto& kernel) {
          return kernel.first.name.find(part) != std::string::npos;
        });
    if (uses) found.insert(kSourceFacts[i]->name);
  }
  return found;
}

const char* AdviceFor(ProblemKind kind, std::string_view source,
                      const std::set<std::string>& frameworks, std::string_view range) {
  const char* of_source = nullptr;
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    const SourceFacts& facts = *kSourceFacts[i];
    const char* const advice = RowOf(facts, kind, range);
    if (advice == nullptr) continue;
    if (frameworks.contains(facts.name)) return advice;
    if (source == facts.name) of_source = advice;
  }
  return of_source != nullptr ? of_source : AdviceOf(kind).advice;
}

ProblemKind KindOfWait(WaitClass wait_class) {
  switch (wait_class) {
    case WaitClass::kDevice:
      return ProblemKind::kDeviceWait;
    case WaitClass::kStream:
      return ProblemKind::kStreamWait;
    case WaitClass::kEvent:
      return ProblemKind::kEventWait;
    case WaitClass::kLegacyStream:
      return ProblemKind::kDefaultStreamWait;
    case WaitClass::kSyncCopy:
      return ProblemKind::kSynchronousCopy;
    case WaitClass::kPageableCopy:
      return ProblemKind::kPageableCopy;
    case WaitClass::kAllocation:
      return ProblemKind::kAllocation;
    case WaitClass::kQuerySpin:
      return ProblemKind::kQuerySpin;
    case WaitClass::kQueueFull:
      return ProblemKind::kQueueFull;
    case WaitClass::kModuleLoad:
      return ProblemKind::kModuleLoad;
    case WaitClass::kGraph:
      return ProblemKind::kGraphWait;
    case WaitClass::kPeer:
      return ProblemKind::kPeerWait;
    case WaitClass::kFile:
      return ProblemKind::kFileWait;
  }
  return ProblemKind::kStreamWait;
}

}  // namespace syncline
