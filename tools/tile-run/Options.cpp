// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.h"
#include "CommandLine.h"

namespace tile_run {

namespace {
constexpr const char *help = R"(tile-run: launch a kernel of a compiled artifact, check it, time it

usage: tile-run ARTIFACT [--kernel=NAME] ARG... [options]
       tile-run ARTIFACT --list [--json]

ARTIFACT is a cubin or a CPU shared object made by tilec; it carries its own contract.
There is one ARG for each argument of the kernel, in order:

  FILE.npy                  the file's bytes, typed by the kernel: bf16 takes 2-byte dtypes
                            (|V2, <u2), f8 takes 1-byte dtypes (|u1, |V1); row-major only
  randn:4096x4096xbf16      normal random numbers, the same on every machine;
                            :seed=N (default: the argument's number), :scale=X;
                            integers: three times the number, rounded; i1: its sign
  randint:64xi32:low=0:high=9  uniform integers, both ends included (any element type)
  zeros:..., ones:...       constants
  arange:4x8xf32            0, 1, 2, ... in row-major order; :start=X, :step=X
  nan:4096x4096xbf16        NaN (integers: bytes 0x5a): for arrays the kernel writes
  list:2x3xi32:values=4,5,6,7,8,9  these numbers, row-major
  addresses:ARRAY,ARRAY,... i64: the addresses of these arrays, each a file or a generator as
                            above, or @I+N: element N of the array argument I (@I: its first);
                            options name them T[0], T[1], ... after the argument T
  1.5, -3, 0x10, inf, nan   scalars; i1 also true and false

An array ARG may end in
  :strides=S0,S1            strides in elements, for arguments of strided layout; memory
                            between the elements is filled with NaN
  :offset=N                 the first element lies N elements after an aligned address

Options that name an argument take its number or its name.

  --kernel=NAME             needed if the artifact has several kernels
  --variant=NAME            take this variant; an error if its guards do not hold
  --member=NAME             of a family: take this member (BM=128,BN=256); an error if none of its
                            variants can take the arguments
  --explain                 print what a launch chooses from: all members, the least predicted time
                            first, each with its variant, or why it cannot take the arguments;
                            * marks the one that is launched
  --out I=FILE.npy          write the argument after the run (bf16 as |V2, f8 as |u1, i1 as |b1)
  --check I=REF[:rtol=X,atol=X]
                            compare the argument in double with REF, a .npy file or a
                            generator as above: |found - REF| <= atol + rtol * |REF|; NaN
                            equals NaN, infinities equal themselves; integers must be equal
                            unless tolerances are given. Default rtol: f64 1e-7, f32 1e-5, f16
                            1e-3, bf16 1.6e-2, f8 0.125; default atol 1e-5 (f64 1e-7)
  --print I                 print the argument after the run
  --repeat=N                run N times from the same inputs; outputs must be bitwise equal
  --move                    with --repeat: each run has its arrays at other addresses than the
                            run before it
  --guard                   pattern bytes around every array, checked after the run, and so is
                            everything that the kernel must not write
  --bench=burst             idle 55 ms, then about 4 ms of work; median of 7
  --bench=sustained         0.4 s of the kernel, then 0.25 s measured
  --bench=overhead          host time of a launch call: with unchanged arguments, with other
                            arrays each time, and both with DLPack tensors
  --flops=N                 floating-point operations of one launch: prints TFLOP/s
  --json                    print one JSON object instead of text
  --list                    print kernels, arguments, variants, launches
  --timeout=SEC             give up when the device does not answer for so long (default 30; at
                            most 1000000)
  --threads=N               CPU: number of threads (default: all cores)
  --device=N                GPU: number of the device (default 0)
  --dependent-launch=on|off GPU: whether launches may begin before the launch before them has
                            ended, if their code waits for it (default on)
  --places=on|off           GPU: whether clusters of a large launch are numbered by the GPC that
                            they run on (default on)
  --version, --help

Exit status: 0, or 1 after one line on stderr that starts with "tile-run: error:".
Timings rotate over copies of the arrays that exceed 180 MB together, so that nothing stays in
a cache by accident. GB/s counts every element read once and written once.
)";

std::pair<std::string, std::string> parseAssignment(const std::string &option,
                                                    const std::string &value) {
  size_t equal = value.find('=');
  if (equal == std::string::npos || equal == 0 || equal + 1 == value.size())
    fail(option + " needs ARGUMENT=FILE, not '" + value + "'");
  return {value.substr(0, equal), value.substr(equal + 1)};
}

} // namespace

Options parseOptions(int argc, char **argv) {
  Options options;
  bool haveArtifact = false;
  std::string value;
  auto is = [&](const char *name, int &i) { return takeValue(name, argc, argv, i, value); };
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    answerHelpOrVersion(arg, help);
    if (arg == "--json") {
      options.json = true;
    } else if (arg == "--list") {
      options.list = true;
    } else if (arg == "--explain") {
      options.explain = true;
    } else if (arg == "--guard") {
      options.guard = true;
    } else if (arg == "--move") {
      options.move = true;
    } else if (is("--kernel", i)) {
      options.kernel = value;
    } else if (is("--variant", i)) {
      options.variant = value;
    } else if (is("--member", i)) {
      options.member = value;
    } else if (is("--out", i)) {
      options.outs.push_back(parseAssignment("--out", value));
    } else if (is("--check", i)) {
      options.checks.push_back(parseAssignment("--check", value));
    } else if (is("--print", i)) {
      options.prints.push_back(value);
    } else if (is("--bench", i)) {
      if (value == "burst")
        options.bench = Bench::Burst;
      else if (value == "sustained")
        options.bench = Bench::Sustained;
      else if (value == "overhead")
        options.bench = Bench::Overhead;
      else
        fail("--bench is burst, sustained or overhead, not '" + value + "'");
    } else if (is("--repeat", i)) {
      options.repeat = static_cast<unsigned>(parseCount("--repeat", value, 1, 1000000000));
    } else if (is("--threads", i)) {
      options.threads = static_cast<unsigned>(parseCount("--threads", value, 1, 1024));
    } else if (is("--device", i)) {
      options.device = static_cast<int>(parseCount("--device", value, 0, 1023));
    } else if (is("--dependent-launch", i)) {
      if (value != "on" && value != "off")
        fail("--dependent-launch is on or off, not '" + value + "'");
      options.dependentLaunch = value == "on";
    } else if (is("--places", i)) {
      if (value != "on" && value != "off")
        fail("--places is on or off, not '" + value + "'");
      options.places = value == "on";
    } else if (is("--timeout", i)) {
      options.timeout = parsePositive("--timeout", value, 1e6);
    } else if (is("--flops", i)) {
      options.flops = parsePositive("--flops", value, 1e30);
    } else if (arg.size() > 1 && arg[0] == '-' && !isNegativeNumber(arg)) {
      fail("unknown option '" + arg + "' (see --help)");
    } else if (!haveArtifact) {
      options.artifact = arg;
      haveArtifact = true;
    } else {
      options.args.push_back(arg);
    }
  }
  if (!haveArtifact)
    fail("no artifact was given (see --help)");
  if (!options.member.empty() && !options.variant.empty())
    fail("--member and --variant exclude each other: the name of a variant has that of its member");
  if (options.move && options.repeat < 2)
    fail("--move needs --repeat=N of two or more runs");
  return options;
}

} // namespace tile_run
