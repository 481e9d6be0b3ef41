# SPDX-License-Identifier: Apache-2.0
"""Whether the machine has a GPU that tests can use."""
import ctypes


def missing():
    """The reason why there is no GPU to test with, or ""."""
    count = ctypes.c_int(0)
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "this machine has no CUDA driver"
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
        return "this machine's CUDA driver has no GPU"
    return ""
