// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Workspaces from the host's allocator, and launches that are captured into a graph.

#include "RecorderBackend.h"
#include "tessera/Runtime/DLPack.h"

#include <thread>

using namespace tessera::rt;

namespace {
/// An allocator that writes down what it is asked for.
struct Arena {
  struct Block {
    size_t bytes;
    int device;
    void *stream;
    bool operator==(const Block &other) const {
      return bytes == other.bytes && device == other.device && stream == other.stream;
    }
  };
  std::map<uint64_t, Block> held;
  std::vector<Block> allocated;
  uint64_t next = 0x40000000, step = 0x100000;
  int limit = 1000;
  const std::vector<Recorder::Call> *calls = nullptr;
  size_t releasedAfter = 0; ///< the number of launches at the last release

  static void *allocate(void *user, size_t bytes, int device, void *stream) {
    auto &arena = *static_cast<Arena *>(user);
    if (--arena.limit < 0)
      return nullptr;
    arena.next += arena.step;
    arena.allocated.push_back({bytes, device, stream});
    arena.held[arena.next] = arena.allocated.back();
    return reinterpret_cast<void *>(arena.next);
  }
  static void release(void *user, void *pointer, size_t bytes, int device, void *stream) {
    auto &arena = *static_cast<Arena *>(user);
    auto found = arena.held.find(reinterpret_cast<uint64_t>(pointer));
    ASSERT_NE(found, arena.held.end());
    EXPECT_TRUE((found->second == Block{bytes, device, stream}));
    arena.held.erase(found);
    if (arena.calls)
      arena.releasedAfter = arena.calls->size();
  }
  static int ofGraph(void *user, void *pointer, int, void *) {
    auto &arena = *static_cast<Arena *>(user);
    EXPECT_EQ(arena.held.count(reinterpret_cast<uint64_t>(pointer)), 1u);
    return arena.isOfGraph;
  }
  bool isOfGraph = true;
  tessera_rt_allocator functions() {
    return {sizeof(tessera_rt_allocator), this, allocate, release, ofGraph};
  }
};

class Workspaces : public Launcher {
protected:
  void SetUp() override {
    Launcher::SetUp();
    tensors[0] = {pointer(0x10000), {dlpack::CUDA, 3}, 2, {dlpack::BFloat, 16, 1}, sizesA, {}, 0};
    tensors[1] = {pointer(0x20000), {dlpack::CUDA, 3}, 2, {dlpack::BFloat, 16, 1}, sizesB, {}, 0};
    tensors[2] = {pointer(0x30000), {dlpack::CUDA, 3}, 2, {dlpack::Float, 32, 1}, sizesC, {}, 0};
    for (size_t i = 0; i < 3; ++i)
      values[i].tensor = &tensors[i];
  }
  void TearDown() override {
    module.reset();
    EXPECT_TRUE(arena.held.empty()) << "everything is released";
  }
  void loadWith(const Changes &changes) {
    load(changes);
    arena.calls = &recorder->calls;
    Error error;
    ASSERT_TRUE(module->setAllocator(arena.functions(), error)) << error.message;
  }
  std::string run(void *stream, bool prepares = false) {
    Error error;
    EXPECT_EQ(prepares ? kernel->prepareTensors(values, 4, stream, error)
                       : kernel->launchTensors(values, 4, stream, error),
              error.message.empty());
    status = error.status;
    return error.message;
  }
  const Changes isRestored = {{R"("init": "-inf")", R"("restored": true, "init": "-inf")"}};

  Arena arena; ///< outlives the module
  dlpack::Tensor tensors[3] = {};
  tessera_rt_value values[4] = {};
  tessera_rt_status status = TESSERA_RT_OK;
};

/// Memory of a launch is released after it. The next launch has other memory, which is filled, and
/// to which the map of the workspace moves.
TEST_F(Workspaces, OfEachLaunch) {
  loadWith({});
  ASSERT_EQ(run(pointer(0x99)), "");
  EXPECT_EQ(arena.allocated, (std::vector<Arena::Block>{{300 * 16 * 4, 3, pointer(0x99)}}));
  EXPECT_TRUE(arena.held.empty());
  EXPECT_EQ(arena.releasedAfter, 1u);
  ASSERT_EQ(run(nullptr), "");
  EXPECT_EQ(arena.allocated.size(), 2u);
  EXPECT_EQ(arena.allocated[1].stream, nullptr);
  EXPECT_EQ(recorder->calls[0].values[4], 0x40100000u);
  EXPECT_EQ(recorder->calls[1].values[4], 0x40200000u);
  ASSERT_EQ(recorder->moved.size(), 1u);
  EXPECT_EQ(recorder->moved[0].address, 0x40200000u);
  EXPECT_EQ(recorder->fills.back(), (std::pair<uint64_t, size_t>{0x40200000, 300 * 16}));
  EXPECT_EQ(recorder->looked, 1) << "it was prepared once";
  EXPECT_TRUE(recorder->allocations.empty());
}

/// What the kernel restores is kept for each stream until the module is unloaded. It is not the
/// host's: a pool of graphs may hold no memory that stays.
TEST_F(Workspaces, RestoredAreKept) {
  loadWith(isRestored);
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(run(pointer(0x99)), "");
  EXPECT_EQ(recorder->allocated, 1);
  EXPECT_EQ(recorder->fills.size(), 1u);
  ASSERT_EQ(run(pointer(0x98)), "");
  EXPECT_EQ(recorder->allocated, 2);
  EXPECT_EQ(recorder->frees, 0);
  sizesA[0] = sizesC[0] = 600;
  ASSERT_EQ(run(pointer(0x98)), "");
  EXPECT_EQ(recorder->frees, 1) << "the smaller one is released";
  EXPECT_EQ(recorder->syncs, 1) << "after what used it";
  EXPECT_TRUE(arena.allocated.empty());
}

TEST_F(Workspaces, None) {
  loadWith({});
  arena.limit = 0;
  EXPECT_EQ(run(nullptr), "kernel 'gemm', workspace 0: the host's allocator has no 19200 bytes");
  EXPECT_EQ(status, TESSERA_RT_MEMORY);
  EXPECT_TRUE(recorder->calls.empty());
  arena.limit = 1000;
  arena.step = 0x80;
  EXPECT_EQ(run(nullptr), "kernel 'gemm', workspace 0: the memory of the host's allocator is not "
                          "aligned to 256 bytes");
  EXPECT_TRUE(arena.held.empty());
  EXPECT_EQ(run(nullptr), "") << "the next address is a multiple of 256";
}

/// The first of two workspaces is released if there is no second one.
TEST_F(Workspaces, OneOfTwo) {
  loadWith({{R"("init": "-inf"}])", R"("init": "-inf"}, {"element": "f32", "sizes": [8]}])"}});
  arena.limit = 1;
  EXPECT_EQ(run(nullptr), "kernel 'gemm', workspace 1: the host's allocator has no 32 bytes");
  EXPECT_EQ(arena.allocated.size(), 1u);
  EXPECT_TRUE(arena.held.empty());
}

/// Memory is released also if the launch fails.
TEST_F(Workspaces, FailedLaunch) {
  loadWith({});
  recorder->noFills = true;
  EXPECT_EQ(run(nullptr), "no fills");
  EXPECT_EQ(arena.allocated.size(), 1u);
  EXPECT_TRUE(arena.held.empty());
  recorder->noFills = false;
  recorder->noMaps = true;
  EXPECT_EQ(run(nullptr), "workspace 0: no maps");
  EXPECT_TRUE(arena.held.empty());
}

/// What could not be filled is not found by the next launch.
TEST_F(Workspaces, RestoredThatWasNotFilled) {
  loadWith(isRestored);
  recorder->noFills = true;
  EXPECT_EQ(run(nullptr), "kernel 'gemm', workspace 0: no fills");
  EXPECT_TRUE(arena.held.empty());
  recorder->noFills = false;
  EXPECT_EQ(run(nullptr), "");
  EXPECT_EQ(recorder->fills.size(), 2u);
}

TEST_F(Workspaces, Empty) {
  loadWith({{R"("sizes": [{"size": [0, 0]}, 16])", R"("sizes": [0, 16])"}});
  EXPECT_EQ(run(nullptr), "");
  EXPECT_TRUE(arena.allocated.empty());
}

TEST_F(Workspaces, SetTooLate) {
  load({});
  ASSERT_EQ(run(nullptr), "");
  Error error;
  EXPECT_FALSE(module->setAllocator(arena.functions(), error));
  EXPECT_EQ(error.message, "the allocator of a module must be set before its first launch");
  ASSERT_EQ(run(nullptr), "");
  EXPECT_TRUE(arena.allocated.empty());
}

/// In a capture: the host's memory is the graph's, and nothing is waited for.
TEST_F(Workspaces, CapturedWithAllocator) {
  loadWith({});
  recorder->capturing = true;
  ASSERT_EQ(run(pointer(0x99)), "");
  EXPECT_EQ(arena.allocated.size(), 1u);
  EXPECT_EQ(recorder->fills.size(), 1u) << "a part of the graph";
  EXPECT_TRUE(arena.held.empty());
  EXPECT_EQ(recorder->exchanges, 2) << "the host's function may ask the driver";
}

/// The host does not know of the capture: what it has given stays until the module is unloaded.
TEST_F(Workspaces, CapturedByOthers) {
  for (bool asks : {true, false}) {
    load({});
    arena.isOfGraph = false;
    tessera_rt_allocator functions = arena.functions();
    if (!asks)
      functions.is_of_graph = nullptr;
    Error error;
    ASSERT_TRUE(module->setAllocator(functions, error));
    recorder->capturing = true;
    ASSERT_EQ(run(pointer(0x99)), "");
    ASSERT_EQ(run(pointer(0x99)), "");
    EXPECT_EQ(arena.held.size(), 2u);
    recorder->capturing = false;
    ASSERT_EQ(run(pointer(0x99)), "");
    EXPECT_EQ(arena.held.size(), 2u);
    module.reset();
    EXPECT_TRUE(arena.held.empty());
  }
}

/// One handle stands for the streams of all threads, which have workspaces of their own.
TEST_F(Workspaces, StreamOfEachThread) {
  for (const Changes &changes : {Changes(), isRestored}) {
    load(changes);
    auto two = [&] {
      EXPECT_EQ(run(pointer(2)), "");
      EXPECT_EQ(run(pointer(2)), "");
    };
    two();
    EXPECT_EQ(recorder->allocated, 1);
    std::thread(two).join();
    EXPECT_EQ(recorder->allocated, 2);
    EXPECT_NE(recorder->calls[1].values[4], recorder->calls[2].values[4]);
    two();
    EXPECT_EQ(recorder->allocated, 2);
    std::thread([&] { EXPECT_EQ(run(pointer(3)), ""); }).join();
    EXPECT_EQ(run(pointer(3)), "");
    EXPECT_EQ(recorder->allocated, 3);
  }
}

TEST_F(Workspaces, CapturedWithoutPreparation) {
  load({});
  recorder->capturing = true;
  ASSERT_EQ(run(pointer(0x99)), "");
  EXPECT_EQ(recorder->allocated, 1);
  sizesA[0] = sizesC[0] = 600;
  ASSERT_EQ(run(pointer(0x99)), "");
  EXPECT_EQ(recorder->allocated, 2);
  EXPECT_EQ(recorder->frees + recorder->syncs, 0) << "the graph uses both";
  sizesA[0] = sizesC[0] = 300;
  // What is filled once is filled on another stream. Each launch of a graph has its own, as graphs
  // are launched on other streams, too.
  loadWith(isRestored);
  recorder->capturing = true;
  ASSERT_EQ(run(pointer(0x99)), "");
  ASSERT_EQ(run(pointer(0x99)), "");
  EXPECT_EQ(recorder->allocated, 2);
  EXPECT_NE(recorder->calls[0].values[4], recorder->calls[1].values[4]);
  EXPECT_EQ(recorder->fills.size(), 2u);
  EXPECT_EQ(recorder->fillStreams, std::vector<void *>(2, pointer(2)));
  EXPECT_EQ(recorder->syncs, 2) << "of that stream";
  recorder->capturing = false;
  ASSERT_EQ(run(pointer(0x99)), "");
  EXPECT_EQ(recorder->allocated, 3) << "a graph may be launched at the same time";
  EXPECT_EQ(recorder->frees, 0);
  EXPECT_TRUE(arena.allocated.empty());
}

/// An earlier launch may still use its flags, or be filling them, when the graph is launched on
/// another stream.
TEST_F(Workspaces, CapturedAfterLaunches) {
  loadWith(isRestored);
  ASSERT_EQ(run(pointer(0x99)), "");
  ASSERT_EQ(run(pointer(0x99), /*prepares=*/true), "");
  recorder->capturing = true;
  ASSERT_EQ(run(pointer(0x99)), "");
  EXPECT_EQ(recorder->allocated, 2);
  EXPECT_NE(recorder->calls[0].values[4], recorder->calls[1].values[4]);
  recorder->capturing = false;
  ASSERT_EQ(run(pointer(0x99)), "");
  EXPECT_EQ(recorder->calls[2].values[4], recorder->calls[0].values[4]);
}

/// A capture that has begun is not waited for by a preparation.
TEST_F(Workspaces, PreparedWhileCaptured) {
  loadWith(isRestored);
  recorder->capturing = true;
  ASSERT_EQ(run(pointer(0x99), /*prepares=*/true), "");
  EXPECT_EQ(recorder->fillStreams, std::vector<void *>{pointer(2)});
  EXPECT_EQ(recorder->syncs, 1);
  ASSERT_EQ(run(pointer(0x99)), "");
  EXPECT_EQ(recorder->allocated, 1);
}

/// There is no other stream for the thread's own.
TEST_F(Workspaces, CapturedStreamOfThread) {
  loadWith(isRestored);
  recorder->capturing = recorder->capturesThread = true;
  EXPECT_EQ(run(pointer(2)),
            "kernel 'gemm', workspace 0: it cannot be filled once while the thread's own stream is "
            "captured; before the capture, prepare the call with this stream "
            "(tessera_rt_prepare_tensors, in Python kernel.prepare(..., stream=s) and "
            "torch.cuda.graph(g, stream=s))");
  EXPECT_EQ(status, TESSERA_RT_INVALID);
  EXPECT_TRUE(recorder->fills.empty());
  EXPECT_TRUE(recorder->calls.empty());
}

/// Preparing launches nothing. Then the capture has its memory.
TEST_F(Workspaces, Prepared) {
  load({});
  ASSERT_EQ(run(pointer(0x99), /*prepares=*/true), "");
  EXPECT_TRUE(recorder->calls.empty());
  EXPECT_EQ(recorder->allocated, 1);
  EXPECT_TRUE(recorder->fills.empty()) << "it is filled in each launch";
  EXPECT_EQ(recorder->syncs, 0);
  EXPECT_EQ(recorder->entered, 3);
  recorder->capturing = true;
  ASSERT_EQ(run(pointer(0x99)), "");
  EXPECT_EQ(recorder->allocated, 1);
  EXPECT_EQ(recorder->looked, 1);
  ASSERT_EQ(run(pointer(0x98)), "");
  EXPECT_EQ(recorder->allocated, 2) << "another stream";
}

TEST_F(Workspaces, PreparedRestored) {
  loadWith(isRestored);
  ASSERT_EQ(run(pointer(0x99), /*prepares=*/true), "");
  EXPECT_EQ(recorder->fills.size(), 1u);
  EXPECT_EQ(recorder->syncs, 1) << "the graph may run on another stream";
  ASSERT_EQ(run(pointer(0x99), /*prepares=*/true), "");
  EXPECT_EQ(recorder->fills.size(), 1u);
  EXPECT_EQ(recorder->syncs, 1);
  recorder->capturing = true;
  ASSERT_EQ(run(pointer(0x99)), "");
  EXPECT_EQ(recorder->fills.size(), 1u);
  EXPECT_EQ(recorder->allocated, 1);
  EXPECT_TRUE(arena.held.empty());
}

/// With an allocator and nothing to be kept there is nothing to allocate.
TEST_F(Workspaces, PreparedWithAllocator) {
  loadWith({});
  ASSERT_EQ(run(nullptr, /*prepares=*/true), "");
  EXPECT_TRUE(arena.allocated.empty());
  EXPECT_EQ(recorder->looked, 1);
}

TEST_F(Workspaces, PreparedWithErrors) {
  load({});
  sizesC[1] = 7;
  EXPECT_NE(run(nullptr, /*prepares=*/true).find("dimension 1 ('N') must be 512"),
            std::string::npos);
  values[0].tensor = nullptr;
  EXPECT_EQ(run(nullptr, /*prepares=*/true), "argument 0 'A': no tensor was given");
}

/// Memory that a graph uses stays, even if later launches need more.
TEST_F(Workspaces, GraphsKeepTheirMemory) {
  for (bool restored : {false, true}) {
    load(restored ? isRestored : Changes());
    ASSERT_EQ(run(nullptr), "");
    recorder->capturing = true;
    ASSERT_EQ(run(nullptr), "");
    recorder->capturing = false;
    sizesA[0] = sizesC[0] = 600;
    ASSERT_EQ(run(nullptr), "");
    // The graph uses the first one; of what is restored it has one of its own.
    EXPECT_EQ(recorder->allocated, restored ? 3 : 2);
    EXPECT_EQ(recorder->frees, restored ? 1 : 0);
    sizesA[0] = sizesC[0] = 900;
    ASSERT_EQ(run(nullptr), "");
    EXPECT_EQ(recorder->frees, restored ? 2 : 1) << "no graph has used the second one";
    sizesA[0] = sizesC[0] = 300;
  }
}
} // namespace
