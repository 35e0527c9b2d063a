// SPDX-License-Identifier: Apache-2.0
// Any schemas with any payload: decoding ends, and gives valid JSON.
#include <cstring>

#include "model/spool/spool_reader.h"
#include "model/testing/fuzz.h"
#include "model/testing/spool_builder.h"
#include "writers/chrome/text/payload_text.h"

#include <nlohmann/json.hpp>

namespace syncline {
namespace {

class Decode : public RecordSink {
 public:
  void OnMark(const RangeEvent& event) override {
    for (const ExtendedPayload& payload : *event.payloads) {
      std::string text;
      (void)AppendPayload(event.stream, payload, &text);
      testing::Require(!nlohmann::json::parse(text, nullptr, false).is_discarded(),
                       "the payload is valid JSON");
    }
  }
};

// The input: for each schema a kind, a length and its bytes; length 0 ends them; the rest is the
// payload.
void Run(std::string_view input) {
  testing::RecordBatch batch;
  batch.Stream(1, 4210, true);
  uint32_t id = 0;
  while (input.size() >= 3 && id < 8) {
    const auto kind = static_cast<uint16_t>(1 + static_cast<uint8_t>(input[0]) % 3);
    const size_t length = static_cast<uint8_t>(input[1]) | size_t{static_cast<uint8_t>(input[2])}
                                                               << 8;
    input.remove_prefix(3);
    if (length == 0) break;
    ++id;
    batch.Text(RecordKind::kSchema, id, (1 << 24) + id, input.substr(0, length), 0, kind);
    input.remove_prefix(std::min(length, input.size()));
  }
  batch.Text(RecordKind::kPayload, id, 5, input.substr(0, 60000));
  batch.Raw(RecordKind::kMark, 0, 5, 5, 0, 0, kHasPayload, nullptr);
  testing::SpoolBuilder spool;
  spool.Process(testing::PlausibleProcess()).Records(0, batch);
  const testing::MemoryFile file(spool.bytes().data(), spool.bytes().size());
  SpoolReader reader;
  Decode sink;
  testing::Require(reader.Open(file.path()).ok() && reader.Read(&sink).ok(), "the spool is read");
}

void AddSchema(std::string* input, uint16_t kind, const std::string& bytes) {
  input->push_back(static_cast<char>(kind - 1));
  input->push_back(static_cast<char>(bytes.size()));
  input->push_back(static_cast<char>(bytes.size() >> 8));
  input->append(bytes);
}

}  // namespace
}  // namespace syncline

namespace syncline::testing {

std::vector<std::string> FuzzSeeds() {
  const SchemaField names[] = {{"sum", 0}, {"prod", 1, 0, 0, 1}};
  const SchemaField members[] = {{"i", 15, 0}, {"f", 19, 0}, {"d", 20, 0}};
  const SchemaField fields[] = {{"op", (1 << 24) + 1, 0},   {"n", 16, 4},
                                {"list", 13, 8, 1, 3 << 4}, {"u", (1 << 24) + 2, 16, 1},
                                {"text", 76, 24, 8},        {"wide", 77, 32, 3},
                                {"at", 15, 40, 0, 1 << 2},  {"tail", 76, UINT64_MAX, 0, 2 << 4}};
  std::string input;
  AddSchema(&input, kEnumSchema, SerialiseSchema("op", 4, names));
  AddSchema(&input, kUnionSchema, SerialiseSchema("u", 8, members));
  AddSchema(&input, kStructSchema, SerialiseSchema("s", 0, fields));
  input.append(3, '\0');
  std::string payload(64, '\1');
  payload.replace(4, 4, std::string("\2\0\0\0", 4));
  return {input + payload, input + payload.substr(0, 20)};
}

}  // namespace syncline::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  syncline::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
