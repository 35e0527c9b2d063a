// SPDX-License-Identifier: Apache-2.0
// Remembers where a module was found, and asks the dicts on that way again at each call: a module
// may be replaced, and another may have its address.
#include "collectors/torch/module_paths.h"

#include <sys/mman.h>

#include <cstring>

#include "collectors/torch/module_ways.h"
#include "inject/core/arena.h"
#include "inject/core/sys.h"

namespace syncline::torch {
namespace {

constexpr uint32_t kMostSeen = 16384;     // modules in one search
constexpr uint32_t kMostNear = 64;        // in each call in any case
constexpr uint32_t kLooks = 2;            // at children, for each of these
constexpr uint32_t kMostPaths = 1 << 16;  // of a process
constexpr size_t kMostBytes = 1000;       // of one
constexpr size_t kBuckets = 4096;
constexpr uint32_t kRarest = 1024;  // calls between two searches for what is not there

struct Seen {
  const void* module;
  uint32_t from;   // index of the one that has it
  uint32_t steps;  // to it
  ptrdiff_t place;
};

struct Tables {
  ModulePath* buckets[kBuckets];
  const ModulePath* paths[kMostPaths];  // by number
  Seen seen[kMostSeen];
};

// All of it is written under the interpreter's lock; a fork's child has it too. Null: no module was
// looked for yet: most programs have none, and address space may be scarce.
Tables* g_tables;
uint32_t g_count = 1;

bool MakeTables() {
  if (g_tables == nullptr) {
    g_tables = static_cast<Tables*>(
        SysMap(sizeof(Tables), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1));
  }
  return g_tables != nullptr;
}

const ModulePath* Make(uint32_t parent, std::string_view key, ModulePath** bucket) {
  const std::string_view before =
      parent == 0 ? std::string_view()
                  : std::string_view(g_tables->paths[parent]->text, g_tables->paths[parent]->bytes);
  const size_t begin = parent == 0 ? 0 : before.size() + 1;
  const bool fits = g_count < kMostPaths && begin + key.size() <= kMostBytes;
  auto* made = fits ? static_cast<ModulePath*>(ArenaAllocate(sizeof(ModulePath))) : nullptr;
  auto* text = fits ? static_cast<char*>(ArenaAllocate(begin + key.size() + 1)) : nullptr;
  if (made == nullptr || text == nullptr) return nullptr;
  if (parent != 0) {
    std::memcpy(text, before.data(), before.size());
    text[before.size()] = '.';
  }
  std::memcpy(text + begin, key.data(), key.size());
  *made = {text,
           text + begin,
           static_cast<uint32_t>(begin + key.size()),
           static_cast<uint32_t>(key.size()),
           parent,
           g_count,
           *bucket};
  g_tables->paths[g_count++] = made;
  return *bucket = made;
}

// The path `key` below `parent`; 0: that begins with it.
const ModulePath* PathBelow(uint32_t parent, std::string_view key) {
  uint32_t hash = 2166136261u ^ parent;  // FNV-1a
  for (const char character : key) hash = (hash ^ static_cast<uint8_t>(character)) * 16777619u;
  ModulePath** bucket = &g_tables->buckets[(hash ^ hash >> 16) % kBuckets];
  for (const ModulePath* known = *bucket; known != nullptr; known = known->next) {
    if (known->parent == parent && std::string_view(known->key, known->key_bytes) == key)
      return known;
  }
  return Make(parent, key, bucket);
}

ModuleWays g_ways;

bool IsAt(const PythonObjects& python, const ModuleWay& known) {
  const void* at = known.around;
  for (uint32_t i = 0; i < known.steps; ++i) {
    const ModulePath& path = *g_tables->paths[known.paths[i]];
    const void* children = python.dict_of(at);
    ptrdiff_t place = known.places[i];
    std::string_view key;
    if (children == nullptr || !python.next(children, &place, &key, &at) ||
        key != std::string_view(path.key, path.key_bytes))
      return false;
  }
  return at == known.module;
}

// The way to what g_tables->seen[last] has at `place`.
bool Note(const PythonObjects& python, uint32_t last, ptrdiff_t place, ModuleWay* known) {
  uint32_t at = last;
  const uint32_t steps = g_tables->seen[last].steps + 1;
  known->places[steps - 1] = place;
  for (uint32_t i = steps - 1; i > 0; --i) {
    known->places[i - 1] = g_tables->seen[at].place;
    at = g_tables->seen[at].from;
  }
  const void* module = known->around;
  uint32_t path = known->around_path;
  for (uint32_t i = 0; i < steps; ++i) {
    ptrdiff_t from = known->places[i];
    std::string_view key;
    python.next(python.dict_of(module), &from, &key, &module);
    const ModulePath* below = PathBelow(path, key);
    if (below == nullptr) return false;
    path = known->paths[i] = below->number;
  }
  known->steps = steps;
  return true;
}

// Breadth first, at most so many modules.
bool Search(const PythonObjects& python, uint32_t most, ModuleWay* known) {
  g_tables->seen[0] = {known->around, 0, 0, 0};
  uint32_t count = 1, looks = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const void* children = python.dict_of(g_tables->seen[i].module);
    const void* child;
    std::string_view key;
    for (ptrdiff_t at = 0, place = 0;
         children != nullptr && python.next(children, &at, &key, &child); place = at) {
      if (child == known->module) return Note(python, i, place, known);
      if (++looks == kLooks * most) return false;
      if (g_tables->seen[i].steps + 1 < kMostSteps && count < most)
        g_tables->seen[count++] = {child, i, g_tables->seen[i].steps + 1, place};
    }
  }
  return false;
}

// The number of the path; 0: it is not below, as far as was looked.
uint32_t FindBelow(const PythonObjects& python, const CalledModule& around, const void* module) {
  if (around.object == module) return around.path;
  ModuleWay* way = g_ways.Find(around.object, module);
  const bool is_known = way != nullptr && way->around_path == around.path;
  if (is_known && way->steps != 0 && IsAt(python, *way)) return way->paths[way->steps - 1];
  uint32_t most = kMostSeen;
  if (is_known && way->steps == 0) {
    if (++way->missed < way->wait) {
      most = kMostNear;
    } else {
      way->missed = 0;
      if (way->wait < kRarest) way->wait *= 2;
    }
  } else {
    if (way == nullptr) way = &g_ways.Take(around.object, module);
    *way = {around.object, module, around.path, 0, 0, 2, {}, {}};
  }
  way->steps = 0;
  return Search(python, most, way) ? way->paths[way->steps - 1] : 0;
}

uint32_t NumberOf(const PythonObjects& python, const CalledModule* around, size_t count,
                  const void* module) {
  uint32_t found = 0;
  if (count != 0) found = FindBelow(python, around[count - 1], module);
  if (found == 0 && count > 1) found = FindBelow(python, around[0], module);
  if (found != 0) return found;
  const char* name = python.class_of(module);
  const ModulePath* path = PathBelow(0, name);
  return path == nullptr ? 0 : path->number;
}

}  // namespace

const ModulePath* FindModulePath(const PythonObjects& python, CalledModule* around, size_t count,
                                 const void* module) {
  const ErrnoKeeper keeper;
  if (!MakeTables()) return nullptr;
  for (size_t i = 0; i < count; ++i) {
    if (around[i].path == 0) around[i].path = NumberOf(python, around, i, around[i].object);
    if (around[i].path == 0) return nullptr;
  }
  const uint32_t number = NumberOf(python, around, count, module);
  return number == 0 ? nullptr : g_tables->paths[number];
}

}  // namespace syncline::torch
