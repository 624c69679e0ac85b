# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls with arrays of a GPU, down to a driver that only takes notes (fake_cuda.c): artifact, stream, device, workspace, and how
long memory is kept. gpu_calls.py EXAMPLES"""

import ctypes
import gc
import pathlib
import sys
import unittest
import unittest.mock

import numpy as np

import programs
import tessera
from tessera import _compiler
from device_tensor import DeviceTensor

EXAMPLES = pathlib.Path(sys.argv.pop(1))
MOST = 64


class Launch(ctypes.Structure):
    _fields_ = [("stream", ctypes.c_void_p), ("context", ctypes.c_void_p), ("params", ctypes.c_uint64 * 8)]


class Order(ctypes.Structure):
    _fields_ = [("earlier", ctypes.c_void_p), ("later", ctypes.c_void_p)]


driver = ctypes.CDLL("libcuda.so.1")
launches = (Launch * MOST).in_dll(driver, "launches")
counts = {name: ctypes.c_int.in_dll(driver, name) for name in ("num_launches", "num_synchronized", "num_modules", "num_orders")}
synchronized_stream = ctypes.c_void_p.in_dll(driver, "synchronized_stream")
synchronized_context = ctypes.c_void_p.in_dll(driver, "synchronized_context")
refused_launch = ctypes.c_int.in_dll(driver, "refused_launch")
orders = (Order * MOST).in_dll(driver, "orders")


class Exchange(DeviceTensor):
    """A tensor of a library with DLPack's table of functions, as PyTorch's are; its current stream is 0x55."""


class Second(DeviceTensor):
    """The same of another library, whose current stream is 0x99."""


def make_table():
    view_type = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)
    stream_type = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))

    def view(tensor, to):
        made = tensor.managed().tensor
        ctypes.memmove(to, ctypes.addressof(made), ctypes.sizeof(made))
        tensor.viewed = made
        return 0

    def current_stream(device_type, device, stream):
        stream[0] = 0x55 + device
        return 0

    class Table(ctypes.Structure):
        _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("older", ctypes.c_void_p), ("allocate", ctypes.c_void_p),
                    ("to_managed", ctypes.c_void_p), ("to_object", ctypes.c_void_p), ("view", view_type), ("current_stream", stream_type)]
    table = Table(1, 3, None, None, None, None, view_type(view), stream_type(current_stream))
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    Exchange.__dlpack_c_exchange_api__ = capsule(ctypes.addressof(table), b"dlpack_exchange_api", None)
    # A table of an unknown major version, behind which stands one that is known.
    newer = Table(9, 0, ctypes.addressof(table), None, None, None, table.view, table.current_stream)
    Newer.__dlpack_c_exchange_api__ = capsule(ctypes.addressof(newer), b"dlpack_exchange_api", None)
    def second_stream(device_type, device, stream):
        stream[0] = 0x99
        return 0
    second = Table(1, 3, None, None, None, None, table.view, stream_type(second_stream))
    Second.__dlpack_c_exchange_api__ = capsule(ctypes.addressof(second), b"dlpack_exchange_api", None)
    return table, newer, second


class Newer(Exchange):
    pass


TABLES = make_table()


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.module = tessera.compile(programs.ADD)
        cls.add = cls.module["add"]

    def setUp(self):
        for count in counts.values():
            if count is not counts["num_modules"]:
                count.value = 0

    def launched(self):
        """(stream, context) of each launch."""
        return [(launch.stream or 0, launch.context) for launch in launches[:counts["num_launches"].value]]

    def test_place(self):
        x = DeviceTensor()
        self.add(x, x, out=DeviceTensor(address=0x7100000000))
        self.assertEqual(self.launched(), [(0, 0xC0)])
        host = np.ones(4, np.float32)
        np.testing.assert_array_equal(self.add(host, host), 2 * host)
        self.add(x, x, out=DeviceTensor(address=0x7100000000))
        self.assertEqual(len(self.launched()), 2)
        self.assertEqual(sorted(self.module._program.artifacts), ["cpu", "sm_90a"])

    def test_pointers(self):
        self.add(DeviceTensor(address=0x7200000000), DeviceTensor(address=0x7300000000), DeviceTensor(address=0x7400000000))
        self.assertLessEqual({0x7200000000, 0x7300000000, 0x7400000000}, set(launches[0].params))

    def test_foreign_memory_is_waited_for(self):
        for stream in (None, 0x77):
            counts["num_synchronized"].value = 0
            x, out = DeviceTensor(), DeviceTensor(address=0x7100000000)
            self.add(x, x, out=out, stream=stream)
            self.assertEqual((counts["num_synchronized"].value, synchronized_stream.value or 0), (1, stream or 0))
            self.assertEqual((x.alive, out.alive, set(out.streams)), (0, 0, {stream or 1}))
            self.assertEqual(self.launched()[-1][0], stream or 0)

    def ordered(self):
        """(earlier stream, later stream) of each order."""
        return [(order.earlier or 0, order.later or 0) for order in orders[:counts["num_orders"].value]]

    def test_the_wait_is_on_the_device(self):
        for device in (1, 0):
            x = DeviceTensor(device=device)
            self.add(x, x, out=DeviceTensor(device=device, address=0x7100000000))
            self.assertEqual((synchronized_context.value, self.launched()[-1][1]), (0xC0 + device, 0xC0 + device))

    def test_a_launch_that_fails_half_way_is_waited_for(self):
        kernel = next(iter(tessera.compile(EXAMPLES / "column-sum.mlir", target="sm_90a").kernels))
        refused_launch.value = 1
        try:
            with self.assertRaises(tessera.DeviceError):
                kernel(DeviceTensor(shape=(64, 48)), DeviceTensor(shape=(48,), address=0x7100000000))
        finally:
            refused_launch.value = -1
        self.assertEqual((len(self.launched()), counts["num_synchronized"].value), (1, 1))

    def test_managed_memory(self):
        """On a GPU it is like other memory of the GPU: used in the order of a stream, and waited for."""
        add = tessera.compile(programs.ADD)["add"]
        for stream in (None, 0x77):
            x, out = DeviceTensor(device_type=13), DeviceTensor(device_type=13, address=0x7100000000)
            counts["num_synchronized"].value = 0
            add(x, x, out=out, stream=stream)
            self.assertEqual((set(out.streams), counts["num_synchronized"].value), ({stream or 1}, 1))

    def test_other_names_of_the_default_stream(self):
        class Stream:
            def __init__(self, address):
                self.cuda_stream = address
        x, out = Exchange(), Exchange(address=0x7100000000)
        for stream in (0, 1, Stream(0), Stream(1)):
            self.add(x, x, out=out, stream=stream)
        self.assertEqual([stream for stream, _ in self.launched()], [0] * 4)

    def test_two_libraries(self):
        """What one library has queued comes before the kernel, and what it queues later comes after."""
        x, y, z = Exchange(), Second(), Second(address=0x7100000000)
        self.add(x, y, out=z)
        self.assertEqual((self.launched()[-1][0], self.ordered()), (0x55, [(0x99, 0x55), (0x55, 0x99)]))
        counts["num_orders"].value = 0
        self.add(y, x, out=z)
        self.assertEqual((self.launched()[-1][0], self.ordered()), (0x99, [(0x55, 0x99), (0x99, 0x55)]))
        counts["num_orders"].value = 0
        self.add(x, x, out=Exchange(address=0x7100000000))
        self.add(y, y, out=z)
        self.assertEqual(self.ordered(), [])
        self.add(x, y, out=z, stream=0x66)
        self.assertEqual(self.ordered(), [(0x66, 0x55), (0x66, 0x99), (0x66, 0x99)])
        self.add.prepare(x, y, z)
        self.assertEqual((len(self.ordered()), counts["num_synchronized"].value), (3, 0))

    def test_the_first_array_decides_on_the_stream(self):
        foreign = DeviceTensor()
        self.add(Exchange(), foreign, out=Exchange(address=0x7100000000))
        self.assertEqual((self.launched()[-1][0], foreign.streams), (0x55, [0x55]))

    def test_table_of_functions(self):
        for kind in (Exchange, Newer):
            x, out = kind(), kind(address=0x7100000000)
            self.assertIs(self.add(x, x, out=out), out)
            self.assertEqual((self.launched()[-1], x.streams, counts["num_synchronized"].value), ((0x55, 0xC0), [], 0))
            self.add(x, x, out)
            self.add(x, x, out, stream=0x66)
            self.assertEqual([stream for stream, _ in self.launched()[-2:]], [0x55, 0x66])

    def test_devices(self):
        x = Exchange(device=1)
        self.add(x, x, out=Exchange(device=1, address=0x7100000000))
        self.assertEqual(self.launched(), [(0x56, 0xC1)])
        with self.assertRaisesRegex(tessera.ArgumentError, "'y' is on CUDA device 0.* on 1"):
            self.add(x, Exchange(device=0), out=Exchange(device=1, address=0x7100000000))

    def test_mixed_places(self):
        with self.assertRaisesRegex(tessera.ArgumentError, "'y': the array is on the CPU, and argument 'x' is not"):
            self.add(Exchange(), np.ones(16, np.float32), out=Exchange(address=0x7100000000))
        self.assertEqual(self.launched(), [])

    def test_outputs_of_unknown_libraries(self):
        with self.assertRaisesRegex(tessera.ArgumentError, "'z': new arrays cannot be made in the library"):
            self.add(Exchange(), Exchange())
        with self.assertRaisesRegex(tessera.ArgumentError, "'z': new arrays cannot be made .* on a given stream; pass out="):
            self.add(Exchange(), Exchange(), stream=0x66)

    def test_code_stays_loaded(self):
        """A kernel may still be running when nobody holds it."""
        x = DeviceTensor()
        module = tessera.compile(programs.ADD, target="sm_90a")
        module["add"](x, x, DeviceTensor(address=0x7100000000))
        before = counts["num_modules"].value
        self.assertGreater(before, 0)
        del module
        gc.collect()
        self.assertEqual(counts["num_modules"].value, before)

    def test_workspace(self):
        module = tessera.compile(EXAMPLES / "column-sum.mlir", target="sm_90a")
        kernel = next(iter(module.kernels))
        asked, returned = [], []

        def allocate(size, device, stream):
            asked.append((device, stream))
            self.assertGreater(size, 0)
            return 0x7E00000000
        module._program.artifact("sm_90a").set_allocator(allocate, returned.append)
        kernel(Exchange(shape=(64, 48)), Exchange(shape=(48,), address=0x7100000000))
        self.assertEqual(asked, [(0, 0x55)])
        self.assertEqual(returned, [0x7E00000000])
        self.assertIn(0x7E00000000, [param for launch in launches[:2] for param in launch.params])

    def test_no_memory_for_workspace(self):
        class OutOfMemoryError(RuntimeError):
            """PyTorch's is one, too."""
        for raised, expected in ((OutOfMemoryError, tessera.OutOfMemoryError), (MemoryError, tessera.OutOfMemoryError), (KeyError, KeyError)):
            module = tessera.compile(EXAMPLES / "column-sum.mlir", target="sm_90a")

            def allocate(size, device, stream):
                raise raised("CUDA out of memory")
            module._program.artifact("sm_90a").set_allocator(allocate, print)
            with self.assertRaisesRegex(expected, "CUDA out of memory") as caught:
                next(iter(module.kernels))(Exchange(shape=(64, 48)), Exchange(shape=(48,), address=0x7100000000))
            self.assertIs(type(caught.exception), expected)

    def test_on_demand(self):
        """Of a family the variant that a call takes is compiled, and loaded where the arrays are. Launches are those of its artifact."""
        kernel = tessera.compile(EXAMPLES / "softmax-rows.mlir")["softmax"]
        made = []
        true_run = _compiler.run

        def run(source, options, **more):
            made.append((more["emit"], more.get("member"), more.get("variants")))
            return true_run(source, options, **more)
        modules = counts["num_modules"].value
        with unittest.mock.patch.object(_compiler, "run", run):
            for rows in (64, 64, 128):
                kernel(Exchange(shape=(rows, 1024)), Exchange(shape=(rows, 1024), address=0x7100000000))
        self.assertEqual([emit for emit, _, _ in made], ["contract", "cubin"])
        self.assertTrue(made[1][1].startswith("softmax: WAY=1,"), made)
        self.assertEqual(counts["num_modules"].value - modules, 1)
        self.assertEqual(len(self.launched()), 3)
        # Rows that do not fit into a tile of that member.
        kernel(Exchange(shape=(64, 100000)), Exchange(shape=(64, 100000), address=0x7100000000))
        self.assertEqual(counts["num_modules"].value - modules, 2)

    def test_workspace_that_is_not_there(self):
        module = tessera.compile(EXAMPLES / "column-sum.mlir", target="sm_90a")
        kernel = next(iter(module.kernels))

        def allocate(size, device, stream):
            raise MemoryError("all gone")
        module._program.artifact("sm_90a").set_allocator(allocate, print)
        with self.assertRaisesRegex(MemoryError, "all gone"):
            kernel(Exchange(shape=(64, 48)), Exchange(shape=(48,), address=0x7100000000))
        self.assertEqual(self.launched(), [])


if __name__ == "__main__":
    unittest.main()
