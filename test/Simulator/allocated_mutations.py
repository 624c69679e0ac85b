# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All changes of one kind at all places of an allocated kernel: what mutate_allocated.py runs.

`mutations(text)` yields them. Each changes one thing: an op of the protocol is left out, doubled or moved past its
neighbour, out of its loop or into one; a slot, a parity, a count, a flag, a place in shared memory is another; a step of the arithmetic of
slots and parities, a bound or a condition of what stands around the protocol is another.
"""
import re

from allocated_text import Text

# Ops that are left out, doubled and moved.
PROTOCOL = ("cta.await", "cta.await_stores", "cta.await_copies", "cta.expect", "cta.arrive", "cta.commit_copies", "cta.barrier", "cta.fence_async",
            "cta.copy", "cta.copy_out", "cta.wgmma_wait", "cta.put_partial", "cta.add_partial", "cta.put_scalar", "cta.close_queue")
ASYNCHRONOUS = ("cta.copy", "cta.copy_out", "cta.wgmma")
# Regions out of which or into which something can be moved.
REGIONS = ("scf.for", "scf.if", "cta.elect")
PREDICATES = {"eq": "ne", "ne": "eq", "slt": "sle", "sle": "slt", "sgt": "sge", "sge": "sgt", "ult": "ule", "ule": "ult", "ugt": "uge", "uge": "ugt"}
OTHER_OPS = {"arith.addi": ("arith.subi",), "arith.subi": ("arith.addi",), "arith.xori": ("arith.ori", "arith.andi"), "arith.andi": ("arith.ori",),
             "arith.ori": ("arith.andi",), "arith.divui": ("arith.remui",), "arith.remui": ("arith.divui",), "arith.minsi": ("arith.maxsi",),
             "arith.minui": ("arith.maxui",)}


class Mutation:
    """`kind`: the change; `op`: the op that was changed; `crossed`: for a move, the op past which it moved, or the region that it left or entered."""

    def __init__(self, kind, op, detail, text, original, crossed=None):
        self.kind, self.op, self.detail, self.text, self.original, self.crossed = kind, op, detail, text, original, crossed

    @property
    def line(self):
        return self.op.begin + 1

    @property
    def name(self):
        return f"{self.op.name} {self.kind}" + (f", {self.detail}" if self.detail else "")

    def record(self):
        """The record of a change for a file, which the rules of allocated_equivalent.py read."""
        scopes = [self.op, *self.op.ancestors()]
        role = next((op for op in scopes if op.name == "cta.role"), None)
        launch = next(op for op in scopes if op.name == "cta.launch")
        warps = int(re.search(r"warps\((\d+)\)", role.text).group(1)) if role else int(re.search(r"threads = (\d+)", launch.text).group(1)) // 32
        text = lambda op: op.text.strip()[:400] if op else ""
        ahead, behind = split(self.op)
        behind_crossed = split(self.crossed)[1] if self.crossed else []
        whole = role or launch
        outside = [op for op in whole.walk() if op is not self.op and self.crossed not in (op, *op.ancestors())]
        return {"line": self.line, "op": self.op.name, "kind": self.kind, "detail": self.detail, "text": text(self.op), "warps": warps,
                "parents": [op.name for op in self.op.ancestors() if op.parent],
                # Names of the ops around it in its block, with those in their regions; of the op past which it was moved, those in it, after it, and elsewhere in the role.
                "ahead": names(ahead), "behind": names(behind),
                "crossed": text(self.crossed), "crossed_op": self.crossed.name if self.crossed else "", "inside": names([self.crossed], itself=False),
                "behind_crossed": names(behind_crossed), "outside_crossed": sorted({op.name for op in outside}),
                # Numbers of mbarriers: its own, those for which the role waits, and those that were awaited before it or in the op past which it was moved.
                "mbarrier": Mutator.mbarrier(self.op), "crossed_mbarrier": Mutator.mbarrier(self.crossed) if self.crossed else None,
                "awaited": awaited([whole]), "awaited_ahead": awaited(ahead), "awaited_inside": awaited([self.crossed]),
                "by_threads": any(op.name == "cta.copy" and "cp_async" in op.text for op in whole.walk()),
                "empty_where_equal": empty_where_equal(self.original, self.op),
                "committed": self.op.name == "cta.await_copies" and committed(whole),
                "guards": self.op.name == "cta.fence_async" and guards(self.op) and not fenced_behind(self.op)}


def split(op):
    """What stands before an op in its block, and after it."""
    at = op.siblings.index(op)
    return op.siblings[:at], op.siblings[at + 1:]


def names(ops, itself=True):
    return sorted({inner.name for op in ops if op for inner in op.walk() if itself or inner is not op})


def empty_where_equal(text, op):
    """Whether an op only compares a loop's bounds, or is 0 and only compared with one, for how many iterations there are: where they are equal there are none, whatever
    it says."""
    if op.name == "arith.constant":
        return text.constant(op.results[0]) == 0 and all(user.name == "arith.cmpi" and empty_where_equal(text, user) for user in text.users.get(op.results[0], []))
    if op.name != "arith.cmpi":
        return False

    def trips(select):
        if select.name != "arith.select" or text.constant(select.operands[2]) != 0:
            return False
        count = text.makers.get(select.operands[1], (None,))[0]
        if not count or not count.name.startswith("arith.ceildiv"):
            return False
        distance = text.makers.get(count.operands[0], (None,))[0]
        if distance and distance.name == "arith.subi":
            return sorted(distance.operands) == sorted(op.operands)
        return count.operands[0] in op.operands and 0 in map(text.constant, op.operands)

    return all(map(trips, text.users.get(op.results[0], [])))


def awaited(ops):
    return sorted({Mutator.mbarrier(inner) for op in ops if op for inner in op.walk() if inner.name == "cta.await"})


def committed(role):
    """Whether all cp.async copies belong to groups: in each block there is a commit after the last one."""
    by_threads = lambda op: op.name == "cta.copy" and "cp_async" in op.text
    return all(any(other.name == "cta.commit_copies" for other in split(op)[1]) for op in role.walk() if by_threads(op))


def fenced_behind(fence):
    """Whether the same threads run another fence before anything asynchronous begins and before they tell anybody but each other that they have come here."""
    for op in split(fence)[1]:
        if op.name == "cta.fence_async":
            return True
        if not op.is_transparent and op.name not in ("cta.barrier", "cta.stage", "cta.read", "cta.load", "cta.store", "cta.await_stores"):
            return False
    # Nothing follows?
    return not any(op.name == "cta.role" for op in fence.ancestors()) and not any(
        inner.name in ASYNCHRONOUS for op in [fence, *fence.ancestors()] if op.parent and op.name not in ("cta.launch", "tile.kernel")
        for other in (op.siblings if op.parent.name == "scf.for" else split(op)[1]) for inner in other.walk())


def guards(fence):
    """Whether a fence may be what orders accesses of threads before those of TMA and tensor cores: not if all that they have done in shared memory since
    the fence before is to stage tiles that only threads read."""
    launch = next(op for op in fence.ancestors() if op.name == "cta.launch")

    def accesses(ops):
        """What they access at the end of the ops; with the fence that they end with, if there is one for certain."""
        for op in reversed(ops):
            if op.name == "cta.fence_async":
                return False, True
            if op.name in ("cta.read", "cta.add_partial") or op.name == "cta.copy" and "cp_async" in op.text:
                return True, False
            if op.name == "cta.stage" and any(op.results[0] in user.operands and user.name != "cta.read" for user in launch.walk()):
                return True, False
            inner = [accesses(region) for region in op.regions]
            if any(found for found, _ in inner):
                return True, False
        return False, False

    block = fence
    while block is not launch:
        found, fenced = accesses(split(block)[0])
        if found or fenced:
            return found
        block = block.parent
        # In a loop the iteration before comes first, too.
        if block.name == "scf.for" and accesses(block.regions[0])[0]:
            return True
    return False


class Mutator:
    def __init__(self, text):
        self.text = Text(text)
        self.lines = self.text.lines

    # --- helpers ---

    def edit(self, kind, op, detail, replaced=(), before=(), crossed=None):
        return Mutation(kind, op, detail, self.text.with_edits(dict(replaced), dict(before)), self.text, crossed)

    def sub(self, kind, op, detail, pattern, new, before=()):
        """One replacement in the op's line; nothing if the pattern is not there."""
        line, count = re.subn(pattern, new, op.text, count=1)
        if count and line != op.text:
            yield self.edit(kind, op, detail, {op.begin: line}, {op.begin: [op.indent + x for x in before]} if before else {})

    def depths(self, launch):
        """How many mbarriers belong to each number that ops name."""
        found = re.search(r"mbarriers = array<i64: ([^>]*)>", launch.text)
        counts = [int(x) for x in found.group(1).split(",")] if found else []
        bases = {base for op in launch.walk() for base in [self.mbarrier(op)] if base is not None}
        ordered = sorted(bases) + [len(counts)]
        return counts, {base: ordered[i + 1] - base for i, base in enumerate(ordered[:-1])}

    @staticmethod
    def mbarrier(op):
        found = re.search(r"cta\.(?:await|test_wait|expect|arrive) (\d+)", op.text) or re.search(r"mbarrier = (\d+)", op.text)
        return int(found.group(1)) if found and op.name in ("cta.await", "cta.test_wait", "cta.expect", "cta.arrive", "cta.copy") else None

    @staticmethod
    def slot(op):
        """The slot's value as the op names it."""
        found = re.search(r"cta\.(?:await|test_wait|expect|arrive) \d+\[(%[^\]]*)\]", op.text) or re.search(r"into %[^ \[]*\[(%[^\]]*)\]", op.text)
        return found.group(1) if found else None

    # --- ops of the protocol ---

    def without(self, op):
        if op.results and any(result in self.text.users for result in op.results):
            if op.name not in ("cta.wgmma_wait", "cta.add_partial"):
                return
            names = dict(zip(op.results, op.operands))
            pattern = re.compile("|".join(re.escape(r) + r"(?![\w#])" for r in op.results))
            replaced = {i: pattern.sub(lambda use: names[use.group()], line) for i, line in enumerate(self.lines) if pattern.search(line)}
            yield self.edit("deleted", op, "", {**replaced, op.begin: None})
            return
        yield self.edit("deleted", op, "", {op.begin: None})

    def doubled(self, op):
        if not op.results:
            yield self.edit("doubled", op, "", {}, {op.begin: [op.text]})
        elif len(op.results) == 1 and op.name in ("cta.copy", "cta.wgmma_wait", "cta.add_partial"):
            first = op.text.replace(op.results[0], "%first", 1)
            second = op.text if op.name == "cta.copy" else op.text.replace(op.operands[0], "%first", 1)
            yield self.edit("doubled", op, "", {op.begin: second}, {op.begin: [first]})

    def place(self, kind, op, line, block, crossed, leaves=None, after=False):
        made = self.text.moved(op, line, block, leaves, after)
        if made is not None:
            yield self.edit(kind, op, f"past {crossed.name}", {op.begin: None}, {line: made}, crossed)

    def moves(self, op):
        at = op.siblings.index(op)
        block = (op.parent, op.region)
        solid = lambda other: not other.is_transparent and not other.name.endswith(".yield")
        up = next((other for other in reversed(op.siblings[:at]) if solid(other)), None)
        down = next((other for other in op.siblings[at + 1:] if solid(other)), None)
        same = lambda other: other is not None and other.text.strip() == op.text.strip()
        if up and not same(up):
            yield from self.place("moved up", op, up.begin, block, up)
        if down and not same(down):
            yield from self.place("moved down", op, down.end + 1, block, down)
        parent = op.parent
        if parent.name in REGIONS:
            leaves = parent if parent.name == "scf.for" else None
            outside = (parent.parent, parent.region)
            yield from self.place("moved out in front", op, parent.begin, outside, parent, leaves)
            yield from self.place("moved out behind", op, parent.end + 1, outside, parent, leaves, after=True)
        for kind, other in (("into the one before", up), ("into the one behind", down)):
            if other and other.name in REGIONS:
                for number, region in enumerate(other.regions):
                    inner = [x for x in region if not x.name.endswith(".yield")]
                    if inner:
                        yield from self.place(f"moved {kind}, first", op, inner[0].begin, (other, number), other)
                        yield from self.place(f"moved {kind}, last", op, inner[-1].end + 1, (other, number), other)

    # --- slots, parities, numbers ---

    def other_slot(self, op, depth):
        slot = self.slot(op)
        if not slot or depth < 2:
            return
        before = ["%one_m = arith.constant 1 : i32", f"%depth_m = arith.constant {depth} : i32", f"%sum_m = arith.addi {slot}, %one_m : i32",
                  "%slot_m = arith.remui %sum_m, %depth_m : i32"]
        yield from self.sub("slot", op, "the next one's mbarrier", re.escape(f"[{slot}]"), "[%slot_m]", before)

    def other_tile(self, op):
        slot = op.operands[1]
        depth = int(re.search(r": <(\d+),", op.text).group(1))
        if depth > 1:
            before = ["%one_m = arith.constant 1 : i32", f"%depth_m = arith.constant {depth} : i32", f"%sum_m = arith.addi {slot}, %one_m : i32",
                      "%slot_m = arith.remui %sum_m, %depth_m : i32"]
            yield from self.sub("slot", op, "the next one's tile", re.escape(f"[{slot}]"), "[%slot_m]", before)

    def other_parity(self, op):
        found = re.search(r"parity (%\S+)", op.text)
        if not found:
            return
        one = "%one_m = arith.constant 1 : i32"
        yield from self.sub("parity", op, "inverted", r"parity %\S+", "parity %parity_m", [one, f"%parity_m = arith.xori {found.group(1)}, %one_m : i32"])
        for value in {0, 1} - {self.text.constant(found.group(1))}:
            yield from self.sub("parity", op, f"always {value}", r"parity %\S+", "parity %parity_m", [f"%parity_m = arith.constant {value} : i32"])

    def other_token(self, op, tests):
        """The await takes the word of another test: of the first one, which a loop carries no further, say."""
        found = re.search(r"unless (%\S+)", op.text)
        for test in tests if found else ():
            if test.begin < op.begin and test.parent in op.ancestors():
                yield from self.sub("token", op, f"of the test of line {test.begin + 1}", r"unless %\S+", f"unless {test.results[0]}")

    def other_number(self, op, depths):
        base = self.mbarrier(op)
        bases = sorted(depths)
        if len(bases) > 1:
            other = bases[(bases.index(base) + 1) % len(bases)]
            old = r"(mbarrier = )\d+" if op.name == "cta.copy" else r"(cta\.\w+ )\d+"
            yield from self.sub("mbarrier", op, f"{other} for {base}", old, rf"\g<1>{other}")

    def attributes(self, op):
        """Counts and flags."""
        line = op.text
        if op.name == "cta.barrier":
            yield self.edit("flag", op, "of the whole role" if "warpgroup" in line else "of a warpgroup",
                            {op.begin: op.indent + ("cta.barrier" if "warpgroup" in line else "cta.barrier warpgroup")})
        elif op.name == "cta.fence_async":
            yield from self.sub("flag", op, "of global memory", r"fence_async$", "fence_async global")
        elif op.name == "cta.await_stores":
            read = " read" in line
            yield from self.sub("flag", op, "complete" if read else "read only", r"await_stores( read)?", "await_stores" if read else "await_stores read")
            now = int((re.search(r"pending = (\d+)", line) or [0, "0"])[1])
            for pending in sorted({now - 1, now + 1, 7} - {-1, now}):
                yield self.edit("pending", op, f"{pending} for {now}",
                                {op.begin: f"{op.indent}cta.await_stores{' read' if read else ''}" + (f" {{pending = {pending} : i64}}" if pending else "")})
        elif op.name in ("cta.await_copies", "cta.wgmma_wait"):
            found = re.search(r"pending = (\d+)", line)
            if found:
                now = int(found.group(1))
                for pending in sorted({now - 1, now + 1} - {-1}):
                    yield from self.sub("pending", op, f"{pending} for {now}", r"pending = \d+", f"pending = {pending}")
                if op.name == "cta.await_copies":
                    yield from self.sub("pending", op, "all", r" pending = \d+", "")
            else:
                for pending in (0, 1):
                    yield from self.sub("pending", op, f"{pending}", r"await_copies", f"await_copies pending = {pending}")
        elif op.name == "cta.expect":
            now = int(re.search(r"bytes = (\d+)", line).group(1))
            for count in (now - 16, now + 16, now // 2, now * 2):
                yield from self.sub("bytes", op, f"{count} for {now}", r"bytes = \d+", f"bytes = {count}")
        elif op.name == "cta.arrive":
            if "per_warp" in line:
                yield from self.sub("flag", op, "a warpgroup", r" per_warp", "")
            elif "copies" in line:
                yield from self.sub("flag", op, "at once", r" copies", " per_warp")
            else:
                yield from self.sub("flag", op, "each warp", r"\]", "] per_warp")
            yield from self.sub("multicast", op, "in its own block", r" \{cluster = \d+ : i64\}", "")
        elif op.name == "cta.copy_out":
            if "per_warpgroup" in line:
                yield from self.sub("flag", op, "one thread", r", per_warpgroup", "")
            else:
                yield from self.sub("flag", op, "a warpgroup", r"<tma>", "<tma>, per_warpgroup")
            yield from self.sub("flag", op, "stores instead", r", reduce = #tile\.atomic_kind<add>", "")
        elif op.name == "cta.copy" and "multicast = " in line:
            yield from self.sub("multicast", op, "for itself", r"( multicast_if = %\S+)(.*), multicast = \d+ : i64", r"\2")
            found = re.search(r"multicast_if = (%\S+)", line)
            if found:
                yield from self.sub("multicast", op, "always", r" multicast_if = %\S+", "")
                yield from self.sub("multicast", op, "where it was not", r"multicast_if = %\S+", "multicast_if = %if_m",
                                    ["%true_m = arith.constant true", f"%if_m = arith.xori {found.group(1)}, %true_m : i1"])
                yield from self.sub("multicast", op, "nowhere", r"multicast_if = %\S+", "multicast_if = %if_m", ["%if_m = arith.constant false"])
        elif op.name == "cta.put_partial":
            yield from self.sub("flag", op, "another slot", r"\[%\S+\],", "[%c1_m],", ["%c1_m = arith.constant 1 : index"])

    def offsets(self, launch):
        placed = [op for op in launch.walk() if op.name in ("cta.ring", "cta.stage", "cta.copy") and "offset = " in op.text]
        of = lambda op: int(re.search(r"\boffset = (\d+)", op.text).group(1))
        everywhere = sorted({of(op) for op in placed})
        for op in placed:
            others = {everywhere[(everywhere.index(of(op)) + 1) % len(everywhere)], everywhere[everywhere.index(of(op)) - 1], max(0, of(op) - 1024)} - {of(op)}
            for other in sorted(others):
                yield from self.sub("offset", op, f"{other} for {of(op)}", r"\boffset = \d+", f"offset = {other}")

    def launch(self, launch, counts, depths):
        for base, depth in sorted(depths.items()):
            for by in (-1, 1):
                for which in ({*range(base, base + depth)}, {base + depth - 1}):
                    changed = [count + by * (i in which) for i, count in enumerate(counts)]
                    if changed[base + depth - 1] > 0 and (len(which) > 1 or depth > 1 or by):
                        text = ", ".join(map(str, changed))
                        of = "each" if len(which) == depth else "the last"
                        yield from self.sub("count", launch, f"{by:+} for {of} of {base}", r"mbarriers = array<i64: [^>]*>", f"mbarriers = array<i64: {text}>")
                    if depth == 1:
                        break
        if counts:
            text = ", ".join(map(str, counts[:-1]))
            yield from self.sub("count", launch, "one mbarrier less", r"mbarriers = array<i64: [^>]*>", f"mbarriers = array<i64: {text}>")
        threads = re.search(r"threads = (\d+)", launch.text)
        if threads:
            for other in (-128, -32, 32, 128):
                if int(threads.group(1)) + other > 0:
                    yield from self.sub("threads", launch, f"{other:+}", r"threads = \d+", f"threads = {int(threads.group(1)) + other}")
        cluster = re.search(r"\bcluster = (\d+) : i64", launch.text)
        if cluster:
            yield from self.sub("cluster", launch, "none", r"\bcluster = \d+ : i64, ", "")
            yield from self.sub("cluster", launch, "twice as large", r"\bcluster = \d+", f"cluster = {2 * int(cluster.group(1))}")
        else:
            yield from self.sub("cluster", launch, "of two", r"attributes \{", "attributes {cluster = 2 : i64, ")
        shared = re.search(r"\bshared = (\d+)", launch.text)
        if shared:
            yield from self.sub("offset", launch, "8 bytes less", r"\bshared = \d+", f"shared = {int(shared.group(1)) - 8}")

    def role(self, op):
        warps = int(re.search(r"warps\((\d+)\)", op.text).group(1))
        for by in (-4, -1, 1, 4):
            if warps + by > 0:
                yield from self.sub("warps", op, f"{by:+}", r"warps\(\d+\)", f"warps({warps + by})")
        registers = re.search(r"\bregisters = (\d+)", op.text)
        if registers:
            for by in (-8, 8, 64):
                yield from self.sub("registers", op, f"{by:+}", r"\bregisters = \d+", f"registers = {int(registers.group(1)) + by}")
        replicas = re.search(r"replicas\((\d+)\)", op.text)
        if replicas:
            for by in (-1, 1):
                yield from self.sub("warps", op, f"{by:+} replicas", r"replicas\(\d+\)", f"replicas({int(replicas.group(1)) + by})")
            yield from self.sub("offset", op, "replicas stage into the same bytes", r"staged = \d+", "staged = 0")

    # --- arithmetic and control ---

    def arithmetic(self, op):
        if op.name == "arith.constant":
            number = re.search(r"constant (-?\d+) : (?:i32|i64|index)", op.text)
            if number:
                for by in (-1, 1):
                    yield from self.sub("constant", op, f"{int(number.group(1)) + by} for {number.group(1)}", r"constant -?\d+", f"constant {int(number.group(1)) + by}")
            elif re.search(r"constant (true|false)", op.text):
                yield from self.sub("constant", op, "the other", r"constant (true|false)", "constant false" if "true" in op.text else "constant true")
        elif op.name == "arith.select":
            condition, yes, no = op.operands[:3]
            yield from self.sub("select", op, "the other", re.escape(f"{condition}, {yes}, {no}"), f"{condition}, {no}, {yes}")
            for value in (yes, no):
                yield from self.sub("select", op, "always the " + ("first" if value == yes else "second"), re.escape(f"{condition}, {yes}, {no}"), f"{condition}, {value}, {value}")
        elif op.name == "arith.cmpi":
            predicate = re.search(r"cmpi (\w+),", op.text).group(1)
            yield from self.sub("compare", op, f"{PREDICATES[predicate]} for {predicate}", r"cmpi \w+,", f"cmpi {PREDICATES[predicate]},")
        for other in OTHER_OPS.get(op.name, ()) if self.text.constant(op.results[0]) is None else ():
            yield from self.sub("arithmetic", op, f"{other} for {op.name}", re.escape(op.name), other)

    def carried(self, loop, relevant):
        """A value that a loop carries is not advanced."""
        terminator = loop.terminator[0]
        for i, argument in enumerate(loop.arguments):
            if terminator and terminator.operands[i] in relevant and terminator.operands[i] != argument:
                values = list(terminator.operands)
                values[i] = argument
                old = ", ".join(terminator.operands)
                yield from self.sub("carried", terminator, f"value {i} stays", re.escape(old), ", ".join(values))

    def control(self, op):
        if op.name == "scf.if":
            condition = op.operands[0]
            yield from self.sub("condition", op, "inverted", r"scf\.if %\S+", "scf.if %if_m", ["%true_m = arith.constant true", f"%if_m = arith.xori {condition}, %true_m : i1"])
            for value in ("true", "false"):
                yield from self.sub("condition", op, value, r"scf\.if %\S+", "scf.if %if_m", [f"%if_m = arith.constant {value}"])
        elif op.name == "scf.for":
            kind = "i32" if re.search(r"\)?\s*: i32 \{$", op.text) else "index"
            lower, upper, step = re.search(r" = (%\S+) to (%\S+) step (%\S+)", op.text).groups()
            for what, arithmetic in (("less", "subi"), ("more", "addi")):
                yield from self.sub("trips", op, f"one {what}", re.escape(f"to {upper} "), "to %to_m ", [f"%to_m = arith.{arithmetic} {upper}, {step} : {kind}"])
            yield from self.sub("trips", op, "without the first", re.escape(f"= {lower} to"), "= %from_m to", [f"%from_m = arith.addi {lower}, {step} : {kind}"])

    # --- all ---

    def all(self):
        for launch in self.text.ops:
            if launch.name != "cta.launch":
                continue
            counts, depths = self.depths(launch)
            inside = list(launch.walk())
            protocol = [op for op in inside if op.name in PROTOCOL]
            if protocol:
                yield from self.launch(launch, counts, depths)
                yield from self.offsets(launch)
            values = []
            tests = [op for op in inside if op.name == "cta.test_wait"]
            for op in inside:
                if op.name == "cta.role":
                    yield from self.role(op)
                elif op in tests:
                    yield from self.other_slot(op, depths[self.mbarrier(op)])
                    yield from self.other_number(op, depths)
                    yield from self.other_parity(op)
                elif op.name == "cta.slot":
                    yield from self.other_tile(op)
                    values.append(op.operands[1])
                if op.name not in PROTOCOL:
                    continue
                yield from self.without(op)
                yield from self.doubled(op)
                yield from self.moves(op)
                yield from self.attributes(op)
                if self.mbarrier(op) is not None:
                    yield from self.other_slot(op, depths[self.mbarrier(op)])
                    yield from self.other_number(op, depths)
                if op.name == "cta.await":
                    yield from self.other_parity(op)
                    yield from self.other_token(op, tests)
                    values += re.findall(r"parity (%\S+)", op.text)
                values += [slot for slot in [self.slot(op)] if slot]
            sliced = self.text.slice_of(values)
            for op in sliced:
                if launch in op.ancestors():
                    yield from self.arithmetic(op)
            relevant = {result for op in sliced for result in op.results} | set(values)
            for op in inside:
                if op.name == "scf.for":
                    yield from self.carried(op, relevant | {x for y in inside if y.name in ("scf.if", "scf.for") for x in y.results})
                if op.name in ("scf.for", "scf.if") and any(x.name in PROTOCOL for x in op.walk()):
                    yield from self.control(op)


def repeated(ops):
    """Ops that occur in one block more than three times, except the first two and the last: subtiles of an epilogue."""
    alike = {}
    for op in ops:
        bare = re.sub(r"\d+", "0", re.sub(r"%[\w$.#-]+", "%", op.text))
        alike.setdefault((op.parent.begin, op.region, bare), []).append(op)
    return {op.begin for same in alike.values() for op in same[2:-1]}


def mutations(text):
    """Each text once, and three of many ops that are alike."""
    mutator = Mutator(text)
    seen, left_out = {text}, repeated(mutator.text.ops)
    for mutation in mutator.all():
        if mutation.text not in seen and mutation.op.begin not in left_out:
            seen.add(mutation.text)
            yield mutation
