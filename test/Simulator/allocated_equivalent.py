# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a changed kernel does what it did: rules about the records of allocated_mutations.py that no checker has refused.

A rule looks at the text alone, never at what a checker has said, but for one thing that mutate_allocated.py has made sure of before: nobody hangs. What waits is
decided by scalars, and an mbarrier's phases end in their order, so that whether a kernel hangs at some sizes does not depend on timing: one run tells. Changes that
only make somebody wait for more, or longer, can do no other harm.
"""
# What they wait for: if they were moved before it, they would wait for less.
WAITS = {"cta.await_stores": {"cta.copy_out"}, "cta.await_copies": {"cta.copy", "cta.commit_copies"},
         "cta.wgmma_wait": {"cta.wgmma"}}
SHARED = {"cta.stage", "cta.read", "cta.copy", "cta.copy_out", "cta.wgmma", "cta.await", "cta.await_copies", "cta.put_partial", "cta.add_partial"}
RULES = []


def rule(reason):
    def add(check):
        RULES.append((reason, check))
        return check
    return add


def reason(record):
    return next((text for text, check in RULES if check(record)), None)


def free_of(names, *groups):
    return not any(set(group) & set(names) for group in groups)


def is_tma(text):
    return "mechanism<tma>" in text and "mbarrier = " in text


def pair(r):
    """The two ops that were exchanged, the one first that was first; nothing if the op has moved further than by one op in its block."""
    if r["kind"] == "moved up":
        return (r["crossed_op"], r["crossed"]), (r["op"], r["text"])
    if r["kind"] == "moved down":
        return (r["op"], r["text"]), (r["crossed_op"], r["crossed"])
    return None


# --- done twice ---

@rule("what was waited for the first time, or fenced, needs no second time")
def _(r):
    return r["kind"] == "doubled" and r["op"] in ("cta.barrier", "cta.fence_async", "cta.await_stores", "cta.await_copies", "cta.wgmma_wait")


@rule("an empty group is over at once, and counts where groups are left in flight")
def _(r):
    return r["kind"] == "doubled" and r["op"] == "cta.commit_copies"


@rule("the same bytes are stored to the same place again")
def _(r):
    return r["kind"] == "doubled" and r["op"] == "cta.copy_out" and "reduce = " not in r["text"]


# --- more is waited for ---

@rule("a store that is complete has been read, too")
def _(r):
    return r["op"] == "cta.await_stores" and r["detail"] == "complete"


@rule("fewer groups may be left in flight")
def _(r):
    if r["kind"] != "pending":
        return False
    if r["detail"] == "all":
        return True
    if r["detail"] == "0":
        return r["committed"]
    new, _, old = r["detail"].partition(" for ")
    return bool(old) and int(new) < int(old)


@rule("the warps of the role are those of one warpgroup")
def _(r):
    return r["op"] == "cta.barrier" and r["kind"] == "flag" and r["warps"] == 4


@rule("more threads meet, as often as before")
def _(r):
    return r["op"] == "cta.barrier" and r["detail"] == "of the whole role"


# --- changed order ---

@rule("TMA copies end in any order, and bytes may land before they are announced: the announcing arrival is missing until then")
def _(r):
    ops = pair(r)
    return bool(ops) and all(name == "cta.expect" or name == "cta.copy" and is_tma(text) for name, text in ops)


@rule("copies of threads into tiles of their own may begin in any order")
def _(r):
    ops = pair(r)
    return bool(ops) and all(name == "cta.copy" for name, _ in ops)


@rule("the role waits itself for what it announces: the phase before has ended long ago")
def _(r):
    ops = pair(r)
    return bool(ops) and r["kind"] == "moved down" and r["op"] == "cta.await" and r["crossed_op"] == "cta.expect" and r["crossed_mbarrier"] in r["awaited"]


@rule("cta.complete makes no code")
def _(r):
    return bool(pair(r)) and r["crossed_op"] == "cta.complete"


def same_in_front(r, names, awaited):
    """Whether a wait before these ops is for the same as after them."""
    return r["mbarrier"] not in awaited if r["op"] == "cta.await" else r["op"] in WAITS and free_of(names, WAITS[r["op"]])


@rule("it waits earlier for the same")
def _(r):
    if r["kind"] == "moved up":
        return same_in_front(r, [r["crossed_op"], *r["inside"]], r["awaited_inside"])
    # The op ran under a condition, or in one thread.
    return r["kind"] == "moved out in front" and r["crossed_op"] in ("scf.if", "cta.elect") and same_in_front(r, r["ahead"], r["awaited_ahead"])


@rule("what it was moved past waits earlier for the same")
def _(r):
    if r["kind"] != "moved down":
        return False
    if r["crossed_op"] == "cta.await":
        return r["op"] != "cta.await" or r["mbarrier"] != r["crossed_mbarrier"]
    return r["crossed_op"] in WAITS and r["op"] not in WAITS[r["crossed_op"]]


@rule("it waits at the end of the iteration before: nothing is issued in between")
def _(r):
    return r["kind"] == "moved out behind" and r["op"] in WAITS and r["crossed_op"] == "scf.if" and r["parents"][:2] == ["scf.if", "scf.for"] and \
        free_of(r["ahead"], WAITS[r["op"]]) and free_of(r["outside_crossed"], WAITS[r["op"]])


@rule("a load from global memory has no part in it")
def _(r):
    return bool(pair(r)) and r["crossed_op"] == "cta.load"


@rule("a fence is for what the thread itself has accessed: nothing in between")
def _(r):
    ops = pair(r)
    return bool(ops) and ops[1][0] == "cta.fence_async" and not r["by_threads"] and \
        ops[0][0] in ("cta.await", "cta.barrier", "cta.wgmma", "cta.wgmma_wait", "cta.await_stores", "cta.copy_out", "cta.arrive")


@rule("it arrives later: who waits for it waits longer")
def _(r):
    ops = pair(r)
    return bool(ops) and ops[0][0] == "cta.arrive"


@rule("every iteration waits for its own, and nothing else is waited for")
def _(r):
    return r["kind"] == "moved into the one before, last" and r["crossed_op"] == "scf.for" and r["op"] in WAITS and \
        free_of(r["outside_crossed"], WAITS[r["op"]])


@rule("the elected thread is the first one of the role, which issues it outside, too, in the order of the text")
def _(r):
    # The hardware elects one thread of a warp.
    if r["crossed_op"] != "cta.elect" or r["op"] not in ("cta.copy", "cta.expect") or r["warps"] == 1:
        return False
    if r["op"] == "cta.expect" and r["kind"] == "moved out in front" and r["mbarrier"] in r["awaited"]:
        return True  # Announced before its slot is free: as above.
    crossed = r["ahead"] if r["kind"] == "moved out in front" else r["behind"] if r["kind"] == "moved out behind" else ["?"]
    return free_of(crossed, {"cta.await", "cta.arrive", "?"})


@rule("every iteration of the loop begins with it, and nothing behind the loop needs it")
def _(r):
    return r["kind"] == "moved into the one behind, first" and r["crossed_op"] == "scf.for" and r["op"] in ("cta.fence_async", "cta.await_copies", "cta.await_stores") and \
        free_of(r["behind_crossed"], SHARED, {"cta.arrive"})


# --- what has no effect ---

@rule("the threads have accessed nothing since the fence before that an asynchronous access follows, or run another fence in front of it")
def _(r):
    return r["op"] == "cta.fence_async" and not r["guards"]


@rule("each block fetches the whole tile for itself: the same bytes into the same place")
def _(r):
    return r["op"] == "cta.copy" and r["kind"] == "multicast" and r["detail"] in ("for itself", "nowhere")


@rule("the same number is stored twice")
def _(r):
    return r["op"] in ("cta.put_scalar", "cta.close_queue") and r["kind"] == "doubled"


@rule("the tiles that each output tile loads wait for slots that are freed after its number has been read")
def _(r):
    ops = pair(r)
    return bool(ops) and {op[0] for op in ops} in ({"cta.await", "cta.put_scalar"}, {"cta.arrive", "cta.get_scalar"})


@rule("an elected thread arrives once")
def _(r):
    return r["op"] == "cta.arrive" and r["kind"] == "flag" and r["detail"] == "each warp" and "cta.elect" in r["parents"]


@rule("a role may keep fewer registers, or take what is there: whether its code fits them ptxas says")
def _(r):
    return r["kind"] == "registers"


@rule("it differs where a loop's bounds are equal only: without iterations either way")
def _(r):
    return r["empty_where_equal"] and (r["kind"], r["detail"]) in (("constant", "-1 for 0"), ("compare", "sle for slt"), ("compare", "sge for sgt"))
