// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_SPECIALIZE_PASSES
#define TESSERA_CTA_SPECIALIZE_PASSES

include "tessera/Dialect/Cta/PassBase.td"

def SpecializeWarps : CtaPass<"cta-specialize-warps"> {
  let summary = "Split a launch into warp-specialised roles";
  let description = [{
    Requires *scheduled*; ensures *specialized*. The launch's body is divided into two roles. The acquire, copies and commit of every
    channel, with the loops, scalars and index tiles that they need, go to the role @producer: to one thread (in `cta.elect`), or to all of
    its four warps if cp.async fills a channel. Index tiles get the layout of the producer's threads. Everything else goes to the role
    @math. Each role gets only the loops and carried values that it needs. Scalars of the launch's body that come from no memory, such as the
    number of the block, stay before the roles, unless the plan deals out registers. A launch without channels stays as it is.

    With `replicate = blocks` in the plan @math has `replicas`, one for each math warpgroup, which compute the output tiles of the
    persistent loop in turn (ping-pong):
    ```mlir
    cta.role @math warps(4) replicas(2) {
      %r = cta.replica
      cta.for_output_tiles %t = … iter_args(%turn = %zero, %round = %zero) {
        scf.if %mine { cta.take_turn %ch, %round; scf.for %k … { cta.wait %ch … }; cta.pass_turn %ch … }   // %turn == %r
        else { cta.skip %ch, %slots }
      }
    }
    ```
  }];
}

def AlternateProducts : CtaPass<"cta-alternate-products"> {
  let summary = "Let warpgroups issue matrix products in turn";
  let description = [{
    Requires and ensures *specialized*. A role whose warpgroups share a loop with one product, and compute with its result in every iteration (as
    when partial sums are scaled and added to others, *promotion*), needs the tensor cores for a part of the time only. If all of its warpgroups
    issue at the same time, all of them compute at the same time, too, and the tensor cores idle. Nothing brings them out of step. So such a
    product gets `in_turn`: a warpgroup issues when the first half of the other's product has retired.

    Such a product is waited for where it stands, its operands lie in shared memory, and only loops stand between it and the role. Products
    that only feed accumulators stay as they are, since warpgroups hardly leave the tensor cores then.

    Three or four warpgroups also take turns with asynchronous products that are issued together, if there are at least two and the loop computes
    with one of them: those of attention, whose loop `cta-rotate-loops` has rotated. Otherwise the products of one warpgroup queue behind all
    products of two others. Only waits for slots and arithmetic in registers stand between such products, and their operands come from slots,
    registers or outside of the loop: a barrier of the role in between would wait for warpgroups that wait for their turn (`cta-verify` refuses
    it). Two warpgroups take turns by themselves.

    ```mlir
    scf.for … iter_args(%sum = %zero) {
      %credit, %ab:2 = cta.wait %ch
      %part = cta.wgmma %ab#0, %ab#1 {in_turn}
      cta.release %ch, %credit
      %next = math.fma %part, %scale, %sum
    }
    ```
  }];
}

#endif
