// SPDX-License-Identifier: Apache-2.0
// The two ends of connections within this machine, as the kernel's tables have them.
#pragma once

#include <cstdint>
#include <set>

namespace syncline {

// The inodes of the sockets that process `pid` has open; empty where nobody may look.
std::set<uint64_t> SocketsOf(int pid);

// The inodes of the other ends of those of `sockets` that are connected within the machine, by TCP
// or by a socket of the file system. `pid`: a process that has them.
std::set<uint64_t> PeersOf(const std::set<uint64_t>& sockets, int pid);

}  // namespace syncline
