// SPDX-License-Identifier: Apache-2.0
// The rows of docs/waits.md about copies and memsets.
#include "tests/simulated_gpu/facts/kernels.h"
#include "tests/simulated_gpu/facts/waits.h"

namespace facts {

using T = Things;
const std::vector<CopyRow> kCopyRows = {
    {"memcpy.pageable_to_device.big", &T::device, &T::pageable, kBig, &T::a},
    {"memcpy.pageable_to_device.64k", &T::device, &T::pageable, kSmall, &T::a},
    {"memcpy.pageable_to_device.64k_plus_1", &T::device, &T::pageable, kSmall + 1, &T::a},
    {"memcpy.pageable_to_device.4_bytes", &T::device, &T::pageable, 4, &T::a},
    {"memcpy.pageable_to_device.non_blocking_busy", &T::device, &T::pageable, kBig,
     &T::non_blocking},
    {"memcpy.pinned_to_device.big", &T::device, &T::pinned, kBig, &T::a},
    {"memcpy.pinned_to_device.4_bytes", &T::device, &T::pinned, 4, &T::a},
    {"memcpy.device_to_pageable.big", &T::pageable, &T::device, kBig, &T::a},
    {"memcpy.device_to_pageable.4_bytes", &T::pageable, &T::device, 4, &T::a},
    {"memcpy.device_to_pinned", &T::pinned, &T::device, kBig, &T::a},
    {"memcpy.device_to_pinned.non_blocking_busy", &T::pinned, &T::device, kBig, &T::non_blocking},
    {"memcpy.device_to_device", &T::device, &T::device2, kBig, &T::a},
    {"memcpy.pageable_to_pageable", &T::pageable, &T::pageable2, kBig, &T::a},
    {"memcpy.managed_to_device", &T::device, &T::managed, kBig, &T::a},
    {"memcpy.zero_bytes", &T::pageable, &T::device, 0, &T::a},
    {"memcpy_async.pageable_to_device.same_stream.big", &T::device, &T::pageable, kBig, &T::a,
     &T::a},
    {"memcpy_async.pageable_to_device.same_stream.64k", &T::device, &T::pageable, kSmall, &T::a,
     &T::a},
    {"memcpy_async.pageable_to_device.same_stream.64k_plus_1", &T::device, &T::pageable, kSmall + 1,
     &T::a, &T::a},
    {"memcpy_async.pageable_to_device.other_stream", &T::device, &T::pageable, kBig, &T::a, &T::b},
    {"memcpy_async.pinned_to_device", &T::device, &T::pinned, kBig, &T::a, &T::a},
    {"memcpy_async.device_to_pageable.same_stream.big", &T::pageable, &T::device, kBig, &T::a,
     &T::a},
    {"memcpy_async.device_to_pageable.same_stream.4_bytes", &T::pageable, &T::device, 4, &T::a,
     &T::a},
    {"memcpy_async.device_to_pageable.other_stream", &T::pageable, &T::device, kBig, &T::a, &T::b},
    {"memcpy_async.device_to_pinned", &T::pinned, &T::device, kBig, &T::a, &T::a},
    {"memcpy_async.device_to_device", &T::device, &T::device2, kBig, &T::a, &T::a},
    {"memcpy_async.pageable_to_pageable", &T::pageable, &T::pageable2, kBig, &T::a, &T::a},
    {"memcpy_async.pinned_to_pinned", &T::pinned, &T::pinned2, kBig, &T::a, &T::a},
    {"memcpy_async.managed_to_device", &T::device, &T::managed, kBig, &T::a, &T::a},
};

const std::vector<Row> kOtherCopyRows = {
    {"memcpy_to_symbol.pageable", &Things::a,
     [](Things& t) { cudaMemcpyToSymbol(Symbol(), t.pageable, 64, 0, cudaMemcpyHostToDevice); }},
    {"memcpy_from_symbol.pageable", &Things::a,
     [](Things& t) { cudaMemcpyFromSymbol(t.pageable, Symbol(), 64, 0, cudaMemcpyDeviceToHost); }},
    {"memcpy_2d.device_to_pageable", &Things::a,
     [](Things& t) {
       cudaMemcpy2D(t.pageable, 512, t.device, 512, 256, 100, cudaMemcpyDeviceToHost);
     }},
    {"memset.device", &Things::a, [](Things& t) { cudaMemset(t.device, 1, kBig); }},
    {"memset.pinned", &Things::a, [](Things& t) { cudaMemset(t.pinned, 1, kBig); }},
    {"memset.managed", &Things::a, [](Things& t) { cudaMemset(t.managed, 1, kBig); }},
    {"memset_async.device", &Things::a, [](Things& t) { cudaMemsetAsync(t.device, 1, kBig, t.a); }},
    {"memset_async.pinned", &Things::a, [](Things& t) { cudaMemsetAsync(t.pinned, 1, kBig, t.a); }},
};

}  // namespace facts
