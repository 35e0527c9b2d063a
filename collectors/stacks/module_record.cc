// SPDX-License-Identifier: Apache-2.0
// Build id first, then the path as somebody else can open it.
#include "collectors/stacks/module_record.h"

#include <sys/syscall.h>

#include <algorithm>
#include <cstring>

#include "collectors/stacks/python_walk.h"
#include "inject/core/sys.h"

namespace syncline::stacks {
namespace {

constexpr size_t kMostDirectoryBytes = 1024;  // a relative path below a longer one stays as it is

// The loader keeps a path as it was asked for. One that begins in the working directory of that
// time most likely begins in the one of now.
size_t CompletePath(char* path, size_t bytes) {
  if (bytes == 0 || path[0] == '/' || std::memchr(path, '/', bytes) == nullptr) return bytes;
  char directory[kMostDirectoryBytes];
  const long length = SysCall(SYS_getcwd, AsLong(directory), sizeof(directory));
  // The kernel counts the NUL, and says "(unreachable)" of a directory that is not below the root.
  if (length <= 1 || directory[0] != '/') return bytes;
  const auto before = static_cast<size_t>(length);
  directory[before - 1] = '/';
  const size_t kept = std::min(bytes, kMostPathBytes - before);
  std::memmove(path + before, path, kept);
  std::memcpy(path, directory, before);
  return before + kept;
}

}  // namespace

size_t WriteModule(const LoadedModule& module, ForeignMemory* memory, char* out,
                   uint16_t* build_id_bytes) {
  const size_t id_bytes = CopyBuildId(module, memory, out, kMostBuildIdBytes);
  *build_id_bytes = static_cast<uint16_t>(id_bytes);
  char* path = out + id_bytes;
  return id_bytes + CompletePath(path, CopyPath(module, memory, path, kMostPathBytes));
}

uint64_t HashOf(const char* bytes, size_t count) {
  uint64_t hash = count;
  for (size_t at = 0; at < count; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min(sizeof(word), count - at));
    hash = Mix(hash, word);
  }
  return hash;
}

}  // namespace syncline::stacks
