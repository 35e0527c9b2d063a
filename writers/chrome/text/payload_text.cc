// SPDX-License-Identifier: Apache-2.0
// Writes values as they are visited.
#include "writers/chrome/text/payload_text.h"

#include "model/spool/payload_walk.h"
#include "writers/chrome/text/json.h"

namespace syncline {
namespace {

class PayloadJson : public PayloadVisitor {
 public:
  explicit PayloadJson(std::string* out) : out_(out) {}

  void BeginObject() override { Open('{'); }
  void EndObject() override { Close('}'); }
  void BeginArray() override { Open('['); }
  void EndArray() override { Close(']'); }
  void Key(std::string_view key) override {
    AppendString(Next(), key);
    out_->append(": ");
    first_ = true;
  }
  void Unsigned(uint64_t value) override { AppendUintValue(Next(), value); }
  void Signed(int64_t value) override { AppendInt(Next(), value); }
  void Float(float value) override { AppendFloat(Next(), value); }
  void Double(double value) override { AppendDouble(Next(), value); }
  void Address(uint64_t value) override { AppendHex(Next(), value); }
  void Text(std::string_view value) override { AppendString(Next(), value); }
  void Bytes(std::string_view value) override { AppendHexBytes(Next(), value); }
  void Color(uint32_t value) override {
    Next()->append("\"#");
    for (int shift = 28; shift >= 0; shift -= 4)
      out_->push_back("0123456789ABCDEF"[(value >> shift) & 15]);
    out_->push_back('"');
  }

 private:
  std::string* Next() {
    if (!first_) out_->append(", ");
    first_ = false;
    return out_;
  }
  void Open(char bracket) {
    Next()->push_back(bracket);
    first_ = true;
  }
  void Close(char bracket) {
    out_->push_back(bracket);
    first_ = false;
  }

  std::string* out_;
  bool first_ = true;  // nothing stands before it in its object or array
};

}  // namespace

bool AppendPayload(const Stream& stream, const ExtendedPayload& payload, std::string* out) {
  const size_t length = out->size();
  PayloadJson text(out);
  const PayloadShape shape = WalkPayload(stream, payload, &text);
  if (shape == PayloadShape::kWhole) return true;
  out->resize(length);
  AppendHexBytes(out, payload.bytes);
  return shape == PayloadShape::kNoSchema;
}

}  // namespace syncline
