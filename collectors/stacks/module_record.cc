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

// The loader keeps a path as it was asked for. One that begins in the working directory of that
// time most likely begins in the one of now.
size_t WritePath(const char* path, char* out) {
  size_t before = 0;
  const size_t bytes = strnlen(path, kMostPathBytes);
  if (bytes != 0 && path[0] != '/' && std::memchr(path, '/', bytes) != nullptr) {
    const long length = SysCall(SYS_getcwd, AsLong(out), static_cast<long>(kMostPathBytes));
    // The kernel counts the NUL, and says "(unreachable)" of a directory that is not below the
    // root.
    if (length > 1 && out[0] == '/') {
      before = static_cast<size_t>(length);
      out[before - 1] = '/';
    }
  }
  const size_t room = std::min(bytes, kMostPathBytes - before);
  std::memcpy(out + before, path, room);
  return before + room;
}

}  // namespace

size_t WriteModule(const LoadedModule& module, char* out, uint16_t* build_id_bytes) {
  size_t id_bytes = 0;
  const uint8_t* id = BuildIdOf(module, &id_bytes);
  if (id == nullptr || id_bytes > kMostBuildIdBytes) id_bytes = 0;
  if (id_bytes != 0) std::memcpy(out, id, id_bytes);
  *build_id_bytes = static_cast<uint16_t>(id_bytes);
  return id_bytes + WritePath(PathOf(module), out + id_bytes);
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
