// SPDX-License-Identifier: Apache-2.0
// The stacks of one spool, Python's and native frames, each distinct one once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inject/core/record.h"
#include "model/native_symbols.h"

namespace syncline {

struct PythonCode {
  std::string file;      // as the code says: relative, absolute, or "<frozen importlib>"
  std::string function;  // qualified from 3.11 on; "<module>"
  uint32_t first_line = 0;
  uint16_t python = 0;
  std::string table;
  bool table_cut = false;
};

enum class FrameKind : uint8_t {
  kLost,
  kPython,
  kNative,
  kOnBehalf,  // no frame: those behind it are of the call on another thread for which this one
              // worked
};

struct CodeStack {
  struct Frame {
    FrameKind kind = FrameKind::kLost;
    std::string_view file;      // empty: unknown
    std::string_view function;  // of native code without parameters
    uint32_t line = 0;          // 0: unknown
    std::string_view module;    // of native code: the path of its program or library
  };
  std::vector<Frame> frames;  // the innermost first
  bool cut = false;           // the outermost are missing
};

// Names the functions at an address, the innermost inlined one first; lives long.
using NameNative =
    std::function<const std::vector<NativeName>&(const NativeModule& module, uint64_t address)>;

// Definitions come from streams, and are the same for many of them. What is given out lives as long
// as this. One thread.
class CodeStacks {
 public:
  struct Place {
    const PythonCode* code = nullptr;  // Python's
    int32_t instruction = 0;
    const NativeModule* module = nullptr;  // native; neither: lost
    uint64_t address = 0;
  };

  CodeStacks();  // names as all readers of this process have them
  explicit CodeStacks(NameNative name) : name_(std::move(name)) {}

  // The bytes of a kCode record. Null: damaged, or too much is held.
  const PythonCode* Code(uint32_t first_line, std::string_view bytes);
  // The bytes of a kModule record.
  const NativeModule* Module(size_t build_id_bytes, std::string_view bytes);
  // Of code that a program made while it ran.
  const NativeModule* NoModule() const { return &no_module_; }
  // The last `lent` of the places are of another thread's call. Null: too much is held.
  const CodeStack* Stack(const std::vector<Place>& places, bool cut, size_t lent = 0);

 private:
  static constexpr uint64_t kMostBytes = uint64_t{64} << 20;
  // A line costs a look through its table; beyond this, lines are not known.
  static constexpr uint64_t kMostLookedThrough = uint64_t{4} << 30;

  bool TakeRoom(uint64_t bytes);
  void Add(const Place& place, CodeStack* stack);
  void AddPython(const Place& place, CodeStack* stack);
  void AddNative(const Place& place, CodeStack* stack);

  NameNative name_;
  uint64_t bytes_ = 0;
  uint64_t looked_through_ = 0;  // bytes of line tables
  NativeModule no_module_;
  std::unordered_map<std::string, std::unique_ptr<PythonCode>> codes_;  // by what they are made of
  std::unordered_map<std::string, std::unique_ptr<NativeModule>> modules_;
  std::unordered_map<std::string, std::unique_ptr<CodeStack>> stacks_;
};

}  // namespace syncline
