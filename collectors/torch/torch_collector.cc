// SPDX-License-Identifier: Apache-2.0
// The collector's row in the table of collectors, and what it says where it finds no way in.
#include <dlfcn.h>

#include <atomic>
#include <string_view>

#include "collectors/torch/arrival.h"
#include "collectors/torch/async_ranges.h"
#include "collectors/torch/backward.h"
#include "collectors/torch/gradients.h"
#include "collectors/torch/memory_reports.h"
#include "collectors/torch/modules.h"
#include "collectors/torch/named_ranges.h"
#include "collectors/torch/operators.h"
#include "collectors/torch/option_words.h"
#include "collectors/torch/tensor_objects.h"
#include "collectors/torch/torch_version.h"
#include "inject/core/collector.h"
#include "inject/core/helped_calls.h"
#include "inject/core/log.h"
#include "inject/core/options.h"
#include "inject/core/text.h"

namespace syncline {

extern const CollectorDescription kCollector_torch;

namespace torch {
namespace {

// Those with versions are Debian's and Ubuntu's.
constexpr const char* kPythonLibraries[] = {"libtorch_python.so", "libtorch_python.so.1.8",
                                            "libtorch_python.so.1.13", "libtorch_python.so.2.1",
                                            "libtorch_python.so.2.6"};

constexpr size_t kMostPath = 1024;

// Before a library is looked into: what was mapped a moment ago is whole when the loader answers,
// and it stays, for it will hold the address of a function of ours.
bool KeepLoaded(const char* name) {
  return dlopen(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
}

// The name of the one that is there; null: none is any more.
const char* KeepPythonLibraryLoaded() {
  for (const char* name : kPythonLibraries) {
    if (KeepLoaded(name)) return name;
  }
  return nullptr;
}

// A look at the list of libraries would cost each process its part; one that has PyTorch from the
// beginning is known with its first record.
bool IsLinkedIn() { return false; }

bool AreWanted(int64_t any_of) { return (OptionNumber(OptionIndex("torch")) & any_of) != 0; }

bool IsHeard() { return !AreWanted(kOff); }
bool AreOperatorsWanted() { return IsHeard() && AreWanted(kOps | kShapes | kModules | kLines); }
bool AreModulesWanted() { return IsHeard() && AreWanted(kModules); }
bool AreLinesWanted() { return IsHeard() && AreWanted(kLines); }

// Whoever asked for nothing has not lost much.
void TellNone(const char* why, TorchVersion version = 0) {
  const bool asked = AreOperatorsWanted();
  TextBuffer text;
  if (asked) {
    text.Add("--torch ").Add(OptionText(OptionIndex("torch")));
    text.Add(AreModulesWanted() ? " records no operators: " : " records nothing: ");
  } else {
    text.Add("no ranges of record_function(): ");
  }
  text.Add(why);
  if (version != 0) {
    text.Add(" (").AddNumber(version / 1000).Add(".").AddNumber(version % 1000);
    text.Add(" is none of 2.4 to 2.").AddNumber(kNewestKnown % 1000).Add(")");
  }
  Log(asked ? LogLevel::kError : LogLevel::kInfo, text.text());
}

bool AreStacksTaken() {
  return std::string_view(OptionText(OptionIndex("stacks"))) != "none" &&
         CollectorEnabled("stacks");
}

bool IsPythonWatched() {
  return OptionNumber(OptionIndex("python")) != 0 && CollectorEnabled("python");
}

// Once a process, as soon as its library for Python is there.
void WatchForBackward() {
  static std::atomic<bool> begun;
  const char* library = KeepPythonLibraryLoaded();
  if (library == nullptr || begun.exchange(true)) return;
  Image image;
  const char* why_not =
      FindImage(library, &image) ? WatchBackward(image, IsHeard()) : "its library was not found";
  if (why_not != nullptr)
    Log(LogLevel::kWarn, "calls of autograd's threads do not say who called backward():", why_not);
}

// Once a process, on whichever thread is first.
void Record() {
  static std::atomic<bool> begun;
  char path[kMostPath];
  const Module library = ModuleOfFile("libtorch_cpu.so", path, sizeof(path));
  if (library.symbols == 0 || begun.exchange(true)) return;
  if (OptionNumber(OptionIndex("torch.compile")) != 0) BeOfTheRun();
  if (AreModulesWanted() && !IsPythonWatched())
    Log(LogLevel::kError,
        "--torch modules records no modules: --no-python or --collect leaves Python out");
  if (AreLinesWanted() && !AreStacksTaken())
    Log(LogLevel::kError,
        "--torch lines records no lines: --stacks none or --collect leaves stacks out");
  const TorchVersion version = VersionBeside(path);
  if (version == 0) return TellNone("nothing beside libtorch_cpu says which PyTorch it is");
  if (version < kOldestKnown || version > kNewestKnown)
    return TellNone("this PyTorch is not known", version);
  if (!KeepLoaded(path)) return TellNone("libtorch_cpu is not there any more");
  const char* why_not = ListenToTorch(
      library, {AreOperatorsWanted(), AreWanted(kShapes), AreModulesWanted(), AreLinesWanted()});
  if (why_not != nullptr) TellNone(why_not);
}

// The first backward() may be the first that the process records.
void Arrive() {
  FindGradients();
  FindMemoryReports();
  Record();
  WatchForBackward();
}

void AtLoad() {
  OfferTensors();
  if (AreModulesWanted()) WatchModules();
  if (IsHeard() && OptionNumber(OptionIndex("torch.memory")) != 0) RecordMemory();
  if (IsHeard()) WhenTorchArrives(Arrive);
}

void Start() {
  FindGradients();
  const bool is_heard = IsHeard();
  if (!AreHelpedCallsWanted() && !is_heard) return;
  // Late, where PyTorch's libraries do not see what stands in front of theirs (RTLD_DEEPBIND).
  if (is_heard && KeepPythonLibraryLoaded() != nullptr) Record();
  WatchForBackward();
}

ProbeResult Probe() {
  return {
      true,
      "the Python line that called backward(), for calls of PyTorch's autograd threads; of "
      "PyTorch 2.4 to 2.15 ranges of record_function(), with --torch ops or shapes each operator, "
      "with --torch modules within its module",
      nullptr};
}

}  // namespace
}  // namespace torch

const CollectorDescription kCollector_torch = {
    .name = "torch",
    .help = "PyTorch's ranges and operators, and lines that call backward()",
    .source = SYNCLINE_SOURCE_torch,
    .probe = torch::Probe,
    .at_load = torch::AtLoad,
    .start_at = StartAt::kLibrary,
    .libraries = {"libtorch_python.so", "libtorch_python.so.1.8", "libtorch_python.so.1.13",
                  "libtorch_python.so.2.1", "libtorch_python.so.2.6"},
    .linked_in = torch::IsLinkedIn,
    .start = torch::Start,
    .fork_child = torch::ForgetAsync,
    .children_inherit = true,
    .is_companion = true,
};

}  // namespace syncline
