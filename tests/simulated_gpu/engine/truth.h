// SPDX-License-Identifier: Apache-2.0
// The truth file (SIMGPU_TRUTH): one JSON object a line, one write() a line, so that it survives
// the death of the process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace simgpu {

struct Work;

// One line in the making.
class TruthLine {
 public:
  explicit TruthLine(std::string_view op);
  TruthLine& Text(std::string_view key, std::string_view value);
  TruthLine& Number(std::string_view key, uint64_t value);
  TruthLine& Flag(std::string_view key, bool value);
  void Write();

 private:
  std::string text_;
};

bool TruthIsOn();
// What the first line says of the driver. `interface`: null for CUDA.
struct TruthHeader {
  const char* device_name;
  uint64_t devices;
  const char* interface;
};
void OpenTruth(const TruthHeader& header);  // writes the first line; called by cuInit and its like
void ForgetTruth();  // in a forked child: its lines would be taken for the parent's

void WriteOperation(const Work& work);  // with its times
void WriteSubmitted(const Work& work);  // before they are known

}  // namespace simgpu
