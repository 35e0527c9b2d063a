// SPDX-License-Identifier: Apache-2.0
// Numbers, the first of a kind, and what helps.
#include "launcher/record/refusal_text.h"

#include "inject/core/segment.h"
#include "launcher/host/shell_text.h"

namespace syncline {
std::vector<std::string> RefusalTexts(const RefusedPeers& refused) {
  std::vector<std::string> texts;
  if (refused.other_users != 0) {
    texts.push_back(
        Text("not recorded: processes of another user tried ", Counted(refused.other_users, "time"),
             " (the first: pid ", refused.pid, " of uid ", refused.user,
             "); run syncline as that user, or as root if it starts these processes itself"));
  }
  if (refused.other_layout != 0) {
    texts.push_back(Text(
        "not recorded: ", Counted(refused.other_layout, "process"), " (the first: pid ",
        refused.layout_pid, ") with a libsyncline.so of layout ", refused.layout,
        "; this launcher reads layout ", kLayoutVersion,
        " (`syncline --version`): install the same Syncline there, or load it from one place"));
  }
  if (refused.no_descriptors != 0) {
    texts.push_back(Text("not recorded: ", Counted(refused.no_descriptors, "process"),
                         ", because the launcher's limit of open files is reached (raise `ulimit "
                         "-Hn`)"));
  }
  if (refused.silent != 0) {
    texts.push_back(Text(Counted(refused.silent, "connection"),
                         " to the launcher's socket said nothing that it understands, and ",
                         refused.silent == 1 ? "was" : "were", " closed"));
  }
  return texts;
}

}  // namespace syncline
