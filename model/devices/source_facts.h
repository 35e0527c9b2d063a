// SPDX-License-Identifier: Apache-2.0
// What the offline half knows of a source of records: words and rules, a row for each collector, in
// its folder (collectors/NAME/source_facts.cc). No code asks which source it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "inject/core/source.h"
#include "model/devices/compile_log.h"
#include "model/devices/device_peaks.h"
#include "model/devices/operator_cost.h"
#include "model/devices/problem_kind.h"

namespace syncline {

struct CollectiveWords;
struct OperatorCollective;
struct WaitRules;

enum class NamedObject : uint8_t { kDevice, kContext, kQueue };

// A type of kResource records whose identifiers are the source's.
struct ResourceRow {
  uint32_t type;
  NamedObject object;
};

// Of a source that has devices.
struct DeviceWords {
  const char* interface = "";         // what brings records of devices
  const char* overhead = "overhead";  // of the row on which that interface's own time is shown
  std::span<const ResourceRow> named = {};
  // Handles up to this one name no object: they mean the default queue.
  uint64_t default_queue_handles = 0;
  // This handle names none either: it means a queue of each thread's own. 0: there is none such.
  uint64_t other_queue_handle = 0;
  // In trace categories and arguments of devices' synchronisations, where readers know the source
  // by another word; null: its name.
  const char* trace_word = nullptr;
  // What devices' names may begin with, and what datasheets say of them.
  std::string_view vendor{};
  std::span<const DevicePeaks> peaks = {};
};

struct SourceFacts {
  Source source = 0;
  const char* name = "";  // one word, in options, rows, findings and reports
  // False: its calls wait for something outside of the process, if for anything.
  bool has_devices = false;
  DeviceWords devices = {};
  // Calls.
  const char* call_category = "call";        // of its calls in a trace
  const char* lower_call_category = "call";  // of those with kDriverCall
  const WaitRules* waits = nullptr;          // null: nothing of it waits
  // Ranges.
  // Names of its ranges that are a library's own around one of its calls, and no part of the
  // program; "nccl:*": all that begin so.
  std::span<const std::string_view> ranges_of_calls{};
  // What the names of these ranges begin with; empty: it has none. An optimizer changes the model:
  // a step of a training ends. The next data is fetched. Gradients are computed, by the thread that
  // asks for them and by threads whose names begin with helper_threads.
  std::string_view optimizer_range{};
  std::string_view fetch_range{};
  std::string_view backward_range{};
  std::string_view helper_threads{};
  const char* range_category = "user_annotation";  // of its ranges in a trace
  // Of its start/end ranges of this domain, each is a call that waits between stretches: those are
  // its push/pop ranges of the same names in the other domain. Empty: it has none.
  std::string_view calls_domain{};
  std::string_view stretches_domain{};
  bool ranges_on_devices = false;    // its ranges are shown on the devices that work in them, too
  bool payloads_are_labels = false;  // of its ranges: keys and values that the program gave them
  // Not empty: its push/pop ranges may be open while another task has the thread, and these may not
  // be mixed up.
  const char* ranges_of_tasks = "";
  // What the list of arguments (RecordKind::kArguments) of an operator of that name says, appended
  // to an object of JSON as further members, each with a comma before it; null: it has none.
  void (*operator_arguments)(std::string_view name, std::string_view bytes,
                             std::string* out) = nullptr;
  // The sizes of such a list alone, as people read them: "[[2, 3], []]".
  std::string (*operator_shapes)(std::string_view bytes) = nullptr;
  // What it computes; nothing: not known, or no FLOPs.
  std::optional<OperatorCost> (*operator_cost)(std::string_view name,
                                               std::string_view bytes) = nullptr;
  // What it does together with other ranks; nothing: it is no such operator, or its group is not
  // known.
  std::optional<OperatorCollective> (*operator_collective)(std::string_view name,
                                                           std::string_view bytes) = nullptr;
  // Operators whose names begin so are such, no others.
  std::string_view collective_operators{};
  // One in which a thread waits for such operators.
  std::string_view waiting_operator{};
  // The word for devices of a framework's type, in whose memory its allocators take blocks; empty:
  // not known. Null: it has no allocators.
  std::string_view (*memory_device)(uint8_t type) = nullptr;
  // The option by which its collector records such blocks; unless this word of another one (a bit
  // of its number) says that it records nothing at all.
  size_t memory_option = SIZE_MAX;
  size_t off_option = SIZE_MAX;
  int64_t off_word = 0;
  // Blocks up to so many bytes lie apart from larger ones: what is free there is of no use to
  // these.
  uint64_t small_memory_block = 0;
  // What its compiler did.
  const CompileLog* compile_log = nullptr;  // null: it has none, or tells nobody
  // Collectives.
  const CollectiveWords* collectives = nullptr;  // null: no library of collectives speaks by it
  // Advice: rows for problems of which its users know better words than the report's own.
  std::span<const AdviceRow> advice = {};
  // Not empty: the collector is of a framework, whose programs have kernels with this in the name.
  std::string_view framework_kernels = {};
  // Not empty: lines of this file, in places of findings, bring what devices hold into files and
  // back.
  std::string_view saving_file = {};
};

// Generated from the folders of collectors/.
extern const SourceFacts* const kSourceFacts[];
extern const size_t kSourceFactsCount;

// A number that this build does not know has words that say so, and no rules.
const SourceFacts& FactsOfSource(Source source);

// Whether a thread of that name is one that a framework has for other threads' calls.
bool IsHelperThread(std::string_view name);

// Whether the place of a finding is where a framework brings what devices hold into a file and
// back.
bool IsSaving(std::string_view place);

}  // namespace syncline
