# SPDX-License-Identifier: Apache-2.0
# Target syncline_warnings: the warnings that all our code is free of, with gcc 12 and clang 14 or newer.
# gcc 12 sees overlaps in std::string's operator+ that are not there (its bug 105651): -Wrestrict from gcc 13 on only.
add_library(syncline_warnings INTERFACE)
target_compile_options(syncline_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wpointer-arith -Wundef -Wimplicit-fallthrough
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wduplicated-cond>
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wthread-safety>
  $<$<BOOL:${SYNCLINE_WERROR}>:-Werror>)
