// SPDX-License-Identifier: Apache-2.0
// What a traced process and the launcher of its node say to each other, and over which sockets.
#pragma once

#include <cstdint>

#include "inject/core/segment.h"

namespace syncline {

// SYNCLINE_SOCKET names a socket P, at most 90 bytes, of type SOCK_SEQPACKET. It is bound in the
// file system and, with a leading NUL, as an abstract address (for a process in a chroot). A
// process connects, asks the kernel who listens (SO_PEERCRED) and sends nothing unless that is its
// own user or root: an abstract name belongs to whoever binds it first. Then it sends one message:
//   HandOver   with the segment's descriptor (SCM_RIGHTS); may wait up to 5 ms for one
//   HandOverReply
//              with the doorbell's descriptor. After sendmsg succeeded the segment belongs to the
//              launcher.
//   StartNote  of a process that has a rank, when it starts (never blocks, may be lost). What is
//              not used of the command line is not sent. Of any process, once for each collector,
//              when it uses what --collect leaves out: then `left_out` is not 0.
//   LostProgramNote
//              of a process that starts a program without what the launcher had set, or one to
//              which the system does not let it come; or has them started by MPI's launcher (never
//              waits, may be lost).
// All messages begin with magic and layout_version in every layout, so that a launcher can tell
// whom it does not understand. The launcher takes pid and uid from the kernel too. It refuses users
// other than its own; as root it takes those of processes that it has started, directly or not.
inline constexpr uint32_t kHandOverMagic = 0x4f485953;   // "SYHO"
inline constexpr uint32_t kStartNoteMagic = 0x4e535953;  // "SYSN"
inline constexpr uint32_t kLostNoteMagic = 0x4e4c5953;   // "SYLN"
inline constexpr int kHandOverWaitMs = 5;

struct HandOver {
  uint32_t magic;
  uint32_t layout_version;
  uint64_t segment_bytes;
  char build[32];
};

struct HandOverReply {
  uint32_t magic;
  // 0: refused (over the node's budget, other layout); the process records nothing.
  uint32_t accepted;
};

struct StartNote {
  uint32_t magic;
  uint32_t layout_version;
  Anchor start;
  uint32_t clock;
  uint32_t left_out;  // not 0: bits of sources, and the note says only that; nobody has started
  ProcessFacts facts;
};

// Variables that the launcher sets for each program, but for the collectors' doors.
enum LostVariable : uint32_t { kLostPreload = 1, kLostSocket = 2 };

// What a program lacks of what the launcher had set.
struct Lack {
  uint32_t variables;     // LostVariable bits
  uint32_t doors;         // bits of sources: of collectors that lack a door
  uint32_t other_rights;  // 1: its loader ignores all of them, as its file is setuid or setgid
  uint32_t by_launcher;   // 1: MPI_Comm_spawn: it gets what MPI's launcher has
  uint32_t tools;         // of `doors`, those whose variable names another library
  bool any() const { return (variables | doors | other_rights | by_launcher) != 0; }
  bool operator==(const Lack&) const = default;
};

struct LostProgramNote {
  uint32_t magic;
  uint32_t layout_version;
  Lack lack;
  int32_t rank;       // of the process that starts the program; -1: none
  uint32_t started;   // how many; 0: one was told of, but could not be started
  char program[256];  // its path, cut; terminated. "": not known
};

}  // namespace syncline
