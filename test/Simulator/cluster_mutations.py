# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes of Inputs/cluster-ring.mlir and cluster-rest.mlir that break the protocol between the blocks of a cluster; mutate.py applies them."""

AWAIT = "          cta.await 0[%s] parity %p\n"
FREE = "            cta.await 3[%s] parity %free\n"
ARRIVE = "          cta.arrive 3[%s] {cluster = 2}\n"
ALONE = "          cta.arrive 3[%s]\n"
EXPECT = "            cta.expect 0[%s] bytes = 32768\n"
COPY_A = "            %a = cta.copy %A[%i, %k] into %ta[%s] {mechanism = #tma, mbarrier = 0} : memref<?x?xbf16> -> !tile\n"
COPY_B = "            %b = cta.copy %B[%k, %j] into %tb[%s] {mechanism = #tma, mbarrier = 0, multicast = 2} : memref<?x?xbf16> -> !tileB\n"
COUNTS = "1, 1, 1, 4, 4, 4>"
MATH_LOOP = "scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero"
PRODUCER_LOOP = "scf.for %k = %c0 to %K step %c64 iter_args(%s = %slot"
POINTS = "scf.for %t = %cluster to %points step %step"
RANK = "    %rank = arith.remui %id, %c2 : index\n"
# One iteration, or output tile, less in the second block of a cluster.
SHORT = RANK + "    %less = arith.muli %rank, %c64 : index\n    %short = arith.subi %K, %less : index\n"
FEWER = "    %step = arith.divui %n, %c2 : index\n    %fewer = arith.subi %points, %rank : index\n"
STEP = "    %step = arith.divui %n, %c2 : index\n"


def in_first(text, other=""):
    """The line only in the first block of a cluster; another line in the second."""
    indent = text[:len(text) - len(text.lstrip())]
    otherwise = f" else {{\n  {other}{indent}}}" if other else ""
    return f"{indent}%first = arith.cmpi eq, %rank, %c0 : index\n{indent}scf.if %first {{\n  {text}{indent}}}{otherwise}\n"


# what it changes, name, part of an error, edits
CLUSTER = [
    # Slots are given back to all blocks that write to them.
    ("release", "slots are given back to the own block only, and counted so", "overwrites", (ARRIVE, ALONE), (COUNTS, "1, 1, 1, 2, 2, 2>")),
    ("release", "slots are given back to the own block only", "deadlock", (ARRIVE, ALONE)),
    ("release", "one block gives back slots to itself only", "deadlock", (ARRIVE, in_first(ARRIVE, ALONE))),
    ("release", "one block gives no slot back", "", (ARRIVE, in_first(ARRIVE))),
    ("release", "the count is that of one block", "", (COUNTS, "1, 1, 1, 2, 2, 2>")),
    ("release", "the count is one short", "", (COUNTS, "1, 1, 1, 3, 3, 3>")),
    ("release", "the count is one over", "deadlock", (COUNTS, "1, 1, 1, 5, 5, 5>")),
    ("release", "the count is that of four blocks", "deadlock", (COUNTS, "1, 1, 1, 8, 8, 8>")),
    ("release", "the count of one slot is short", "", (COUNTS, "1, 1, 1, 4, 4, 2>")),
    ("release", "every warp arrives in every block", "one arrival too many", ("{cluster = 2}", "per_warp {cluster = 2}")),
    ("release", "slots are given back before the product", "reads slot", (ARRIVE, ""), (AWAIT, AWAIT + ARRIVE)),
    ("release", "slots are given back twice", "does not hold", (ARRIVE, ARRIVE + ARRIVE)),
    ("release", "one block gives the next slot back", "", (ARRIVE, "          %by = arith.index_cast %rank : index to i32\n          %r1 = arith.addi %s, %by : i32\n"
     "          %r = arith.remui %r1, %depth : i32\n          cta.arrive 3[%r] {cluster = 2}\n")),
    ("release", "the slot of a tile's first iteration is kept", "", (ARRIVE, "          %later = arith.cmpi ne, %k, %c0 : index\n          scf.if %later {\n" + "  " + ARRIVE + "          }\n")),
    # A copy writes to the slots of other blocks.
    ("multicast", "one block does not wait for free slots", "", (FREE, in_first(FREE))),
    ("multicast", "no block waits for free slots", "", (FREE, "")),
    ("multicast", "one block waits with the other parity", "", (FREE, "            %flipped = arith.index_cast %rank : index to i32\n"
     "            %wrong = arith.xori %free, %flipped : i32\n            cta.await 3[%s] parity %wrong\n")),
    ("multicast", "one block fills the next slot", "", ("cta.slot %rb[%s] : !cta.ring<3, !tileB>\n            %b = cta.copy %B[%k, %j] into %tb[%s]",
     "cta.slot %rb[%there] : !cta.ring<3, !tileB>\n            %b = cta.copy %B[%k, %j] into %tb[%there]"),
     ("            %tb = ", "            %by = arith.index_cast %rank : index to i32\n            %sum = arith.addi %s, %by : i32\n            %there = arith.remui %sum, %depth : i32\n            %tb = ")),
    ("multicast", "one block copies for itself only", "", (COPY_B, in_first(COPY_B, COPY_B.replace(", multicast = 2", "")))),
    ("multicast", "one block fetches its part twice", "", (COPY_B, COPY_B + in_first(COPY_B.replace("%b =", "%b2 =")))),
    ("multicast", "one block does not fetch its part", "deadlock", (COPY_B, in_first(COPY_B))),
    ("multicast", "tiles that the blocks do not share are dealt out, too", "different tiles", (COPY_A, COPY_A.replace("mbarrier = 0", "mbarrier = 0, multicast = 2"))),
    ("multicast", "the blocks fetch parts of different columns", "different tiles", ("into %tb[%s]", "into %tb[%s]"), ("%B[%k, %j]", "%B[%k, %jr]"),
     ("            %tb = ", "            %right = arith.muli %rank, %c128 : index\n            %jr = arith.addi %j, %right : index\n            %tb = ")),
    ("multicast", "the blocks fetch parts of different iterations", "different tiles", ("%B[%k, %j]", "%B[%kr, %j]"),
     ("            %tb = ", "            %further = arith.muli %rank, %c64 : index\n            %kr = arith.addi %k, %further : index\n            %tb = ")),
    ("multicast", "one block reads without waiting for the parts", "filled", (AWAIT, in_first(AWAIT))),
    ("multicast", "the staged tile lies over a slot that others may fill", "", ("{offset = 98304}", "{offset = 65536}")),
    # Each block announces the bytes of all parts for itself.
    ("bytes", "only the own part is announced", "", ("bytes = 32768", "bytes = 24576")),
    ("bytes", "only the own tile is announced", "", ("bytes = 32768", "bytes = 16384")),
    ("bytes", "the parts are announced as if each were whole", "deadlock", ("bytes = 32768", "bytes = 49152")),
    ("bytes", "one block announces for both", "", (EXPECT, in_first(EXPECT.replace("32768", "65536")))),
    ("bytes", "one block announces nothing", "", (EXPECT, in_first(EXPECT))),
    # The blocks of a cluster do the same, and as often.
    ("trips", "one producer makes one iteration less", "", (RANK, SHORT), (PRODUCER_LOOP, PRODUCER_LOOP.replace("%K", "%short"))),
    ("trips", "one block makes one iteration less", "", (RANK, SHORT), (PRODUCER_LOOP, PRODUCER_LOOP.replace("%K", "%short")), (MATH_LOOP, MATH_LOOP.replace("%K", "%short"))),
    ("trips", "one block's consumers make one iteration less", "", (RANK, SHORT), (MATH_LOOP, MATH_LOOP.replace("%K", "%short"))),
    ("trips", "one block takes one point less", "", (STEP, FEWER), (POINTS, POINTS.replace("%points", "%fewer"), "all")),
    ("trips", "one producer takes one point less", "", (STEP, FEWER), (POINTS, POINTS.replace("%points", "%fewer"), 1)),
    ("trips", "points are dealt out to blocks", "", (POINTS, "scf.for %t = %id to %points step %n", "all")),
    ("trips", "points are dealt out to producers of blocks", "", (POINTS, "scf.for %t = %id to %points step %n", 1)),
    # The launch.
    ("launch", "no clusters", "the launch has cluster = 1", ("cluster = 2, threads", "threads")),
    ("launch", "larger clusters", "the launch has cluster = 4", ("cluster = 2, threads", "cluster = 4, threads"),
     ("%ctas = arith.muli %clusters, %c2", "%four = arith.constant 4 : index\n  %ctas = arith.muli %clusters, %four")),
    ("launch", "an odd number of blocks", "no multiple of the cluster size", ("%ctas = arith.muli %clusters, %c2", "%ctas = arith.muli %clusters, %cores")),
]

# Changes that break nothing.
RIGHT = [
    ("each block fetches all of B for itself", (COPY_B, COPY_B.replace(", multicast = 2", ""))),
    ("each block fetches all of B for itself, slots are its own", (COPY_B, COPY_B.replace(", multicast = 2", "")), (ARRIVE, ALONE), (COUNTS, "1, 1, 1, 2, 2, 2>")),
    ("bytes are announced behind the copies", (EXPECT, ""), (COPY_B, COPY_B + EXPECT)),
    ("one block copies before it announces, the other behind", (EXPECT, in_first(EXPECT)), (COPY_B, COPY_B + "            %second = arith.cmpi ne, %rank, %c0 : index\n            scf.if %second {\n" + EXPECT + "            }\n")),
    ("every warp releases, and the count says so", ("{cluster = 2}", "per_warp {cluster = 2}"), (COUNTS, "1, 1, 1, 16, 16, 16>")),
]

# Of cluster-rest.mlir.
IF_A, IF_B = "%A[%i, %k] multicast_if = %others", "%B[%k, %j] multicast_if = %full"
OTHERS = "          %others = arith.xori %full, %true : i1\n"
FIRST = "          %first = arith.cmpi eq, %rank, %c0 : index\n"


def other(condition, first=""):
    """Another condition, after that of the producer and what it needs first."""
    return OTHERS, f"{OTHERS}{first}          %other = {condition}\n"


REST = [
    ("condition", "B is shared where its columns are not the same", "different tiles", (IF_B, IF_B.replace("%full", "%others"))),
    ("condition", "A is shared where its rows are not the same", "different tiles", (IF_A, IF_A.replace("%others", "%full"))),
    ("condition", "the conditions are each other's", "different tiles", (IF_B, IF_B.replace("%full", "%others")), (IF_A, IF_A.replace("%others", "%full"))),
    ("condition", "B is always shared", "different tiles", (IF_B, IF_B.replace(" multicast_if = %full", ""))),
    ("condition", "A is always shared", "different tiles", (IF_A, IF_A.replace(" multicast_if = %others", ""))),
    ("condition", "one point too many is shared", "different tiles", other("arith.cmpi ule, %t, %numFull : index"), (IF_B, IF_B.replace("%full", "%other"))),
    ("condition", "only one block shares its part of B", "", other("arith.andi %full, %first : i1", FIRST), (IF_B, IF_B.replace("%full", "%other"))),
    ("condition", "only one block shares its part of A", "", other("arith.andi %others, %first : i1", FIRST), (IF_A, IF_A.replace("%others", "%other"))),
    ("condition", "one block shares its part of what is not shared", "", other("arith.ori %full, %first : i1", FIRST), (IF_B, IF_B.replace("%full", "%other"))),
    ("condition", "each block takes its row for the number of the cluster", "", other("arith.cmpi ult, %own, %numFull : index", "          %own = arith.addi %t, %rank : index\n"),
     (IF_B, IF_B.replace("%full", "%other"))),
    ("bytes", "only the own parts are announced", "", ("bytes = 32768", "bytes = 24576")),
    ("release", "slots are given back to the own block only where A is shared", "deadlock", (ARRIVE, f"          scf.if %full {{\n  {ARRIVE}          }} else {{\n  {ALONE}          }}\n")),
    ("release", "slots are given back to the own block only where B is shared", "deadlock", (ARRIVE, f"          scf.if %full {{\n  {ALONE}          }} else {{\n  {ARRIVE}          }}\n")),
]

REST_RIGHT = [
    ("nothing is shared", (OTHERS, OTHERS + "          %none = arith.constant false\n"), (IF_A, IF_A.replace("%others", "%none")), (IF_B, IF_B.replace("%full", "%none"))),
    ("B is never shared", (IF_B, "%B[%k, %j]"), ("mbarrier = 0, multicast = 2} : memref<?x?xbf16> -> !tileB", "mbarrier = 0} : memref<?x?xbf16> -> !tileB")),
    ("B is shared by the first of the full clusters only", other("arith.andi %full, %begins : i1", "          %begins = arith.cmpi eq, %t, %c0 : index\n"),
     (IF_B, IF_B.replace("%full", "%other"))),
]
