// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.h"
#include "CommandLine.h"

using namespace tile_run;

static constexpr const char *help =
    R"(tile-tune: time the members of a family of kernels, and say which ones to compile

usage: tile-tune ARTIFACT --shapes=FILE [options]

ARTIFACT is a cubin or a CPU shared object that tilec made of a kernel with parameters, with more
members than are to be kept:

  tilec gemm.mlir --members=24 -o gemm.cubin
  tilec gemm.mlir --target=cpu -o gemm.so
  tile-tune gemm.cubin --shapes=shapes.txt --reference=gemm.so -o gemm.members
  tilec gemm.mlir --members=gemm.members -o gemm.cubin

Each line of FILE is a launch: the arguments that tile-run takes (tile-run --help), for example
  randn:4096x4096xbf16 randn:4096x4096xbf16 nan:4096x4096xbf16
White space separates them. Lines that are empty or begin with # are skipped. Arrays whose addresses
are in a table cannot be given. Arrays that the kernel reads and writes are restored before each
measurement, but within one each launch goes on with what the one before it has left.

For each launch, the members that the launcher predicts to be the fastest are run, and what they
write is compared with the reference. Those that agree are timed in turns: 55 ms idle, then about
4 ms of launches, in another random order in each round. The table has the predicted and the
measured time of each; * marks the member that the launcher takes. How much slower that one is than
the fastest is what the prediction loses.

  --shapes=FILE             the launches; - is standard input
  --reference=ARTIFACT      a CPU shared object of the same kernel, which says what is right;
                            default: the member that the launcher takes, and then only the others
                            are compared
  --kernel=NAME             needed if the artifact has several kernels
  --best=N                  how many members are timed for each launch (default 8; 0: all)
  --rounds=N                measurements of each (default 7)
  --tolerance=X             found and expected may differ by X of the expected number plus X of the
                            root of the mean square of the array; default: f64 1e-10, f32 1e-4,
                            f16 4e-3, bf16 3e-2, f8 0.25; integers must be equal
  -o FILE                   write the members to compile, one a line: of each launch one that takes
                            no more than 1 % longer than the fastest one. tilec --members=FILE
                            compiles them
  --keep=N                  of these at most N, with which the launches are the fastest on average;
                            an error if none of them takes some launch
  --json                    print one JSON object instead of text
  --timeout=SEC             give up when a member does not answer for so long (default 30; at most
                            1000000); the reference may take any time
  --threads=N               CPU: number of threads (default: all cores)
  --device=N                GPU: number of the device (default 0)
  --version, --help

Exit status: 0, or 1 after a line on stderr that starts with "tile-tune: error:". A member that
does not agree with the reference is such an error, and then no FILE is written.
)";

tile_tune::Options tile_tune::parseOptions(int argc, char **argv) {
  Options options;
  bool hasArtifact = false;
  std::string value;
  auto is = [&](const char *name, int &i) { return takeValue(name, argc, argv, i, value); };
  auto count = [&](const char *name, long long low, long long high) {
    return static_cast<unsigned>(parseCount(name, value, low, high));
  };
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    answerHelpOrVersion(arg, help);
    if (arg == "--json")
      options.json = true;
    else if (is("--shapes", i))
      options.shapes = value;
    else if (is("--reference", i))
      options.reference = value;
    else if (is("--kernel", i))
      options.kernel = value;
    else if (is("-o", i))
      options.output = value;
    else if (is("--best", i))
      options.best = count("--best", 0, 1000000);
    else if (is("--rounds", i))
      options.rounds = count("--rounds", 1, 1000000);
    else if (is("--keep", i))
      options.keep = count("--keep", 1, 1000000);
    else if (is("--threads", i))
      options.threads = count("--threads", 1, 1024);
    else if (is("--device", i))
      options.device = static_cast<int>(count("--device", 0, 1023));
    else if (is("--timeout", i))
      options.timeout = parsePositive("--timeout", value, 1e6);
    else if (is("--tolerance", i))
      options.tolerance = parsePositive("--tolerance", value, 1e30);
    else if (arg.size() > 1 && arg[0] == '-')
      fail("unknown option '" + arg + "' (see --help)");
    else if (hasArtifact)
      fail("one artifact is tuned at a time, not also '" + arg +
           "'; the arguments of launches are in the file of --shapes");
    else {
      options.artifact = arg;
      hasArtifact = true;
    }
  }
  if (!hasArtifact)
    fail("no artifact was given (see --help)");
  if (options.shapes.empty())
    fail("no launches were given: --shapes=FILE has the arguments of one on each line");
  return options;
}
