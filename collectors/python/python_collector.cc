// SPDX-License-Identifier: Apache-2.0
// The collector's row in the table of collectors, and what it says where it cannot record.
#include "collectors/python/attributes.h"
#include "collectors/python/awaited_results.h"
#include "collectors/python/call_ranges.h"
#include "collectors/python/chosen.h"
#include "collectors/python/event_loop.h"
#include "collectors/python/frames.h"
#include "collectors/python/innermost_frame.h"
#include "collectors/python/interpreter_entry.h"
#include "collectors/python/method_calls.h"
#include "collectors/python/monitor.h"
#include "collectors/python/objects.h"
#include "inject/core/collector.h"
#include "inject/core/options.h"
#include "inject/core/text.h"

namespace syncline {

extern const CollectorDescription kCollector_python;

namespace python {
namespace {

const Interpreter* g_python;

void TellNoRanges(const char* why) { TellWhoChose(LogLevel::kError, " records nothing:", why); }

void TellTooOld(uint32_t version) {
  TextBuffer why;
  why.Add("it needs Python 3.8 or later, and this is ").AddNumber(version >> 8);
  why.Add(".").AddNumber(version & 0xff);
  TellNoRanges(why.text());
}

// In Python, before the program's first line.
void Begin() {
  const char* missing = nullptr;
  const Api* api = LoadApi(*g_python, &missing);
  if (api == nullptr) return TellNoRanges("this Python lacks functions of CPython");
  g_api = api;
  const uint32_t version = VersionOf(*g_python);
  PrepareFrames(version);
  PrepareAttributes(version);
  PrepareMethodCalls();
  if (!AreObjectsKnown() && *OptionText(OptionIndex("python.ranges")) != '\0')
    TellWhoChose(LogLevel::kWarn, ":",
                 "this Python's objects are not known: no labels, no signatures");
  const char* why =
      version < kFirstMonitored ? StartEvaluating(*g_python, version) : StartMonitoring();
  if (why != nullptr) TellNoRanges(why);
}

// In a fork's child.
void ForgetOpen() {
  ForgetCalls();
  ForgetAwaited();
}

bool IsLinkedIn() { return LinkedInterpreter() != nullptr; }

void Start() {
  if (!AnyChosen()) return;
  g_python = FindInterpreter(kCollector_python.libraries, kMaxLibraries);
  if (g_python == nullptr) return;
  if (VersionOf(*g_python) < kFirstEvaluated) return TellTooOld(VersionOf(*g_python));
  if (!AtFirstMoment(*g_python, Begin))
    TellNoRanges("there is no way into this Python (it does not call libc as others do)");
}

ProbeResult Probe() {
  return {true,
          "calls of chosen functions, with --python-ranges, of CPython 3.8 or later with a GIL",
          nullptr};
}

}  // namespace
}  // namespace python

const CollectorDescription kCollector_python = {
    .name = "python",
    .help = "Functions of Python programs as ranges",
    .records = "Python functions that --python-ranges names",
    .source = SYNCLINE_SOURCE_python,
    .probe = python::Probe,
    .start_at = StartAt::kLibrary,
    .libraries = {"libpython3.8.so.1.0", "libpython3.9.so.1.0", "libpython3.10.so.1.0",
                  "libpython3.11.so.1.0", "libpython3.12.so.1.0", "libpython3.13.so.1.0",
                  "libpython3.14.so.1.0"},
    .linked_in = python::IsLinkedIn,
    .start = python::Start,
    .flush = python::NoteEventLoop,
    .fork_child = python::ForgetOpen,
    .children_inherit = true,
};

}  // namespace syncline
