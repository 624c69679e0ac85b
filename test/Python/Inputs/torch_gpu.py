# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tensors of a GPU need beside right results: streams, CUDA graphs, arrays of CuPy. torch_ops.py runs it."""

import ctypes
import os
import threading
import unittest

import torch

import programs
import tessera
import tessera.torch as tt
from tessera import _arrays, _programs

torch.manual_seed(1)
DEVICE = os.environ.get("TESSERA_TEST_DEVICE", "cpu")
torch.set_default_device(DEVICE)


def normal(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape).to(dtype)


# Column sums in two grids, with the parts in a workspace.
SUMS = """
tile.kernel @sums(%x: memref<?x?xf32> {tile.shape = ["M", "N"]}, %y: memref<?xf32> {tile.shape = ["N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %c64 = arith.constant 64 : index
  %parts = arith.ceildivsi %M, %c64 : index
  %w = memref.alloc(%parts, %N) : memref<?x?xf32>
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (64, 128) {
    %rows = arith.constant 64 : index
    %t = tile.load %x[%i, %j] : memref<?x?xf32> -> tensor<64x128xf32>
    %s = tile.reduce addf %t dims = [0] : tensor<64x128xf32> -> tensor<128xf32>
    %p = arith.divsi %i, %rows : index
    tile.store %s, %w[%p, %j] : tensor<128xf32> -> memref<?x?xf32>
  }
  tile.grid (%j) = (0) to (%N) step (128) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %sum = scf.for %p = %c0 to %parts step %c1 iter_args(%a = %zero) -> (tensor<128xf32>) {
      %t = tile.load %w[%p, %j] : memref<?x?xf32> -> tensor<128xf32>
      %n = arith.addf %a, %t : tensor<128xf32>
      scf.yield %n : tensor<128xf32>
    }
    tile.store %sum, %y[%j] : tensor<128xf32> -> memref<?xf32>
  }
  tile.return
}
"""


# A product that ends at a limit along its inner dimension.
LIMITED = """
tile.kernel @product(%A: memref<?x?xbf16> {tile.shape = ["M", "K"]}, %B: memref<?x?xbf16> {tile.shape = ["K", "N"]}, %n: index,
                     %C: memref<?x?xf32> {tile.shape = ["M", "N"]}) {
  %M = tile.dim "M" : index
  %N = tile.dim "N" : index
  %K = tile.dim "K" : index
  tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, WIDTH) {
    %c0 = arith.constant 0 : index
    %step = arith.constant DEPTH : index
    %zero = arith.constant dense<0.0> : tensor<128xWIDTHxf32>
    %sum = scf.for %k = %c0 to %K step %step iter_args(%acc = %zero) -> (tensor<128xWIDTHxf32>) {
      %a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128xDEPTHxbf16>
      %b = tile.load %B[%k, %j] limit = [%n, _] : memref<?x?xbf16> -> tensor<DEPTHxWIDTHxbf16>
      %next = tile.mma %a, %b, %acc : tensor<128xDEPTHxbf16>, tensor<DEPTHxWIDTHxbf16> -> tensor<128xWIDTHxf32>
      scf.yield %next : tensor<128xWIDTHxf32>
    }
    tile.store %sum, %C[%i, %j] : tensor<128xWIDTHxf32> -> memref<?x?xf32>
  }
  tile.return
}
"""


@unittest.skipUnless(DEVICE == "cuda", "TESSERA_TEST_DEVICE is not cuda")
class OnTheGpu(unittest.TestCase):
    def test_limits_inside_of_arrays(self):
        """TMA fetches a tile that a limit cuts in parts and row by row. Behind the limit is NaN, which nobody may fetch."""
        for width, depth in ((64, 32), (128, 64), (256, 128), (64, 112), (128, 80)):
            product = tessera.compile(LIMITED.replace("WIDTH", str(width)).replace("DEPTH", str(depth)))["product"]
            a, b = normal(200, 264), normal(264, 320)
            for limit in (-2**62, -5, *range(0, 40), 63, 64, 65, 79, 80, 100, 112, 127, 128, 129, 200, 255, 256, 263, 264, 265, 2**31 - 1, 2**31, 2**40, 2**62):
                end = max(0, min(limit, 264))
                poisoned, c = b.clone(), torch.full((200, 320), torch.nan)
                poisoned[end:] = torch.nan
                product(a, poisoned, limit, c)
                torch.testing.assert_close(c, a[:, :end].float() @ b[:end].float(), rtol=1e-3, atol=1e-2)

    def test_cuda_graph(self):
        """A replay computes with what is in the tensors then; several launches and a workspace are in one graph."""
        sums = tessera.compile(SUMS)["sums"]
        x, a, b = torch.randn(1000, 300), normal(256, 128), normal(64, 128)
        y, rows = torch.empty(300), torch.empty(300)
        sums.prepare(x, y)
        tt.mm(a, b.t())
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            sums(x, y)
            sums(x, out=rows)
            c = tt.softmax(tt.mm(a, b.t()))
        for seed in range(3):
            torch.manual_seed(seed)
            for tensor in (x, a, b):
                tensor.normal_()
            y.fill_(float("nan")), rows.fill_(float("nan")), c.fill_(float("nan"))
            graph.replay()
            torch.testing.assert_close(y, x.sum(0), rtol=1e-4, atol=1e-3)
            torch.testing.assert_close(rows, y, rtol=0, atol=0)
            torch.testing.assert_close(c.float(), torch.softmax((a.float() @ b.float().t()).bfloat16().float(), -1), rtol=2e-2, atol=1e-3)

    def test_two_graphs_have_workspaces_of_their_own(self):
        sums = tessera.compile(SUMS)["sums"]
        xs = [torch.randn(500, 256) for _ in range(2)]
        ys = [torch.empty(256) for _ in range(2)]
        sums.prepare(xs[0], ys[0])
        graphs = [torch.cuda.CUDAGraph() for _ in range(2)]
        for graph, x, y in zip(graphs, xs, ys):
            with torch.cuda.graph(graph):
                sums(x, y)
        streams = [torch.cuda.Stream() for _ in range(2)]
        torch.cuda.synchronize()
        for _ in range(50):
            for graph, stream in zip(graphs, streams):
                with torch.cuda.stream(stream):
                    graph.replay()
        torch.cuda.synchronize()
        for x, y in zip(xs, ys):
            torch.testing.assert_close(y, x.sum(0), rtol=1e-4, atol=1e-3)

    def test_side_streams(self):
        """A call is on the current stream: what is done before it there is seen, and nothing else is waited for."""
        sums = tessera.compile(SUMS)["sums"]
        stream = torch.cuda.Stream()
        x = torch.zeros(4096, 1024)
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(20_000_000)
            x.fill_(1)
            y = sums(x)
        z = sums(x, stream=stream)
        stream.synchronize()
        self.assertEqual((y.unique().tolist(), z.unique().tolist()), ([4096], [4096]))

    def test_other_tensors_each_time(self):
        """Pointers, sizes and strides change from call to call, among facts that are known already."""
        generator = torch.Generator("cpu").manual_seed(7)
        for _ in range(60):
            m, k, n = (int(torch.randint(1, 300, (1,), generator=generator, device="cpu")) for _ in range(3))
            a, b = normal(m, k), normal(n, k).t()
            torch.testing.assert_close(tt.mm(a, b), a @ b, rtol=1.6e-2, atol=1e-1)
            a = normal(m, k + 8)[:, 8:]
            torch.testing.assert_close(tt.mm(a, b), a @ b, rtol=1.6e-2, atol=1e-1)

    def test_many_calls_without_waiting(self):
        """Workspaces and outputs are freed while kernels that use them wait in the queue."""
        sums = tessera.compile(SUMS)["sums"]
        xs = [torch.randn(64 * (i + 1), 128) for i in range(20)]
        wants = [x.sum(0) for x in xs]
        for _ in range(20):
            for y, want in zip([sums(x) for x in xs], wants):
                torch.testing.assert_close(y, want, rtol=1e-4, atol=1e-3)

    def test_threads_with_streams(self):
        sums = tessera.compile(SUMS)["sums"]
        wrong = []

        def work(seed):
            with torch.cuda.stream(torch.cuda.Stream()):
                x = torch.randn(300 + seed, 200, device="cuda")
                for _ in range(30):
                    if not torch.allclose(sums(x), x.sum(0), rtol=1e-4, atol=1e-3):
                        wrong.append(seed)
                torch.cuda.current_stream().synchronize()
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_cupy(self):
        try:
            import cupy
        except ImportError:
            self.skipTest("there is no CuPy")
        sums = tessera.compile(SUMS)["sums"]
        x = cupy.random.default_rng(0).standard_normal((300, 200), dtype=cupy.float32)
        y = sums(x)
        self.assertIs(type(y), cupy.ndarray)
        cupy.testing.assert_allclose(y, x.sum(0), rtol=1e-4, atol=1e-3)
        with cupy.cuda.Stream() as stream:
            y = sums(x)
            stream.synchronize()
        cupy.testing.assert_allclose(y, x.sum(0), rtol=1e-4, atol=1e-3)

    def test_output_on_a_given_stream(self):
        """The memory of a new output is that of its stream: what the current stream has freed, it may still write."""
        sums = tessera.compile(SUMS)["sums"]
        x, stream = torch.ones(1000, 256), torch.cuda.Stream()
        sums(x)
        torch.cuda.synchronize()
        for given in (stream, stream.cuda_stream):
            freed = torch.empty(256)
            address = freed.data_ptr()
            torch.cuda._sleep(200_000_000)
            freed.fill_(7)
            del freed
            y = sums(x, stream=given)
            torch.cuda.synchronize()
            self.assertEqual(y.unique().tolist(), [1000])
            self.assertNotEqual(y.data_ptr(), address)

    def test_names_of_the_default_stream(self):
        sums = tessera.compile(SUMS)["sums"]
        self.assertEqual(_arrays.torch_stream(0, torch.cuda.current_device()), torch.cuda.default_stream())
        side = torch.cuda.Stream()
        self.assertEqual(_arrays.torch_stream(side.cuda_stream, torch.cuda.current_device()).cuda_stream, side.cuda_stream)
        for stream in (0, 1, torch.cuda.default_stream()):
            x = torch.zeros(4096, 1024)
            torch.cuda.synchronize()
            torch.cuda._sleep(50_000_000)
            x.fill_(1)
            with torch.cuda.stream(side):
                y = sums(x, stream=stream)
                del x  # the default stream's memory, which the kernel still reads
                other = torch.full((4096, 1024), 9.0)
            torch.cuda.synchronize()
            self.assertEqual((y.unique().tolist(), other.unique().tolist()), ([4096], [9]))

    def test_memory_of_graphs(self):
        """PyTorch says which memory is that of a graph which it captures."""
        device, graph, found = torch.cuda.current_device(), torch.cuda.CUDAGraph(), []

        def ask():
            stream = torch.cuda.current_stream().cuda_stream
            address = torch.cuda.caching_allocator_alloc(4096, device, stream)
            found.append(_arrays.torch_is_of_graph(address, device, stream))
            torch.cuda.caching_allocator_delete(address)
        ask()
        x = torch.ones(4)
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            ask()
            x.add_(1)
        ask()
        self.assertEqual(found, [False, True, False])

    def test_capture_that_pytorch_does_not_know(self):
        """Of a stream, by the driver: PyTorch's memory would go round while the graph still uses it."""
        cuda = ctypes.CDLL("libcuda.so.1")

        def do(function, *args):
            self.assertEqual(getattr(cuda, function)(*args), 0, function)
        sums = tessera.compile(SUMS)["sums"]
        x, y = torch.randn(1000, 256), torch.empty(256)
        sums.prepare(x, y)
        for stream in (torch.cuda.Stream(), torch.cuda.Stream()):
            handle, graph, runnable = ctypes.c_void_p(stream.cuda_stream), ctypes.c_void_p(), ctypes.c_void_p()
            torch.cuda.synchronize()
            with torch.cuda.stream(stream):
                do("cuStreamBeginCapture_v2", handle, 0)
                sums(x, y)
                do("cuStreamEndCapture", handle, ctypes.byref(graph))
                do("cuGraphInstantiateWithFlags", ctypes.byref(runnable), graph, ctypes.c_ulonglong(0))
                others = [torch.full((16, 256), 5.0) for _ in range(16)]
                y.fill_(float("nan"))
                do("cuGraphLaunch", runnable, handle)
            torch.cuda.synchronize()
            torch.testing.assert_close(y, x.sum(0), rtol=1e-4, atol=1e-3)
            self.assertEqual(torch.stack(others).unique().tolist(), [5])
            do("cuGraphExecDestroy", runnable)
            do("cuGraphDestroy", graph)

    def test_graph_with_restored_workspace(self):
        """Stream-K keeps flags between launches. They are filled before the launch, also while its stream is captured."""
        source = _programs.source("mm.mlir", "mm_nn")
        plan = "#cta.plan<persistent = 1, stages = 4, blocks_per_sm = 1, stream_k = 2, cluster = 1>"
        kernel = tessera.compile(source, target="sm_90a", plan=plan, define={"BM": 128, "BN": 128})["mm_nn"]
        self.assertTrue(any(space.get("restored") for space in kernel.contract["workspaces"]))
        a, b = normal(1280, 4096), normal(4096, 1792)
        c, stream = torch.empty(1280, 1792).bfloat16(), torch.cuda.Stream()
        torch.testing.assert_close(kernel(a, b), a @ b, rtol=1.6e-2, atol=5e-1)
        torch.cuda.synchronize()
        for prepares in (False, True):
            if prepares:
                kernel.prepare(a, b, c, stream=stream)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                kernel(a, b, out=c)
            for _ in range(3):
                a.normal_()
                c.fill_(float("nan"))
                graph.replay()
                # At the same time, with flags of its own.
                with torch.cuda.stream(stream):
                    other = kernel(a, b)
                torch.cuda.synchronize()
                torch.testing.assert_close(c, a @ b, rtol=1.6e-2, atol=5e-1)
                torch.testing.assert_close(other, a @ b, rtol=1.6e-2, atol=5e-1)

    def test_cupy_with_pytorch(self):
        """A call with arrays of two libraries comes after what both have queued, and before what they queue later."""
        try:
            import cupy
        except ImportError:
            self.skipTest("there is no CuPy")
        add = tessera.compile(programs.ADD)["add"]
        n, side = 1 << 20, torch.cuda.Stream()
        x = cupy.ones(n, cupy.float32)
        add(x, torch.ones(n), out=torch.empty(n))
        torch.cuda.synchronize()
        for first in ("cupy", "torch"):
            y = torch.zeros(n)
            torch.cuda.synchronize()
            with torch.cuda.stream(side):
                torch.cuda._sleep(50_000_000)
                y.fill_(2)
                z = add(x, y) if first == "cupy" else add(y, x)
            self.assertIs(type(z), cupy.ndarray if first == "cupy" else torch.Tensor)
            if first == "cupy":
                self.assertEqual(cupy.unique(z).tolist(), [3])
            torch.cuda.synchronize()
            # CuPy's default stream is busy; PyTorch's side stream reads the output, and gets the memory of an input.
            with torch.cuda.stream(side):
                y, out = torch.full((n,), 2.0), torch.zeros(n)
                side.synchronize()
                with torch.cuda.stream(torch.cuda.default_stream()):
                    torch.cuda._sleep(50_000_000)
                    x += 0
                add(x, y, out=out) if first == "cupy" else add(y, x, out=out)
                del y
                other, seen = torch.full((n,), 9.0), out.clone()
            torch.cuda.synchronize()
            self.assertEqual((seen.unique().tolist(), other.unique().tolist()), ([3], [9]))

    def test_cupy_on_a_given_stream(self):
        try:
            import cupy
        except ImportError:
            self.skipTest("there is no CuPy")
        sums = tessera.compile(SUMS)["sums"]
        x, stream = cupy.ones((1000, 256), cupy.float32), cupy.cuda.Stream(non_blocking=True)
        sums(x)
        torch.cuda.synchronize()
        freed = cupy.empty(256, cupy.float32)
        address = freed.data.ptr
        torch.cuda._sleep(200_000_000)  # on the default stream, which is CuPy's, too
        freed.fill(7)
        del freed
        y = sums(x, stream=stream)
        torch.cuda.synchronize()
        self.assertEqual(cupy.unique(y).tolist(), [1000])
        self.assertNotEqual(y.data.ptr, address)

    def test_arrays_of_two_places(self):
        sums = tessera.compile(SUMS)["sums"]
        with self.assertRaisesRegex(tessera.ArgumentError, "'y'"):
            sums(torch.ones(3, 4), torch.ones(4, device="cpu"))

    def test_compiled_by_inductor(self):
        def f(a, b):
            return tt.softmax(tt.mm(a, b).relu()) * 2
        a, b = normal(300, 200), normal(200, 400)
        got = torch.compile(f, fullgraph=True, mode="reduce-overhead")
        for _ in range(3):
            torch.testing.assert_close(got(a, b), f(a, b))
