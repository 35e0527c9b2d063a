// SPDX-License-Identifier: Apache-2.0
// The first block, and whether there is a last one.
#include "model/run/spool_facts.h"

#include <sys/stat.h>

#include "model/run/program_name.h"
#include "model/spool/first_block.h"
#include "model/spool/spool_reader.h"

namespace syncline {

Status ReadSpoolFacts(const std::string& path, SpoolFacts* facts) {
  SpoolReader reader;
  Status status = reader.Open(path);
  if (!status.ok()) return status;
  FirstBlock first;
  (void)reader.Read(&first);  // "stopped" is how it ends
  if (!first.found) {
    return Status::Error("spool " + path +
                         " does not begin with its process's facts: its first block is damaged; "
                         "`syncline recover` shows what can be read of it");
  }
  const SpoolProcess& process = first.process;
  facts->rank = process.facts.rank.rank;
  facts->world_size = process.facts.rank.world_size;
  facts->launcher = process.facts.rank.launcher;
  facts->attempt = process.facts.rank.attempt;
  facts->spawned = process.facts.rank.spawned;
  facts->job = process.facts.rank.job;
  facts->starter = process.facts.rank.starter;
  facts->pid = process.outer_pid;
  facts->own_pid = process.facts.pid;
  facts->parent_pid = process.facts.ppid;
  facts->start_time = process.facts.start_time;
  facts->start_realtime_ns = process.start.realtime_ns;
  facts->host = FieldText(process.facts.host);
  facts->name = ProgramName(process.facts);
  struct stat info;
  facts->bytes = ::stat(path.c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0;
  facts->complete = reader.EndsComplete();
  return Status();
}

}  // namespace syncline
