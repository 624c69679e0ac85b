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
    @math. Each role gets only the loops and carried values that it needs. A launch without channels stays as it is.

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

#endif
