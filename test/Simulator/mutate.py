# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutation tests of cta-simulate: protocols that are right must be clean, each change below (and in cluster_mutations.py and stream_k_mutations.py)
must be caught.

    python3 mutate.py tile-opt Inputs/ SYNC.mlir PENDING.mlir PINGPONG.mlir USES.mlir

SYNC.mlir is a GEMM with TMA as the synchronous pipeline allocates it, PENDING.mlir one with a product in flight over the back edge, PINGPONG.mlir one
whose warpgroups take turns, USES.mlir the backward pass of attention with products that are awaited where their results are needed. A mutation is a list of replacements in the text; each must apply exactly as
often as it says. The mutated text must be legal IR, so that what catches it is the simulator; `expect` is a part of what it says.
"""
import os
import re
import subprocess
import sys
from collections import Counter

from cluster_mutations import CLUSTER as CLUSTER_MUTATIONS, REST as REST_MUTATIONS, REST_RIGHT, RIGHT
from stream_k_mutations import STREAM_K as STREAM_K_MUTATIONS, STREAM_K_RIGHT

TILE_OPT, INPUTS, SYNC, PENDING, PINGPONG, USES = sys.argv[1:7]
TIMINGS = 24

RING = os.path.join(INPUTS, "gemm-ring.mlir")
CHANNELS = os.path.join(INPUTS, "two-channels.mlir")
CLUSTER = os.path.join(INPUTS, "cluster-ring.mlir")
REST = os.path.join(INPUTS, "cluster-rest.mlir")
STREAM_K = os.path.join(INPUTS, "stream-k.mlir")
SIZES = {
    RING: ["M=500,N=300,K=640", "M=300,N=200,K=64"],
    CHANNELS: ["S=500,T=640,D=64", "S=200,T=64,D=64", "S=500,T=0,D=64"],
    CLUSTER: ["M=500,N=300,K=640", "M=300,N=200,K=64", "M=100,N=400,K=192"],
    # Two rows and one, which has pairs of columns and a last one alone; one row only; no remainder.
    REST: ["M=300,N=300,K=640", "M=300,N=500,K=64", "M=100,N=400,K=192", "M=256,N=300,K=192"],
    # On four blocks: three output tiles, one, as many as blocks, and two more; more iterations than a share has, no multiple of them.
    STREAM_K: [f"M={128 * points},N=128,K={64 * trips} cores=4" for points, trips in ((3, 10), (1, 9), (4, 10), (6, 7), (1, 0))],
    SYNC: ["M=300,N=520,K=200"],
    PINGPONG: ["M=700,N=520,K=640", "M=700,N=520,K=128", "M=700,N=520,K=0"],
    PENDING: ["M=300,N=520,K=640", "M=300,N=520,K=64", "M=300,N=520,K=0"],
    USES: ["B=1,H=2,G=1,S=200,T=300", "B=1,H=2,G=1,S=64,T=300"],
}


class Mutation:
    def __init__(self, file, kind, name, expect, *edits):
        """edits: (old, new) or (old, new, which), which = number of the occurrence, or "all"; (pattern, new): its first match."""
        self.file, self.kind, self.name, self.expect, self.edits = file, kind, name, expect, edits

    def apply(self, text):
        for edit in self.edits:
            old, new, which = (*edit, 0)[:3]
            if isinstance(old, re.Pattern):
                text, count = old.subn(new, text, 1)
                assert count, f"{self.name}: no match in {self.file}"
                continue
            count = text.count(old)
            assert count, f"{self.name}: '{old}' is not in {self.file}"
            if which == "all":
                text = text.replace(old, new)
                continue
            at = -1
            for _ in range(which + 1):
                at = text.find(old, at + 1)
                assert at >= 0, f"{self.name}: '{old}' is there {count} times only"
            text = text[:at] + new + text[at + len(old):]
        return text


def ring(kind, name, expect, *edits):
    return Mutation(RING, kind, name, expect, *edits)


def channels(kind, name, expect, *edits):
    return Mutation(CHANNELS, kind, name, expect, *edits)


def sync(kind, name, expect, *edits):
    return Mutation(SYNC, kind, name, expect, *edits)


def pingpong(kind, name, expect, *edits):
    return Mutation(PINGPONG, kind, name, expect, *edits)


ARRIVE = "          cta.arrive 3[%s]\n"
EXPECT = "            cta.expect 0[%s] bytes = 32768\n"
COPY_B = "            %b = cta.copy %B[%k, %j] into %tb[%s] {mechanism = #tma, mbarrier = 0} : memref<?x?xbf16> -> !tileB\n"
NEXT = "arith.select %wraps, %s0, %s1 : i32"
PARITY = "%parity = arith.xori %p, %flip : i32"
OUTER = """          cta.await 1[%i0] parity %qfree
          cta.expect 0[%i0] bytes = 8192
          %tq = cta.slot %rq[%i0] : !cta.ring<1, !q>
          %q = cta.copy %Q[%i, %c0] into %tq[%i0] {mechanism = #tma, mbarrier = 0} : memref<?x?xbf16> -> !q
"""
WAIT = "          %dw = cta.wgmma_wait(%d) pending = 0 : !cta.async<!s>\n"
DONE = "          %done = cta.complete %dw : !cta.async<!s>\n"
COUNTS = "array<i64: 1, 1, 1, 2, 2, 2>"


def inverted(name, behind="", op="xori", with_=1):
    """The first await of a full slot, or the last, has the parity `op` of what it had."""
    new = rf"\2{name}_one = arith.constant {with_} : i32\n\2{name} = arith.{op} \4, {name}_one : i32\n"
    return re.compile(rf"({behind})( *)(cta\.await 0\[%\w+\] parity )(%\w+)"), rf"\1{new}\2\3{name}"

MUTATIONS = [
    # The ring: waits.
    ring("await", "consumer does not wait", "nobody has filled", ("          cta.await 0[%s] parity %p\n", "")),
    ring("await", "producer does not wait", "one arrival too many", ("            cta.await 3[%s] parity %free\n", "")),
    ring("await", "consumer waits for the wrong slot", "", ("          cta.await 0[%s] parity %p\n",
         "          %w1 = arith.addi %s, %one : i32\n          %w2 = arith.remui %w1, %depth : i32\n          cta.await 0[%w2] parity %p\n")),
    ring("await", "consumer waits for empty instead of full", "", ("cta.await 0[%s]", "cta.await 3[%s]")),
    ring("await", "producer waits for full instead of empty", "", ("cta.await 3[%s]", "cta.await 0[%s]")),
    ring("await", "consumer waits after the product", "nobody has filled", ("          cta.await 0[%s] parity %p\n", ""),
         (ARRIVE, "          cta.await 0[%s] parity %p\n" + ARRIVE)),
    ring("await", "consumer reads after the loop what it has released", "reads slot",
         ("        %o = arith.truncf", "        %late = cta.slot %ra[%s0] : !cta.ring<3, !tile>\n"
          "        %old = cta.read %late : !tile -> tensor<128x64xbf16, #cta.frag<wgmma_acc, wg = 2>>\n        %o = arith.truncf")),
    ring("await", "producer waits behind the copies", "", ("            cta.await 3[%s] parity %free\n", ""),
         (COPY_B, COPY_B + "            cta.await 3[%s] parity %free\n")),
    # Parities.
    ring("parity", "consumer begins with parity 1", "passes too early", ("iter_args(%slot = %s0, %phase = %s0)", "iter_args(%slot = %s0, %phase = %one)", 0)),
    ring("parity", "producer begins with parity 0", "", ("iter_args(%slot = %s0, %phase = %s0)", "iter_args(%slot = %s0, %phase = %one)", 1)),
    ring("parity", "consumer never flips", "passes too early", (PARITY, "%parity = arith.ori %p, %p : i32", 0)),
    ring("parity", "producer never flips", "passes too early", (PARITY, "%parity = arith.ori %p, %p : i32", 1)),
    ring("parity", "consumer flips each iteration", "", (PARITY, "%parity = arith.xori %p, %one : i32", 0)),
    ring("parity", "producer flips each iteration", "", (PARITY, "%parity = arith.xori %p, %one : i32", 1)),
    ring("parity", "producer waits with the consumer's parity", "deadlock", ("parity %free", "parity %p")),
    ring("parity", "consumer waits with the producer's parity", "passes too early", ("          cta.await 0[%s] parity %p",
         "          %np = arith.xori %p, %one : i32\n          cta.await 0[%s] parity %np")),
    ring("parity", "consumer forgets its phase between tiles", "", ("scf.yield %x#1, %x#2 : i32, i32", "scf.yield %x#1, %s0 : i32, i32")),
    ring("parity", "producer forgets its phase between tiles", "", ("scf.yield %x#0, %x#1 : i32, i32", "scf.yield %x#0, %s0 : i32, i32")),
    # Slots.
    ring("slot", "consumer's slot does not advance", "", (NEXT, "arith.select %wraps, %s0, %s0 : i32", 0)),
    ring("slot", "producer's slot does not advance", "", (NEXT, "arith.select %wraps, %s0, %s0 : i32", 1)),
    ring("slot", "consumer starts tiles at slot 0", "", ("scf.yield %x#1, %x#2 : i32, i32", "scf.yield %s0, %x#2 : i32, i32")),
    ring("slot", "producer starts tiles at slot 0", "", ("scf.yield %x#0, %x#1 : i32, i32", "scf.yield %s0, %x#1 : i32, i32")),
    ring("slot", "producer's ring has depth 2", "", ("%depth = arith.constant 3 : i32", "%depth = arith.constant 2 : i32", 1)),
    ring("slot", "consumer's ring has depth 2", "", ("%depth = arith.constant 3 : i32", "%depth = arith.constant 2 : i32", 0)),
    ring("slot", "both sides use a slot beyond the ring", "beyond the depth", ("%depth = arith.constant 3 : i32", "%depth = arith.constant 4 : i32", "all")),
    ring("slot", "product reads slot 0 of A always", "slot 0", ("cta.slot %ra[%s]", "cta.slot %ra[%s0]", 0)),
    ring("slot", "copy of A goes to slot 0 always", "", ("cta.slot %ra[%s]", "cta.slot %ra[%s0]", 1)),
    ring("slot", "copy of B arrives on the next slot's mbarrier", "", ("into %tb[%s]", "into %tb[%next]"),
         ("            %tb = cta.slot", "            %n1 = arith.addi %s, %one : i32\n            %next = arith.remui %n1, %depth : i32\n            %tb = cta.slot"),
         ("            %next = arith.select %wraps, %s0, %s1 : i32", "            %nextt = arith.select %wraps, %s0, %s1 : i32", 0),
         ("scf.yield %next, %parity : i32, i32", "scf.yield %nextt, %parity : i32, i32")),
    # Arrivals.
    ring("arrive", "consumer does not release", "", (ARRIVE, "")),
    ring("arrive", "consumer releases before the product", "reads slot", (ARRIVE, ""),
         ("          %a = cta.slot %ra[%s] : !cta.ring<3, !tile>\n", ARRIVE + "          %a = cta.slot %ra[%s] : !cta.ring<3, !tile>\n", 0)),
    ring("arrive", "consumer releases twice", "does not hold", (ARRIVE, ARRIVE + ARRIVE)),
    ring("arrive", "consumer releases the next slot", "", (ARRIVE, "          %r1 = arith.addi %s, %one : i32\n          %r = arith.remui %r1, %depth : i32\n          cta.arrive 3[%r]\n")),
    ring("arrive", "consumer arrives on the full mbarrier", "", (ARRIVE, "          cta.arrive 0[%s]\n")),
    ring("arrive", "every warp arrives, the count is that of warpgroups", "", ("cta.arrive 3[%s]", "cta.arrive 3[%s] per_warp")),
    ring("arrive", "empty counts one warpgroup of two", "", (COUNTS, "array<i64: 1, 1, 1, 1, 1, 1>")),
    ring("arrive", "empty counts three warpgroups of two", "", (COUNTS, "array<i64: 1, 1, 1, 3, 3, 3>")),
    ring("arrive", "full counts two arrivals of one", "deadlock", (COUNTS, "array<i64: 2, 2, 2, 2, 2, 2>")),
    ring("arrive", "empty of one slot counts wrong", "", (COUNTS, "array<i64: 1, 1, 1, 2, 2, 3>")),
    ring("arrive", "one tile less is released", "", (ARRIVE, "          %first = arith.cmpi ne, %k, %c0 : index\n          scf.if %first {\n            cta.arrive 3[%s]\n          }\n")),
    # Bytes.
    ring("bytes", "short expect: A only", "", ("bytes = 32768", "bytes = 16384")),
    ring("bytes", "expect one byte short", "", ("bytes = 32768", "bytes = 32767")),
    ring("bytes", "long expect", "deadlock", ("bytes = 32768", "bytes = 32769")),
    ring("bytes", "no expect", "", (EXPECT, "")),
    ring("bytes", "expect twice", "", (EXPECT, EXPECT + EXPECT)),
    ring("bytes", "expect behind the first copy's wait only", "", (EXPECT, ""), ("            %s1 = arith.addi %s, %one : i32\n", EXPECT.replace("32768", "16384") + "            %s1 = arith.addi %s, %one : i32\n", 0)),
    ring("bytes", "one copy less than expected", "deadlock", (COPY_B, "")),
    ring("bytes", "one copy twice", "", (COPY_B, COPY_B + COPY_B.replace("%b =", "%b2 ="))),
    ring("bytes", "expect on the next slot", "", (EXPECT, "            %n1 = arith.addi %s, %one : i32\n            %n2 = arith.remui %n1, %depth : i32\n            cta.expect 0[%n2] bytes = 32768\n")),
    # Trip counts.
    ring("count", "producer makes one iteration more", "", ("scf.for %k = %c0 to %K step %c64 iter_args(%s = %slot, %p = %phase)", "scf.for %k = %c0 to %K2 step %c64 iter_args(%s = %slot, %p = %phase)"),
         ("          %x:2 = scf.for", "          %K2 = arith.addi %K, %c64 : index\n          %x:2 = scf.for")),
    ring("count", "consumer makes one iteration more", "", ("scf.for %k = %c0 to %K step %c64 iter_args(%c = %zero", "scf.for %k = %c0 to %K2 step %c64 iter_args(%c = %zero"),
         ("        %x:3 = scf.for", "        %K2 = arith.addi %K, %c64 : index\n        %x:3 = scf.for")),
    ring("count", "producer makes one tile less", "deadlock", ("        %end:2 = scf.for %t = %id to %blocks step %n", "        %last = arith.subi %blocks, %n : index\n        %end:2 = scf.for %t = %id to %last step %n")),
    # The epilogue.
    ring("epilogue", "no fence before the store", "cta.fence_async", ("        cta.fence_async\n", "")),
    ring("epilogue", "fence of global memory instead", "cta.fence_async", ("cta.fence_async\n", "cta.fence_async global\n")),
    ring("epilogue", "fence behind the barrier", "cta.fence_async", ("        cta.fence_async\n        cta.barrier warpgroup\n", "        cta.barrier warpgroup\n        cta.fence_async\n")),
    ring("epilogue", "fence before the stage", "cta.fence_async", ("        cta.fence_async\n", ""), ("        %st = cta.stage", "        cta.fence_async\n        %st = cta.stage")),
    ring("epilogue", "no barrier before the store", "", ("        cta.fence_async\n        cta.barrier warpgroup\n", "        cta.fence_async\n")),
    ring("epilogue", "no barrier before the stage", "overwrites", ("        cta.await_stores read\n        cta.barrier warpgroup\n", "        cta.await_stores read\n")),
    ring("epilogue", "stores are not awaited before the stage", "overwrites", ("        cta.await_stores read\n        cta.barrier warpgroup\n", "        cta.barrier warpgroup\n")),
    ring("epilogue", "stores are not awaited at the end", "may still read", ("      }\n      cta.await_stores read\n", "      }\n")),
    ring("epilogue", "the last store may be under way before the stage", "overwrites", ("        cta.await_stores read\n", "        cta.await_stores read {pending = 1 : i64}\n")),
    ring("epilogue", "the last seven stores may be under way before the stage", "overwrites", ("        cta.await_stores read\n", "        cta.await_stores read {pending = 7 : i64}\n")),
    ring("epilogue", "the last store may be under way at the end", "may still read", ("      }\n      cta.await_stores read\n", "      }\n      cta.await_stores read {pending = 1 : i64}\n")),
    ring("epilogue", "the staged tile lies over the ring", "", ("{offset = 98304}", "{offset = 65536}")),
    ring("epilogue", "the rings overlap", "", ("cta.ring {offset = 49152}", "cta.ring {offset = 32768}")),
    ring("epilogue", "the store is issued before the stage", "", ("        cta.fence_async\n        cta.barrier warpgroup\n        cta.copy_out", "        cta.copy_out")),
    ring("epilogue", "one thread stores what two warpgroups stage", "", ("#tma, per_warpgroup}", "#tma}")),
    # Several channels, products in flight, reads by threads.
    channels("flight", "slot of a product in flight is released", "", (WAIT + DONE + "          cta.arrive 4[%s]\n",
             "          cta.arrive 4[%s]\n" + WAIT + DONE)),
    channels("flight", "product is not waited for", "", (WAIT + DONE, ""), ("arith.mulf %done, %v", "arith.mulf %c, %v")),
    channels("flight", "the wait leaves the product in flight", "reads a product in flight", (") pending = 0", ") pending = 1")),
    channels("flight", "product is read without a wait", "reads a product in flight", (WAIT, ""), ("cta.complete %dw", "cta.complete %d")),
    channels("arrive", "threads' reads, but one warp arrives", "", ("cta.arrive 8[%s] per_warp", "cta.arrive 8[%s]")),
    channels("arrive", "threads' reads, one warp arrives, count fits", "", ("cta.arrive 8[%s] per_warp", "cta.arrive 8[%s]"), ("1, 1, 4, 4>", "1, 1, 1, 1>")),
    channels("arrive", "one warp releases what no product read (T = 0)", "too late", ("cta.arrive 1[%i0] per_warp", "cta.arrive 1[%i0]"), ("array<i64: 1, 4,", "array<i64: 1, 1,")),
    channels("arrive", "threads' reads are released without a fence", "what threads read", ("          cta.fence_async\n", "")),
    channels("arrive", "swapped releases", "", ("cta.arrive 8[%s] per_warp", "cta.arrive 4[%s] "), ("          cta.arrive 4[%s]\n", "          cta.arrive 8[%s] per_warp\n")),
    channels("arrive", "outer slot is released in the inner loop", "", ("        cta.arrive 1[%i0] per_warp\n", ""), ("          cta.arrive 8[%s] per_warp\n", "          cta.arrive 8[%s] per_warp\n          cta.arrive 1[%i0] per_warp\n")),
    channels("arrive", "outer slot is released before the inner loop", "", ("        cta.arrive 1[%i0] per_warp\n", ""), ("        %x:3 = scf.for", "        cta.arrive 1[%i0] per_warp\n        %x:3 = scf.for")),
    channels("await", "swapped waits", "", ("cta.await 2[%s] parity %p", "cta.await 66[%s] parity %p"), ("cta.await 6[%s] parity %p", "cta.await 2[%s] parity %p"), ("cta.await 66[%s] parity %p", "cta.await 6[%s] parity %p")),
    channels("await", "swapped waits of the producer", "", ("cta.await 4[%s] parity %free", "cta.await 88[%s] parity %free"), ("cta.await 8[%s] parity %free", "cta.await 4[%s] parity %free"), ("cta.await 88[", "cta.await 8[")),
    channels("await", "outer tile is not awaited", "reads slot", ("        cta.await 0[%i0] parity %qphase\n", "")),
    channels("await", "tile that threads read is not awaited", "reads slot", ("          cta.await 6[%s] parity %p\n", "")),
    channels("parity", "outer parity does not flip", "", ("%qnext = arith.xori %qphase, %i1 : i32", "%qnext = arith.ori %qphase, %qphase : i32", 0)),
    channels("parity", "the producer's outer parity does not flip", "", ("%qnext = arith.xori %qphase, %i1 : i32", "%qnext = arith.ori %qphase, %qphase : i32", 1)),
    channels("deadlock", "the outer tile is loaded behind the loop whose slots wait for it", "deadlock", (OUTER, ""), ("          %qnext = arith.xori", OUTER + "          %qnext = arith.xori")),
    channels("await", "a slot of another ring", "", ("cta.slot %rk[%s]", "cta.slot %rk[%i0]", 0)),
    Mutation(PENDING, "flight", "two products stay in flight where the slot of one is released", "overwrites", (") pending = 1", ") pending = 2")),
    Mutation(PENDING, "flight", "the last product is read in flight", "reads a product in flight", (") pending = 0", ") pending = 1")),
    # The waits of an iteration, one after the other. Behind the last one the slot is released that its product reads.
    Mutation(USES, "flight", "the first result is read in flight", "reads a product in flight", (") pending = 1", ") pending = 2")),
    Mutation(USES, "flight", "the second result is read in flight", "reads a product in flight", (") pending = 0", ") pending = 1")),
    Mutation(USES, "flight", "the third result is read in flight", "reads a product in flight", (") pending = 1", ") pending = 2", 1)),
    Mutation(USES, "flight", "the last result is read in flight", "reads a product in flight", (") pending = 0", ") pending = 1", 1)),
    Mutation(USES, "flight", "the slot of the last product is released before it has retired", "overwrites",
             (re.compile(r"(cta\.copy_out .*reduce.*\n)((?:.*\n){2,9}?)( *cta\.fence_async\n *cta\.arrive .*\n)"), r"\1\3\2")),
    # The sum that TMA makes of the tile that an iteration stages.
    Mutation(USES, "sum", "the tile of the iteration before is not waited for", "overwrites", ("\n              cta.await_stores read\n", "\n", "all")),
    Mutation(USES, "sum", "no fence behind its tile", "cta.fence_async", (re.compile(r"(cta\.stage .* : tensor<128x64xf32.*\n) *cta\.fence_async\n"), r"\1")),
    Mutation(USES, "sum", "no barrier behind its tile", "may not be written yet", (re.compile(r"(cta\.stage .* : tensor<128x64xf32.*\n *cta\.fence_async\n) *cta\.barrier\n"), r"\1")),
    # Replicas that take turns.
    pingpong("parity", "replicas invert the parity of their first slot", "with parity", inverted("%first")),
    pingpong("parity", "replicas invert the parity of their other slots", "with parity", inverted("%other", behind=r"(?s:.*)\n")),
    pingpong("parity", "replicas invert the parity of all slots", "with parity", inverted("%first"), inverted("%other", behind=r"(?s:.*)\n")),
    pingpong("parity", "replicas wait for each slot with parity 0", "with parity", *(inverted(name, behind, "andi", 0) for name, behind in (("%first", ""), ("%other", r"(?s:.*)\n")))),
    pingpong("turn", "nobody waits for a turn", "too early", (re.compile(r" *cta\.await 6\[.*\n"), "")),
    pingpong("turn", "nobody passes a turn on", "deadlock", (re.compile(r" *cta\.arrive 6\[.*\n"), "")),
    pingpong("turn", "one warp passes the turn on", "deadlock", (re.compile(r"(cta\.arrive 6\[.*) per_warp"), r"\1")),
    pingpong("turn", "one warp passes the turn on, and that is enough", "", (re.compile(r"(cta\.arrive 6\[.*) per_warp"), r"\1"), ("1, 1, 4, 4>", "1, 1, 1, 1>"),
             (re.compile(r" *cta\.arrive 6\[.*\n"), ""), (re.compile(r"( *)(cta\.await 6\[(%\d+)\].*\n)"), r"\1\2\1cta.arrive 6[\3]\n")),
    pingpong("turn", "replica 1 begins", "", (re.compile(r"(%\d+ = arith\.cmpi )eq(, %\d+, %c0_i32\w* : i32\n)"), r"\1ne\2")),
    pingpong("turn", "slots of others are not skipped", "", (re.compile(r"(arith\.ceildivui .*)\n"), r"arith.constant 0 : index\n")),
    pingpong("turn", "replicas stage into the same bytes", "overwrites", (re.compile(r"staged = \d+"), "staged = 0")),
    # Without roles: what cta-insert-barriers makes.
    sync("sync", "no barrier before the copies", "overwrites", ("        cta.barrier\n", "", 0)),
    sync("sync", "no await", "", ("        cta.await 0\n", "")),
    sync("sync", "await twice", "deadlock", ("        cta.await 0\n", "        cta.await 0\n        cta.await 0\n")),
    sync("sync", "mbarrier counts one copy of two", "", ("mbarriers = array<i64: 2>", "mbarriers = array<i64: 1>")),
    sync("sync", "mbarrier counts three copies of two", "deadlock", ("mbarriers = array<i64: 2>", "mbarriers = array<i64: 3>")),
    sync("sync", "no fence", "cta.fence_async", ("      cta.fence_async\n", "")),
    sync("sync", "no barrier before the store", "", ("      cta.fence_async\n      cta.barrier warpgroup\n", "      cta.fence_async\n")),
    sync("sync", "no barrier before the stage", "overwrites", ("      cta.barrier\n      %", "      %", 0)),
    sync("sync", "warpgroups do not meet before the stage over the operands", "overwrites", ("      cta.barrier\n      %", "      cta.barrier warpgroup\n      %", 0)),
    sync("sync", "stores are not awaited", "may still read", ("      cta.await_stores read\n", "")),
    # Blocks of a cluster.
    *(Mutation(CLUSTER, "cluster", f"{what}: {name}", expect, *edits) for what, name, expect, *edits in CLUSTER_MUTATIONS),
    *(Mutation(REST, "rest", f"{what}: {name}", expect, *edits) for what, name, expect, *edits in REST_MUTATIONS),
    # Partial sums that blocks hand to each other.
    *(Mutation(STREAM_K, "stream-k", f"{what}: {name}", expect, *edits) for what, name, expect, *edits in STREAM_K_MUTATIONS),
]


def run(text, sizes=None):
    options = []
    if sizes is not None:
        options = [f"--cta-simulate=sizes={sizes} timings={TIMINGS}" + (" cores=3" if "cores" not in sizes else "")]
    done = subprocess.run([TILE_OPT, "-", "-o", os.devnull, *options], input=text, text=True, capture_output=True, timeout=120)
    return done.returncode, done.stderr


def main():
    failures, caught = [], Counter()
    for file, sizes in SIZES.items():
        text = open(file).read()
        for size in sizes:
            code, errors = run(text, size)
            if code:
                failures.append(f"unmutated {os.path.basename(file)}, {size}: {errors}")
    for file, right in ((CLUSTER, RIGHT), (REST, REST_RIGHT), (STREAM_K, STREAM_K_RIGHT)):
        for name, *edits in right:
            for size in SIZES[file]:
                code, errors = run(Mutation(file, "right", name, "", *edits).apply(open(file).read()), size)
                if code:
                    failures.append(f"right: {name}, {size}: {errors}")
    for mutation in MUTATIONS:
        text = mutation.apply(open(mutation.file).read())
        code, errors = run(text)
        if code:
            failures.append(f"{mutation.name}: not legal IR: {errors[:500]}")
            continue
        messages = []
        for size in SIZES[mutation.file]:
            code, errors = run(text, size)
            if code not in (0, 1):
                failures.append(f"{mutation.name}: crash: {errors[:2000]}")
            messages += re.findall(r"error: (.*)", errors)
            if any(mutation.expect in message for message in messages):
                break
        if not messages:
            failures.append(f"{mutation.name}: not caught")
        elif not any(mutation.expect in message for message in messages):
            failures.append(f"{mutation.name}: expected '{mutation.expect}', got {messages}")
        else:
            caught[mutation.kind] += 1
            if "-v" in sys.argv:
                print(f"{mutation.kind:9} {mutation.name:60} {messages[0][:150]}")
    names = [(m.file, m.name) for m in MUTATIONS]
    assert len(set(names)) == len(names), "two mutations of one name"
    for kind in sorted({m.kind for m in MUTATIONS}):
        print(f"{kind:9} {caught[kind]:3} of {sum(m.kind == kind for m in MUTATIONS)}")
    print(f"caught {sum(caught.values())} of {len(MUTATIONS)} mutations")
    for failure in failures:
        print("FAILED", failure)
    return 1 if failures else 0


sys.exit(main())
