# SPDX-License-Identifier: Apache-2.0
"""Steps of a SYCL program as users of dpctl write them: arrays, kernels, a sum, memory of the device, and waits on two queues.
What kernels compute is not looked at; bytes that were copied must come back."""

import dpctl
import dpctl.memory
import dpctl.tensor as dpt
import numpy as np

STEPS = 4


def arrays(host, queue):
    total = dpt.zeros(host.shape, dtype=host.dtype, sycl_queue=queue)
    for _ in range(STEPS):
        total = dpt.asarray(host, sycl_queue=queue) * 2 + total
        queue.wait()
    return dpt.asnumpy(dpt.sum(total)).shape


def memory(host, queue):
    first = dpctl.memory.MemoryUSMDevice(host.nbytes, queue=queue)
    second = dpctl.memory.MemoryUSMShared(host.nbytes, queue=queue)
    second.memset(7)
    first.copy_from_host(host.view("u1"))
    second.copy_from_device(first)
    queue.wait()
    return bool((second.copy_to_host().view(host.dtype) == host).all())


def main():
    host = np.arange(1 << 16, dtype="f4")
    for device in dpctl.get_devices(backend="level_zero"):
        queue = dpctl.SyclQueue(device)
        in_order = dpctl.SyclQueue(device, property=["in_order", "enable_profiling"])
        print(device.name, arrays(host, queue), memory(host, in_order))


if __name__ == "__main__":
    main()
