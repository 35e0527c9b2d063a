// SPDX-License-Identifier: Apache-2.0
// The collector's row in the table of collectors, and what it says where it finds no way in.
#include <dlfcn.h>

#include "collectors/torch/backward.h"
#include "inject/core/collector.h"
#include "inject/core/helped_calls.h"
#include "inject/core/log.h"

namespace syncline {

extern const CollectorDescription kCollector_torch;

namespace torch {
namespace {

// The name of the one that is there; null: none is any more. Before it is looked into: what was
// mapped a moment ago is whole when the loader answers, and it stays, for it will hold the address
// of a function of ours.
const char* KeepPyTorchLoaded() {
  for (const char* name : kCollector_torch.libraries) {
    if (name == nullptr) break;
    if (dlopen(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != nullptr) return name;
  }
  return nullptr;
}

// A look at the list of libraries would cost each process its part; one that has PyTorch from the
// beginning is known with its first record.
bool IsLinkedIn() { return false; }

void Start() {
  const char* library = AreHelpedCallsWanted() ? KeepPyTorchLoaded() : nullptr;
  if (library == nullptr) return;
  Image image;
  const char* why_not =
      FindImage(library, &image) ? WatchBackward(image) : "its library was not found";
  if (why_not != nullptr)
    Log(LogLevel::kWarn, "calls of autograd's threads do not say who called backward():", why_not);
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
    // Those with versions are Debian's and Ubuntu's.
    .libraries = {"libtorch_python.so", "libtorch_python.so.1.8", "libtorch_python.so.1.13",
                  "libtorch_python.so.2.1", "libtorch_python.so.2.6"},
    .linked_in = torch::IsLinkedIn,
    .start = torch::Start,
    .children_inherit = true,
    .is_companion = true,
};

}  // namespace syncline
