# SPDX-License-Identifier: Apache-2.0
"""Syncline cannot be unloaded, and libraries with NVTX clients may come and go."""


def test(t):
    trace = t.transparent([t.victim("dlclose"), t.victim("libnvtx_user.so")]).trace()
    t.counted(trace.names(), {"before": 1, "between": 1, "after": 1, "user_work": 3})
