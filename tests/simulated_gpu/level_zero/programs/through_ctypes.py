#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The loader through ctypes, as Python programs take it: three kernels and a wait."""

import ctypes

loader = ctypes.CDLL("libze_loader.so.1")
# Structure types of ze_structure_type_t.
CONTEXT, QUEUE, POOL, EVENT, MODULE, KERNEL = 0xD, 0xE, 0x10, 0x11, 0x1B, 0x1D


class Context(ctypes.Structure):
    _fields_ = [("stype", ctypes.c_uint), ("next", ctypes.c_void_p), ("flags", ctypes.c_uint)]


class Queue(ctypes.Structure):
    _fields_ = [("stype", ctypes.c_uint), ("next", ctypes.c_void_p), ("ordinal", ctypes.c_uint), ("index", ctypes.c_uint),
                ("flags", ctypes.c_uint), ("mode", ctypes.c_uint), ("priority", ctypes.c_uint)]


class Pool(ctypes.Structure):
    _fields_ = [("stype", ctypes.c_uint), ("next", ctypes.c_void_p), ("flags", ctypes.c_uint), ("count", ctypes.c_uint)]


class Event(ctypes.Structure):
    _fields_ = [("stype", ctypes.c_uint), ("next", ctypes.c_void_p), ("index", ctypes.c_uint), ("signal", ctypes.c_uint),
                ("wait", ctypes.c_uint)]


class Module(ctypes.Structure):
    _fields_ = [("stype", ctypes.c_uint), ("next", ctypes.c_void_p), ("format", ctypes.c_uint), ("size", ctypes.c_size_t),
                ("input", ctypes.c_char_p), ("flags", ctypes.c_char_p), ("constants", ctypes.c_void_p)]


class Kernel(ctypes.Structure):
    _fields_ = [("stype", ctypes.c_uint), ("next", ctypes.c_void_p), ("flags", ctypes.c_uint), ("name", ctypes.c_char_p)]


class Groups(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


def call(name, *arguments):
    result = getattr(loader, name)(*arguments)
    assert result == 0, f"{name}: {result:#x}"


def made(name, *arguments):
    handle = ctypes.c_void_p()
    call(name, *arguments, ctypes.byref(handle))
    return handle


call("zeInit", 0)
driver = made("zeDriverGet", ctypes.byref(ctypes.c_uint(1)))
device = made("zeDeviceGet", driver, ctypes.byref(ctypes.c_uint(1)))
context = made("zeContextCreate", driver, ctypes.byref(Context(CONTEXT)))
queue = made("zeCommandListCreateImmediate", context, device, ctypes.byref(Queue(QUEUE, mode=2)))
pool = made("zeEventPoolCreate", context, ctypes.byref(Pool(POOL, flags=1, count=1)), 0, None)
event = made("zeEventCreate", pool, ctypes.byref(Event(EVENT)))
module = ctypes.c_void_p()
call("zeModuleCreate", context, device, ctypes.byref(Module(MODULE, size=4, input=b"blob")), ctypes.byref(module), None)
kernel = made("zeKernelCreate", module, ctypes.byref(Kernel(KERNEL, name=b"through_ctypes")))
for signal in (None, None, event):
    call("zeCommandListAppendLaunchKernel", queue, kernel, ctypes.byref(Groups(1, 1, 1)), signal, 0, None)
call("zeEventHostSynchronize", event, ctypes.c_uint64(2**64 - 1))
print("OK")
