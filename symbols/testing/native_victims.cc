// SPDX-License-Identifier: Apache-2.0
// The stack is walked by the compiler's library.
#include "symbols/testing/native_victims.h"

#include <dlfcn.h>
#include <unistd.h>
#include <unwind.h>

#include <map>

namespace syncline::testing {
namespace {

std::vector<uint64_t>* g_calls;

_Unwind_Reason_Code AddCall(_Unwind_Context* context, void*) {
  int is_before = 0;
  const auto address = static_cast<uint64_t>(_Unwind_GetIPInfo(context, &is_before));
  if (address != 0) g_calls->push_back(is_before != 0 ? address : address - 1);
  return _URC_NO_REASON;
}

void WalkHere() { _Unwind_Backtrace(AddCall, nullptr); }

// Those of the victim alone, as its file's.
std::vector<uint64_t> Calls(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* run = library == nullptr ? nullptr : dlsym(library, "VictimRun");
  std::vector<uint64_t> all, calls;
  Dl_info own = {}, found = {};
  if (run == nullptr || dladdr(run, &own) == 0) return {};
  g_calls = &all;
  reinterpret_cast<long (*)(void (*)())>(run)(WalkHere);
  for (const uint64_t address : all)
    if (dladdr(reinterpret_cast<void*>(address), &found) != 0 && found.dli_fbase == own.dli_fbase)
      calls.push_back(address - reinterpret_cast<uint64_t>(own.dli_fbase));
  return calls;
}

}  // namespace

std::string VictimPath(const std::string& name) {
  char own[4096] = {};
  const ssize_t bytes = readlink("/proc/self/exe", own, sizeof(own) - 1);
  const std::string path(own, bytes < 0 ? 0 : static_cast<size_t>(bytes));
  return path.substr(0, path.rfind('/')) + "/native_victims/" + name;
}

const std::vector<uint64_t>& VictimCalls(const std::string& name) {
  static std::map<std::string, std::vector<uint64_t>> known;
  const auto [entry, is_new] = known.try_emplace(name);
  if (is_new) entry->second = Calls(VictimPath(name));
  return entry->second;
}

}  // namespace syncline::testing
