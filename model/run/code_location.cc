// SPDX-License-Identifier: Apache-2.0
// Paths tell what an installation brought.
#include "model/run/code_location.h"

#include <algorithm>
#include <utility>

#include "inject/core/glob.h"
#include "model/spool/code_origin.h"

namespace syncline {
namespace {

constexpr size_t kMostStackText = size_t{16} << 10;

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Code that no file of the user holds: "<frozen importlib>", "<string>", what torch.compile wrote.
bool IsMade(std::string_view path) {
  return path.empty() || path.front() == '<' || Contains(path, "/torchinductor_");
}

// What nvcc makes of a kernel, to launch it: a function, called by one that has the kernel's name.
bool IsStub(const CodeStack::Frame& frame) {
  return frame.file.ends_with(".cudafe1.stub.c") || frame.function.starts_with("__device_stub_");
}

// A compiler may have made a jump of its call, so that it has no frame.
bool CallsStub(const CodeStack::Frame& frame, const CodeStack::Frame& stub) {
  constexpr std::string_view kStub = "__device_stub__";
  return !stub.function.starts_with(kStub) || stub.function.substr(kStub.size()) == frame.function;
}

// How many of the frames are not the user's, however they look: to the last one that launches.
size_t PastStubs(const std::vector<const CodeStack::Frame*>& frames) {
  size_t past = 0;
  for (size_t i = 0; i < frames.size(); ++i) {
    if (!IsStub(*frames[i])) continue;
    past = i + 1;
    if (past < frames.size() && CallsStub(*frames[past], *frames[i])) ++past;
  }
  return past;
}

bool FitsOne(std::string_view patterns, std::string_view path) {
  while (!patterns.empty()) {
    const size_t comma = std::min(patterns.find(','), patterns.size());
    if (MatchesGlob(patterns.substr(0, comma), path)) return true;
    patterns.remove_prefix(std::min(comma + 1, patterns.size()));
  }
  return false;
}

// A function that is not known is told as "libfoo.so+0x1234".
bool SaysItsModule(const CodeStack::Frame& frame) {
  if (frame.module.empty() || frame.gone) return true;
  const std::string_view name = FileNameOf(frame.module);
  return frame.function.starts_with(name) && frame.function.substr(name.size()).starts_with("+0x");
}

bool IsCallable(const CodeStack::Frame& frame) {
  if (frame.kind == FrameKind::kPython) return !frame.function.ends_with('>');
  return !SaysItsModule(frame) && !frame.function.ends_with(')');
}

// Until 3.12, Python made a function of a comprehension: "train.<locals>.<listcomp>" is train().
// Before 3.11, "<listcomp>" is all that it was called.
std::string_view AsWritten(std::string_view function) {
  for (const std::string_view made : {"<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"}) {
    if (!function.ends_with(made)) continue;
    const std::string_view outer = function.substr(0, function.size() - made.size());
    for (const std::string_view joint : {".<locals>.", "."}) {
      if (outer.ends_with(joint)) return AsWritten(outer.substr(0, outer.size() - joint.size()));
    }
  }
  return function;
}

// As FrameText, for a place: the function that people wrote.
std::string PlaceText(const OwnCode& own, CodeStack::Frame frame) {
  if (frame.kind == FrameKind::kPython) frame.function = AsWritten(frame.function);
  return FrameText(own, frame);
}

// What a stack's place is chosen by: the first of these, of one kind the innermost.
enum Nearness : uint8_t { kOwn, kPythons, kMadePythons, kUsers, kFrameworks, kVendors };

Nearness NearnessOf(const OwnCode& own, const CodeStack::Frame& frame) {
  if (frame.kind == FrameKind::kPython)
    return own.Has(frame.file) ? kOwn : IsMade(frame.file) ? kMadePythons : kPythons;
  if (frame.module.empty()) return kVendors;  // nobody knows
  if (!own.patterns.empty() && own.Has(frame.file)) return kOwn;
  switch (OriginOfNative(frame.module, frame.function)) {
    case CodeOrigin::kUsers:
      if (own.Has(frame.file)) return kOwn;
      return frame.file.empty() ? kUsers : kFrameworks;  // a header's code, compiled for the user
    case CodeOrigin::kFramework:
      return kFrameworks;
    case CodeOrigin::kVendor:
      return kVendors;
  }
  return kVendors;
}

// It may be the user's own, and nobody can say which line.
bool MayBeOwn(const CodeStack::Frame& frame) {
  return frame.gone && frame.kind == FrameKind::kNative &&
         OriginOfNative(frame.module, frame.function) == CodeOrigin::kUsers;
}

// Empty: a frame before it was lost.
std::string PlaceIn(const OwnCode& own, const CodeStack& stack) {
  const CodeStack::Frame* nearest = nullptr;
  const CodeStack::Frame* gone = nullptr;  // before it
  Nearness best = kVendors;
  bool lost = false;
  for (size_t i = PastStubs(stack.frames); i < stack.frames.size(); ++i) {
    const CodeStack::Frame& frame = *stack.frames[i];
    if (frame.kind == FrameKind::kOnBehalf) continue;
    lost = lost || frame.kind == FrameKind::kLost;
    if (lost) break;
    if (gone == nullptr && best != kOwn && MayBeOwn(frame)) gone = &frame;
    const Nearness nearness = NearnessOf(own, frame);
    if (nearest != nullptr && nearness >= best) continue;
    nearest = &frame;
    best = nearness;
  }
  if (nearest == nullptr || (lost && best != kOwn)) return "";
  const std::string text = PlaceText(own, *nearest);
  return gone == nullptr || gone == nearest
             ? text
             : FrameText(own, *gone).append(", called at ").append(text);
}

constexpr std::string_view kSavesAndLoads = "torch/serialization.py";  // torch.save(), torch.load()

// "lightning/fabric/apply.py" of a path below site-packages; empty: of no package, or of one that
// says nothing: a line of PyTorch's is within each call of PyTorch, and tqdm's within each loop.
std::string_view PathInPackage(std::string_view path) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = path.rfind(folder);
    if (at == std::string_view::npos) continue;
    path.remove_prefix(at + folder.size());
    if (path == kSavesAndLoads) return path;
    for (const std::string_view silent : {"torch/", "cupy/", "tqdm/"}) {
      if (path.starts_with(silent)) return "";
    }
    return path;
  }
  return "";
}

// Of the innermost package that the innermost own line of Python led into; empty: there is none.
std::string PackageIn(const OwnCode& own, const CodeStack& stack) {
  const CodeStack::Frame* of_package = nullptr;
  for (const CodeStack::Frame* frame : stack.frames) {
    if (frame->kind == FrameKind::kLost) return "";
    if (frame->kind == FrameKind::kOnBehalf) continue;
    const Nearness nearness = NearnessOf(own, *frame);
    if (nearness == kOwn) {
      if (of_package == nullptr || frame->kind != FrameKind::kPython) return "";
      CodeStack::Frame shown = *of_package;
      shown.file = PathInPackage(shown.file);
      return PlaceText(own, shown);
    }
    const std::string_view path = nearness == kPythons ? PathInPackage(frame->file) : "";
    // torch.save() is one thing, whatever it does in its own functions: the outermost one is told.
    const bool is_outer =
        of_package != nullptr && path == kSavesAndLoads && frame->file == of_package->file;
    if (!path.empty() && (of_package == nullptr || is_outer)) of_package = frame;
  }
  return "";
}

// "ns::Buffer<float>::~Buffer(int)" -> "~Buffer"; what stands before, to `scope`.
std::string_view LastName(std::string_view function, std::string_view* scope) {
  const auto without_templates = [](std::string_view name) {
    return name.substr(0, name.find('<'));
  };
  function = function.substr(0, function.find('('));
  int depth = 0;
  for (size_t at = function.size(); at-- > 1;) {
    depth += function[at] == '>' ? 1 : function[at] == '<' ? -1 : 0;
    if (depth != 0 || function[at] != ':' || function[at - 1] != ':') continue;
    *scope = function.substr(0, at - 1);
    return without_templates(function.substr(at + 1));
  }
  return without_templates(function);
}

// A constructor or a destructor of C++: what it holds is its user's.
bool IsMaker(const CodeStack::Frame& frame) {
  if (frame.kind != FrameKind::kNative) return false;
  std::string_view scope, outer;
  const std::string_view name = LastName(frame.function, &scope);
  return name.starts_with('~') || (!name.empty() && name == LastName(scope, &outer));
}

struct Made {
  const CodeStack::Frame* maker = nullptr;  // null: the innermost own frame is none
  const CodeStack::Frame* user = nullptr;
};

Made MadeIn(const OwnCode& own, const CodeStack& stack) {
  Made made;
  for (size_t i = PastStubs(stack.frames); i < stack.frames.size(); ++i) {
    const CodeStack::Frame& frame = *stack.frames[i];
    if (frame.kind == FrameKind::kLost || MayBeOwn(frame)) break;
    if (frame.kind == FrameKind::kOnBehalf || NearnessOf(own, frame) != kOwn) continue;
    if (!IsMaker(frame)) {
      made.user = &frame;
      break;
    }
    if (made.maker == nullptr) made.maker = &frame;
  }
  return made.user == nullptr ? Made() : made;
}

bool IsOfInstallation(const CodeStack::Frame& frame) {
  return frame.kind == FrameKind::kNative &&
         OriginOfNative(frame.module, frame.function) != CodeOrigin::kUsers;
}

// How many frames from `first` on are native ones that an installation brought.
size_t RunOfInstallation(const std::vector<const CodeStack::Frame*>& frames, size_t first) {
  size_t end = first;
  while (end < frames.size() && IsOfInstallation(*frames[end])) ++end;
  return end - first;
}

// What the vendor's runtime calls in itself, and its tools, is not told: its outermost frame is the
// function that was called.
size_t FirstOfInterest(const std::vector<const CodeStack::Frame*>& frames) {
  size_t vendors = 0;
  while (vendors < frames.size() && frames[vendors]->kind == FrameKind::kNative &&
         OriginOfNative(frames[vendors]->module, frames[vendors]->function) == CodeOrigin::kVendor)
    ++vendors;
  return vendors == 0 ? 0 : vendors - 1;
}

// Of a long way through a framework the innermost frame is told; "(12 native frames)" are the rest.
std::string TextOf(const OwnCode& own, const CodeStack& stack) {
  constexpr size_t kLongRun = 4;
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (!text.empty()) text += " < ";
    text += part;
  };
  size_t told = FirstOfInterest(stack.frames);
  while (told < stack.frames.size() && text.size() <= kMostStackText) {
    add(FrameText(own, *stack.frames[told]));
    const size_t run = RunOfInstallation(stack.frames, told);
    if (run >= kLongRun) add("(" + std::to_string(run - 1) + " native frames)");
    told += run >= kLongRun ? run : 1;
  }
  if (stack.cut || told < stack.frames.size()) text += " < ...";
  return text;
}

}  // namespace

bool OwnCode::Has(std::string_view path) const {
  if (IsMade(path)) return false;
  return patterns.empty() ? !IsInstalledSource(path) : FitsOne(patterns, ShownPath(*this, path));
}

std::string_view ShownPath(const OwnCode& own, std::string_view file) {
  const std::string& directory = own.directory;
  if (!directory.empty() && file.size() > directory.size() + 1 && file.starts_with(directory) &&
      file[directory.size()] == '/')
    return file.substr(directory.size() + 1);
  while (file.starts_with("./")) file.remove_prefix(2);
  return file;
}

std::string FrameText(const OwnCode& own, const CodeStack::Frame& frame) {
  if (frame.kind == FrameKind::kLost) return "(lost)";
  if (frame.kind == FrameKind::kOnBehalf) return "(on behalf of)";
  std::string text(ShownPath(own, frame.file));
  if (frame.line != 0) text += ":" + std::to_string(frame.line);
  if (text.empty() && !SaysItsModule(frame)) text = FileNameOf(frame.module);
  if (!text.empty()) text += " ";
  return text.append(frame.function).append(IsCallable(frame) ? "()" : "");
}

const CodeLocation& CodeLocations::Of(const CodeStack* stack) {
  const auto known = places_.find(stack);
  if (known != places_.end()) return known->second;
  CodeLocation place{WhereOf(stack), TextOf(own_, *stack)};
  text_ += place.where.size() + place.stack.size();
  if (text_ > most_text_) {
    places_.clear();
    text_ = place.where.size() + place.stack.size();
  }
  return places_.emplace(stack, std::move(place)).first->second;
}

uint32_t CodeLocations::NumberOf(const CodeStack::Frame& frame) {
  std::tuple key(std::string(frame.file), std::string(frame.function), frame.line);
  const auto [known, is_new] =
      frame_numbers_.try_emplace(std::move(key), static_cast<uint32_t>(frames_.size()));
  if (!is_new) return known->second;
  frames_.push_back(std::make_unique<OwnFrame>(OwnFrame{
      std::string(frame.file), std::string(frame.function), frame.line, PlaceText(own_, frame)}));
  lines_.emplace(frame.file, frame.line);
  return known->second;
}

const std::string* CodeLocations::CallerIn(const OwnFrames& path) const {
  for (auto step = path.frames.rbegin(); step != path.frames.rend(); ++step) {
    const OwnFrame& frame = FrameOf(step->frame);
    const OwnFrame& innermost = FrameOf(path.frames.back().frame);
    if (frame.function != innermost.function || frame.file != innermost.file) return &frame.text;
  }
  return nullptr;
}

const OwnFrames& CodeLocations::PathOf(const CodeStack* stack) {
  const auto [known, is_new] = paths_.try_emplace(stack);
  if (!is_new) return *known->second;
  OwnFrames path;
  path.line = path.where = &*where_texts_.insert(PlaceIn(own_, *stack)).first;
  std::string package = PackageIn(own_, *stack);
  if (const Made made = MadeIn(own_, *stack); made.maker != nullptr) {
    path.line = &*where_texts_.insert(FrameText(own_, *made.user)).first;
    package = FrameText(own_, *made.maker);
  }
  if (!package.empty()) {
    path.where = &*where_texts_.insert(*path.line + ", in " + package).first;
    path.package = &*where_texts_.insert(std::move(package)).first;
  }
  for (size_t left = stack->frames.size(), first = PastStubs(stack->frames); left > first; --left) {
    const CodeStack::Frame& frame = *stack->frames[left - 1];
    if (frame.kind == FrameKind::kOnBehalf) {
      path.on_behalf = true;
    } else if (frame.kind != FrameKind::kLost && NearnessOf(own_, frame) == kOwn) {
      // The place of a call that was compiled into another function is nobody's: the address is
      // that of what it calls.
      const bool is_inlined = frame.kind == FrameKind::kNative && left - 1 > first &&
                              stack->frames[left - 2]->at == frame.at;
      path.frames.push_back({NumberOf(frame), is_inlined ? 0 : frame.at});
      path.is_direct = true;
    } else if (frame.kind == FrameKind::kPython) {
      path.is_direct = false;
    }
  }
  path.caller = CallerIn(path);
  known->second = &*distinct_paths_.insert(std::move(path)).first;
  return *known->second;
}

}  // namespace syncline
