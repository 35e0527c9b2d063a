// SPDX-License-Identifier: Apache-2.0
// The process's half of the talk with its launcher; handover.h has the messages.
#pragma once

#include "inject/core/handover.h"

namespace syncline {

// A connected descriptor to the launcher of this node, or -1: there is none, or it does not answer
// in 5 ms. Without `abstract` only by its path: then it also sees the same file systems.
int ConnectToLauncher(bool abstract);

enum class HandOverResult { kAccepted, kRefused, kFailed };

// Gives the segment `memory_fd` away over `socket`; waits at most 5 ms for the doorbell (*doorbell
// stays null without). kFailed: the message could not be sent, the segment is still ours. Closes
// nothing.
HandOverResult HandOverSegment(int socket, int memory_fd, uint64_t bytes, Doorbell** doorbell);

// Whether the launcher's socket is still open, which the kernel closes with the launcher: it may be
// stopped, or wait for its disk, and is not dead. Never waits.
bool LauncherListens();

// Sends `note` to the launcher, or not: never waits. Nothing but system calls, so that a vfork's
// child may call it.
void SendLostProgram(const LostProgramNote& note);

// Sends `note` to the launcher; waits at most 5 ms, where its queue of connections is full. A
// launcher that does not listen is no error.
void SendNote(const StartNote& note);

}  // namespace syncline
