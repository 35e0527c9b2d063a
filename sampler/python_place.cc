// SPDX-License-Identifier: Apache-2.0
// By symbols of the files, and by what the type of code says of its members.
#include "sampler/python_place.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "inject/core/python_version.h"
#include "sampler/mapped_files.h"

namespace syncline {
namespace {

enum Sought : size_t { kRuntime, kCodeType, kStrType, kBytesType, kVersion, kTraceRefs, kCount };

// 0x30b of "libpython3.11.so.1.0" and "python3.11": before 3.11 no variable says it.
uint16_t VersionInName(const std::string& path) {
  const size_t name = path.rfind('/') + 1;
  const size_t at = path.find("python", name);
  return at == std::string::npos ? 0 : PythonVersion(path.c_str() + at + std::strlen("python"));
}

uint16_t VersionOfPython(const std::string& path, uint64_t variable, RemoteMemory* memory) {
  uint64_t version;
  if (variable != 0 && memory->Read(variable, &version))
    return static_cast<uint16_t>(version >> 16);
  return VersionInName(path);
}

int16_t MemberAt(uint64_t type, const char* name, RemoteMemory* memory) {
  uint64_t member;
  if (!memory->Read(type + kMembersOffset, &member)) return kNoOffset;
  const size_t bytes = std::strlen(name) + 1;
  for (int i = 0; i < kMostMembers; ++i, member += kMemberBytes) {
    char text[32], row[kMemberBytes];
    if (!memory->Read(member, row, sizeof(row))) return kNoOffset;
    const auto its_name = ReadAt<uint64_t>(row, 0);
    if (its_name == 0) break;
    if (!memory->Read(its_name, text, bytes) || std::memcmp(text, name, bytes) != 0) continue;
    const auto offset = ReadAt<int64_t>(row, kMemberPlaceOffset);
    return offset > 0 && offset < INT16_MAX ? static_cast<int16_t>(offset) : kNoOffset;
  }
  return kNoOffset;
}

bool IsFreeThreadedPython(uint64_t runtime, RemoteMemory* memory) {
  char head[24];
  return !memory->Read(runtime, head, sizeof(head)) ||
         std::memcmp(head, kDebugCookie, sizeof(kDebugCookie) - 1) != 0 ||
         ReadAt<uint64_t>(head, kFreeThreadedOffset) != 0;
}

}  // namespace

PythonSought DescribePython(uint16_t version, RemoteMemory* memory, PythonPlace* place,
                            std::string* why) {
  const PythonLayout* layout = LayoutOfPython(version);
  const RemoteLayout* remote = RemoteLayoutOf(version);
  if (layout == nullptr || remote == nullptr) {
    *why = Text("this version of Python (", version >> 8, ".", version & 0xff,
                ") is not known: 3.8 to 3.13 are");
    return PythonSought::kRefused;
  }
  if (version >= 0x30d && IsFreeThreadedPython(place->runtime, memory)) {
    *why = "this is a free-threaded Python: run the program with one that has a GIL";
    return PythonSought::kRefused;
  }
  place->layout = *layout;
  place->remote = *remote;
  const CodeMembers members = MembersOfCode(version);
  place->code_file = MemberAt(place->code_type, members.file, memory);
  place->code_name = MemberAt(place->code_type, members.name, memory);
  place->code_first_line = MemberAt(place->code_type, members.first_line, memory);
  place->code_table = MemberAt(place->code_type, members.table, memory);
  place->code_flags = MemberAt(place->code_type, "co_flags", memory);
  int64_t size = 0;
  const bool fits =
      layout->code_begin == kNoOffset ||
      (memory->Read(place->code_type + kBasicSizeOffset, &size) && size == layout->code_begin);
  const auto [least, most] =
      std::minmax({place->code_file, place->code_name, place->code_first_line, place->code_table,
                   place->code_flags});
  if (fits && least != kNoOffset && most <= kLastCodeMember) return PythonSought::kFound;
  *why = "this Python's code objects are not as expected";
  return PythonSought::kRefused;
}

PythonSought FindPythonIn(int pid, RemoteMemory* memory, PythonPlace* place, std::string* why) {
  for (const MappedFile& file : MappedInterpreters(pid)) {
    const std::vector<uint64_t> found =
        SymbolsIn(pid, file,
                  {"_PyRuntime", "PyCode_Type", "PyUnicode_Type", "PyBytes_Type", "Py_Version",
                   "PyModule_Create2TraceRefs"});
    if (found.size() != kCount || found[kRuntime] == 0) continue;
    *place = {};
    place->runtime = found[kRuntime];
    place->code_type = found[kCodeType];
    place->str_type = found[kStrType];
    place->bytes_type = found[kBytesType];
    if (found[kCodeType] == 0 || found[kStrType] == 0 || found[kBytesType] == 0 ||
        found[kTraceRefs] != 0) {
      *why = "this is not CPython, or a build of it for debugging";
      return PythonSought::kRefused;
    }
    return DescribePython(VersionOfPython(file.path, found[kVersion], memory), memory, place, why);
  }
  return PythonSought::kNone;
}

}  // namespace syncline
