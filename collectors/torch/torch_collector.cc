// SPDX-License-Identifier: Apache-2.0
// The collector's row in the table of collectors, and what it says where it finds no way in.
#include <dlfcn.h>

#include "collectors/torch/backward.h"
#include "collectors/torch/operators.h"
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
constexpr const char* kPythonLibraries[] = {
    "libtorch_python.so", "libtorch_python.so.1.8", "libtorch_python.so.1.13",
    "libtorch_python.so.2.1", "libtorch_python.so.2.6"};
constexpr const char* kLibraries[] = {"libtorch_cpu.so", "libtorch_cpu.so.1.8",
                                      "libtorch_cpu.so.1.13", "libtorch_cpu.so.2.1",
                                      "libtorch_cpu.so.2.6"};

struct Loaded {
  const char* name = nullptr;  // null: none of them is there
  void* handle = nullptr;
};

// The one that is there. Before it is looked into: what was mapped a moment ago is whole when the
// loader answers, and it stays, for it will hold the address of a function of ours.
template <size_t kCount>
Loaded KeepLoaded(const char* const (&names)[kCount]) {
  for (const char* name : names) {
    void* handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (handle != nullptr) return {name, handle};
  }
  return {};
}

// A look at the list of libraries would cost each process its part; one that has PyTorch from the
// beginning is known with its first record.
bool IsLinkedIn() { return false; }

// The words of the option, in its order.
enum class What { kNothing, kOperators };

void Start() {
  const Loaded python = AreHelpedCallsWanted() ? KeepLoaded(kPythonLibraries) : Loaded();
  if (python.name != nullptr) {
    Image image;
    const char* why_not =
        FindImage(python.name, &image) ? WatchBackward(image) : "its library was not found";
    if (why_not != nullptr)
      Log(LogLevel::kWarn, "calls of autograd's threads do not say who called backward():", why_not);
  }
  if (static_cast<What>(OptionNumber(OptionIndex("torch"))) == What::kNothing) return;
  const Loaded torch = KeepLoaded(kLibraries);
  const char* why_not = torch.handle == nullptr
                            ? "its libtorch_cpu was not found"
                            : Listen(torch.handle, kOperatorRanges, kNamedRanges);
  if (why_not == nullptr) return;
  TextBuffer text;
  text.Add("PyTorch's operators will not be recorded: ").Add(why_not);
  Log(LogLevel::kWarn, text.text());
}

ProbeResult Probe() {
  return {true, "the Python line that called backward(), for calls of PyTorch's autograd threads",
          nullptr};
}

}  // namespace
}  // namespace torch

const CollectorDescription kCollector_torch = {
    .name = "torch",
    .help = "Lines that call backward()",
    .source = SYNCLINE_SOURCE_torch,
    .probe = torch::Probe,
    .start_at = StartAt::kLibrary,
    .libraries = {"libtorch_python.so", "libtorch_python.so.1.8", "libtorch_python.so.1.13",
                  "libtorch_python.so.2.1", "libtorch_python.so.2.6"},
    .linked_in = torch::IsLinkedIn,
    .start = torch::Start,
    .children_inherit = true,
    .is_companion = true,
};

}  // namespace syncline
