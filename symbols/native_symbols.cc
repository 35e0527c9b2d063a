// SPDX-License-Identifier: Apache-2.0
// A file that was built anew since is worse than none: its names would be wrong.
#include "symbols/native_symbols.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "symbols/debug_files.h"
#include "symbols/elf_file.h"
#include "symbols/elf_symbols.h"
#include "symbols/function_name.h"

namespace syncline {

struct NativeSymbols::Known {
  std::string label;  // "libfoo.so"
  bool gone = false;
  ElfSymbols symbols;
  std::string lines_path;  // of the file with debug information; "": none
  std::unordered_map<uint64_t, std::vector<NativeName>> names;
};

NativeSymbols::NativeSymbols() = default;
NativeSymbols::~NativeSymbols() = default;

namespace {

constexpr std::string_view kFortranMain = "MAIN__";  // GNU's, for any program

std::string FileLabel(const std::string& path) {
  const std::string label = path.substr(path.rfind('/') + 1);
  return label.empty() ? "unknown" : label;
}

std::string KeyOf(const NativeModule& module) {
  return Text(module.path, std::string_view("\0", 1), module.build_id, std::string_view("\0", 1),
              module.mark);
}

// Whether it is the file that ran, as far as is known.
bool IsTheSame(const ElfFile& file, const NativeModule& module) {
  if (!module.build_id.empty()) return file.build_id() == module.build_id;
  return module.mark == 0 || file.mark() == module.mark;
}

// A file may be out of sight, as that of a container.
bool IsFolderThere(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  return !folder.empty() && access(folder.c_str(), F_OK) == 0;
}

std::string WithOffset(const std::string& label, uint64_t address) {
  char offset[32];
  std::snprintf(offset, sizeof(offset), "+0x%llx", static_cast<unsigned long long>(address));
  return label + offset;
}

}  // namespace

NativeSymbols::Known& NativeSymbols::Open(const NativeModule& module) {
  std::unique_ptr<Known>& known = modules_[KeyOf(module)];
  if (known != nullptr) return *known;
  known = std::make_unique<Known>();
  known->label = FileLabel(module.path);
  std::shared_ptr<ElfFile> file = ElfFile::Open(module.path);
  if (file != nullptr && !IsTheSame(*file, module)) file = nullptr;
  const std::string& build_id =
      module.build_id.empty() && file != nullptr ? file->build_id() : module.build_id;
  DebugFile found = FindDebugFile(file.get(), module.path, build_id);
  const std::shared_ptr<ElfFile> debug = std::move(found.file);
  const bool hidden = access(module.path.c_str(), R_OK) != 0 && errno == EACCES;  // not gone
  known->gone = file == nullptr && debug == nullptr && !hidden && module.path.starts_with('/') &&
                !module.path.ends_with('/');
  if (known->gone && IsFolderThere(module.path)) known->label += " (deleted)";
  AddSymbols(file, debug, known.get());
  if (debug != nullptr && HasLines(*debug)) {
    known->lines_path = found.path;
  } else if (file != nullptr && HasLines(*file)) {
    known->lines_path = module.path;
  }
  // There may be many modules, and few descriptors.
  if (file != nullptr) file->Rest();
  if (debug != nullptr) debug->Rest();
  return *known;
}

void NativeSymbols::AddSymbols(const std::shared_ptr<const ElfFile>& file,
                               const std::shared_ptr<const ElfFile>& debug, Known* known) {
  ElfSymbols& symbols = known->symbols;
  const bool whole = (file != nullptr && symbols.Add(file, ".symtab")) ||
                     (debug != nullptr && symbols.Add(debug, ".symtab"));
  if (!whole && file != nullptr) {
    symbols.Add(file, ".dynsym");
    const std::shared_ptr<const ElfFile> packed = PackedDebugFile(*file);
    if (packed != nullptr) symbols.Add(packed, ".symtab");
  }
  symbols.Sort();
}

// The outermost function is the symbol's: its name is whole where the debug information is brief.
std::vector<NativeName> NativeSymbols::Work(const Known& known, uint64_t address) {
  const std::string symbol = known.symbols.NameAt(address);
  std::vector<LineFrame> frames;
  if (!known.lines_path.empty()) frames = lines_.At(known.lines_path, address);
  if (frames.empty()) frames.emplace_back();
  std::vector<NativeName> names;
  for (LineFrame& frame : frames) {
    const bool outermost = &frame == &frames.back();
    const bool by_symbol =
        outermost && !symbol.empty() && (symbol != kFortranMain || frame.function.empty());
    std::string function = by_symbol       ? FunctionName(symbol)
                           : frame.mangled ? FunctionName(frame.function)
                                           : BareName(frame.function);
    if (function.empty()) function = WithOffset(known.label, address);
    names.push_back({std::move(function), std::move(frame.file), frame.line, known.gone});
  }
  return names;
}

std::vector<std::string> NativeSymbols::problems() const {
  std::vector<std::string> problems = lines_.problems();
  if (addresses_ >= kMostAddresses)
    problems.push_back(Text("no names of native code beyond those of ", CountText(kMostAddresses),
                            " addresses (lower --stack-depth)"));
  return problems;
}

const std::vector<NativeName>& NativeSymbols::At(const NativeModule& module, uint64_t address) {
  static const std::vector<NativeName> kTooMany = {{"unknown", "", 0, false}};
  const bool full = addresses_ >= kMostAddresses;
  if (full && !modules_.contains(KeyOf(module))) return kTooMany;
  Known& known = Open(module);
  if (full && !known.names.contains(address)) return kTooMany;
  const auto [entry, is_new] = known.names.try_emplace(address);
  if (is_new) {
    ++addresses_;
    entry->second = Work(known, address);
  }
  return entry->second;
}

}  // namespace syncline
