// SPDX-License-Identifier: Apache-2.0
// Stands in front of a function of PyTorch's base library that an initialiser of libtorch_cpu
// calls, in all versions since 1.5. It takes and gives back pointers alone.
#include "collectors/torch/arrival.h"

#include <atomic>

#include "inject/core/exported.h"

namespace c10::impl {

struct AutogradMetaFactory;
__attribute__((visibility("default"))) void SetAutogradMetaFactory(AutogradMetaFactory* factory);

}  // namespace c10::impl

namespace syncline::torch {
namespace {

constexpr char kName[] = "_ZN3c104impl22SetAutogradMetaFactoryEPNS0_19AutogradMetaFactoryE";

// A program that is linked to PyTorch may initialise it before our constructor, or after it. Of
// these two whoever comes second finds what the other one wrote.
std::atomic<void (*)()> g_arrive;
std::atomic<bool> g_arrived;

}  // namespace

void WhenTorchArrives(void (*arrive)()) {
  g_arrive.store(arrive);
  if (g_arrived.load()) arrive();
}

}  // namespace syncline::torch

void c10::impl::SetAutogradMetaFactory(AutogradMetaFactory* factory) {
  using Set = void (*)(AutogradMetaFactory*);
  // In whichever library it is: some builds of PyTorch have no libc10 of its own.
  const syncline::Module library = syncline::OtherModuleThatShows(syncline::torch::kName);
  const void* set = syncline::Exported(library, syncline::torch::kName);
  if (set == nullptr) return;  // the loader would have told whoever needs it
  reinterpret_cast<Set>(const_cast<void*>(set))(factory);  // NOLINT: code
  syncline::torch::g_arrived.store(true);
  void (*arrive)() = syncline::torch::g_arrive.load();
  if (arrive != nullptr) arrive();
}
