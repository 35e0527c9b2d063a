// SPDX-License-Identifier: Apache-2.0
// Where in the user's own code a call stands, as people write it.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/spool/code_stacks.h"

namespace syncline {

// Which code is the user's own.
struct OwnCode {
  std::string directory;  // paths below it are written relative to it; empty: none is
  std::string patterns;   // of such paths, separated by commas (--own); empty: all that no
                          // installation brings
  bool Has(std::string_view path) const;
};
inline const OwnCode kNoOwnCode;

// "train.py" of "/home/me/train.py" below /home/me; another path as it is.
std::string_view ShownPath(const OwnCode& own, std::string_view file);

// "train.py:42 step()", "train.py:3 <module>"; of native code "solver.cc:88 ns::relax()", without
// lines "libsolver.so ns::relax()", without names "libsolver.so+0x1234".
std::string FrameText(const OwnCode& own, const CodeStack::Frame& frame);

struct CodeLocation {
  // The innermost frame of the user's own code; without one, the innermost of Python, of a library
  // that no installation brought, of a framework, of the vendor. A frame before it whose file is
  // not there any more may be one's own: "libx.so (deleted)+0x12, called at main.cc:40 main()".
  // Where a line of one's own Python led into a package other than PyTorch's, the innermost line of
  // such a package tells what for: "lit.py:26 main(), in lightning/fabric/apply.py:104 batch_to()".
  // A constructor's or destructor's of C++ is its user's: "a.cc:7 run(), in b.h:3
  // Buffer::~Buffer()". Empty: a frame before it was lost.
  std::string where;
  // The innermost frame first: "a.py:3 f() < a.py:9 <module>". It begins with the function of the
  // vendor's that was called; of native frames that follow each other in a framework only the first
  // is told, and how many there are.
  std::string stack;
};

// A stack's frames of the user's own code.
struct OwnFrames {
  struct Step {
    uint32_t frame = 0;                             // CodeLocations::FrameOf
    uint64_t at = 0;                                // CodeStack::Frame::at; 0: not known
    auto operator<=>(const Step&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  std::vector<Step> frames;  // the outermost first
  bool is_direct =
      false;  // the innermost Python frame is one of them: no library's Python is further in
  bool on_behalf = false;                // some are of another thread, for which this one worked
  const std::string* where = nullptr;    // CodeLocation::where of the stack
  const std::string* line = nullptr;     // the same without a package's
  const std::string* package = nullptr;  // the package's alone; null: there is none
  // Of the nearest frame outside of the innermost one's function; null: there is none.
  const std::string* caller = nullptr;
  auto operator<=>(const OwnFrames&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct OwnFrame {
  std::string file;  // as the code says
  std::string function;
  uint32_t line = 0;  // 0: unknown
  std::string text;   // FrameText; a comprehension is a line of its function
};

// The places of a reading's stacks.
class CodeLocations {
 public:
  // Texts of stacks are kept up to `most_text` bytes: many stacks have much more of it together.
  explicit CodeLocations(const OwnCode& own, size_t most_text = size_t{32} << 20)
      : own_(own), most_text_(most_text) {}
  // `stack`: of Stream::stack(), not null. Lives until the next call.
  const CodeLocation& Of(const CodeStack* stack);
  // Its `where` alone, for those who need no text of the stack. Lives as long as this.
  const std::string& WhereOf(const CodeStack* stack) { return *PathOf(stack).where; }
  // Lives as long as this.
  const OwnFrames& PathOf(const CodeStack* stack);
  const OwnFrame& FrameOf(uint32_t frame) const { return *frames_[frame]; }
  // Whether a stack was taken below that line of the user's code.
  bool HasCalls(const std::string& file, uint32_t line) const {
    return lines_.contains({file, line});
  }
  const OwnCode& own() const { return own_; }

 private:
  uint32_t NumberOf(const CodeStack::Frame& frame);
  const std::string* CallerIn(const OwnFrames& path) const;

  const OwnCode& own_;
  const size_t most_text_;
  size_t text_ = 0;  // bytes in places_
  std::unordered_map<const CodeStack*, CodeLocation> places_;
  std::unordered_map<const CodeStack*, const OwnFrames*> paths_;
  std::set<OwnFrames> distinct_paths_;  // of many stacks each
  std::map<std::tuple<std::string, std::string, uint32_t>, uint32_t> frame_numbers_;
  std::vector<std::unique_ptr<OwnFrame>> frames_;
  std::set<std::pair<std::string, uint32_t>> lines_;  // of these
  std::unordered_set<std::string> where_texts_;       // of many stacks each
};

}  // namespace syncline
