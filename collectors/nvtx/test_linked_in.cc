// SPDX-License-Identifier: Apache-2.0
// Links the collector into a test as NVTX's own tool, over the fake session.
#include <cstdlib>

#include "collectors/nvtx/nvtx_entry.h"
#include "collectors/nvtx/nvtx_headers.h"
#include "inject/core/collector.h"
#include "tests/fake_session/fake_session.h"

namespace syncline {
extern const CollectorDescription kCollector_nvtx;
}

// NVTX's own hook for tools that are linked in: the vendor's headers in the tests find it and
// attach themselves.
extern "C" {
int AttachLinkedIn(NvtxGetExportTableFunc_t get_export_table) {
  return syncline::nvtx::Attach(reinterpret_cast<void*>(get_export_table), nullptr);
}
int AttachLinkedInExtension(nvtxExtModuleInfo_t* info) {
  return syncline::nvtx::AttachExtension(info, nullptr);
}
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = AttachLinkedIn;
NvtxExtInitializeInjectionFunc_t InitializeInjectionNvtxExtension_fnptr = AttachLinkedInExtension;
}

namespace {

// A tool in the environment would be asked before us.
__attribute__((constructor(101))) void ForgetEnvironment() { unsetenv("NVTX_INJECTION64_PATH"); }

__attribute__((constructor(101))) void TellOfForks() {
  syncline::test::SetForkChild(syncline::kCollector_nvtx.fork_child);
}

}  // namespace
