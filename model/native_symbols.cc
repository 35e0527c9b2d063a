// SPDX-License-Identifier: Apache-2.0
// A file that was built anew since is worse than none: its names would be wrong.
#include "model/native_symbols.h"

#include <cstdio>

#include "model/elf_file.h"
#include "model/elf_symbols.h"
#include "model/function_name.h"

namespace syncline {

struct NativeSymbols::Known {
  std::string label;  // "libfoo.so"
  ElfSymbols symbols;
  std::unordered_map<uint64_t, std::vector<NativeName>> names;
};

NativeSymbols::NativeSymbols() = default;
NativeSymbols::~NativeSymbols() = default;

namespace {

std::string FileLabel(const std::string& path) {
  const std::string label = path.substr(path.rfind('/') + 1);
  return label.empty() ? "unknown" : label;
}

std::string WithOffset(const std::string& label, uint64_t address) {
  char offset[32];
  std::snprintf(offset, sizeof(offset), "+0x%llx", static_cast<unsigned long long>(address));
  return label + offset;
}

}  // namespace

NativeSymbols::Known& NativeSymbols::Open(const NativeModule& module) {
  std::unique_ptr<Known>& known = modules_[module.path + '\0' + module.build_id];
  if (known != nullptr) return *known;
  known = std::make_unique<Known>();
  known->label = FileLabel(module.path);
  std::unique_ptr<ElfFile> file = ElfFile::Open(module.path);
  if (file == nullptr || (!module.build_id.empty() && file->build_id() != module.build_id))
    return *known;
  if (!known->symbols.Add(*file, ".symtab")) known->symbols.Add(*file, ".dynsym");
  known->symbols.Sort();
  return *known;
}

const std::vector<NativeName>& NativeSymbols::At(const NativeModule& module, uint64_t address) {
  Known& known = Open(module);
  const auto [entry, is_new] = known.names.try_emplace(address);
  if (!is_new) return entry->second;
  const std::string_view symbol = known.symbols.NameAt(address);
  entry->second.push_back(
      {symbol.empty() ? WithOffset(known.label, address) : FunctionName(symbol), "", 0});
  return entry->second;
}

}  // namespace syncline
