// SPDX-License-Identifier: Apache-2.0
// Names of native functions as short as people write them, from any bytes.
#pragma once

#include <string>
#include <string_view>

namespace syncline {

// "ns::Class<int>::step" of "_ZN2ns5ClassIiE4stepEv": without return type, parameters, and what
// compilers append (".cold", "[clone ...]", ABI tags); template arguments longer than 40 characters
// are "<...>", a lambda is "main::{lambda#1}", a procedure of a Fortran module "module::sub". What
// is no mangled name comes as it is.
std::string FunctionName(std::string_view symbol);

// The same of a name that is demangled already: "ns::step" of "void ns::step<int>(int) const".
std::string BareName(std::string_view demangled);

}  // namespace syncline
