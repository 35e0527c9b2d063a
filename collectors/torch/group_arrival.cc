// SPDX-License-Identifier: Apache-2.0
// Stands in front of the function by which torch.distributed tells PyTorch's library the name of a
// group. Both forms that it has had take two addresses: of a std::string, and of a pointer.
#include "collectors/torch/group_arrival.h"

#include <atomic>
#include <cstring>

#include "collectors/torch/groups.h"
#include "inject/core/exported.h"
#include "inject/core/sys.h"

#define SYNCLINE_REGISTER_GROUP \
  "_ZN4c10d22register_process_groupERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#define SYNCLINE_GROUP_POINTER \
  "N3c1013intrusive_ptrINS_12ProcessGroupENS8_6detail34intrusive_target_default_null_typeISA_EEEE"

namespace syncline::torch {
namespace {

constexpr char kByReference[] = SYNCLINE_REGISTER_GROUP "RK" SYNCLINE_GROUP_POINTER;
constexpr char kByValue[] = SYNCLINE_REGISTER_GROUP SYNCLINE_GROUP_POINTER;

std::atomic<void (*)()> g_groups_arrive;
std::atomic<bool> g_groups_arrived;

// Of libstdc++'s std::string.
struct Text {
  const char* begin;
  size_t bytes;
};

using Register = void (*)(const void* name, const void* group);

Register Note(const char* function, const void* name, const void* group) {
  const ErrnoKeeper keeper;
  Text text;
  const void* object;
  std::memcpy(&text, name, sizeof(text));
  std::memcpy(&object, group, sizeof(object));
  NoteGroup(object, text.begin, text.bytes);
  g_groups_arrived.store(true);
  void (*arrive)() = g_groups_arrive.load();
  if (arrive != nullptr) arrive();
  const Module library = OtherModuleThatShows(function);
  return reinterpret_cast<Register>(
      const_cast<void*>(Exported(library, function)));  // NOLINT: code
}

}  // namespace

void WhenGroupsArrive(void (*arrive)()) {
  g_groups_arrive.store(arrive);
  if (g_groups_arrived.load()) arrive();
}

// It may throw: nothing of ours is left when it is called.
extern "C" {
__attribute__((visibility("default"))) void RegisterGroupByReference(
    const void* name,
    const void* group) __asm__(SYNCLINE_REGISTER_GROUP "RK" SYNCLINE_GROUP_POINTER);
__attribute__((visibility("default"))) void RegisterGroupByValue(
    const void* name, const void* group) __asm__(SYNCLINE_REGISTER_GROUP SYNCLINE_GROUP_POINTER);
}

void RegisterGroupByReference(const void* name, const void* group) {
  const Register next = Note(kByReference, name, group);
  if (next != nullptr) next(name, group);
}

void RegisterGroupByValue(const void* name, const void* group) {
  const Register next = Note(kByValue, name, group);
  if (next != nullptr) next(name, group);
}

}  // namespace syncline::torch
