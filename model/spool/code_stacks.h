// SPDX-License-Identifier: Apache-2.0
// The stacks of one spool, Python's and native frames, each distinct one once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "inject/core/record.h"
#include "symbols/native_symbols.h"

namespace syncline {

struct PythonCode {
  std::string_view file;      // as the code says: relative, absolute, or "<frozen importlib>"
  std::string_view function;  // qualified from 3.11 on; "<module>"
  uint32_t first_line = 0;
  uint16_t python = 0;
  std::string_view table;
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
    bool gone = false;          // whose file is not there any more
    uint64_t at = 0;            // instruction or address: grows along a line, as a rule
  };
  std::vector<const Frame*> frames;  // the innermost first; stacks share them
  bool cut = false;                  // the outermost are missing
  bool operator==(const CodeStack&) const = default;
};

// Names the functions at an address, the innermost inlined one first; lives long.
using NameNative =
    std::function<const std::vector<NativeName>&(const NativeModule& module, uint64_t address)>;

// Definitions come from streams, and are the same for many of them. What is given out lives as long
// as this.
class CodeStacks {
 public:
  struct Place {
    const PythonCode* code = nullptr;  // Python's
    int32_t instruction = 0;
    const NativeModule* module = nullptr;  // native; neither: lost
    uint64_t address = 0;
    bool operator==(const Place&) const = default;
  };
  static constexpr uint64_t kRoom = uint64_t{256} << 20;

  explicit CodeStacks(uint64_t room = kRoom);  // names as all readers of this process have them
  explicit CodeStacks(NameNative name, uint64_t room = kRoom)
      : name_(std::move(name)), room_(room) {}

  // The bytes of a kCode record. Null: damaged, or there is no room for more.
  const PythonCode* Code(uint32_t first_line, std::string_view bytes);
  // The bytes of a kModule record.
  const NativeModule* Module(size_t build_id_bytes, std::string_view bytes, uint64_t mark = 0);
  // Of code that a program made while it ran.
  const NativeModule* NoModule() const { return &no_module_; }
  // The last `lent` of the places are of another thread's call. Null: there is no room for more.
  const CodeStack* Stack(const std::vector<Place>& places, bool cut, size_t lent = 0);
  // There was no room for something.
  bool full() const { return full_; }

 private:
  using Frames = std::vector<CodeStack::Frame>;  // of one place: those that are inlined are more
  // A line costs a look through its table; beyond this, there is no room for more places.
  static constexpr uint64_t kMostLookedThrough = uint64_t{4} << 30;
  struct Hash {
    size_t operator()(const Place& place) const;
    size_t operator()(const CodeStack& stack) const;
  };

  bool TakeRoom(uint64_t bytes);
  bool Add(const Place& place, CodeStack* stack);
  const Frames* FramesOf(const Place& place);
  CodeStack::Frame PythonFrame(const Place& place);
  Frames NativeFrames(const Place& place);

  NameNative name_;
  uint64_t room_;
  bool full_ = false;
  uint64_t looked_through_ = 0;  // bytes of line tables
  NativeModule no_module_;
  std::unordered_map<std::string, PythonCode> codes_;  // by the bytes that they look into
  std::unordered_map<std::string, std::unique_ptr<NativeModule>> modules_;
  std::unordered_map<Place, Frames, Hash> places_;
  std::unordered_set<CodeStack, Hash> stacks_;
};

}  // namespace syncline
