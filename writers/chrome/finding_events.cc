// SPDX-License-Identifier: Apache-2.0
// Slices of one row come in order.
#include "writers/chrome/finding_events.h"

#include <algorithm>

#include "writers/chrome/call_flows.h"

namespace syncline {

struct FindingEvents::Slice {
  const char* category;
  std::string name;
  std::string arguments;
  uint32_t pid;
  uint32_t tid;
  uint64_t begin;
  uint64_t end;
};

// What overlaps the one before it begins later. False: nothing is left of it.
bool FindingEvents::WriteSlice(Slice* slice) {
  uint64_t& last_end = ends_[{slice->pid, slice->tid}];
  slice->begin = std::max(slice->begin, last_end);
  if (slice->begin > slice->end) return false;
  last_end = slice->end;
  line_.Begin(slice->category, slice->name, slice->pid, slice->tid, slice->begin, slice->end);
  line_.Members(slice->arguments);
  line_.Finish();
  return true;
}

// False: it is not within the limits.
bool FindingEvents::WriteWait(size_t index, const RowIds& rows, const Survey& survey,
                              WaitFlows* flows) {
  const Wait& wait = job_.source->findings.waits[index];
  if (!job_.limits.Hold(wait.begin_ns, wait.end_ns)) return false;
  const auto thread = survey.threads.find(wait.tid);
  const bool main = thread != survey.threads.end() && thread->second.main;
  Slice slice{"sync_wait",
              text_.WaitName(index),
              text_.WaitArguments(index),
              rows.pid,
              rows.Waits(wait.tid, main, job_.source->order),
              wait.begin_ns,
              wait.end_ns};
  if (WriteSlice(&slice)) {
    flows->OnWait(index, {slice.pid, slice.tid, slice.begin, slice.end},
                  FirstWaitFlow(job_) + index, job_.time, job_.out);
  }
  return true;
}

bool FindingEvents::WriteGap(size_t index) {
  const Gap& gap = job_.source->findings.gaps[index];
  if (gap.begin_ns == gap.end_ns) return true;
  if (!job_.limits.Hold(gap.begin_ns, gap.end_ns)) return false;
  Slice slice{"gpu_idle",
              text_.GapName(index),
              text_.GapArguments(index),
              job_.rows->Pid(*job_.source, gap.device),
              kIdleTid,
              gap.begin_ns,
              gap.end_ns};
  WriteSlice(&slice);
  return true;
}

uint64_t FindingEvents::Write(const RowIds& rows, const Survey& survey, WaitFlows* flows) {
  uint64_t left_out = 0;
  const Findings& found = job_.source->findings;
  for (size_t i = 0; i < found.waits.size(); ++i) left_out += !WriteWait(i, rows, survey, flows);
  for (size_t i = 0; i < found.gaps.size(); ++i) left_out += !WriteGap(i);
  return left_out;
}

}  // namespace syncline
