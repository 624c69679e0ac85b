// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/Syntax/SourceLimits.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace tessera::tile;

static std::string repeat(const std::string &text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

/// The text "line:column: message", or an empty one.
static std::string problemOf(const std::string &text) {
  std::optional<SourceProblem> problem = findSourceProblem(text);
  return problem ? std::to_string(problem->line) + ":" + std::to_string(problem->column) + ": " +
                       problem->message
                 : "";
}

static std::string placeOf(const std::string &text) {
  std::string problem = problemOf(text);
  return problem.substr(0, problem.find(": "));
}

TEST(SourceLimits, Nesting) {
  for (std::string pair : {"()", "[]", "{}", "<>"}) {
    auto nested = [&](size_t depth) {
      return repeat(pair.substr(0, 1), depth) + "x" + repeat(pair.substr(1), depth);
    };
    EXPECT_EQ(problemOf("a\n" + nested(kMaxNesting)), "") << pair;
    EXPECT_EQ(placeOf("a\n  " + nested(kMaxNesting + 1)), "2:259") << pair;
    // Only depth counts.
    EXPECT_EQ(problemOf(repeat(nested(2), 100000)), "") << pair;
  }
  EXPECT_NE(problemOf(repeat("scf.if %x {\n", 30000)).find("deeper than 256 levels"),
            std::string::npos);
}

TEST(SourceLimits, WhatIsNoBracket) {
  EXPECT_EQ(problemOf("\"" + repeat("{", 1000) + "\""), "");
  EXPECT_EQ(problemOf("\"\\\"" + repeat("{", 1000) + "\""), "") << "an escaped quote";
  EXPECT_EQ(problemOf("// " + repeat("{", 1000) + "\n"), "");
  EXPECT_EQ(problemOf(repeat("(i32) -> (f32)\n", 1000)), "");
  EXPECT_EQ(problemOf(repeat("affine_set<(d0) : (d0 - 1 >= 0)>\n", 1000)), "");
  EXPECT_EQ(problemOf(repeat("(a < b)\n", 1000)), "") << "ends with the bracket around it";
  EXPECT_EQ(problemOf("(" + repeat("a <= b, ", 1000) + "a <= b)"), "");
  EXPECT_EQ(problemOf(repeat(">", 1000) + repeat(")", 1000) + repeat("}", 1000)), "");
  EXPECT_EQ(problemOf(repeat("\"unterminated {\n", 1000)), "") << "ends with its line";
  EXPECT_EQ(problemOf(std::string(1000, '\0') + "\xff\xfe"), "");
}

// MLIR's parser makes room for all results up to the number, which ended the process.
TEST(SourceLimits, ResultNumbers) {
  EXPECT_EQ(problemOf("return %r#0, %r#65535"), "");
  EXPECT_EQ(problemOf("return %r#0,\n  %r#65536"),
            "2:5: result number 65536 of a value; an op has at most 65536 results");
  EXPECT_EQ(placeOf("%r#2147483648"), "1:3");
  EXPECT_EQ(placeOf("%r#" + repeat("9", 100)), "1:3");
  EXPECT_EQ(problemOf("%r#1_000"), "") << "no number, of which the parser knows";
  EXPECT_EQ(problemOf("#"), "");
}

TEST(SourceLimits, Numbers) {
  for (std::string head : {"", "1.", "0x", "1.0e"}) {
    EXPECT_EQ(problemOf(head + repeat("9", kMaxNumberLength - head.size())), "");
    EXPECT_EQ(placeOf("x = \n " + head + repeat("9", 1000000)), "2:2") << head;
  }
  EXPECT_EQ(placeOf("tensor<" + repeat("1x", 501) + "f32>"), "1:8") << "a shape";
  EXPECT_EQ(placeOf("memref<" + repeat("?x", 501) + "f32>"), "1:8");
  EXPECT_EQ(problemOf("@" + repeat("a", 100000)), "") << "names may be long";
  EXPECT_EQ(problemOf("dense<\"0x" + repeat("0", 100000) + "\">"), "") << "so may data";
}

TEST(SourceLimits, Operators) {
  EXPECT_EQ(problemOf("(" + repeat("d0 + ", kMaxOperators) + "1)"), "");
  for (std::string op : {" + ", " - ", " * ", " mod ", " floordiv ", " ceildiv "})
    EXPECT_NE(problemOf("(" + repeat("d0" + op, kMaxOperators + 1) + "1)"), "") << op;
  EXPECT_NE(problemOf(repeat("-", 1000000)), "");
  EXPECT_EQ(problemOf("[" + repeat("-1, ", 100000) + "]"), "");
  EXPECT_EQ(problemOf(repeat("%x = arith.constant -1 : i32\n", 100000)), "");
  EXPECT_EQ(problemOf("scf.index_switch %i\n" + repeat("case -1 {\n}\n", 10000)), "");
}

TEST(SourceLimits, Aliases) {
  auto chain = [](unsigned depth, const std::string &body) {
    std::string text = "!t0 = tuple<i32>\n";
    for (unsigned i = 1; i < depth; ++i)
      text += "!t" + std::to_string(i) + " = " + body + "\n";
    for (size_t at; (at = text.find("@")) != std::string::npos;) {
      size_t line = text.rfind('\n', at) + 1;
      unsigned number = std::stoul(text.substr(line + 2));
      text.replace(at, 1, "!t" + std::to_string(number - 1));
    }
    return text;
  };
  EXPECT_EQ(problemOf(chain(kMaxNesting, "tuple<@>")), "");
  EXPECT_EQ(placeOf(chain(kMaxNesting + 1, "tuple<@>")), "257:15");
  // With the aliases written out the line has 2^40 words.
  EXPECT_NE(problemOf(chain(40, "tuple<@, @>")).find("stands for more than"), std::string::npos);
  // The nesting of what comes after a definition is not part of it.
  EXPECT_EQ(problemOf("#m = unit\nmodule {\n" + repeat("{ #m ", 200) + repeat("}", 200) + "\n}"),
            "");
  EXPECT_EQ(problemOf(repeat("#tile.order<group = 1> !cta.smem<4xf32> ", 1000)), "");
}

/// Modules that were not parsed from text.
TEST(SourceLimits, OperandsThatRegionsDefine) {
  EXPECT_EQ(problemOf("scf.if %c {\n  %c = arith.constant true\n}"),
            "2:3: %c is defined here, in a region of an operation that has it as an operand: "
            "define it before that operation");
  EXPECT_EQ(placeOf("%r:2 = scf.if\n  %c -> (i1) {\n} else { %a, %c:3 = x.y\n}"), "3:14");
  EXPECT_EQ(placeOf("scf.if %c {\n scf.if %d { %c = x.y }}"), "2:14") << "further inside";
  EXPECT_EQ(placeOf("scf.while (%a = %b) : (i1) -> i1 {\n} do {\n^bb0(%i: i1, %b: i1):\n}"),
            "3:14");
  EXPECT_EQ(placeOf("scf.if %c {}\nscf.if %c { %c = x.y }"), "2:13");
  EXPECT_EQ(placeOf("\"scf.if\"(%c) ({ %c = x.y })"), "1:17");
  EXPECT_EQ(placeOf("scf.index_switch %c case 1 {\n} default { %c = x.y\n}"), "2:13");

  EXPECT_EQ(problemOf("%c = x.y\nscf.if %c { %d = x.y %c }\n%e = x.y"), "");
  EXPECT_EQ(problemOf("%d = scf.if %c { %e = x.y %f }\n"), "");
  EXPECT_EQ(problemOf("scf.if %c { x.y %a, %b\n %a2 = x.y }\nx.k(%a: i1) { %c = x.y }"), "");
  EXPECT_EQ(problemOf("scf.if %c { %a = x.y }\nscf.if %a { %b = x.y }"), "");
  EXPECT_EQ(problemOf("scf.for %i = %a to %b iter_args(%s = %z) -> (i1) { %t = x.y %s }"), "");
  EXPECT_EQ(problemOf("scf.while (%t = %i) : (i1) -> i1 { x.y %t } do {\n^bb0(%t: i1): }"), "");
  EXPECT_EQ(problemOf("scf.for %i = (0) to (%a, 4) {\n %b = x.y }"), "");
  EXPECT_EQ(problemOf("scf.if %c { x.y {\n cf.br ^b(%c : i1)\n^b(%d: i1): } }"), "");
  EXPECT_EQ(problemOf("scf.if \"%c\" { // %c = \n }"), "");
  // The parser reports what looks up its operands after its regions.
  EXPECT_EQ(problemOf("tile.grid (%i) = (0) to (%n) step (1) { %n = x.y }"), "");
  // As many regions as operands.
  EXPECT_EQ(
      problemOf("scf.y " + repeat("%a, ", 100000) + "%a {\n" + repeat("%b = x.y {}\n", 100000)),
      "");
}

TEST(SourceLimits, EmptyGroups) {
  EXPECT_EQ(problemOf("%a = tensor.expand_shape %b [[0],\n [ ]]"),
            "2:4: a group of dimensions of tensor.expand_shape is empty: each stands for at least "
            "one dimension");
  EXPECT_EQ(placeOf("memref.collapse_shape %b [[], [0]]"), "1:28");
  EXPECT_EQ(placeOf("\"tensor.expand_shape\"(%b) <{reassociation = [[]]}>"), "1:47");
  EXPECT_EQ(problemOf("tensor.expand_shape %b [] output_shape [1, 1]"), "");
  EXPECT_EQ(problemOf("tensor.collapse_shape %b [[0, 1]] : tensor<1x1xi1> into tensor<1xi1>"), "");
  EXPECT_EQ(problemOf("x.y {a = [[]]}"), "");
}

TEST(SourceLimits, Modules) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string said;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    said += diagnostic.str() + "\n";
    return mlir::success();
  });
  mlir::OpBuilder b(&context);
  auto nest = [&](unsigned depth) {
    mlir::OwningOpRef<mlir::ModuleOp> root(mlir::ModuleOp::create(b.getUnknownLoc()));
    mlir::ModuleOp inner = *root;
    for (unsigned i = 0; i < depth; ++i) {
      b.setInsertionPointToStart(inner.getBody());
      inner = mlir::ModuleOp::create(b, b.getUnknownLoc());
    }
    return root;
  };
  EXPECT_TRUE(succeeded(checkNesting(*nest(kMaxNesting))));
  EXPECT_TRUE(failed(checkNesting(*nest(kMaxNesting + 1))));
  EXPECT_NE(said.find("regions are nested deeper than 256 levels"), std::string::npos) << said;

  mlir::OwningOpRef<mlir::ModuleOp> module(mlir::ModuleOp::create(b.getUnknownLoc()));
  mlir::Attribute attr = b.getUnitAttr();
  for (unsigned i = 0; i < 100; ++i)
    attr = b.getArrayAttr({attr, attr});
  (*module)->setAttr("a.b", attr);
  EXPECT_TRUE(succeeded(checkNesting(*module))) << "shared parts are looked at once";
  for (unsigned i = 0; i < 100000; ++i)
    attr = b.getArrayAttr({attr});
  (*module)->setAttr("a.b", attr);
  EXPECT_TRUE(failed(checkNesting(*module)));
  EXPECT_NE(said.find("attributes are nested"), std::string::npos) << said;
}
