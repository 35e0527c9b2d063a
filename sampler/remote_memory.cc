// SPDX-License-Identifier: Apache-2.0
// Many pieces a call: asking costs more than copying.
#include "sampler/remote_memory.h"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

namespace syncline {
namespace {

constexpr size_t kMostVectors = 1024;  // UIO_MAXIOV

// Of the pieces, how many `bytes` fill.
size_t WholePieces(std::span<const RemotePiece> pieces, size_t bytes) {
  size_t whole = 0;
  while (whole < pieces.size() && bytes >= pieces[whole].bytes) bytes -= pieces[whole++].bytes;
  return whole;
}

}  // namespace

size_t ProcessMemory::Read(std::span<const RemotePiece> pieces) {
  size_t done = 0;
  while (done < pieces.size()) {
    const auto part = pieces.subspan(done, std::min(pieces.size() - done, kMostVectors));
    iovec local[kMostVectors], remote[kMostVectors];
    for (size_t i = 0; i < part.size(); ++i) {
      local[i] = {part[i].to, part[i].bytes};
      remote[i] = {reinterpret_cast<void*>(part[i].address), part[i].bytes};
    }
    const ssize_t got = process_vm_readv(pid_, local, part.size(), remote, part.size(), 0);
    const size_t whole = got < 0 ? 0 : WholePieces(part, static_cast<size_t>(got));
    done += whole;
    if (whole < part.size()) break;
  }
  return done;
}

// It asks who may read before it looks whether anything is there.
bool ProcessMemory::IsRefused() const {
  char byte;
  iovec local = {&byte, 1}, nowhere = {reinterpret_cast<void*>(uintptr_t{1}), 1};
  return process_vm_readv(pid_, &local, 1, &nowhere, 1, 0) < 0 &&
         (errno == EPERM || errno == ENOSYS);
}

}  // namespace syncline
