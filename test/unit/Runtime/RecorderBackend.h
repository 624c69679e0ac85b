// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- RecorderBackend.h - A back end that writes down what it is handed ---===//

#ifndef TESSERA_TEST_UNIT_RUNTIME_RECORDERBACKEND_H
#define TESSERA_TEST_UNIT_RUNTIME_RECORDERBACKEND_H

#include "tessera/Runtime/Launcher.h"

#include "TestContract.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>

namespace tessera::rt {
class Recorder : public Backend {
public:
  struct Call {
    std::string symbol;
    uint32_t blocks, threads, shared;
    std::vector<uint64_t> values;
    void *stream;
    bool dependent = false;
  };
  std::vector<Call> calls;
  std::vector<TensorMapFields> maps, moved;       ///< encoded, and given another address
  std::vector<std::pair<uint64_t, size_t>> fills; ///< address, count
  std::vector<void *> fillStreams;
  std::map<uint64_t, size_t> allocations;
  int looked = 0, frees = 0, allocated = 0, coresAsked = 0;
  int64_t cores = 132, fitting = 1, clusters = Capacity::unknown;
  std::vector<uint32_t> clustersAskedFor; ///< sizes
  /// The answers about numbers of clusters, one after the other (the last one is repeated), and the
  /// numbers of clusters that were asked about.
  std::vector<std::pair<uint64_t, bool>> answers = {{0, true}};
  std::vector<uint32_t> placesAskedFor;
  bool outOfMemory = false, noMaps = false, noFills = false, capturing = false,
       capturesThread = false; ///< the thread's own stream, too
  int syncs = 0, exchanges = 0;
  void *current = this; ///< the context

  bool isGpu() const override { return true; }
  std::string describe() override { return "recorder"; }
  int entered = anyDevice; ///< of the last call
  bool enter(int wanted, void *&context, bool &pushed, Error &error) override {
    entered = wanted;
    context = current;
    contexts.insert(context);
    pushed = false;
    return true;
  }
  void leave(bool pushed) override { depth -= pushed; }
  bool push(void *context, Error &error) override {
    EXPECT_EQ(contexts.count(context), 1u);
    ++depth;
    return true;
  }
  int device() override { return entered == anyDevice ? 0 : entered; }
  bool isCapturing(void *stream, bool &answer, Error &error) override {
    answer = capturing && (stream != reinterpret_cast<void *>(2) || capturesThread);
    return true;
  }
  bool numCores(int64_t &count, Error &error) override {
    ++coresAsked;
    count = cores;
    return cores || error.set(TESSERA_RT_DRIVER, "no device");
  }
  bool function(const std::string &symbol, uint32_t shared, void *&function,
                Error &error) override {
    ++looked;
    function = const_cast<std::string *>(&*symbols.insert(symbol).first);
    return true;
  }
  bool functionInfo(void *function, FunctionInfo &info, Error &error) override { return true; }
  bool occupancy(const ReadyLaunch &launch, int64_t &blocks, Error &error) override {
    blocks = fitting;
    return fitting || error.set(TESSERA_RT_DRIVER, "no occupancy");
  }
  bool maxClusters(const ReadyLaunch &launch, int64_t &count, Error &error) override {
    clustersAskedFor.push_back(launch.cluster);
    count = clusters;
    return clusters >= 0 || error.set(TESSERA_RT_DRIVER, "no clusters");
  }
  uint64_t places(const ReadyLaunch &launch, void *stream, bool &isFinal) override {
    const auto &[table, final] = answers[std::min(placesAskedFor.size(), answers.size() - 1)];
    placesAskedFor.push_back(launch.blocks / launch.cluster);
    isFinal = final;
    return table;
  }
  bool encode(const TensorMapFields &fields, void *map, Error &error) override {
    if (noMaps)
      return error.set(TESSERA_RT_DRIVER, "no maps");
    maps.push_back(fields);
    std::memset(map, 0xee, tensorMapBytes);
    return true;
  }
  bool moveMap(const TensorMapFields &fields, void *map, Error &error) override {
    EXPECT_EQ(static_cast<const unsigned char *>(map)[0], 0xee) << "it was encoded before";
    if (noMaps)
      return error.set(TESSERA_RT_DRIVER, "no maps");
    moved.push_back(fields);
    return true;
  }
  bool launch(const ReadyLaunch &launch, void *stream, Error &error) override {
    Call call{*static_cast<const std::string *>(launch.function),
              launch.blocks,
              launch.threads,
              launch.shared,
              {},
              stream,
              launch.dependent};
    for (size_t i = 0; launch.params[i] && i < 8; ++i) {
      uint64_t value;
      std::memcpy(&value, launch.params[i], 8);
      call.values.push_back(value);
      if (value == 0xeeeeeeeeeeeeeeee) {
        EXPECT_EQ(reinterpret_cast<uint64_t>(launch.params[i]) % 128, 0u);
      }
    }
    calls.push_back(call);
    return true;
  }
  bool allocate(size_t bytes, uint64_t &address, Error &error) override {
    if (outOfMemory)
      return error.set(TESSERA_RT_MEMORY, "out of device memory");
    address = 0x7000000 + 0x100000 * static_cast<uint64_t>(allocated++);
    allocations[address] = bytes;
    return true;
  }
  void free(void *context, uint64_t address) override {
    EXPECT_EQ(contexts.count(context), 1u);
    EXPECT_EQ(allocations.erase(address), 1u);
    ++frees;
  }
  bool copyIn(uint64_t, const void *, size_t, Error &) override { return true; }
  bool copyOut(void *, uint64_t, size_t, Error &) override { return true; }
  bool copy(uint64_t, uint64_t, size_t, Error &) override { return true; }
  bool fill(uint64_t to, uint64_t pattern, size_t elementSize, size_t count, void *stream,
            Error &error) override {
    EXPECT_EQ(pattern, 0xff800000u);
    EXPECT_EQ(elementSize, 4u);
    fills.emplace_back(to, count);
    fillStreams.push_back(stream);
    if (noFills)
      return error.set(TESSERA_RT_DRIVER, "no fills");
    return true;
  }
  bool synchronize(void *stream, Error &) override {
    // The thread's own stream is another one.
    EXPECT_TRUE(!capturing || stream == reinterpret_cast<void *>(2))
        << "this would break the capture";
    ++syncs;
    return true;
  }
  void exchangeCaptureMode(int &) override { ++exchanges; }
  bool isIdle(void *, bool &idle, Error &) override { return idle = true; }
  bool record(unsigned, Error &) override { return true; }
  bool elapsed(unsigned, unsigned, double &, Error &) override { return true; }

  int depth = 0; ///< contexts that were pushed

private:
  std::set<std::string> symbols;
  std::set<void *> contexts; ///< that were entered
};

/// A kernel of the test contract, or of one like it.
class Launcher : public ::testing::Test {
protected:
  using Changes = std::vector<std::pair<std::string, std::string>>;

  void SetUp() override {
    load({});
    args[0] = {pointer(0x10000), sizesA, nullptr, 0};
    args[1] = {pointer(0x20000), sizesB, nullptr, 0};
    args[2] = {pointer(0x30000), sizesC, nullptr, 0};
    args[3].bits = 0xdead00003f800000; // only the low half is the scalar
  }
  /// The test contract with some of its texts replaced. Returns what is wrong with it.
  static std::string parse(const Changes &changes, Contract &contract) {
    std::string json = gemmJson, error;
    for (const auto &[from, to] : changes) {
      size_t at = json.find(from);
      if (at == std::string::npos)
        return "the test contract has no " + from;
      json.replace(at, from.size(), to);
    }
    EXPECT_EQ(parseContract(wrapContract(json), contract, error), error.empty());
    return error;
  }
  void load(const Changes &changes) {
    Contract contract;
    ASSERT_EQ(parse(changes, contract), "");
    auto owned = std::make_unique<Recorder>();
    recorder = owned.get();
    module = Module::create(std::move(contract), std::move(owned));
    kernel = module->getKernels()[0].get();
  }
  static void *pointer(uint64_t address) { return reinterpret_cast<void *>(address); }
  std::string launch(void *stream = nullptr) {
    Error error;
    bool good = kernel->launch(args, 4, stream, error);
    EXPECT_EQ(good, error.message.empty());
    EXPECT_EQ(good, error.status == TESSERA_RT_OK);
    return error.message;
  }

  std::unique_ptr<Module> module;
  Recorder *recorder;
  Kernel *kernel;
  int64_t sizesA[2] = {300, 32}, sizesB[2] = {32, 512}, sizesC[2] = {300, 512};
  tessera_rt_arg args[4] = {};
};
} // namespace tessera::rt

#endif // TESSERA_TEST_UNIT_RUNTIME_RECORDERBACKEND_H
