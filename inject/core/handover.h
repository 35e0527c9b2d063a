// SPDX-License-Identifier: Apache-2.0
// What a traced process and the launcher of its node say to each other, and over which sockets.
#pragma once

#include <cstdint>

#include "inject/core/segment.h"

namespace syncline {

// SYNCLINE_SOCKET names a directory-less prefix P, at most 90 bytes:
//   P       SOCK_SEQPACKET: a process connects, sends one HandOver with the segment's descriptor
//   (SCM_RIGHTS), may wait
//           up to 5 ms for one HandOverReply with the doorbell's descriptor, and closes. After
//           sendmsg succeeded the segment belongs to the launcher.
//   P.note  SOCK_DGRAM: one StartNote of a process that has a rank, when it starts (never blocks,
//   may be lost).
// Both are bound in the file system and, with a leading NUL, as abstract addresses (for a process
// in a chroot). The receiver takes pid and uid from the kernel (SO_PEERCRED, SCM_CREDENTIALS) and
// refuses another uid than its own.
inline constexpr uint32_t kHandOverMagic = 0x4f485953;   // "SYHO"
inline constexpr uint32_t kStartNoteMagic = 0x4e535953;  // "SYSN"
inline constexpr char kNoteSuffix[] = ".note";
inline constexpr int kHandOverWaitMs = 5;

struct HandOver {
  uint32_t magic;
  uint32_t layout_version;
  uint64_t segment_bytes;
  char build[32];
};

struct HandOverReply {
  uint32_t magic;
  uint32_t
      accepted;  // 0: refused (over the node's budget, other layout); the process records nothing
};

struct StartNote {
  uint32_t magic;
  uint32_t layout_version;
  Anchor start;
  uint32_t clock;
  uint32_t reserved;
  ProcessFacts facts;
};

}  // namespace syncline
