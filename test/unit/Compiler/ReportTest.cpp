// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The report on modules that a host builds: there is no text, and ops have any kind of location.
#include "Cache/ResultBytes.h"

#include "tessera/Compiler.h"
#include "tessera/Dialect/Tile/Builders.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace mlir;
using namespace tessera;

namespace {

class ReportTest : public ::testing::Test {
protected:
  /// The location of an op, by what it is: "kernel", "loop", "a", "b", "mma", "store", or "" for
  /// all others.
  using Locations = std::function<Location(StringRef)>;

  ReportTest() : b(&context) {
    context.loadDialect<tile::TileDialect, arith::ArithDialect, memref::MemRefDialect,
                        scf::SCFDialect>();
    options.emit = Emit::Ptx;
    options.variants = "aligned";
  }

  /// Builds out = lhs · rhs, with the products of `loops` loops over K, one after the other. The
  /// second argument has the name `second`, or none.
  void build(const Locations &at, unsigned loops = 1, const std::string &second = "rhs") {
    module = ModuleOp::create(b, b.getUnknownLoc());
    b.setInsertionPointToEnd(module->getBody());
    constexpr int64_t any = ShapedType::kDynamic;
    auto in = MemRefType::get({any, any}, b.getF16Type());
    auto out = MemRefType::get({any, any}, b.getF32Type());
    auto sums = RankedTensorType::get({64, 128}, b.getF32Type());
    Location other = at("");
    tile::buildKernel(
        b, at("kernel"), "product", {{"lhs", in, {"M", "K"}}, {second, in, {}}, {"out", out, {}}},
        [&](OpBuilder &b, ValueRange args) {
          Value m = tile::buildDim(b, other, "M"), k = tile::buildDim(b, other, "K");
          Value one = arith::ConstantIndexOp::create(b, other, 1);
          Value n = memref::DimOp::create(b, other, args[1], one);
          tile::buildGrid(b, other, {m, n}, {64, 128}, [&](OpBuilder &b, ValueRange xy) {
            Value sum = tile::buildSplat(b, other, sums, 0);
            Value from = arith::ConstantIndexOp::create(b, other, 0);
            Value step = arith::ConstantIndexOp::create(b, other, 64);
            for (unsigned i = 0; i < loops; ++i)
              sum = scf::ForOp::create(
                        b, at("loop"), from, k, step, sum,
                        [&](OpBuilder &b, Location, Value k, ValueRange carried) {
                          auto tile = [&](int64_t x, int64_t y) {
                            return RankedTensorType::get({x, y}, b.getF16Type());
                          };
                          Value x = tile::buildLoad(b, at("a"), tile(64, 64), args[0], {xy[0], k});
                          Value y = tile::buildLoad(b, at("b"), tile(64, 128), args[1], {k, xy[1]});
                          scf::YieldOp::create(b, other,
                                               tile::buildMma(b, at("mma"), x, y, carried[0]));
                        })
                        .getResult(0);
            tile::buildStore(b, at("store"), sum, args[2], xy);
          });
        });
  }
  const LaunchReport &compileIt() {
    result = compile(*module, options);
    EXPECT_TRUE(result.ok) << formatDiagnostics(result.diagnostics, "");
    return result.report.kernels.at(0).variants.at(0).launches.at(0);
  }
  std::string printed() {
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    return text;
  }
  /// The name that the printed module has for the n-th op of that kind, which has a result.
  std::string nameOf(StringRef op, unsigned n = 0) {
    SmallVector<StringRef> lines;
    std::string text = printed();
    StringRef(text).split(lines, '\n');
    for (StringRef line : lines)
      if (line.contains(" = " + op.str() + " ") && n-- == 0)
        return line.trim().split(" = ").first.str();
    ADD_FAILURE() << "no " << op.str() << " in\n" << text;
    return "";
  }
  static const Verdict &verdict(const LaunchReport &launch, StringRef op, unsigned n = 0) {
    for (const Verdict &verdict : launch.verdicts)
      if (verdict.op == op && n-- == 0)
        return verdict;
    ADD_FAILURE() << "no verdict on " << op.str();
    return launch.verdicts.at(0);
  }
  static std::string text(const SourceLocation &at) {
    std::string text =
        at.name + "@" + at.file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
    for (const SourceLocation &call : at.calledFrom)
      text += " < " + ReportTest::text(call);
    return text;
  }
  Location file(StringRef name, unsigned line, unsigned column) {
    return FileLineColLoc::get(&context, name, line, column);
  }
  Location named(StringRef name, Location child) {
    return NameLoc::get(b.getStringAttr(name), child);
  }
  /// Everything in a report about ops but their places, sorted.
  static std::multiset<std::string> facts(const Report &report) {
    std::multiset<std::string> facts;
    for (const KernelReport &kernel : report.kernels)
      for (const VariantReport &variant : kernel.variants)
        for (const LaunchReport &launch : variant.launches) {
          for (const Verdict &v : launch.verdicts)
            facts.insert(launch.symbol + " " + v.op + " " + v.location.name + " " + v.type + " " +
                         v.mechanism + " " + v.why + " " + std::to_string(v.places));
          for (const SharedTile &t : launch.shared)
            facts.insert(launch.symbol + " " + std::to_string(t.offset) + " " + t.type + " " +
                         t.location.name);
          for (const LoopReport &l : launch.loops)
            facts.insert(launch.symbol + " " + l.location.name + " " + std::to_string(l.ii));
        }
    return facts;
  }

  MLIRContext context;
  OpBuilder b;
  OwningOpRef<ModuleOp> module;
  CompileOptions options;
  CompileResult result;
};

TEST_F(ReportTest, WithoutLocationsNamesAreThoseThatMlirPrints) {
  build([&](StringRef) { return b.getUnknownLoc(); });
  const LaunchReport &launch = compileIt();
  EXPECT_EQ(text(verdict(launch, "load", 0).location), nameOf("tile.load", 0) + "@:0:0");
  EXPECT_EQ(text(verdict(launch, "load", 1).location), nameOf("tile.load", 1) + "@:0:0");
  EXPECT_EQ(text(verdict(launch, "mma").location), nameOf("tile.mma") + "@:0:0");
  EXPECT_EQ(text(verdict(launch, "store").location),
            "tile.store " + nameOf("scf.for") + ", %out[%i, %j]@:0:0");
  ASSERT_EQ(launch.loops.size(), 1u);
  EXPECT_EQ(text(launch.loops[0].location), nameOf("scf.for") + "@:0:0");
  EXPECT_NE(launch.bound.find("iteration of the loop " + nameOf("scf.for") + ":"),
            std::string::npos)
      << launch.bound;
  EXPECT_NE(result.report.toText().find("no line  load  " + nameOf("tile.load")), std::string::npos)
      << result.report.toText();
  EXPECT_NE(result.report.toSummary().find("kernel @product (no line)"), std::string::npos);
}

// The text has a location for each op. Passes cut and copy ops; the report still counts them as
// one.
TEST_F(ReportTest, ReportAndCodeAreThoseOfTheText) {
  build([&](StringRef) { return b.getUnknownLoc(); }, /*loops=*/2);
  for (const char *plan : {"auto", "#cta.plan<producers = 0, persistent = 1, stages = 4, epilogue "
                                   "= 64, pending = 1>"}) {
    options.plan = plan;
    options.variants = options.plan == "auto" ? "auto" : "aligned";
    compileIt();
    CompileResult ofText = compile(printed(), options);
    ASSERT_TRUE(ofText.ok);
    EXPECT_TRUE(result.artifact == ofText.artifact);
    EXPECT_EQ(facts(result.report), facts(ofText.report));
  }
}

TEST_F(ReportTest, OpsThatShareALocationAreToldApart) {
  build([&](StringRef) { return file("model.py", 7, 3); });
  const LaunchReport &launch = compileIt();
  EXPECT_EQ(text(verdict(launch, "load", 0).location), nameOf("tile.load", 0) + "@model.py:7:3");
  EXPECT_EQ(text(verdict(launch, "load", 1).location), nameOf("tile.load", 1) + "@model.py:7:3");
  EXPECT_EQ(launch.verdicts.size(), 4u);
  EXPECT_NE(result.report.toText().find("loop at model.py:7:"), std::string::npos);
  EXPECT_EQ(text(result.report.kernels[0].location), "@model.py:7:3");
}

// Regions number their values alike, so names alone do not tell ops apart.
TEST_F(ReportTest, OpsThatShareANameAreToldApart) {
  build([&](StringRef) { return b.getUnknownLoc(); }, /*loops=*/2);
  options.plan = "given";
  const LaunchReport &launch = compileIt();
  EXPECT_EQ(verdict(launch, "mma", 0).places, 1u);
  EXPECT_EQ(verdict(launch, "mma", 1).places, 1u);
  EXPECT_EQ(launch.verdicts.size(), 7u);
}

TEST_F(ReportTest, ANameLocIsTheName) {
  build([&](StringRef op) -> Location {
    if (op == "a")
      return named("weights", file("model.py", 11, 5));
    if (op == "b")
      return named("inputs", b.getUnknownLoc());
    if (op == "mma")
      return named("outer", named("inner", file("model.py", 12, 1)));
    if (op == "loop" || op == "store")
      return named("shared", b.getUnknownLoc());
    return b.getUnknownLoc();
  });
  const LaunchReport &launch = compileIt();
  std::set<std::string> loads = {text(verdict(launch, "load", 0).location),
                                 text(verdict(launch, "load", 1).location)};
  EXPECT_EQ(loads, std::set<std::string>({"weights@model.py:11:5", "inputs@:0:0"}));
  EXPECT_EQ(text(verdict(launch, "mma").location), "outer@model.py:12:1");
  EXPECT_EQ(text(verdict(launch, "store").location), "shared@:0:0");
  ASSERT_EQ(launch.loops.size(), 1u);
  EXPECT_EQ(text(launch.loops[0].location), "shared@:0:0");
  std::set<std::string> tiles;
  for (const SharedTile &tile : launch.shared)
    tiles.insert(text(tile.location));
  EXPECT_TRUE(tiles.count("weights@model.py:11:5"));
  EXPECT_TRUE(tiles.count("inputs@:0:0"));
}

TEST_F(ReportTest, CallsAreAChain) {
  Location inner = CallSiteLoc::get(file("layer.py", 3, 1), file("block.py", 8, 2));
  Location outer = CallSiteLoc::get(inner, named("forward", file("<source>", 20, 4)));
  build([&](StringRef op) -> Location {
    if (op == "a")
      return named("weights", outer);
    return op == "b" || op == "mma" ? outer : Location(b.getUnknownLoc());
  });
  const LaunchReport &launch = compileIt();
  const std::string chain = "@layer.py:3:1 < @block.py:8:2 < forward@:20:4";
  std::set<std::string> loads = {text(verdict(launch, "load", 0).location),
                                 text(verdict(launch, "load", 1).location)};
  EXPECT_EQ(loads, std::set<std::string>({"weights" + chain, nameOf("tile.load", 1) + chain}));
  EXPECT_EQ(text(verdict(launch, "mma").location), nameOf("tile.mma") + chain);
  EXPECT_TRUE(verdict(launch, "store").location.calledFrom.empty());
  EXPECT_NE(result.report.toText().find(", called from block.py:8, line 20"), std::string::npos)
      << result.report.toText();
  EXPECT_NE(result.report.toJson().find("\"called_from\""), std::string::npos);
  // The cache keeps all of it.
  std::optional<CompileResult> read = readResult(writeResult(result));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->report.toJson(), result.report.toJson());
}

TEST_F(ReportTest, ErrorsSayTheCallsOfNamedOps) {
  Location call = CallSiteLoc::get(file("layer.py", 3, 1), file("block.py", 8, 2));
  build([&](StringRef op) -> Location {
    if (op == "a")
      return named("weights", call);
    return op == "b" ? file("layer.py", 4, 1) : Location(b.getUnknownLoc());
  });
  options.variants = "any";
  options.require = {"tma"};
  result = compile(*module, options);
  EXPECT_FALSE(result.ok);
  std::map<unsigned, std::vector<std::string>> calls; // by the line in layer.py
  for (const CompileDiagnostic &diagnostic : result.diagnostics)
    if (diagnostic.file == "layer.py")
      for (const CompileDiagnostic &note : diagnostic.notes)
        if (note.message == "called from here")
          calls[diagnostic.line].push_back(note.file + ":" + std::to_string(note.line));
  EXPECT_EQ(calls[3], std::vector<std::string>{"block.py:8"})
      << formatDiagnostics(result.diagnostics, "");
  EXPECT_TRUE(llvm::any_of(result.diagnostics, [](const CompileDiagnostic &diagnostic) {
    return diagnostic.file == "layer.py" && diagnostic.line == 4;
  }));
  EXPECT_TRUE(calls[4].empty());
}

TEST_F(ReportTest, OfAFusedLocationThePartWithAFileCounts) {
  build([&](StringRef op) -> Location {
    if (op == "a")
      return FusedLoc::get(&context, {named("nowhere", b.getUnknownLoc()),
                                      named("somewhere", file("model.py", 4, 2))});
    if (op == "b")
      return FusedLoc::get(&context, {file("model.py", 5, 1), file("model.py", 9, 1)},
                           b.getStringAttr("of a host"));
    return b.getUnknownLoc();
  });
  const LaunchReport &launch = compileIt();
  EXPECT_EQ(text(verdict(launch, "load", 0).location), "somewhere@model.py:4:2");
  EXPECT_EQ(text(verdict(launch, "load", 1).location), nameOf("tile.load", 1) + "@model.py:5:1");
}

TEST_F(ReportTest, TheSourceItselfHasNoFileName) {
  unsigned line = 0;
  build([&](StringRef) { return file("<source>", ++line, 1); });
  const LaunchReport &launch = compileIt();
  const Verdict &load = verdict(launch, "load");
  EXPECT_EQ(load.location.file, "");
  EXPECT_GT(load.location.line, 0u);
  EXPECT_EQ(load.location.name, nameOf("tile.load"));
  options.sourceName = "model.py";
  EXPECT_EQ(verdict(compileIt(), "load").location.file, "<source>");
}

TEST_F(ReportTest, ArgumentsAreCalledWhatTheHostCallsThem) {
  build([&](StringRef) { return b.getUnknownLoc(); }, /*loops=*/1, /*second=*/"");
  compileIt();
  const std::vector<std::string> &guards = result.report.kernels[0].variants[0].guards;
  auto has = [&](const std::string &text) {
    return llvm::any_of(
        guards, [&](const std::string &guard) { return guard.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(has("base(lhs)"));
  EXPECT_TRUE(has("base(out)"));
  // One without a name is called by its position.
  EXPECT_TRUE(has("base(arg1)"));
  options.emit = Emit::Json;
  compileIt();
  for (const char *name : {"lhs", "arg1", "out"})
    EXPECT_NE(result.artifact.find("\"name\":\"" + std::string(name) + "\""), std::string::npos)
        << result.artifact;
  options.emit = Emit::Ptx;
  options.variants = "any";
  options.require = {"tma"};
  result = compile(*module, options);
  EXPECT_FALSE(result.ok);
  EXPECT_NE(formatDiagnostics(result.diagnostics, "").find("%lhs"), std::string::npos)
      << formatDiagnostics(result.diagnostics, "");
}

} // namespace
