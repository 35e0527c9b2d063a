// SPDX-License-Identifier: Apache-2.0
// Which ranks processes are where no launcher gave them numbers of their own: what they say
// themselves, by a library of collectives or by their arguments.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace syncline {

struct ToldPlace {
  int rank = -1;
  int ranks = -1;  // of all; -1: not known
};

// By process: its place in the largest communicator that tells at least two of them apart; else the
// number in its arguments ("--rank 3", "--local_rank=3"), if no two have the same one. What such a
// process has started has its place. None: nobody told one, there is no spool (""), or it cannot be
// read. Reads the first 16 MiB of each spool, or less (communicator_places.h).
std::vector<std::optional<ToldPlace>> FindToldPlaces(const std::vector<std::string>& spools);

}  // namespace syncline
