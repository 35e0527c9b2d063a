// SPDX-License-Identifier: Apache-2.0
// Paths tell what an installation brought.
#include "model/places.h"

#include <algorithm>
#include <cctype>

#include "inject/core/glob.h"

namespace syncline {
namespace {

constexpr size_t kMostStackText = size_t{16} << 10;

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The standard library: ".../lib/python3.11/...", ".../lib64/python3.11/...".
bool IsInLibrary(std::string_view path) {
  for (const std::string_view folder : {"/lib/python", "/lib64/python"}) {
    const size_t at = path.find(folder);
    if (at == std::string_view::npos) continue;
    const size_t version = at + folder.size();
    if (version < path.size() && std::isdigit(static_cast<unsigned char>(path[version])) != 0)
      return true;
  }
  return false;
}

// Code that no file of the user holds: "<frozen importlib>", "<string>", what torch.compile wrote.
bool IsMade(std::string_view path) {
  return path.empty() || path.front() == '<' || Contains(path, "/torchinductor_");
}

bool IsInstalled(std::string_view path) {
  return Contains(path, "/site-packages/") || Contains(path, "/dist-packages/") ||
         path.starts_with("/usr/lib/") || IsInLibrary(path);
}

bool FitsOne(std::string_view patterns, std::string_view path) {
  while (!patterns.empty()) {
    const size_t comma = std::min(patterns.find(','), patterns.size());
    if (MatchesGlob(patterns.substr(0, comma), path)) return true;
    patterns.remove_prefix(std::min(comma + 1, patterns.size()));
  }
  return false;
}

}  // namespace

bool OwnCode::Has(std::string_view path) const {
  if (IsMade(path)) return false;
  return patterns.empty() ? !IsInstalled(path) : FitsOne(patterns, ShownPath(*this, path));
}

std::string_view ShownPath(const OwnCode& own, std::string_view file) {
  const std::string& directory = own.directory;
  if (!directory.empty() && file.size() > directory.size() + 1 && file.starts_with(directory) &&
      file[directory.size()] == '/')
    return file.substr(directory.size() + 1);
  while (file.starts_with("./")) file.remove_prefix(2);
  return file;
}

std::string FrameText(const OwnCode& own, const PythonStack::Frame& frame) {
  if (frame.code == nullptr) return "(lost)";
  std::string text(ShownPath(own, frame.code->file));
  if (frame.line != 0) text += ":" + std::to_string(frame.line);
  text += " " + frame.code->function;
  if (!frame.code->function.ends_with('>')) text += "()";
  return text;
}

const Place& Places::Of(const PythonStack* stack) {
  const auto known = places_.find(stack);
  if (known != places_.end()) return known->second;
  Place place;
  bool cut = stack->cut, whole = true;
  for (const PythonStack::Frame& frame : stack->frames) {
    const std::string text = FrameText(own_, frame);
    whole = whole && frame.code != nullptr;
    if (place.where.empty() && whole && own_.Has(frame.code->file)) place.where = text;
    cut = cut || place.stack.size() > kMostStackText;
    if (place.stack.size() <= kMostStackText)
      place.stack += (place.stack.empty() ? "" : " < ") + text;
  }
  if (place.where.empty() && whole) place.where = FrameText(own_, stack->frames.front());
  if (cut) place.stack += " < ...";
  return places_.emplace(stack, std::move(place)).first->second;
}

}  // namespace syncline
