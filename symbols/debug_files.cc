// SPDX-License-Identifier: Apache-2.0
// The places are those of gdb's manual, "Debugging Information in Separate Files".
#include "symbols/debug_files.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "symbols/xz.h"

namespace syncline {
namespace {

constexpr uint64_t kLargestChecked = uint64_t{1} << 30;  // bytes that a checksum is made of

std::string HexOf(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<uint8_t>(c) >> 4];
    text += kDigits[c & 15];
  }
  return text;
}

std::array<uint32_t, 256> ChecksumTable() {
  constexpr uint32_t kPolynomial = 0xedb88320;  // IEEE 802.3, reflected
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? kPolynomial : 0);
    table[i] = value;
  }
  return table;
}

bool HasChecksum(const ElfFile& file, uint32_t wanted) {
  static const std::array<uint32_t, 256> table = ChecksumTable();
  if (file.size() > kLargestChecked) return false;
  uint32_t sum = ~uint32_t{0};
  std::vector<uint8_t> part(1 << 20);
  for (uint64_t at = 0; at < file.size(); at += part.size()) {
    part.resize(std::min<uint64_t>(part.size(), file.size() - at));
    if (!file.ReadAt(at, part.data(), part.size())) return false;
    for (const uint8_t byte : part) sum = table[(sum ^ byte) & 0xff] ^ sum >> 8;
  }
  return ~sum == wanted;
}

struct DebugLink {
  std::string name;
  uint32_t checksum = 0;
};

// A name, zeros up to a multiple of four, a checksum.
DebugLink LinkOf(const ElfFile& file) {
  const ElfFile::Section* section = file.Find(".gnu_debuglink");
  if (section == nullptr || section->size > 4096) return {};
  const std::string bytes = file.Read(*section);
  DebugLink link{bytes.substr(0, bytes.find('\0')), 0};
  const size_t at = (link.name.size() + 4) & ~size_t{3};
  if (link.name.find('/') != std::string::npos || at + sizeof(link.checksum) > bytes.size())
    return {};
  std::memcpy(&link.checksum, bytes.data() + at, sizeof(link.checksum));
  return link;
}

// Without links; "" if it is not there.
std::string RealPath(const std::string& path) {
  char* real = realpath(path.c_str(), nullptr);
  const std::string text = real == nullptr ? "" : real;
  std::free(real);
  return text;
}

DebugFile FindByLink(const ElfFile& file, const std::string& path, const std::string& root) {
  const DebugLink link = LinkOf(file);
  const std::string real = RealPath(path);
  if (link.name.empty() || real.empty()) return {};
  const std::string folder = real.substr(0, real.rfind('/') + 1);
  for (const std::string& place : {folder, folder + ".debug/", root + folder}) {
    const std::string candidate = place + link.name;
    if (RealPath(candidate) == real) continue;
    std::unique_ptr<ElfFile> found = ElfFile::Open(candidate);
    if (found == nullptr) continue;
    if (file.build_id().empty() ? HasChecksum(*found, link.checksum)
                                : found->build_id() == file.build_id())
      return {std::move(found), candidate};
  }
  return {};
}

}  // namespace

DebugFile FindDebugFile(const ElfFile* file, const std::string& path, const std::string& build_id,
                        const std::string& root) {
  if (build_id.size() > 1) {
    const std::string id = HexOf(build_id);
    const std::string place =
        root + "/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug";
    std::unique_ptr<ElfFile> found = ElfFile::Open(place);
    if (found != nullptr && found->build_id() == build_id) return {std::move(found), place};
  }
  return file == nullptr ? DebugFile{} : FindByLink(*file, path, root);
}

std::unique_ptr<ElfFile> PackedDebugFile(const ElfFile& file) {
  const ElfFile::Section* section = file.Find(".gnu_debugdata");
  return section == nullptr ? nullptr : ElfFile::OfBytes(UnpackXz(file.Read(*section)));
}

bool HasLines(const ElfFile& file) {
  return file.Find(".debug_info") != nullptr || file.Find(".zdebug_info") != nullptr;
}

}  // namespace syncline
