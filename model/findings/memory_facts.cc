// SPDX-License-Identifier: Apache-2.0
// Words for classes of blocks.
#include "model/findings/memory_facts.h"

namespace syncline {

const char* BlockClassName(BlockClass block_class) {
  switch (block_class) {
    case BlockClass::kWeights:
      return "weights";
    case BlockClass::kGradients:
      return "gradients";
    case BlockClass::kState:
      return "optimizer state";
    case BlockClass::kActivations:
      return "activations";
    case BlockClass::kTemporary:
      return "temporary";
    case BlockClass::kKept:
      return "kept";
    case BlockClass::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace syncline
