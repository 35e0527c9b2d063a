// SPDX-License-Identifier: Apache-2.0
// Names of chosen functions, each kept once.
#include "collectors/python/chosen.h"

#include "inject/core/arena.h"
#include "inject/core/labelled_patterns.h"
#include "inject/core/options.h"
#include "inject/core/text.h"
#include "inject/core/thread_log.h"

namespace syncline::python {
namespace {

constexpr uint32_t kBuckets = 256;
// Written under the GIL; ordinary memory, so that a fork's child has it too.
Chosen* g_buckets[kBuckets];

// A worker that multiprocessing spawned runs the program's main module under another name: its
// functions are the same to whoever names them.
std::string_view PlainModule(std::string_view module) {
  return module == "__mp_main__" ? std::string_view("__main__") : module;
}

uint32_t BucketOf(std::string_view name) {
  uint32_t hash = 2166136261u;  // FNV-1a
  for (const char character : name) hash = (hash ^ static_cast<uint8_t>(character)) * 16777619u;
  return (hash ^ hash >> 16) % kBuckets;
}

bool AreRangesAsked() { return *OptionText(OptionIndex("python.ranges")) != '\0'; }

// The method that a collector asks for, if it is this function.
const WatchedMethod* MethodOf(std::string_view module, std::string_view qualname) {
  const WatchedMethod* method = MethodToWatch();
  return method != nullptr && qualname == method->qualname && module == method->module ? method
                                                                                       : nullptr;
}

// Whether a pattern fits. `labels`: of the first one that has any.
bool FitsPattern(std::string_view name, std::string_view* labels) {
  bool fits = false;
  std::string_view list = OptionText(OptionIndex("python.ranges"));
  LabelledPattern one;
  while (labels->empty() && NextLabelledPattern(&list, &one)) {
    if (!MatchesGlob(one.pattern, name)) continue;
    fits = true;
    *labels = one.labels;
  }
  return fits;
}

const Chosen* Keep(std::string_view name, const WatchedMethod* told, bool is_range,
                   std::string_view labels) {
  Chosen** bucket = &g_buckets[BucketOf(name)];
  for (const Chosen* known = *bucket; known != nullptr; known = known->next) {
    if (std::string_view(known->name, known->bytes) == name) return known;
  }
  auto* made = static_cast<Chosen*>(ArenaAllocate(sizeof(Chosen)));
  const char* copy = made == nullptr ? nullptr : ArenaCopy(name.data(), name.size());
  if (copy == nullptr) {
    CountLoss(kLoss_definition);
    return nullptr;
  }
  *made = {copy, static_cast<uint32_t>(name.size()), *bucket, told, is_range, labels};
  *bucket = made;
  return made;
}

}  // namespace

bool AnyChosen() {
  return OptionNumber(OptionIndex("python")) != 0 &&
         (AreRangesAsked() || MethodToWatch() != nullptr);
}

const Chosen* FindChosen(std::string_view module, std::string_view qualname) {
  module = PlainModule(module);
  TextBuffer name;  // a longer name is cut, and matched as it then is
  name.Add(module.data(), module.size()).Add(".").Add(qualname.data(), qualname.size());
  const WatchedMethod* told = MethodOf(module, qualname);
  std::string_view labels;
  const bool is_range = FitsPattern({name.text(), name.length()}, &labels);
  if (told == nullptr && !is_range) return nullptr;
  return Keep({name.text(), name.length()}, told, is_range, labels);
}

void TellWhoChose(LogLevel level, const char* what, const char* why, const char* detail) {
  const auto tell = [&](const char* option) {
    TextBuffer text;
    text.Add(option).Add(what).Add(" ").Add(why);
    Log(level, text.text(), detail);
  };
  if (AreRangesAsked()) tell("--python-ranges");
  if (const WatchedMethod* method = MethodToWatch()) tell(method->option);
}

}  // namespace syncline::python
