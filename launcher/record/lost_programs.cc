// SPDX-License-Identifier: Apache-2.0
// Which variable brings which collector, the collectors' own table says.
#include "launcher/record/lost_programs.h"

#include <algorithm>
#include <cstring>

#include "inject/core/collect_list.h"
#include "inject/core/options.h"
#include "launcher/host/shell_text.h"
#include "launcher/start/program.h"

namespace syncline {
namespace {

constexpr size_t kMostRanks = 4096;
constexpr size_t kMostPrograms = 64;  // of a rank

LostProgram* Find(const Lack& lack, const std::string& path, std::vector<LostProgram>* programs) {
  const auto at = std::find_if(programs->begin(), programs->end(), [&](const LostProgram& one) {
    return one.lack == lack && one.path == path;
  });
  return at == programs->end() ? nullptr : &*at;
}

// Null: there is no room.
LostProgram* Add(const Lack& lack, const std::string& path, std::vector<LostProgram>* programs) {
  if (programs->size() >= kMostPrograms) return nullptr;
  return &programs->emplace_back(LostProgram{lack, path});
}

bool HasDoor(const CollectorDescription& collector) {
  return collector.doors[0].variable != nullptr;
}

bool LacksDoor(const CollectorDescription& collector, const Lack& lack) {
  return HasDoor(collector) && (lack.doors >> collector.source & 1) != 0;
}

// Whether nothing brings our library into the program.
bool LacksAll(const Lack& lack) {
  if ((lack.variables & kLostPreload) == 0) return false;
  for (size_t i = 0; i < kCollectorCount; ++i) {
    if (HasDoor(*kCollectors[i]) && !LacksDoor(*kCollectors[i], lack)) return false;
  }
  return true;
}

// One without a door and without libraries to wait for sees only what the loader leads through its
// exported names.
bool IsMissing(const CollectorDescription& collector, const Lack& lack) {
  if (LacksAll(lack) || LacksDoor(collector, lack)) return true;
  const bool by_preload = !HasDoor(collector) && collector.libraries[0] == nullptr;
  return by_preload && (lack.variables & kLostPreload) != 0;
}

bool HasTool(const CollectorDescription& collector, const Lack& lack) {
  return (lack.tools >> collector.source & 1) != 0;
}

// Those that are gone.
std::vector<std::string> Variables(const Lack& lack) {
  std::vector<std::string> names;
  if ((lack.variables & kLostPreload) != 0) names.emplace_back("LD_PRELOAD");
  for (size_t i = 0; i < kCollectorCount; ++i) {
    if (LacksDoor(*kCollectors[i], lack) && !HasTool(*kCollectors[i], lack))
      names.emplace_back(kCollectors[i]->doors[0].variable);
  }
  if ((lack.variables & kLostSocket) != 0) names.emplace_back(VariableName(Variable::kSocket));
  return names;
}

// Those in which the program has a library of its own.
std::vector<std::string> ToolVariables(const Lack& lack) {
  std::vector<std::string> names;
  for (size_t i = 0; i < kCollectorCount; ++i) {
    if (HasTool(*kCollectors[i], lack)) names.emplace_back(kCollectors[i]->doors[0].variable);
  }
  return names;
}

// What collectors in force record: of those that have a way into the program, and of those that
// have none.
struct Parts {
  std::vector<std::string> recorded, missing;
};

Parts PartsOf(const Lack& lack, std::string_view collect) {
  Parts parts;
  const std::string list(collect);
  for (size_t i = 0; i < kCollectorCount; ++i) {
    const CollectorDescription& collector = *kCollectors[i];
    if (collector.is_companion || !IsCollected(list.c_str(), collector.name)) continue;
    (IsMissing(collector, lack) ? parts.missing : parts.recorded)
        .emplace_back(collector.records != nullptr ? collector.records : collector.name);
  }
  return parts;
}

// What is missing of `whom` ("it", "them"); "": nothing.
std::string MissingText(const Lack& lack, std::string_view collect, const char* whom) {
  const auto [recorded, missing] = PartsOf(lack, collect);
  if (recorded.empty()) return Text("nothing of ", whom, " is recorded");
  if (!missing.empty()) return Text(JoinNames(missing), " of ", whom, " are missing");
  if ((lack.variables & kLostSocket) == 0) return "";
  return Text("what is recorded of ", whom, " is not in this run");
}

// Variables that it has do not reach it, and none that were given back would.
std::string OtherRightsText(uint64_t count, const std::string& whom) {
  const bool one = count == 1;
  return Text(Counted(count, "setuid program"), one ? " was" : " were", " started", whom,
              ": the system loads nothing into ", one ? "it" : "them", ", and what ",
              one ? "it starts" : "they start",
              " is not recorded either (put syncline behind: `sudo syncline -- PROGRAM`)");
}

// Its environment is that of MPI's launcher, in which Syncline is not where it stands behind it.
std::string ByLauncherText(uint64_t count, const std::string& name) {
  const bool one = count == 1;
  return Text("MPI_Comm_spawn started ", Counted(count, "process"), " of ", ShellQuote(name),
              ": nothing of ", one ? "it" : "them", " is recorded, because ",
              one ? "it gets" : "they get",
              " the environment of MPI's launcher (put syncline before that: `syncline -- mpirun "
              "... PROGRAM`)");
}

// A tool of the user's keeps its place.
std::string OfToolText(const Lack& lack, uint64_t count, const std::string& whom,
                       std::string_view collect) {
  const bool one = count == 1;
  const auto [recorded, missing] = PartsOf(lack, collect);
  if (missing.empty()) return "";
  const char* they = one ? "it" : "them";
  return Text(
      Counted(count, "program"), one ? " was" : " were", " started with another library in ",
      JoinNames(ToolVariables(lack)), whom,
      ", which stays there: ", MissingText(lack, collect, they),
      recorded.empty() ? "" : Text("; what can be recorded of ", they, ": ", JoinNames(recorded)));
}

std::string KindText(const Lack& lack, uint64_t count, const std::string& first,
                     std::string_view collect, bool follows) {
  const bool one = count == 1;
  const std::string name = first.substr(first.rfind('/') + 1);
  const std::string whom =
      name.empty() ? "" : Text(" (", one ? "" : "the first: ", ShellQuote(name), ")");
  if (lack.other_rights != 0) return OtherRightsText(count, whom);
  if (lack.by_launcher != 0) return ByLauncherText(count, name);
  if (lack.tools != 0 && Variables(lack).empty()) return OfToolText(lack, count, whom, collect);
  const std::string missing = MissingText(lack, collect, one ? "it" : "them");
  if (missing.empty()) return "";
  const std::string variables = LacksAll(lack) && lack.tools == 0 ? "LD_PRELOAD and other variables"
                                                                  : JoinNames(Variables(lack));
  const std::string but = lack.tools == 0 ? ""
                                          : Text(", but for ", JoinNames(ToolVariables(lack)),
                                                 ", where another library stays");
  return Text(Counted(count, "program"), one ? " was" : " were", " started without Syncline's ",
              variables, whom, ": ", missing,
              follows ? ", because --follow-env could not give them back"
                      : Text(" (--follow-env gives them back", but, ")"));
}

}  // namespace

void CountLostProgram(const LostProgramNote& note, LostPrograms* programs) {
  const std::string path(note.program, strnlen(note.program, sizeof(note.program)));
  const bool has_place = programs->size() < kMostRanks || programs->contains(note.rank);
  std::vector<LostProgram>& of_rank = (*programs)[has_place ? note.rank : -1];
  LostProgram* row = Find(note.lack, path, &of_rank);
  if (note.started == 0) {
    if (row != nullptr && --row->count == 0)
      of_rank.erase(of_rank.begin() + (row - of_rank.data()));
    return;
  }
  if (row == nullptr) row = Add(note.lack, path, &of_rank);
  if (row == nullptr) row = &of_rank.back();
  row->count += note.started;
}

void DropUnrecordable(LostPrograms* programs) {
  for (auto& [rank, of_rank] : *programs) {
    std::erase_if(of_rank, [](const LostProgram& program) {
      return program.lack.other_rights == 0 && program.path.starts_with('/') &&
             JudgeProgram(program.path).reach != Reach::kAll;
    });
  }
}

void DropLaunched(LostPrograms* programs) {
  for (auto& [rank, of_rank] : *programs)
    std::erase_if(of_rank,
                  [](const LostProgram& program) { return program.lack.by_launcher != 0; });
}

std::vector<LostProgram> AllLostPrograms(const LostPrograms& programs) {
  std::vector<LostProgram> all;
  for (const auto& [rank, of_rank] : programs)
    all.insert(all.end(), of_rank.begin(), of_rank.end());
  return all;
}

std::vector<std::string> LostProgramTexts(const std::vector<LostProgram>& programs,
                                          std::string_view collect, bool follows) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < programs.size(); ++i) {
    const Lack& lack = programs[i].lack;
    uint64_t count = 0;
    bool told = false;
    for (size_t j = 0; j < programs.size(); ++j) {
      if (programs[j].lack != lack) continue;
      told = told || j < i;
      count += programs[j].count;
    }
    std::string text = told ? "" : KindText(lack, count, programs[i].path, collect, follows);
    if (!text.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string> LostProgramTexts(const std::vector<LostProgram>& programs) {
  return LostProgramTexts(programs, OptionText(OptionIndex("collect")),
                          OptionNumber(OptionIndex("follow.env")) != 0);
}

std::string LostProgramLine(const LostPrograms& programs) {
  std::string line;
  for (const std::string& text : LostProgramTexts(AllLostPrograms(programs)))
    line += Text(line.empty() ? "" : "; ", text);
  return line;
}

}  // namespace syncline
