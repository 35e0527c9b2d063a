// SPDX-License-Identifier: Apache-2.0
// What the interpreter exports, and what its code type says of itself.
#include "collectors/stacks/python_state.h"

#include <dlfcn.h>
#include <pthread.h>

#include "collectors/stacks/code_deaths.h"
#include "collectors/stacks/frame_rules.h"
#include "inject/core/exported.h"
#include "inject/core/python_version.h"

namespace syncline::stacks {
namespace {

constexpr char kEntry[] = "PyGILState_GetThisThreadState";
constexpr char kLoop[] = "_PyEval_EvalFrameDefault";

// A function or variable of the interpreter's.
template <typename T>
T Symbol(const Module& module, const char* name) {
  T symbol;
  const void* found = Exported(module, name);
  std::memcpy(&symbol, &found, sizeof(symbol));
  return symbol;
}

int16_t MemberOf(const void* type, const char* name) {
  const auto* member = ReadAt<const char*>(type, kMembersOffset);
  for (int i = 0; member != nullptr && i < kMostMembers; ++i, member += kMemberBytes) {
    const auto* its_name = ReadAt<const char*>(member, 0);
    if (its_name == nullptr) break;
    if (std::strcmp(its_name, name) != 0) continue;
    const auto offset = ReadAt<int64_t>(member, kMemberPlaceOffset);
    return offset > 0 && offset < INT16_MAX ? static_cast<int16_t>(offset) : kNoOffset;
  }
  return kNoOffset;
}

bool FindMembers(Python* python) {
  const void* type = python->code_type;
  const CodeMembers members = MembersOfCode(python->layout.python);
  python->code_file = MemberOf(type, members.file);
  python->code_name = MemberOf(type, members.name);
  python->code_first_line = MemberOf(type, members.first_line);
  python->code_table = MemberOf(type, members.table);
  if (python->layout.code_begin != kNoOffset &&
      ReadAt<int64_t>(type, kBasicSizeOffset) != python->layout.code_begin)
    return false;
  return python->code_file != kNoOffset && python->code_name != kNoOffset &&
         python->code_first_line != kNoOffset && python->code_table != kNoOffset;
}

// A type object may lie in the program instead, which has its own copy of what it was linked to:
// the one that the loader takes is the first.
const void* Type(const char* name) { return Exported(ModuleThatShows(name), name); }

uint16_t VersionIn(const Module& module) {
  const auto* number = Symbol<const unsigned long*>(module, "Py_Version");  // from 3.11 on
  if (number != nullptr) return static_cast<uint16_t>(*number >> 16);
  const auto text = Symbol<const char* (*)()>(module, "Py_GetVersion");
  return text == nullptr ? 0 : PythonVersion(text());
}

bool IsFreeThreaded(const Module& module, uint16_t version) {
  if (version < 0x30d) return false;
  const auto* runtime = Symbol<const char*>(module, "_PyRuntime");
  if (runtime == nullptr || std::memcmp(runtime, kDebugCookie, sizeof(kDebugCookie) - 1) != 0)
    return true;
  return ReadAt<uint64_t>(runtime, kFreeThreadedOffset) != 0;
}

// A program that has the interpreter linked in has code of its own too, which is of interest.
bool IsPythonsOwn(const LoadedModule& module, ForeignMemory* memory) {
  char path[1024];
  path[CopyPath(module, memory, path, sizeof(path) - 1)] = '\0';
  const char* slash = std::strrchr(path, '/');
  const char* name = slash == nullptr ? path : slash + 1;
  return std::strncmp(name, "python", 6) == 0 || std::strncmp(name, "libpython", 9) == 0;
}

// The part of the loop that is moved out of the way (".cold") is not known as the loop's.
void FindLoop(const Module& module, Python* python) {
  const auto loop = reinterpret_cast<uintptr_t>(Exported(module, kLoop));
  LoadedModule loaded;
  FrameRules rules;
  if (loop == 0 || !FindModule(loop, &loaded)) return;
  ForeignTables memory;
  if (!Describe(&loaded, &memory) || !RulesAt(loaded, loop, &memory, &rules)) return;
  python->begin = python->loop_begin = rules.function;
  python->end = python->loop_end = rules.function_end;
  if (!IsPythonsOwn(loaded, &memory)) return;
  python->begin = loaded.begin;
  python->end = loaded.end;
}

}  // namespace

const Python* FindPython(const char** why_not) {
  static Python python;
  *why_not = nullptr;
  const Module module = ModuleThatShows(kEntry);
  python.this_thread_state = Symbol<void* (*)()>(module, kEntry);
  if (python.this_thread_state == nullptr) return nullptr;
  python.code_type = Type("PyCode_Type");
  python.str_type = Type("PyUnicode_Type");
  python.bytes_type = Type("PyBytes_Type");
  python.is_finalizing = Symbol<int (*)()>(module, "Py_IsFinalizing");
  if (python.is_finalizing == nullptr)
    python.is_finalizing = Symbol<int (*)()>(module, "_Py_IsFinalizing");
  const uint16_t version = VersionIn(module);
  const PythonLayout* layout = LayoutOfPython(version);
  if (layout == nullptr) {
    *why_not = "calls have no Python lines: this version of Python is not known";
  } else if (IsFreeThreaded(module, version)) {
    *why_not = "calls have no Python lines: this is a free-threaded Python";
  } else if (python.code_type == nullptr || python.str_type == nullptr ||
             python.bytes_type == nullptr ||
             Symbol<void*>(module, "PyModule_Create2TraceRefs") != nullptr) {
    *why_not = "calls have no Python lines: this is not CPython, or a build of it for debugging";
  } else {
    python.layout = *layout;
    FindLoop(module, &python);
    if (FindMembers(&python) && IsInWritableData(python.code_type)) return &python;
    *why_not = "calls have no Python lines: this Python's code objects are not as expected";
  }
  return nullptr;
}

bool IsThisThreads(const Python& python, const char* state) {
  return ReadAt<uint64_t>(state, python.layout.state_thread) ==
         static_cast<uint64_t>(pthread_self());
}

bool KnowsThisThread(const Python& python) {
  if (python.is_finalizing != nullptr && python.is_finalizing() != 0) return false;
  const auto* state = static_cast<const char*>(python.this_thread_state());
  return state != nullptr && IsThisThreads(python, state);
}

bool KeepPythonLoaded() {
  // The library may be closed again at any moment before it is kept: nothing of it is read.
  const void* function = Exported(ModuleThatShows(kEntry), kEntry);
  Dl_info info;
  return function != nullptr && dladdr(function, &info) != 0 && info.dli_fname != nullptr &&
         dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
}

}  // namespace syncline::stacks
