/* SPDX-License-Identifier: Apache-2.0 */
/* Names that are hard to record: 64 KiB, no UTF-8, control characters, one buffer for many names,
 * empty. */
#include "range.h"

int main(void) {
  static char longest[65536 + 1];
  memset(longest, 'x', sizeof longest - 1);
  memcpy(longest, "long ", 5);
  memcpy(longest + sizeof longest - 5, " end", 4);
  one_range(longest);
  one_range("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x9a\x80");
  one_range("bad \xff\xfe utf8 \xc3(");
  one_range("surrogate \xed\xa0\x80 overlong \xc0\xaf cut \xe2\x82");
  one_range("quote \" backslash \\ slash / tab \t newline \n escape \x1b delete \x7f");
  one_range("");
  one_range("\"rank\": 77");
  one_range("</script><b>&amp;");
  char reused[64];
  for (int i = 0; i < 1000; ++i) {
    snprintf(reused, sizeof reused, "reused %d", i);
    one_range(reused);
  }
  for (int i = 0; i < 100;
       ++i) { /* the same length and the same beginning, longer than a cache line */
    static char same[200];
    memset(same, 's', sizeof same - 1);
    snprintf(same + 190, 10, "%09d", i);
    one_range(same);
  }
  for (size_t bytes = 40; bytes < 60; ++bytes) { /* around any inline limit */
    char name[64];
    memset(name, 'k', bytes);
    name[bytes] = 0;
    one_range(name);
  }
  return 0;
}
