// SPDX-License-Identifier: Apache-2.0
// A new content takes a free place, else that of another.
#include "inject/core/defined_contents.h"

namespace syncline {

uint32_t DefineContent(ThreadLog& log, uint64_t hash, const uint64_t* words, size_t count) {
  const uint32_t id = log.next_name + 1;
  if (!EmitText(log, RecordKind::kArguments, id, 0, 0, 0, words, count * sizeof(*words))) {
    CountLoss(kLoss_definition);
    return 0;
  }
  log.next_name = id;
  const uint32_t way = ContentWay(log, hash, 0).id == 0   ? 0
                       : ContentWay(log, hash, 1).id == 0 ? 1
                                                          : id % 2;
  ++log.content_count;
  ContentWay(log, hash, way) = {hash, id, 0};
  return id;
}

}  // namespace syncline
