# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that exceed a limit: limits.py FOLDER. For both targets the answer is an error with a location in
little time, or success for programs that only look too large. tile-opt knows the limits of sources as well."""

import os
import re
import resource
import subprocess
import sys

FOLDER = sys.argv[1]
os.makedirs(FOLDER, exist_ok=True)
HEAD = """tile.kernel @k(%X: memref<?xf32>, %Y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %X, %c0 : memref<?xf32>
"""
bad = []


def kernel(body="", last=0, front="", bound="%n"):
    """A kernel that copies; `body` makes %x1, %x2, … of %x0, and the last is stored."""
    return (HEAD + front + f"  tile.grid (%i) = (0) to ({bound}) step (128) {{\n"
            "    %x0 = tile.load %X[%i] : memref<?xf32> -> tensor<128xf32>\n" + body +
            f"    tile.store %x{last}, %Y[%i] : tensor<128xf32> -> memref<?xf32>\n  }}\n  tile.return\n}}\n")


def run(name, command, path, expected, prepare=None):
    try:
        done = subprocess.run(command + [path], capture_output=True, text=True, timeout=60, errors="replace",
                              stdin=subprocess.DEVNULL, preexec_fn=prepare)
    except subprocess.TimeoutExpired:
        bad.append(f"{name}: {command[0]} does not end")
        return
    first = done.stderr.split("\n")[0]
    if expected is None:
        if done.returncode != 0:
            bad.append(f"{name}: {command} refuses it: {first[:200]}")
    elif done.returncode != 1 or not re.search(r":\d+:\d+: ", first) or expected not in first:
        bad.append(f"{name}: {command} says (status {done.returncode}): {first[:300]}\n    not: {expected}")


def small_stack():
    """Of 512 KiB, which what calls itself for each op of a chain runs out of."""
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 19, 1 << 19))


def case(name, text, expected, of_text=False, prepare=None):
    path = os.path.join(FOLDER, name + ".mlir")
    with open(path, "w") as file:
        file.write(text)
    run(name, ["tilec", "--emit=ptx", "-o", "/dev/null"], path, expected, prepare)
    run(name, ["tilec", "--target=cpu", "--emit=llvm", "-o", "/dev/null"], path, expected, prepare)
    if of_text:
        run(name, ["tile-opt", "-o", "/dev/null"], path, expected)


# Limits of the source.
DEEP = "nesting is deeper than 256 levels here"
case("million-digits", kernel("    %z = arith.constant 1." + "1" * 1000000 + " : f32\n"),
     "a number or shape of 1000002 characters; at most 1000 are read", True)
case("million-digits-hex", kernel("    %z = arith.constant 0x" + "1" * 1000000 + " : f32\n"), "at most 1000 are read", True)
case("million-digits-integer", kernel("    %z = arith.constant " + "1" * 1000000 + " : i32\n"), "at most 1000 are read", True)
case("million-dimensions", "func.func private @f(tensor<" + "1x" * 1000000 + "f32>)\n", "at most 1000 are read", True)
case("deep-regions", kernel("    %t = arith.constant true\n" + "scf.if %t {\n" * 30000 + "}\n" * 30000), DEEP, True)
case("deep-types", "func.func private @f(" + "tuple<" * 100000 + "i32" + ">" * 100000 + ")\n", DEEP, True)
case("deep-attributes", "module attributes {a.b = " + "[" * 100000 + "]" * 100000 + "} {}\n", DEEP, True)
case("deep-locations", "module {} loc(" + "fused[" * 100000 + '"a"' + "]" * 100000 + ")\n", DEEP, True)
case("deep-aliases", "!t0 = tuple<i32>\n" + "".join(f"!t{i + 1} = tuple<!t{i}>\n" for i in range(100000)), DEEP, True)
case("deep-maps", "#m = affine_map<(d0) -> (" + "(" * 100000 + "d0" + ")" * 100000 + ")>\n", DEEP, True)
case("long-sum", "#m = affine_map<(d0) -> (" + "d0 + " * 100000 + "d0)>\n", "more than 1000 operators", True)
case("long-negation", "#m = affine_map<(d0) -> (" + "-" * 1000000 + "d0)>\n", "more than 1000 operators", True)

# Limits of the program.
NOTHING = "there is nothing to compile: a tile program holds at least one tile.kernel"
case("empty", "", NOTHING)
case("no-kernel", "module {}\n", NOTHING)
case("only-helpers", "func.func @f() {\n  return\n}\n", NOTHING)
case("kernel-inside", "module { module {\n" + kernel() + "} }\n", None)
case("neighbour", kernel() + 'llvm.func @f() {\n  llvm.inline_asm has_side_effects "nop", "" : () -> ()\n  llvm.return\n}\n',
     None)
case("inline-assembly", kernel('    llvm.inline_asm has_side_effects "nop", "" : () -> ()\n'),
     "'llvm.inline_asm' op is not part of the tile language")
case("module-assembly", 'module attributes {llvm.module_asm = ["nop"]} {\n' + kernel() + "}\n", "'llvm.module_asm' is not supported")

VECTOR = "tensor<128xf32>"
CALL = f"func.call @f%d(%%%s) : ({VECTOR}) -> {VECTOR}"
functions = f"func.func private @f0(%x: {VECTOR}) -> {VECTOR} {{\n  %y = arith.addf %x, %x : {VECTOR}\n  return %y : {VECTOR}\n}}\n"
for i in range(1, 25):
    functions += (f"func.func private @f{i}(%x: {VECTOR}) -> {VECTOR} {{\n  %y = {CALL % (i - 1, 'x')}\n"
                  f"  %z = {CALL % (i - 1, 'y')}\n  return %z : {VECTOR}\n}}\n")
case("24-doublings", functions + kernel(f"    %x1 = {CALL % (24, 'x0')}\n", 1),
     "calls @f24, which is 117440508 ops with all calls in it inlined")
case("8-doublings", functions + kernel(f"    %x1 = {CALL % (8, 'x0')}\n", 1), None)
# Long texts are joined: appended to one by one they would be copied each time.
chain = f"func.func private @f0(%x: {VECTOR}) -> {VECTOR} {{\n  return %x : {VECTOR}\n}}\n" + "".join(
    f"func.func private @f{i}(%x: {VECTOR}) -> {VECTOR} {{\n  %y = {CALL % (i - 1, 'x')}\n  return %y : {VECTOR}\n}}\n" for i in range(1, 10000))
case("10000-calls-in-each-other", chain + kernel(f"    %x1 = {CALL % (9999, 'x0')}\n", 1), "256 calls in each other")
# Helpers may be public.
case("public", functions.replace(" private", "") + kernel(f"    %x1 = {CALL % (3, 'x0')}\n", 1), None)


def concatenations(count):
    body = ""
    for i in range(count):
        body += (f"    %a{i} = tensor.extract_slice %x{i}[0] [64] [1] : {VECTOR} to tensor<64xf32>\n"
                 f"    %b{i} = tensor.extract_slice %x{i}[64] [64] [1] : {VECTOR} to tensor<64xf32>\n"
                 f"    %x{i + 1} = tensor.concat dim(0) %b{i}, %a{i} : (tensor<64xf32>, tensor<64xf32>) -> {VECTOR}\n")
    return kernel(body, count)


case("150-concatenations", concatenations(150), None)
case("concatenation-of-300", kernel(
    "    %m = tensor.concat dim(0) " + ", ".join(["%x0"] * 300) + " : (" + ", ".join([VECTOR] * 300) + ") -> tensor<38400xf32>\n"
    f"    %x1 = tensor.extract_slice %m[128] [128] [1] : tensor<38400xf32> to {VECTOR}\n", 1), None)
case("4000-sums", kernel("".join(f"    %x{i + 1} = arith.addf %x{i}, %x0 : {VECTOR}\n" for i in range(4000)), 4000), None)


def loops(count):
    body = carried = ""
    for i in range(count):
        carried = f"%t{i - 1}" if i else "%x0"
        body += f"    %r{i} = scf.for %q{i} = %c0 to %n step %c1 iter_args(%t{i} = {carried}) -> ({VECTOR}) {{\n"
    body += f"    %z = arith.mulf %t{count - 1}, %x0 : {VECTOR}\n"
    for i in reversed(range(count)):
        body += f"    scf.yield {'%z' if i + 1 == count else f'%r{i + 1}'} : {VECTOR}\n    }}\n"
    return kernel(body + f"    %x1 = arith.addf %r0, %x0 : {VECTOR}\n", 1)


case("12-loops", loops(12), None)
case("30-loops", loops(30), "is nested in 16 other loops, which is the limit")
views = "  %v0 = memref.subview %X[1] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: 1>>\n" + "".join(
    f"  %v{i} = memref.subview %v{i - 1}[1] [%n] [1] : memref<?xf32, strided<[1], offset: {i}>> "
    f"to memref<?xf32, strided<[1], offset: {i + 1}>>\n" for i in range(1, 10000))
case("10000-views", kernel(f"    %x1 = tile.load %v9999[%i] : memref<?xf32, strided<[1], offset: 10000>> -> {VECTOR}\n", 1, views),
     "is the last of more than 256 views of each other", prepare=small_stack)


# Limits of the launch contract.
def sums(count, second):
    front = "  %v0 = arith.addi %n, %n : index\n" + "".join(
        f"  %v{i} = arith.addi %v{i - 1}, {second % (i - 1) if '%d' in second else second} : index\n" for i in range(1, count))
    return kernel("", 0, front, f"%v{count - 1}")


case("20-doubled-bounds", sums(20, "%%v%d"), None)
case("60-doubled-bounds", sums(60, "%%v%d"), None)
STEPS = "is the end of a computation of more than 240 steps, one after the other"
case("300-doubled-bounds", sums(300, "%%v%d"), STEPS)
case("12000-sums-of-a-bound", sums(12000, "%n"), STEPS)
SUM = "    %v0 = arith.addi %i, %n : index\n" + "".join(f"    %v{i} = arith.addi %v{i - 1}, %n : index\n" for i in range(1, 12000))
case("12000-sums-of-a-coordinate", kernel(SUM + f"    %x1 = tile.load %X[%v11999] : memref<?xf32> -> {VECTOR}\n", 1), None, prepare=small_stack)
case("12000-sums-and-a-promise", kernel(
    SUM + "    %t = arith.cmpi slt, %i, %n : index\n    scf.if %t {\n      tile.assume %v0 {max = 1000} : index\n"
    f"      %x1 = tile.load %X[%v11999] : memref<?xf32> -> {VECTOR}\n"
    f"      tile.store %x1, %Y[%v11999] : {VECTOR} -> memref<?xf32>\n    }}\n"), None, prepare=small_stack)
GRID = "  tile.grid (%i) = (0) to (%n) step (128) {\n    %x = tile.load %X[%i] : memref<?xf32> -> tensor<128xf32>\n" \
       "    tile.store %x, %Y[%i] : tensor<128xf32> -> memref<?xf32>\n  }\n"


def arguments(count):
    return "tile.kernel @k(" + ", ".join(f"%a{i}: i32" for i in range(count)) + ") {\n  tile.return\n}\n"


case("1024-arguments", arguments(1024), None)
case("1025-arguments", arguments(1025), "there are 1025 arguments of a kernel; launchers read at most 1024")
case("4097-launches", HEAD + GRID * 4097 + "  tile.return\n}\n", "there are 4097 launches of a kernel; launchers read at most 4096")


def workspaces(count):
    return kernel("".join(f"    %y{i} = tile.load %w{i}[%i] : memref<?xf32> -> {VECTOR}\n"
                          f"    tile.store %y{i}, %Y[%i] : {VECTOR} -> memref<?xf32>\n" for i in range(count)), 0,
                  "".join(f"  %w{i} = memref.alloc(%n) : memref<?xf32>\n" for i in range(count)))


case("257-workspaces", workspaces(257), "there are 257 workspaces of a kernel; launchers read at most 256")
case("17-dimensions", HEAD + "  tile.grid (" + ", ".join(f"%i{d}" for d in range(17)) + ") = (" + ", ".join(["0"] * 17) + ") to (" +
     ", ".join(["%n"] * 17) + ") step (" + ", ".join(["1"] * 17) + ") {\n    %x = tile.load %X[%i16] : memref<?xf32> -> tensor<128xf32>\n"
     "    tile.store %x, %Y[%i0] limit = [%n] : tensor<128xf32> -> memref<?xf32>\n  }\n  tile.return\n}\n",
     "there are 17 dimensions of a grid; launchers read at most 16")

print("\n".join(bad) if bad else "all as expected")
sys.exit(1 if bad else 0)
