# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes of Inputs/stream-k.mlir that break how blocks hand partial sums to each other; mutate.py applies them."""

TYPES = ": !sum, memref<?x128x128xf32>, memref<?x8xi32>\n"
PUT = "          cta.put_partial %x#0, %sums[%id], %flags " + TYPES
ADD = "            %z = cta.add_partial %sum, %sums[%other], %flags " + TYPES
YIELD = "            scf.yield %z : !sum\n"
FLAGS = "  %flags = memref.alloc(%ctas) {tile.init = 0 : i32, tile.restored} : memref<?x8xi32>\n"
MORE = FLAGS + FLAGS.replace("%flags", "%flags2") + "  %sums2 = memref.alloc(%ctas) : memref<?x128x128xf32>\n"
OTHER = "            %other = arith.subi %id, %by : index\n"
MINE = "    %mine = arith.subi %against, %unit : index\n"
OTHERS = "    %others = arith.subi %last, %mine : index\n"
BOUND = "%bound = arith.addi %adds, %c1"
CLUSTER = [("{threads", "{cluster = 2, threads"), ("%size = arith.constant 1", "%size = arith.constant 2")]
# Shares in the order of blocks: the first share of an output tile is that of the lowest block.
FORWARD = [(MINE, "    %mine = arith.addi %unit, %c0 : index\n"), (OTHER, OTHER.replace("subi", "addi"))]


def put(sums="%sums", flags="%flags", slot="%id"):
    return PUT.replace("%sums", sums).replace("%flags", flags).replace("%id", slot)


def add(sums="%sums", flags="%flags", of="%sum", result="%z"):
    return ADD.replace("%sums", sums).replace("%flags", flags).replace("%sum,", of + ",").replace("%z =", result + " =")


def both(first, second):
    """Two partial sums for each output tile: what is added first and second, as (sums, flags)."""
    return [(FLAGS, MORE), (PUT, put() + put("%sums2", "%flags2")), (ADD, add(*first, result="%z1") + add(*second, of="%z1"))]


def where(condition, text):
    """Only in blocks with some numbers."""
    return f"          %there = arith.cmpi {condition} : index\n          scf.if %there {{\n  {text}          }}\n"


# what it changes, name, part of an error, edits
STREAM_K = [
    ("put", "sums are not put", "deadlock: nothing in the launch", (PUT, "")),
    ("put", "the last block does not put them", "deadlock: nothing in the launch", (PUT, where("ne, %id, %c1", PUT))),
    ("put", "sums are put twice", "puts partial sums into slot", (PUT, PUT + PUT)),
    ("put", "sums are put by who has stored the point, too", "nobody takes the partial sums",
     ("          cta.await_stores read\n", PUT.replace("%x#0", "%y") + "          cta.await_stores read\n")),
    ("put", "sums go to slot 0", "", (PUT, put(slot="%c0"))),
    ("put", "sums go to the slot of the part, not of the block", "", (PUT, put(slot="%mine"))),
    ("put", "sums go beyond the workspace", "of workspace that has 4", (PUT, put(slot="%cores"))),
    ("put", "another flag is raised", "deadlock: nothing in the launch", (FLAGS, MORE), (PUT, put(flags="%flags2"))),
    ("put", "sums go into other workspace", "nobody has put any there", (FLAGS, MORE), (PUT, put(sums="%sums2"))),
    ("add", "sums are not added", "nobody takes the partial sums", (ADD, ""), (YIELD, YIELD.replace("%z", "%sum"))),
    ("add", "the last sum is not added: its flag stays up", "nobody takes the partial sums", (BOUND, "%bound = arith.addi %adds, %c0")),
    ("add", "one sum too many is added", "", (BOUND, "%two = arith.constant 2 : index\n          %bound = arith.addi %adds, %two")),
    ("add", "sums are added twice", "deadlock: nothing in the launch", (ADD, add(result="%z1") + add(of="%z1"))),
    ("add", "sums of blocks behind are waited for", "of workspace that has 4", (OTHER, OTHER.replace("subi", "addi"))),
    ("add", "every second block's sums are added", "", ("%by = arith.muli %distance, %size", "%by = arith.muli %distance, %two"),
     ("%least = arith.constant 2 : index\n", "%least = arith.constant 2 : index\n  %two = arith.constant 2 : index\n")),
    ("add", "the block's own sums are added", "", (OTHER, OTHER.replace("%by", "%c0"))),
    ("add", "what a block puts it adds before", "deadlock: nothing in the launch",
     (PUT, ADD.replace("%sum,", "%x#0,").replace("%other", "%id") + PUT.replace("%x#0", "%z"))),
    ("add", "two blocks add each other's sums before they put theirs", "deadlock: nothing in the launch",
     (PUT, "          %across = arith.subi %against, %id : index\n" + ADD.replace("%sum,", "%x#0,").replace("%other", "%across") + PUT.replace("%x#0", "%z"))),
    ("add", "the flag is that of other sums, which are put before", "may not be there yet", *both(("%sums2", "%flags"), ("%sums", "%flags2"))),
    ("flags", "nobody sets the flags to 0", "its flags may be up when the launch begins", (FLAGS, FLAGS.replace("tile.init = 0 : i32, ", ""))),
    ("flags", "the flags are 1 at first", "its flags may be up when the launch begins", (FLAGS, FLAGS.replace("init = 0", "init = 1"))),
    # Blocks start in the order of their numbers, and those after this one may not have started.
    ("order", "parts are numbered as blocks are", "deadlock: nothing in the launch", *FORWARD),
    ("order", "parts are numbered as clusters are", "deadlock: nothing in the launch", *FORWARD, *CLUSTER),
    ("division", "part of nothing: nothing is left, and it is divided all the same", "deadlock: nothing in the launch",
     ("%splits = arith.andi %may, %left", "%splits = arith.andi %may, %may")),
    ("division", "units are one more than there are", "", ("%against = arith.subi %units, %c1", "%against = arith.addi %units, %c0")),
    ("division", "the longer parts are one more", "", ("%more = arith.select %splits, %over, %c0", "%more0 = arith.select %splits, %over, %c0 : index\n  %more = arith.addi %more0, %c1")),
    ("division", "no part is longer", "", ("%more = arith.select %splits, %over, %c0", "%more = arith.select %splits, %c0, %c0")),
    ("division", "one part less than there are", "", ("%used = arith.select %splits, %parts, %rest", "%used0 = arith.select %splits, %parts, %rest : index\n  %used = arith.subi %used0, %c1")),
    ("division", "nobody computes the second point of a part", "", ("%items = arith.addi %itemsHere, %n2", "%items = arith.addi %itemsHere, %c0")),
    ("division", "others are counted from the point that the part ends", "", ("%begun = arith.addi %at, %next0", "%begun = arith.addi %at, %c0")),
    ("clusters", "blocks of a cluster put into one slot", "puts partial sums into slot", *CLUSTER, (PUT, put(slot="%unit"))),
    ("clusters", "sums of the cluster's other block are added", "", *CLUSTER, ("%by = arith.muli %distance, %size", "%by = arith.muli %distance, %c1")),
    ("clusters", "one block of a cluster puts nothing", "deadlock: nothing in the launch", *CLUSTER, (PUT, where("eq, %rank, %c0", PUT))),
    ("clusters", "sums are those of blocks, parts those of clusters", "", *CLUSTER, ("%unit = arith.divui %id, %size", "%unit = arith.divui %id, %c1")),
]

# Changes that break nothing.
STREAM_K_RIGHT = [
    ("in clusters", *CLUSTER),
    ("two sums a point", *both(("%sums", "%flags"), ("%sums2", "%flags2"))),
    ("two sums a point, the flag of what is put last says both", *both(("%sums2", "%flags2"), ("%sums", "%flags"))),
    ("sums are added behind the epilogue's wait", ("          cta.await_stores read\n          cta.barrier warpgroup\n", "          cta.barrier warpgroup\n"),
     ("          %y = scf.for", "          cta.await_stores read\n          %y = scf.for")),
]
