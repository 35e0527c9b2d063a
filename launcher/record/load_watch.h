// SPDX-License-Identifier: Apache-2.0
// Watches how busy the machine is while something is recorded: /proc/stat at the begin and the end.
#pragma once

#include "model/findings/host_load.h"

namespace syncline {

class LoadWatch {
 public:
  LoadWatch();  // begins
  // Until now. Without /proc/stat nothing is known.
  HostLoad Until() const;

 private:
  HostLoad begin_;
};

}  // namespace syncline
