// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Problem.h"
#include "CommandLine.h"

#include <optional>

using namespace tessera::rt;
using namespace tile_run;
using tile_tune::Problem;

static std::string describe(const KernelContract &contract, const std::string &line, size_t arg) {
  return line + ", " + describeArg(contract, arg);
}

void Problem::check(const KernelContract &contract, const std::vector<std::string> &texts,
                    const std::string &line) {
  const size_t count = contract.args.size();
  if (texts.size() != count)
    fail(line + ": kernel '" + contract.name + "' takes " + std::to_string(count) + " arguments, " +
         std::to_string(texts.size()) + " are there");
  for (size_t i = 0; i < count; ++i) {
    const Argument &arg = contract.args[i];
    const std::string what = describe(contract, line, i);
    const ArgSpec spec = parseArgSpec(texts[i], what);
    if (spec.kind == ArgSpec::Kind::Addresses)
      fail(what + ": tables of addresses cannot be tuned; time them by tile-run --member=NAME "
                  "--bench=burst");
    const bool isFile = spec.kind == ArgSpec::Kind::File;
    if (arg.isMemref && !isFile && spec.kind != ArgSpec::Kind::Number &&
        spec.shape.size() != arg.rank())
      fail(what + ": rank must be " + std::to_string(arg.rank()) + ", '" + spec.text +
           "' has shape " + printShape(spec.shape));
  }
}

Problem::Problem(Kernel &kernel, const std::vector<std::string> &texts, std::string line,
                 Watchdog *watchdog, ThreadPool &pool)
    : kernel(kernel), contract(kernel.getContract()), line(std::move(line)),
      backend(kernel.getModule().getBackend()), scope(backend), watchdog(watchdog),
      activity(this->line) {
  check(contract, texts, this->line);
  const size_t count = contract.args.size();
  buffers.resize(count);
  addresses.assign(count, 0);
  args.assign(count, tessera_rt_arg());
  must(scope.enter(error));
  for (size_t i = 0; i < count; ++i) {
    const Argument &arg = contract.args[i];
    const ArgSpec spec = parseArgSpec(texts[i], what(i));
    if (!arg.isMemref) {
      args[i].bits = makeScalar(spec, arg.element, what(i));
      continue;
    }
    const HostArray array = makeArray(spec, arg.element, /*anyType=*/false, i, what(i), pool);
    if (array.shape.size() != arg.rank())
      fail(what(i) + ": rank must be " + std::to_string(arg.rank()) + ", '" + spec.text +
           "' has shape " + printShape(array.shape));
    buffers[i] = std::make_unique<Buffer>(array, spec, /*guard=*/false,
                                          static_cast<size_t>(arg.align), what(i));
    uint64_t base = 0;
    if (!buffers[i]->allocate(backend, base, addresses[i], error))
      fail(what(i) + ": " + error.message);
    owned.push_back(base);
    args[i] = buffers[i]->argument(addresses[i]);
  }
}

Problem::~Problem() {
  for (uint64_t base : owned)
    backend.free(scope.context, base);
}

std::string Problem::what(size_t arg) const { return describe(contract, line, arg); }

void Problem::must(bool good) {
  if (!good)
    fail(line + ": " + error.message);
}

std::vector<Ranked> Problem::rank() {
  std::vector<Ranked> ranking;
  must(kernel.rank(args.data(), args.size(), ranking, error));
  // Where no member takes the arguments, this says why.
  size_t variant;
  must(kernel.check(args.data(), args.size(), variant, error));
  return ranking;
}

void Problem::take(const std::string &member) {
  must(kernel.forceMember(member, error));
  activity = line + ", member " + member;
}

std::map<size_t, HostArray> Problem::run() {
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i])
      must(backend.copyIn(addresses[i], buffers[i]->getImage().data(), buffers[i]->imageBytes(),
                          error));
  {
    std::optional<WatchdogScope> guard;
    if (watchdog)
      guard.emplace(*watchdog, activity);
    must(kernel.launch(args.data(), args.size(), nullptr, error));
    must(backend.synchronize(nullptr, error));
  }
  std::map<size_t, HostArray> written;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!buffers[i] || !writes(contract.args[i].access))
      continue;
    std::string image(buffers[i]->imageBytes(), '\0');
    must(backend.copyOut(image.data(), addresses[i], image.size(), error));
    written[i] = {buffers[i]->getElement(), buffers[i]->getShape(), buffers[i]->gather(image)};
  }
  return written;
}

std::vector<BenchResult> Problem::measure(const std::vector<std::string> &members,
                                          unsigned rounds) {
  std::vector<const Buffer *> list;
  for (const std::unique_ptr<Buffer> &buffer : buffers)
    list.push_back(buffer.get());
  std::vector<std::string> names;
  for (const std::string &member : members)
    names.push_back(line + ", member " + member);
  // The copies are made of these arrays.
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i])
      must(backend.copyIn(addresses[i], buffers[i]->getImage().data(), buffers[i]->imageBytes(),
                          error));
  return runBursts(
      BenchProblem{kernel, list, args, addresses}, names, [&](size_t i) { take(members[i]); },
      rounds, *watchdog);
}
