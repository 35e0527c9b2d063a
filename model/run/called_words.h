// SPDX-License-Identifier: Apache-2.0
// What the name of a called function tells: that it takes no time, looks at a result, exchanges
// data.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace syncline {

bool IsWordChar(char c);
bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words);
// With small letters.
std::string Lower(std::string_view word);

// What is written like a call and takes no time; a mark or a range for a profiler, a word to a
// device, and arithmetic, too. `before`: the code in front of the word.
bool IsQuick(std::string_view word, std::string_view before);
// Looks at what the call in its brackets returned: "CHECK(copy(...))", "check_error(copy(...))".
bool IsWrapper(std::string_view word);
// What processes exchange, or for what they wait: "MPI_Allreduce", "comm.Barrier()" (mpi4py),
// "dist.all_reduce()" (PyTorch). `before`: the code in front of the word.
bool IsExchange(std::string_view word, std::string_view before);
// A statement that does nothing but launch, however long that takes: "loss.backward()",
// "optimizer.step()".
bool OnlyLaunches(std::string_view statement);

}  // namespace syncline
