// SPDX-License-Identifier: Apache-2.0
// Rank, node name and job key from the variables of launchers.
#include "inject/core/rank.h"

#include <fcntl.h>
#include <sys/utsname.h>

#include <cstring>
#include <initializer_list>

#include "inject/core/crc32c.h"
#include "inject/core/sys.h"
#include "inject/core/text.h"

namespace syncline {
namespace {

struct RankRow {
  LauncherKind kind;
  const char* name;
  const char* rank;
  const char* world_size;
  const char* local_rank;
  const char* local_size;
  const char* node;
  const char* required;
  const char* attempt;
  const char* spawned;
};

constexpr RankRow kRows[] = {
#define SYNCLINE_RANK(kind, name, rank, world, local, local_size, node, required, attempt, \
                      spawned)                                                             \
  {LauncherKind::kind, name, rank, world, local, local_size, node, required, attempt, spawned},
#include "inject/core/rank.def"
#undef SYNCLINE_RANK
};

using Lookup = const char* (*)(const char*);

// -1: not a number of 32 bits.
int64_t NumberOf(const char* text) {
  if (*text < '0' || *text > '9') return -1;
  int64_t value = 0;
  for (; *text >= '0' && *text <= '9' && value <= UINT32_MAX; ++text)
    value = value * 10 + (*text - '0');
  return *text == '\0' && value <= UINT32_MAX ? value : -1;
}

int32_t Number(Lookup lookup, const char* name) {
  const char* text = name[0] == '\0' ? nullptr : lookup(name);
  const int64_t value = text == nullptr ? -1 : NumberOf(text);
  return value <= INT32_MAX ? static_cast<int32_t>(value) : -1;
}

bool Set(Lookup lookup, const char* name) {
  const char* text = lookup(name);
  return text != nullptr && *text != '\0';
}

// Hydra tells its ranks little; the parent, hydra_pmi_proxy, has it as arguments: the control port
// of this job's mpiexec, the number of the process group.
void AppendHydraArgument(const char* name, TextBuffer* text) {
  const size_t length = std::strlen(name);
  char stat[512];
  if (ReadSmallFile("/proc/self/stat", stat, sizeof(stat)) <= 0) return;
  int32_t pid = ParentOfStat(stat);
  for (int level = 0; level < 6 && pid > 1; ++level) {
    TextBuffer path;
    path.Add("/proc/").AddNumber(static_cast<uint64_t>(pid)).Add("/cmdline");
    char arguments[4096];
    const long bytes = ReadSmallFile(path.text(), arguments, sizeof(arguments));
    for (long i = 0; i < bytes; i += static_cast<long>(std::strlen(arguments + i)) + 1) {
      const char* argument = arguments + i;
      if (std::strncmp(argument, name, length) != 0) continue;
      const char* value =
          argument[length] == '=' ? argument + length + 1 : argument + std::strlen(argument) + 1;
      if (value < arguments + bytes) text->Add(value);
      return;
    }
    TextBuffer stat_path;
    stat_path.Add("/proc/").AddNumber(static_cast<uint64_t>(pid)).Add("/stat");
    if (ReadSmallFile(stat_path.text(), stat, sizeof(stat)) <= 0) return;
    pid = ParentOfStat(stat);
  }
}

// Each part that is set, after a separator.
void AppendVariables(Lookup lookup, TextBuffer* key, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* text = lookup(name);
    if (text != nullptr && *text != '\0') key->Add("+").Add(text);
  }
}

// Which of the job's MPI_Comm_spawn started this rank, the first one 1, as its launcher counts the
// worlds: Open MPI 4 from 1 in the low half of a number, Open MPI 5 from 1 behind "@", hydra from
// 0.
int32_t NumberOfSpawn(Lookup lookup, LauncherKind kind) {
  int64_t number = 1;
  if (kind == LauncherKind::kOpenMpi) {
    const char* name = lookup("PMIX_NAMESPACE");
    const char* at = name != nullptr ? std::strrchr(name, '@') : nullptr;
    const int64_t whole = at != nullptr ? NumberOf(at + 1) : name != nullptr ? NumberOf(name) : -1;
    number = (at != nullptr || whole < 0 ? whole : whole & 0xffff) - 1;
  } else {
    TextBuffer group;
    AppendHydraArgument("--pgid", &group);
    number = NumberOf(group.text());
  }
  return number > 0 && number <= INT32_MAX ? static_cast<int32_t>(number) : 1;
}

// What all worlds of one mpirun have in common: Open MPI 4 counts them in the low half of a number,
// Open MPI 5 behind "@".
void AppendNamespace(Lookup lookup, TextBuffer* id) {
  const char* name = lookup("PMIX_NAMESPACE");
  if (name == nullptr || *name == '\0')
    return AppendVariables(lookup, id, {"OMPI_MCA_orte_hnp_uri"});
  const int64_t number = NumberOf(name);
  if (number >= 0)
    id->AddNumber(static_cast<uint64_t>(number) >> 16);
  else
    id->Add(name, std::strcspn(name, "@"));
}

// What the launcher calls the job, the same in each attempt of it. Nothing: it has no name for it.
void AppendJob(Lookup lookup, LauncherKind kind, TextBuffer* id) {
  switch (kind) {
    case LauncherKind::kTorchrun:
      return AppendVariables(lookup, id, {"TORCHELASTIC_RUN_ID", "MASTER_ADDR", "MASTER_PORT"});
    case LauncherKind::kOpenMpi:
    case LauncherKind::kPmix:
      return AppendNamespace(lookup, id);
    case LauncherKind::kPmi:
    case LauncherKind::kIntelMpi:
      // Not Slurm's variables: who has lost its parents would be of another job than its siblings.
      if (!Set(lookup, "PMI_JOBID")) return AppendHydraArgument("--control-port", id);
      return AppendVariables(lookup, id, {"PMI_JOBID"});
    case LauncherKind::kSlurm:
      return AppendVariables(lookup, id, {"SLURM_JOB_ID", "SLURM_STEP_ID"});
    case LauncherKind::kPals:
      return AppendVariables(lookup, id, {"PALS_APID", "PBS_JOBID"});
    case LauncherKind::kFlux:
      return AppendVariables(lookup, id, {"FLUX_JOB_ID"});
    case LauncherKind::kJsm:
    case LauncherKind::kAlps:
    case LauncherKind::kMvapich:
      return AppendVariables(lookup, id,
                             {"LSB_JOBID", "JSM_STEP_ID", "ALPS_APP_ID", "PBS_JOBID",
                              "SLURM_JOB_ID", "SLURM_STEP_ID", "MPIRUN_ID"});
    case LauncherKind::kByHand:
      return AppendVariables(lookup, id, {"MASTER_ADDR", "MASTER_PORT"});
    case LauncherKind::kNone:
      return;
  }
}

}  // namespace

RankFacts FindRank(Lookup lookup) {
  RankFacts facts = {-1, -1, -1, -1, -1, static_cast<uint32_t>(LauncherKind::kNone), -1, -1, 0, 0};
  for (const RankRow& row : kRows) {
    const int32_t rank = Number(lookup, row.rank);
    if (rank < 0 || (row.required[0] != '\0' && !Set(lookup, row.required))) continue;
    // RANK may be anybody's.
    const bool common_name = std::strcmp(row.rank, "RANK") == 0;
    if (common_name && Number(lookup, row.world_size) <= rank) continue;
    facts.rank = rank;
    facts.world_size = Number(lookup, row.world_size);
    facts.local_rank = Number(lookup, row.local_rank);
    facts.local_size = Number(lookup, row.local_size);
    facts.node = Number(lookup, row.node);
    facts.attempt = Number(lookup, row.attempt);
    if (row.spawned[0] != '\0')
      facts.spawned = Set(lookup, row.spawned) ? NumberOfSpawn(lookup, row.kind) : 0;
    facts.launcher = static_cast<uint32_t>(row.kind);
    if (facts.world_size < 0 && row.kind == LauncherKind::kSlurm)
      facts.world_size = Number(lookup, "SLURM_NTASKS");
    return facts;
  }
  return facts;
}

void FindJob(Lookup lookup, RankFacts* facts) {
  const auto kind = static_cast<LauncherKind>(facts->launcher);
  TextBuffer id;
  AppendJob(lookup, kind, &id);
  facts->job = Crc32c(0, id.text(), id.length());
  // torchrun has the same name and address for each job, if none is given. Its folder is its own.
  const char* file = kind == LauncherKind::kTorchrun ? lookup("TORCHELASTIC_ERROR_FILE") : nullptr;
  const char* attempt = file != nullptr ? std::strstr(file, "/attempt_") : nullptr;
  facts->starter = attempt != nullptr ? Crc32c(0, file, static_cast<size_t>(attempt - file)) : 0;
}

const char* LauncherName(uint32_t kind) {
  for (const RankRow& row : kRows) {
    if (static_cast<uint32_t>(row.kind) == kind) return row.name;
  }
  return "none";
}

void FindNodeName(Lookup lookup, char* out, size_t bytes) {
  const char* name = lookup("SLURMD_NODENAME");
  if (name == nullptr || *name == '\0') name = lookup("PMIX_HOSTNAME");
  utsname system;
  if ((name == nullptr || *name == '\0') && SysCall(SYS_uname, AsLong(&system)) == 0)
    name = system.nodename;
  CopyText(out, bytes, name != nullptr ? name : "");
}

void FindJobKey(Lookup lookup, char* out, size_t bytes) {
  const auto kind = static_cast<LauncherKind>(FindRank(lookup).launcher);
  TextBuffer key;
  switch (kind) {
    case LauncherKind::kTorchrun:
      AppendJob(lookup, kind, &key.Add("torchrun"));
      AppendVariables(lookup, &key, {"TORCHELASTIC_RESTART_COUNT"});
      break;
    case LauncherKind::kOpenMpi:
    case LauncherKind::kPmix:
      key.Add("pmix");
      AppendVariables(lookup, &key, {"PMIX_NAMESPACE", "OMPI_MCA_orte_hnp_uri"});
      // The address of the node's own daemon: only where no address of the whole job is told.
      if (!Set(lookup, "OMPI_MCA_orte_hnp_uri"))
        AppendVariables(lookup, &key, {"PMIX_SERVER_URI21"});
      break;
    case LauncherKind::kPmi:
    case LauncherKind::kIntelMpi:
      AppendVariables(lookup, &key.Add("pmi"), {"SLURM_JOB_ID", "SLURM_STEP_ID"});
      AppendJob(lookup, kind, &key.Add("+"));
      break;
    case LauncherKind::kSlurm:
      AppendJob(lookup, kind, &key.Add("slurm"));
      AppendVariables(lookup, &key, {"SLURM_RESTART_COUNT"});
      break;
    case LauncherKind::kPals:
      AppendJob(lookup, kind, &key.Add("pals"));
      break;
    case LauncherKind::kFlux:
      AppendJob(lookup, kind, &key.Add("flux"));
      break;
    case LauncherKind::kJsm:
    case LauncherKind::kAlps:
    case LauncherKind::kMvapich:
      AppendJob(lookup, kind, &key.Add("batch"));
      break;
    case LauncherKind::kByHand:
      AppendJob(lookup, kind, &key.Add("by hand"));
      AppendVariables(lookup, &key, {"WORLD_SIZE"});
      break;
    case LauncherKind::kNone:
      break;
  }
  CopyText(out, bytes, key.text());
}

}  // namespace syncline
