// SPDX-License-Identifier: Apache-2.0
// Looks at each word of what is writable.
#include "collectors/torch/methods.h"

#include <link.h>
#include <sys/auxv.h>

#include <cstring>

#include "inject/core/got_slots.h"
#include "inject/core/object_tables.h"

namespace syncline::torch {
namespace {

struct ImageSearch {
  const char* file;
  Image* out;
  bool found;
};

void AddPart(const ElfW(Phdr) & part, uintptr_t begin, Image* out) {
  if (part.p_type == PT_GNU_RELRO) {
    const uintptr_t page = getauxval(AT_PAGESZ);
    out->relro_begin = begin & ~(page - 1);
    out->relro_end = (begin + part.p_memsz) & ~(page - 1);  // as the loader protects it
  }
  if (part.p_type != PT_LOAD || (part.p_flags & PF_R) == 0 || out->count == Image::kMostParts)
    return;
  // What is zero in the beginning holds no table of methods.
  out->parts[out->count++] = {begin, begin + part.p_filesz, (part.p_flags & PF_W) != 0,
                              (part.p_flags & PF_X) != 0};
}

int OnLibrary(dl_phdr_info* library, size_t, void* data) {
  auto& search = *static_cast<ImageSearch*>(data);
  const char* slash = std::strrchr(library->dlpi_name, '/');
  if (std::strcmp(slash == nullptr ? library->dlpi_name : slash + 1, search.file) != 0) return 0;
  ForeignTables memory;
  ForEachPart(*library, &memory, [&](const ElfW(Phdr) & part) {
    AddPart(part, library->dlpi_addr + part.p_vaddr, search.out);
  });
  search.found = true;
  return 1;
}

bool IsIn(const Image::Part& part, uintptr_t address, size_t bytes) {
  return address >= part.begin && address < part.end && part.end - address >= bytes;
}

bool IsCode(const Image& image, uintptr_t address) {
  for (size_t i = 0; i < image.count; ++i) {
    if (image.parts[i].executable && IsIn(image.parts[i], address, 1)) return true;
  }
  return false;
}

bool IsConstant(const Image& image, uintptr_t address, size_t bytes) {
  for (size_t i = 0; i < image.count; ++i) {
    if (!image.parts[i].writable && IsIn(image.parts[i], address, bytes)) return true;
  }
  return false;
}

bool IsMethod(const Image& image, const Method& method, const char* name, size_t bytes, int flags,
              ForeignMemory* memory) {
  const auto text = reinterpret_cast<uintptr_t>(method.name);
  return IsConstant(image, text, bytes) && method.flags == flags &&
         IsCode(image, reinterpret_cast<uintptr_t>(method.function)) && memory->IsText(text, name);
}

}  // namespace

bool FindImage(const char* file, Image* out) {
  *out = {};
  ImageSearch search = {file, out, false};
  dl_iterate_phdr(OnLibrary, &search);
  return search.found && out->count != 0 && out->count < Image::kMostParts;
}

size_t FindMethod(const Image& image, const char* name, int flags, Method** found) {
  const size_t bytes = std::strlen(name) + 1;
  constexpr uintptr_t kStep = alignof(Method);
  size_t count = 0;
  ForeignWindows<4096, 4> memory;
  for (size_t i = 0; i < image.count; ++i) {
    const Image::Part& part = image.parts[i];
    if (!part.writable) continue;
    for (uintptr_t at = (part.begin + kStep - 1) & ~(kStep - 1); IsIn(part, at, sizeof(Method));
         at += kStep) {
      Method method;
      if (!memory.Read(at, &method)) continue;
      if (!IsMethod(image, method, name, bytes, flags, &memory)) continue;
      *found = reinterpret_cast<Method*>(at);  // NOLINT: that is what is looked for
      ++count;
    }
  }
  return count;
}

bool ReplaceMethod(const Image& image, Method* method, void* function) {
  return WriteSlot({&method->function, method->name, "", 0, image.relro_begin, image.relro_end},
                   function);
}

}  // namespace syncline::torch
