// SPDX-License-Identifier: Apache-2.0
// Takes the columns out of a document before it is parsed: they are most of its text, and the
// parser would look at each character several times and copy it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "writers/files/json_fields.h"

namespace syncline {

class LiftedColumns {
 public:
  // `text` outlives this.
  explicit LiftedColumns(std::string_view text);

  // The document, with marks in place of its longer columns. It is well-formed where the whole is.
  std::string_view text() const { return left_; }
  // The column at `key`; empty: there is none. A damaged document may hold marks of its own, and
  // then has a column of its own in a wrong place.
  std::string_view Of(const Json& object, const char* key) const;

 private:
  std::string left_;
  std::vector<std::string_view> columns_;
};

}  // namespace syncline
