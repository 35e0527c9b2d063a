// SPDX-License-Identifier: Apache-2.0
// Small files of PyTorch's, read whole.
#include "collectors/torch/torch_version.h"

#include <cstring>

#include "inject/core/sys.h"
#include "inject/core/text.h"

namespace syncline::torch {
namespace {

constexpr size_t kMostFile = 4096;

// Moves `*text` behind the number. False: it begins with none, or with one that no version has.
bool TakeNumber(std::string_view* text, uint32_t* number) {
  size_t digits = 0;
  *number = 0;
  for (; digits < text->size() && digits < 4; ++digits) {
    const char digit = (*text)[digits];
    if (digit < '0' || digit > '9') break;
    *number = *number * 10 + static_cast<uint32_t>(digit - '0');
  }
  text->remove_prefix(digits);
  return digits != 0 && *number < 1000;
}

// No substr: it may throw, and would bring what throws into the injected library.
std::string_view From(std::string_view text, size_t at) {
  text.remove_prefix(at);
  return text;
}

using Parse = TorchVersion (*)(std::string_view text);

TorchVersion VersionOfFile(std::string_view folder, const char* file, Parse parse) {
  TextBuffer path;
  path.Add(folder.data(), folder.size()).Add(file);
  char text[kMostFile];
  const long bytes = path.cut() ? -1 : ReadSmallFile(path.text(), text, sizeof(text));
  return bytes <= 0 ? 0 : parse({text, static_cast<size_t>(bytes)});
}

}  // namespace

TorchVersion ParseVersion(std::string_view text) {
  uint32_t major, minor;
  if (!TakeNumber(&text, &major) || text.empty() || text[0] != '.') return 0;
  text.remove_prefix(1);
  return TakeNumber(&text, &minor) ? major * 1000 + minor : 0;
}

TorchVersion ParseVersionFile(std::string_view text) {
  constexpr std::string_view kBegin = "\n__version__ = '";
  const size_t at = text.find(kBegin);
  return at == std::string_view::npos ? 0 : ParseVersion(From(text, at + kBegin.size()));
}

TorchVersion VersionBeside(const char* path) {
  constexpr std::string_view kVersioned = ".so.";
  const std::string_view whole(path);
  const size_t slash = whole.rfind('/');
  if (slash == std::string_view::npos) return 0;
  const size_t soname = whole.find(kVersioned, slash);
  if (soname != std::string_view::npos)
    return ParseVersion(From(whole, soname + kVersioned.size()));
  const std::string_view folder(path, slash);
  const TorchVersion version = VersionOfFile(folder, "/../version.py", ParseVersionFile);
  return version != 0 ? version : VersionOfFile(folder, "/../build-version", ParseVersion);
}

}  // namespace syncline::torch
