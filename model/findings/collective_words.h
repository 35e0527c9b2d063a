// SPDX-License-Identifier: Apache-2.0
// How a library of collectives names its ranges, payloads and kernels.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "model/findings/collective.h"

namespace syncline {

// The library puts a range of its domain around each of its calls, with the communicator in the
// payload.
struct CollectiveWords {
  std::string_view domain;
  std::string_view communicator;  // the field that has its id
  std::string_view ranks;         // the field that has its size
  std::string_view rank;          // the field that has this rank's number in it
  std::string_view peer;          // of a send or receive: the field that has the other one's
  std::string_view group_start;   // calls between these two become one launch
  std::string_view group_end;
  std::span<const std::string_view> calls;  // those that are one kernel in all ranks
  std::string_view send;
  std::string_view receive;
  // A kernel is the library's if its name has `library`, and `kernel` behind that; what follows
  // begins with a word of `kinds`.
  std::string_view library;
  std::string_view kernel;
  std::span<const std::pair<std::string_view, CollectiveKind>> kinds;
  std::string_view send_receive;
};

// Of the source whose library of collectives has ranges of this domain; null: none has.
const CollectiveWords* WordsOfDomain(std::string_view domain);
// Whether a range is a library's own around one of its calls, and so no stage of the program.
bool IsOfLibraryCall(std::string_view source, std::string_view domain, std::string_view name);
// Whether kernels of this kind pass messages between two ranks: "SendRecv".
bool IsSendReceive(std::string_view kind);

}  // namespace syncline
