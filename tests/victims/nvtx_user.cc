// SPDX-License-Identifier: Apache-2.0
// A shared library with its own copy of the NVTX client, used from its static initialiser on.
#include <nvtx3/nvtx3.hpp>

struct LibraryDomain {
  static constexpr char const* name{"library"};
};

namespace {
struct AtLoad {
  AtLoad() { nvtx3::scoped_range range{"library static initialiser"}; }
} at_load;
}  // namespace

extern "C" __attribute__((visibility("default"))) void user_work() {
  nvtx3::scoped_range_in<LibraryDomain> range{"user_work"};
  nvtx3::mark_in<LibraryDomain>("in user_work");
}
