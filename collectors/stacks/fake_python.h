// SPDX-License-Identifier: Apache-2.0
// For tests: an interpreter's objects, built in memory as a layout says.
#pragma once

#include <pthread.h>

#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/stacks/code_deaths.h"
#include "collectors/stacks/python_state.h"
#include "collectors/stacks/python_walk.h"

namespace syncline::stacks {

inline char* g_fake_state = nullptr;
inline int g_fake_finalizing = 0;
inline thread_local uint32_t g_fake_deaths = 0;  // the count when code's memory was given back last

// Its objects live as long as this.
class FakePython {
 public:
  explicit FakePython(uint16_t version) {
    python.layout = *LayoutOfPython(version);
    python.this_thread_state = [] { return static_cast<void*>(g_fake_state); };
    python.is_finalizing = [] { return g_fake_finalizing; };
    python.code_type = &types_[0];
    python.str_type = &types_[1];
    python.bytes_type = &types_[2];
    // Any places will do; these are as in 3.8, behind the instructions' offset of none.
    python.code_file = 104;
    python.code_name = 112;
    python.code_first_line = 40;
    python.code_table = 120;
    *dealloc() = Free;
    state = Object(nullptr);
    cframe_ = Object(nullptr);
    Put(cframe_, 0, int64_t{0});  // no object, and no frame yet
    Put(state, python.layout.state_thread, pthread_self());
    if (python.layout.cframe_frame != kNoOffset) Put(state, python.layout.state_frame, cframe_);
    g_fake_state = state;
    g_fake_finalizing = 0;
  }
  ~FakePython() { g_fake_state = nullptr; }

  template <typename T>
  static void Put(char* object, int64_t offset, const T& value) {
    std::memcpy(object + offset, &value, sizeof(value));
  }

  char* Object(const void* type, size_t bytes = 256) {
    objects_.emplace_back(bytes / 8 + 2, 0);
    char* object = reinterpret_cast<char*>(objects_.back().data());
    Put(object, 0, int64_t{1});  // references
    Put(object, kTypeOffset, type);
    return object;
  }

  // `Character` says the width: char is ASCII, uint8_t Latin-1.
  template <typename Character>
  char* Str(const std::vector<Character>& text) {
    constexpr bool kAscii = std::is_same_v<Character, char>;
    constexpr uint32_t kWidth = sizeof(Character);
    char* str = Object(python.str_type, 96 + text.size() * kWidth);
    Put(str, 16, text.size());
    Put(str, 32, uint32_t{kWidth << 2 | 1u << 5 | (kAscii ? 1u << 6 : 0)});
    if (text.empty()) return str;
    std::memcpy(str + (kAscii ? python.layout.str_ascii : python.layout.str_other), text.data(),
                text.size() * kWidth);
    return str;
  }
  char* Str(std::string_view text) { return Str(std::vector<char>(text.begin(), text.end())); }

  char* Bytes(std::string_view text) {
    char* bytes = Object(python.bytes_type, 64 + text.size());
    Put(bytes, kSizeOffset, text.size());
    std::memcpy(bytes + kBytesTextOffset, text.data(), text.size());
    return bytes;
  }

  char* Code(std::string_view file, std::string_view name, uint32_t first_line,
             std::string_view table) {
    char* code = Object(python.code_type);
    Put(code, python.code_file, Str(file));
    Put(code, python.code_name, Str(name));
    Put(code, python.code_first_line, first_line);
    Put(code, python.code_table, Bytes(table));
    return code;
  }

  // Of the code type.
  Dealloc* dealloc() { return reinterpret_cast<Dealloc*>(&types_[0][kDeallocOffset]); }
  static void Free(void* code) { g_fake_deaths = DeathsAt(code); }

  // A frame of `code` inside of what ran until now. `bytes`: where it is in the code.
  char* Call(char* code, int64_t bytes) {
    char* frame = Object(nullptr);
    const PythonLayout& layout = python.layout;
    Put(frame, layout.frame_previous, innermost);
    Put(frame, layout.frame_code, code);
    if (layout.bytes_per_position != 0) {
      Put(frame, layout.frame_position, static_cast<int32_t>(bytes / layout.bytes_per_position));
    } else {
      Put(frame, layout.frame_position, code + layout.code_begin + bytes);
    }
    Enter(frame);
    return frame;
  }
  void Leave() { Enter(nullptr); }
  void Enter(char* frame) {
    innermost = frame;
    if (python.layout.cframe_frame != kNoOffset) {
      Put(cframe_, python.layout.cframe_frame, frame);
    } else {
      Put(state, python.layout.state_frame, frame);
    }
  }

  Python python{};
  char* state;
  char* innermost = nullptr;

 private:
  alignas(Dealloc) char types_[3][256] = {};
  char* cframe_;
  std::deque<std::vector<uint64_t>> objects_;
};

}  // namespace syncline::stacks
