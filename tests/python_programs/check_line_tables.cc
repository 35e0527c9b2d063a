// SPDX-License-Identifier: Apache-2.0
// Compares PythonLine with what interpreters say: check_line_tables FILE... of line_tables.py.
// Prints how many instructions were compared; status 1 if one differs.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "model/spool/python_lines.h"

namespace syncline {
namespace {

struct Piece {
  uint32_t python, first_line, table_bytes, ranges;
};
struct LineRange {
  uint32_t begin, end, line;
};
constexpr uint64_t kMostTold = 20;

// False: there are not that many bytes.
template <typename T>
bool Take(std::string_view* bytes, T* value) {
  if (bytes->size() < sizeof(T)) return false;
  std::memcpy(value, bytes->data(), sizeof(T));
  bytes->remove_prefix(sizeof(T));
  return true;
}

struct Sums {
  uint64_t instructions = 0;
  uint64_t wrong = 0;
};

void CheckRange(const Piece& piece, std::string_view table, const LineRange& range, Sums* sums) {
  for (uint32_t at = range.begin; at < range.end; at += 2) {
    const uint32_t line = PythonLine(static_cast<uint16_t>(piece.python), piece.first_line, table,
                                     false, static_cast<int32_t>(at));
    ++sums->instructions;
    if (line != range.line && sums->wrong++ < kMostTold) {
      std::printf("Python %" PRIx32 ", code of line %" PRIu32 ", byte %" PRIu32 ": line %" PRIu32
                  ", not %" PRIu32 "\n",
                  piece.python, piece.first_line, at, line, range.line);
    }
  }
}

// False: the file is cut.
bool CheckFile(const char* path, Sums* sums) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::string_view bytes = text;
  while (!bytes.empty()) {
    Piece piece;
    if (!Take(&bytes, &piece) || bytes.size() < piece.table_bytes) return false;
    const std::string_view table = bytes.substr(0, piece.table_bytes);
    bytes.remove_prefix(piece.table_bytes);
    for (uint32_t i = 0; i < piece.ranges; ++i) {
      LineRange range;
      if (!Take(&bytes, &range)) return false;
      CheckRange(piece, table, range, sums);
    }
  }
  return true;
}

}  // namespace
}  // namespace syncline

int main(int count, char** paths) {
  syncline::Sums sums;
  for (int i = 1; i < count; ++i) {
    if (!syncline::CheckFile(paths[i], &sums)) {
      std::printf("%s is cut\n", paths[i]);
      return 1;
    }
  }
  std::printf("%" PRIu64 " instructions, %" PRIu64 " wrong\n", sums.instructions, sums.wrong);
  return sums.wrong == 0 ? 0 : 1;
}
