// SPDX-License-Identifier: Apache-2.0
// Operators by their schemas (torch/csrc/distributed/c10d/Ops.cpp). A list of lists of tensors says
// nothing of itself: what it has follows from the other side and from the size of the group.
#include "collectors/torch/facts/collective_call.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "collectors/torch/facts/argument_values.h"

namespace syncline::torch {
namespace {

constexpr size_t kNoPlace = SIZE_MAX;

struct CallRow {
  std::string_view name;  // behind "c10d::"
  std::string_view told;  // as PyTorch itself names it to Kineto, where it does
  // gloo's range, behind "gloo:" (torch/csrc/distributed/c10d/ProcessGroupGloo.cpp), which has no
  // reduce_scatter of its own.
  std::string_view range;
  std::optional<CollectiveKind> kind;
  size_t in, out, group;
  size_t other = kNoPlace;  // the root, or the peer
  uint8_t in_lists = 0;     // `in` is a list of lists: as many of `out` as there are ranks
  uint8_t out_lists = 0;    // the other way round
  bool sends = false;
};

using enum CollectiveKind;
constexpr CallRow kCollectiveCalls[] = {
    {"allreduce_", "allreduce", "all_reduce", kAllReduce, 0, 0, 1},
    {"allreduce_coalesced_", "allreduce_coalesced", "all_reduce", kAllReduce, 0, 0, 1},
    {"broadcast_", "broadcast", "broadcast", kBroadcast, 0, 0, 1, 2},
    {"reduce_", "reduce", "reduce", kReduce, 0, 0, 1, 3},
    {"allgather_", "all_gather", "all_gather", kAllGather, 1, 0, 2, kNoPlace, 0, 1},
    {"_allgather_base_", "_allgather_base", "all_gather", kAllGather, 1, 0, 2},
    {"allgather_coalesced_", "all_gather_coalesced", "all_gather", kAllGather, 1, 0, 2, kNoPlace, 0,
     1},
    {"allgather_into_tensor_coalesced_", "allgather_into_tensor_coalesced", "all_gather",
     kAllGather, 1, 0, 2},
    {"gather_", "gather", "gather", kGather, 1, 0, 2, 3, 0, 1},
    {"gather_into_tensor_", "gather", "gather", kGather, 1, 0, 2, 3},
    {"scatter_", "scatter", "scatter", kScatter, 1, 0, 2, 3, 1, 0},
    {"reduce_scatter_", "reduce_scatter", "all_reduce", kReduceScatter, 1, 0, 2, kNoPlace, 1, 0},
    {"_reduce_scatter_base_", "_reduce_scatter_base", "all_reduce", kReduceScatter, 1, 0, 2},
    {"reduce_scatter_tensor_coalesced_", "reduce_scatter_tensor_coalesced", "all_reduce",
     kReduceScatter, 1, 0, 2},
    {"alltoall_", "all_to_all", "all_to_all", kAllToAll, 1, 0, 2},
    {"alltoall_base_", "all_to_allv", "all_to_all", kAllToAll, 1, 0, 2},
    {"barrier", "barrier", "barrier", kBarrier, kNoPlace, kNoPlace, 1},
    {"monitored_barrier_", "monitored_barrier", "", kBarrier, kNoPlace, kNoPlace, 1},
    {"send", "send", "send", std::nullopt, 0, 0, 1, 2, 0, 0, true},
    {"recv_", "recv", "recv", std::nullopt, 0, 0, 1, 2},
    {"recv_any_source_", "recvAnySource", "recvAnySource", std::nullopt, 0, 0, 1},
};

struct TypeRow {
  std::string_view name;
  uint8_t bytes;
};
// Of c10::ScalarType, as c10::toString names them; 0: of less than a byte.
constexpr TypeRow kElementTypes[] = {
    {"Byte", 1},
    {"Char", 1},
    {"Short", 2},
    {"Int", 4},
    {"Long", 8},
    {"Half", 2},
    {"Float", 4},
    {"Double", 8},
    {"ComplexHalf", 4},
    {"ComplexFloat", 8},
    {"ComplexDouble", 16},
    {"Bool", 1},
    {"QInt8", 1},
    {"QUInt8", 1},
    {"QInt32", 4},
    {"BFloat16", 2},
    {"QUInt4x2", 0},
    {"QUInt2x4", 0},
    {"Bits1x8", 1},
    {"Bits2x4", 1},
    {"Bits4x2", 1},
    {"Bits8", 1},
    {"Bits16", 2},
    {"Float8_e5m2", 1},
    {"Float8_e4m3fn", 1},
    {"Float8_e5m2fnuz", 1},
    {"Float8_e4m3fnuz", 1},
    {"UInt16", 2},
    {"UInt32", 4},
    {"UInt64", 8},
};

using Call = std::vector<ArgumentValue>;

const ArgumentValue* At(const Call& call, size_t place, Argument kind) {
  return place < call.size() && call[place].kind == kind ? &call[place] : nullptr;
}

// Of a tensor, or of all of a list; nothing: not known.
struct Elements {
  std::optional<uint64_t> count{};
  std::optional<uint64_t> type{};  // UINT64_MAX: several
};

void AddTensor(const ArgumentValue& tensor, Elements* sum) {
  uint64_t elements = 1;
  for (const int64_t size : tensor.values) {
    if (size < 0 || __builtin_mul_overflow(elements, static_cast<uint64_t>(size), &elements))
      return sum->count.reset();
  }
  sum->type = sum->type.value_or(tensor.type) == tensor.type ? tensor.type : UINT64_MAX;
  *sum->count += elements;
}

Elements ElementsOf(const Call& call, size_t place) {
  Elements sum;
  if (const ArgumentValue* const tensor = At(call, place, Argument::kTensor)) {
    sum.count = 0;
    AddTensor(*tensor, &sum);
  } else if (const ArgumentValue* const list = At(call, place, Argument::kTensors)) {
    if (!list->items.empty()) sum.count = 0;
    for (const ArgumentValue& item : list->items) {
      // Of another one its class, or Python, would have to be asked.
      if (item.kind != Argument::kTensor) sum.count.reset();
      if (sum.count) AddTensor(item, &sum);
    }
  }
  return sum;
}

// As many of `one` as there are ranks.
std::optional<uint64_t> OfAllRanks(const std::optional<uint64_t>& one, uint32_t ranks) {
  uint64_t all;
  if (!one || __builtin_mul_overflow(*one, uint64_t{ranks}, &all)) return std::nullopt;
  return all;
}

void TakeSizes(const CallRow& row, const Call& call, OperatorCollective* out) {
  const Elements in = ElementsOf(call, row.in), result = ElementsOf(call, row.out);
  const bool has_all = out->root && *out->root == out->rank;  // a root, which has all, or gets all
  out->in = in.count;
  out->out = result.count;
  if (row.in_lists != 0) out->in = OfAllRanks(out->out, out->root && !has_all ? 0 : out->ranks);
  if (row.out_lists != 0) out->out = OfAllRanks(out->in, out->root && !has_all ? 0 : out->ranks);
  const std::optional<uint64_t> number = in.count ? in.type : result.type;
  if (number.value_or(UINT64_MAX) >= std::size(kElementTypes)) return;
  const TypeRow& type = kElementTypes[*number];
  out->type = type.name;
  uint64_t bytes;
  const uint64_t most = std::max(out->in.value_or(0), out->out.value_or(0));
  if (type.bytes != 0 && (out->in || out->out) &&
      !__builtin_mul_overflow(most, uint64_t{type.bytes}, &bytes))
    out->bytes = bytes;
}

}  // namespace

std::optional<OperatorCollective> CollectiveOfOperator(std::string_view name,
                                                       std::string_view bytes) {
  constexpr std::string_view kFamily = "c10d::";
  if (!name.starts_with(kFamily)) return std::nullopt;
  name.remove_prefix(kFamily.size());
  const auto* const row = std::find_if(std::begin(kCollectiveCalls), std::end(kCollectiveCalls),
                                       [name](const CallRow& one) { return one.name == name; });
  if (row == std::end(kCollectiveCalls)) return std::nullopt;
  const Call call = ReadArgumentValues(bytes);
  const ArgumentValue* const group = At(call, row->group, Argument::kGroup);
  if (group == nullptr) return std::nullopt;
  OperatorCollective out;
  out.kind = row->kind;
  out.sends = row->sends;
  out.name = row->told;
  out.range = row->range;
  out.group = group->group;
  out.rank = group->group_rank;
  out.ranks = group->ranks;
  if (const ArgumentValue* const other = At(call, row->other, Argument::kInt);
      other != nullptr && other->values[0] >= 0 && other->values[0] < out.ranks)
    (row->kind ? out.root : out.peer) = static_cast<uint32_t>(other->values[0]);
  if (const ArgumentValue* const tag = At(call, row->other + 1, Argument::kInt);
      out.peer && tag != nullptr)
    out.tag = tag->values[0];
  TakeSizes(*row, call, &out);
  return out;
}

void AppendCollective(const OperatorCollective& call, std::string* out) {
  const auto number = [out](const char* key, const auto& value) {
    if (value) out->append(", \"").append(key).append("\": ").append(std::to_string(*value));
  };
  out->append(", \"Collective name\": \"").append(call.name).append("\"");
  if (!call.type.empty()) out->append(", \"dtype\": \"").append(call.type).append("\"");
  number("In msg nelems", call.in);
  number("Out msg nelems", call.out);
  number("Group size", std::optional(call.ranks));
  number("Rank", std::optional(call.rank));
  number(call.sends ? "Dst Rank" : "Src Rank", call.peer);
  // Any bytes: the program may have chosen it.
  const nlohmann::json group = call.group;
  out->append(", \"Process Group Name\": ");
  out->append(group.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace syncline::torch
