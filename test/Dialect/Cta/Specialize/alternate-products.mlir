// RUN: tile-opt %s -cta-alternate-products -cta-verify | FileCheck %s
// RUN: tile-opt %s -cta-alternate-products -cta-alternate-products | FileCheck %s

#acc = #cta.frag<wgmma_acc, wg = 2>
#acc1 = #cta.frag<wgmma_acc, wg = 1>
#fa = #cta.frag<wgmma_a, bits = 16, wg = 2>
#sw = #cta.swizzle<128, dim = 1>
#tma = #cta.mechanism<tma>
#specialized = #tile.phase<specialized>
!a = !cta.smem<128x64xbf16, #sw>
!b = !cta.smem<64x64xbf16, #sw>
!sum = tensor<128x64xf32, #acc>
!ch = !cta.channel<2, !a, !b>

// Two warpgroups that scale and add what the tensor cores give them, in every iteration.
// CHECK-LABEL: tile.kernel @promoted(
// CHECK: cta.role @math warps(8)
// CHECK: cta.wgmma %{{.*}}, %{{.*}} {in_turn} :
tile.kernel @promoted(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %K: index) attributes {phase = #specialized, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @promoted_0 blocks() {
    %ch = cta.channel : !ch
    cta.role @math warps(8) {
      %zero = arith.constant dense<0.0> : !sum
      %scale = arith.constant dense<2.0> : !sum
      %r = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (!sum) {
        %q, %v:2 = cta.wait %ch : !ch
        %p = cta.wgmma %v#0, %v#1 : !a, !b -> !sum
        cta.release %ch, %q : !ch
        %t = math.fma %p, %scale, %s : !sum
        scf.yield %t : !sum
      }
      cta.store %r, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %K step %c64 {
          %p = cta.acquire %ch : !ch
          %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
          %b = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          cta.commit %ch, %p (%a, %b) : !ch
        }
      }
    }
  }
  tile.return
}

// Not where the tensor cores add, not two products of a loop, not in a branch, not with an operand in registers.
// CHECK-LABEL: tile.kernel @not(
// CHECK-NOT: in_turn
// CHECK: tile.return
tile.kernel @not(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %w: i1, %K: index) attributes {phase = #specialized, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @not_0 blocks() {
    %ch = cta.channel : !ch
    cta.role @math warps(8) {
      %zero = arith.constant dense<0.0> : !sum
      %scale = arith.constant dense<2.0> : !sum
      %e = arith.constant dense<2.0> : tensor<128x64xbf16, #fa>
      %r0 = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (!sum) {
        %q, %v:2 = cta.wait %ch : !ch
        %p = cta.wgmma %v#0, %v#1, %s : !a, !b -> !sum
        cta.release %ch, %q : !ch
        scf.yield %p : !sum
      }
      %r1 = scf.for %k = %c0 to %K step %c64 iter_args(%s = %r0) -> (!sum) {
        %q, %v:2 = cta.wait %ch : !ch
        %p = cta.wgmma %v#0, %v#1 : !a, !b -> !sum
        %o = cta.wgmma %v#0, %v#1 : !a, !b -> !sum
        cta.release %ch, %q : !ch
        %t = math.fma %p, %o, %s : !sum
        scf.yield %t : !sum
      }
      %r2 = scf.for %k = %c0 to %K step %c64 iter_args(%s = %r1) -> (!sum) {
        %q, %v:2 = cta.wait %ch : !ch
        %t = scf.if %w -> !sum {
          %p = cta.wgmma %v#0, %v#1 : !a, !b -> !sum
          %u = math.fma %p, %scale, %s : !sum
          scf.yield %u : !sum
        } else {
          scf.yield %s : !sum
        }
        cta.release %ch, %q : !ch
        scf.yield %t : !sum
      }
      %r3 = scf.for %k = %c0 to %K step %c64 iter_args(%s = %r2) -> (!sum) {
        %q, %v:2 = cta.wait %ch : !ch
        %p = cta.wgmma %e, %v#1 : tensor<128x64xbf16, #fa>, !b -> !sum
        cta.release %ch, %q : !ch
        %t = math.fma %p, %scale, %s : !sum
        scf.yield %t : !sum
      }
      cta.store %r3, %C[%c0, %c0] : !sum -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %i = %c0 to %c64 step %c64 {
          %p = cta.acquire %ch : !ch
          %a = cta.copy %A[%c0, %i] {mechanism = #tma} : memref<?x?xbf16> -> !a
          %b = cta.copy %A[%i, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          cta.commit %ch, %p (%a, %b) : !ch
        }
      }
    }
  }
  tile.return
}

// Not one warpgroup.
// CHECK-LABEL: tile.kernel @alone(
// CHECK-NOT: in_turn
tile.kernel @alone(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %K: index) attributes {phase = #specialized, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @alone_0 blocks() {
    %ch = cta.channel : !cta.channel<2, !b, !b>
    cta.role @math warps(4) {
      %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc1>
      %r = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32, #acc1>) {
        %q, %v:2 = cta.wait %ch : !cta.channel<2, !b, !b>
        %p = cta.wgmma %v#0, %v#1 : !b, !b -> tensor<64x64xf32, #acc1>
        cta.release %ch, %q : !cta.channel<2, !b, !b>
        %t = math.fma %p, %p, %s : tensor<64x64xf32, #acc1>
        scf.yield %t : tensor<64x64xf32, #acc1>
      }
      cta.store %r, %C[%c0, %c0] : tensor<64x64xf32, #acc1> -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %K step %c64 {
          %p = cta.acquire %ch : !cta.channel<2, !b, !b>
          %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !b
          %b = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          cta.commit %ch, %p (%a, %b) : !cta.channel<2, !b, !b>
        }
      }
    }
  }
  tile.return
}

// Not where the tensor cores take few cycles: 64 for this product.
!narrow = !cta.smem<64x16xbf16, #cta.swizzle<32, dim = 1>>
!short = tensor<128x16xf32, #acc>
!shorts = !cta.channel<2, !a, !narrow>
// CHECK-LABEL: tile.kernel @short(
// CHECK-NOT: in_turn
// CHECK: tile.return
tile.kernel @short(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %n: index, %K: index) attributes {phase = #specialized, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @short_0 blocks() {
    %ch = cta.channel : !shorts
    cta.role @math warps(8) {
      %zero = arith.constant dense<0.0> : !short
      %scale = arith.constant dense<2.0> : !short
      %r = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (!short) {
        %q, %v:2 = cta.wait %ch : !shorts
        %p = cta.wgmma %v#0, %v#1 : !a, !narrow -> !short
        cta.release %ch, %q : !shorts
        %t = math.fma %p, %scale, %s : !short
        scf.yield %t : !short
      }
      cta.store %r, %C[%c0, %c0] : !short -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %K step %c64 {
          %p = cta.acquire %ch : !shorts
          %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !a
          %b = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !narrow
          cta.commit %ch, %p (%a, %b) : !shorts
        }
      }
    }
  }
  tile.return
}

#acc_3 = #cta.frag<wgmma_acc, wg = 3>
#wa_3 = #cta.frag<wgmma_a, bits = 16, wg = 3>
!s3 = tensor<192x64xf32, #acc_3>
!h3 = tensor<192x64xbf16, #acc_3>
!op3 = tensor<192x64xbf16, #wa_3>
!q3 = !cta.smem<192x64xbf16, #sw>
!ch3 = !cta.channel<2, !q3, !b, !b>
#acc_2 = #cta.frag<wgmma_acc, wg = 2>
#wa_2 = #cta.frag<wgmma_a, bits = 16, wg = 2>
!s2 = tensor<128x64xf32, #acc_2>
!h2 = tensor<128x64xbf16, #acc_2>
!op2 = tensor<128x64xbf16, #wa_2>
!q2 = !cta.smem<128x64xbf16, #sw>
!ch2 = !cta.channel<2, !q2, !b, !b>

// Three warpgroups that issue two products together, and compute with one of them: one turn for both. A branch that scalars decide may stand around the loop.
// CHECK-LABEL: tile.kernel @chained(
// CHECK: cta.wgmma %{{.*}}, %{{.*}} {in_turn} : {{.*}} -> !cta.async
// CHECK: cta.wgmma %{{.*}}, %{{.*}}, %{{.*}} {in_turn} : {{.*}} -> !cta.async
tile.kernel @chained(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %flags: memref<?xi1>, %K: index) attributes {phase = #specialized, warpgroups = 3} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @chained_0 blocks() {
    %ch = cta.channel : !ch3
    cta.role @math warps(12) {
      %zero = arith.constant dense<0.0> : !s3
      %first = arith.constant dense<0.0> : !op3
      %some = arith.cmpi sgt, %K, %c0 : index
      %r:2 = scf.if %some -> (!s3, !op3) {
        %l:2 = scf.for %k = %c0 to %K step %c64 iter_args(%o = %zero, %p = %first) -> (!s3, !op3) {
        %q, %v:3 = cta.wait %ch : !ch3
        %s = cta.wgmma %v#0, %v#1 : !q3, !b -> !cta.async<!s3>
        %o1 = cta.ready %o : !s3
        %u = cta.wgmma %p, %v#2, %o1 : !op3, !b -> !cta.async<!s3>
        %sd = cta.complete %s : <!s3>
        %e = math.exp2 %sd : !s3
        %ud = cta.complete %u : <!s3>
        cta.release %ch, %q : !ch3
        %h = arith.truncf %e : !s3 to !h3
        %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : !h3 -> !op3
        scf.yield %ud, %a : !s3, !op3
      }
        scf.yield %l#0, %l#1 : !s3, !op3
      } else {
        scf.yield %zero, %first : !s3, !op3
      }
      cta.store %r#0, %C[%c0, %c0] : !s3 -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %K step %c64 {
          %p = cta.acquire %ch : !ch3
          %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !q3
          %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          %b1 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          cta.commit %ch, %p (%a, %b0, %b1) : !ch3
        }
      }
    }
  }
  tile.return
}

// Two warpgroups take turns by themselves.
// CHECK-LABEL: tile.kernel @two(
// CHECK-NOT: in_turn
// CHECK: tile.return
tile.kernel @two(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %flags: memref<?xi1>, %K: index) attributes {phase = #specialized, warpgroups = 2} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @two_0 blocks() {
    %ch = cta.channel : !ch2
    cta.role @math warps(8) {
      %zero = arith.constant dense<0.0> : !s2
      %first = arith.constant dense<0.0> : !op2
      %r:2 = scf.for %k = %c0 to %K step %c64 iter_args(%o = %zero, %p = %first) -> (!s2, !op2) {
        %q, %v:3 = cta.wait %ch : !ch2
        %s = cta.wgmma %v#0, %v#1 : !q2, !b -> !cta.async<!s2>
        %o1 = cta.ready %o : !s2
        %u = cta.wgmma %p, %v#2, %o1 : !op2, !b -> !cta.async<!s2>
        %sd = cta.complete %s : <!s2>
        %e = math.exp2 %sd : !s2
        %ud = cta.complete %u : <!s2>
        cta.release %ch, %q : !ch2
        %h = arith.truncf %e : !s2 to !h2
        %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : !h2 -> !op2
        scf.yield %ud, %a : !s2, !op2
      }
      cta.store %r#0, %C[%c0, %c0] : !s2 -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %K step %c64 {
          %p = cta.acquire %ch : !ch2
          %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !q2
          %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          %b1 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          cta.commit %ch, %p (%a, %b0, %b1) : !ch2
        }
      }
    }
  }
  tile.return
}

// Not where nothing is computed with the products.
// CHECK-LABEL: tile.kernel @sums(
// CHECK-NOT: in_turn
// CHECK: tile.return
tile.kernel @sums(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %flags: memref<?xi1>, %K: index) attributes {phase = #specialized, warpgroups = 3} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @sums_0 blocks() {
    %ch = cta.channel : !ch3
    cta.role @math warps(12) {
      %zero = arith.constant dense<0.0> : !s3
      %first = arith.constant dense<0.0> : !op3
      %r:2 = scf.for %k = %c0 to %K step %c64 iter_args(%o = %zero, %p = %first) -> (!s3, !op3) {
        %q, %v:3 = cta.wait %ch : !ch3
        %s = cta.wgmma %v#0, %v#1 : !q3, !b -> !cta.async<!s3>
        %o1 = cta.ready %o : !s3
        %u = cta.wgmma %p, %v#2, %o1 : !op3, !b -> !cta.async<!s3>
        %sd = cta.complete %s : <!s3>
        %e = arith.constant dense<1.0> : !s3
        %ud = cta.complete %u : <!s3>
        cta.release %ch, %q : !ch3
        %h = arith.truncf %e : !s3 to !h3
        %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : !h3 -> !op3
        scf.yield %ud, %a : !s3, !op3
      }
      cta.store %r#0, %C[%c0, %c0] : !s3 -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %K step %c64 {
          %p = cta.acquire %ch : !ch3
          %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !q3
          %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          %b1 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          cta.commit %ch, %p (%a, %b0, %b1) : !ch3
        }
      }
    }
  }
  tile.return
}

// Not where warpgroups meet between the products: one of them would wait for its turn.
// CHECK-LABEL: tile.kernel @meeting(
// CHECK-NOT: in_turn
// CHECK: tile.return
tile.kernel @meeting(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %flags: memref<?xi1>, %K: index) attributes {phase = #specialized, warpgroups = 3} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @meeting_0 blocks() {
    %ch = cta.channel : !ch3
    cta.role @math warps(12) {
      %zero = arith.constant dense<0.0> : !s3
      %first = arith.constant dense<0.0> : !op3
      %r:2 = scf.for %k = %c0 to %K step %c64 iter_args(%o = %zero, %p = %first) -> (!s3, !op3) {
        %q, %v:3 = cta.wait %ch : !ch3
        %s = cta.wgmma %v#0, %v#1 : !q3, !b -> !cta.async<!s3>
        %need = arith.cmpf ogt, %o, %zero : !s3
        %any = cta.any %need : tensor<192x64xi1, #acc_3>
        %o1 = cta.ready %o : !s3
        %u = cta.wgmma %p, %v#2, %o1 : !op3, !b -> !cta.async<!s3>
        %sd = cta.complete %s : <!s3>
        %e = math.exp2 %sd : !s3
        %ud = cta.complete %u : <!s3>
        cta.release %ch, %q : !ch3
        %h = arith.truncf %e : !s3 to !h3
        %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : !h3 -> !op3
        scf.yield %ud, %a : !s3, !op3
      }
      cta.store %r#0, %C[%c0, %c0] : !s3 -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %K step %c64 {
          %p = cta.acquire %ch : !ch3
          %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !q3
          %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          %b1 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          cta.commit %ch, %p (%a, %b0, %b1) : !ch3
        }
      }
    }
  }
  tile.return
}

// Nor where memory is written between them.
// CHECK-LABEL: tile.kernel @stores(
// CHECK-NOT: in_turn
// CHECK: tile.return
tile.kernel @stores(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %flags: memref<?xi1>, %K: index) attributes {phase = #specialized, warpgroups = 3} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @stores_0 blocks() {
    %ch = cta.channel : !ch3
    cta.role @math warps(12) {
      %zero = arith.constant dense<0.0> : !s3
      %first = arith.constant dense<0.0> : !op3
      %r:2 = scf.for %k = %c0 to %K step %c64 iter_args(%o = %zero, %p = %first) -> (!s3, !op3) {
        %q, %v:3 = cta.wait %ch : !ch3
        %s = cta.wgmma %v#0, %v#1 : !q3, !b -> !cta.async<!s3>
        cta.store %o, %C[%c0, %c0] : !s3 -> memref<?x?xf32>
        %o1 = cta.ready %o : !s3
        %u = cta.wgmma %p, %v#2, %o1 : !op3, !b -> !cta.async<!s3>
        %sd = cta.complete %s : <!s3>
        %e = math.exp2 %sd : !s3
        %ud = cta.complete %u : <!s3>
        cta.release %ch, %q : !ch3
        %h = arith.truncf %e : !s3 to !h3
        %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : !h3 -> !op3
        scf.yield %ud, %a : !s3, !op3
      }
      cta.store %r#0, %C[%c0, %c0] : !s3 -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %K step %c64 {
          %p = cta.acquire %ch : !ch3
          %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !q3
          %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          %b1 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          cta.commit %ch, %p (%a, %b0, %b1) : !ch3
        }
      }
    }
  }
  tile.return
}

// Not where a tile is staged, or read from shared memory, between them: the barrier of the role would stand there.
// CHECK-LABEL: tile.kernel @staged(
// CHECK-NOT: in_turn
// CHECK: tile.return
tile.kernel @staged(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %flags: memref<?xi1>, %K: index) attributes {phase = #specialized, warpgroups = 3} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @staged_0 blocks() {
    %ch = cta.channel : !ch3
    cta.role @math warps(12) {
      %zero = arith.constant dense<0.0> : !s3
      %first = arith.constant dense<0.0> : !op3
      %r:2 = scf.for %k = %c0 to %K step %c64 iter_args(%o = %zero, %p = %first) -> (!s3, !op3) {
        %q, %v:3 = cta.wait %ch : !ch3
        %s = cta.wgmma %v#0, %v#1 : !q3, !b -> !cta.async<!s3>
        %hh = arith.truncf %o : !s3 to !h3
        %st = cta.stage %hh : !h3 -> !q3
        %rd = cta.read %st : !q3 -> !h3
        %xx = arith.extf %rd : !h3 to !s3
        %o1 = cta.ready %xx : !s3
        %u = cta.wgmma %p, %v#2, %o1 : !op3, !b -> !cta.async<!s3>
        %sd = cta.complete %s : <!s3>
        %e = math.exp2 %sd : !s3
        %ud = cta.complete %u : <!s3>
        cta.release %ch, %q : !ch3
        %h = arith.truncf %e : !s3 to !h3
        %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : !h3 -> !op3
        scf.yield %ud, %a : !s3, !op3
      }
      cta.store %r#0, %C[%c0, %c0] : !s3 -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %K step %c64 {
          %p = cta.acquire %ch : !ch3
          %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !q3
          %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          %b1 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          cta.commit %ch, %p (%a, %b0, %b1) : !ch3
        }
      }
    }
  }
  tile.return
}

// Nor where one of them reads a tile that the iteration has staged before.
// CHECK-LABEL: tile.kernel @before(
// CHECK-NOT: in_turn
// CHECK: tile.return
tile.kernel @before(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %flags: memref<?xi1>, %K: index) attributes {phase = #specialized, warpgroups = 3} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @before_0 blocks() {
    %ch = cta.channel : !ch3
    cta.role @math warps(12) {
      %zero = arith.constant dense<0.0> : !s3
      %first = arith.constant dense<0.0> : !op3
      %r:2 = scf.for %k = %c0 to %K step %c64 iter_args(%o = %zero, %p = %first) -> (!s3, !op3) {
        %q, %v:3 = cta.wait %ch : !ch3
        %hh = arith.truncf %o : !s3 to !h3
        %st = cta.stage %hh : !h3 -> !q3
        %s = cta.wgmma %v#0, %v#1 : !q3, !b -> !cta.async<!s3>
        %o1 = cta.ready %o : !s3
        %u = cta.wgmma %st, %v#2, %o1 : !q3, !b -> !cta.async<!s3>
        %sd = cta.complete %s : <!s3>
        %e = math.exp2 %sd : !s3
        %ud = cta.complete %u : <!s3>
        cta.release %ch, %q : !ch3
        %h = arith.truncf %e : !s3 to !h3
        %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : !h3 -> !op3
        scf.yield %ud, %a : !s3, !op3
      }
      cta.store %r#0, %C[%c0, %c0] : !s3 -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %K step %c64 {
          %p = cta.acquire %ch : !ch3
          %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !q3
          %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          %b1 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          cta.commit %ch, %p (%a, %b0, %b1) : !ch3
        }
      }
    }
  }
  tile.return
}

// A product that is issued when the first one has been waited for has no part in the turn.
// CHECK-LABEL: tile.kernel @third(
// CHECK-COUNT-2: {in_turn}
// CHECK-NOT: in_turn
// CHECK: tile.return
tile.kernel @third(%A: memref<?x?xbf16>, %C: memref<?x?xf32>, %flags: memref<?xi1>, %K: index) attributes {phase = #specialized, warpgroups = 3} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  cta.launch @third_0 blocks() {
    %ch = cta.channel : !ch3
    cta.role @math warps(12) {
      %zero = arith.constant dense<0.0> : !s3
      %first = arith.constant dense<0.0> : !op3
      %r:2 = scf.for %k = %c0 to %K step %c64 iter_args(%o = %zero, %p = %first) -> (!s3, !op3) {
        %q, %v:3 = cta.wait %ch : !ch3
        %s = cta.wgmma %v#0, %v#1 : !q3, !b -> !cta.async<!s3>
        %o1 = cta.ready %o : !s3
        %u = cta.wgmma %p, %v#2, %o1 : !op3, !b -> !cta.async<!s3>
        %sd = cta.complete %s : <!s3>
        %late = cta.wgmma %v#0, %v#2 : !q3, !b -> !cta.async<!s3>
        %ld = cta.complete %late : <!s3>
        %es = arith.addf %sd, %ld : !s3
        %e = math.exp2 %es : !s3
        %ud = cta.complete %u : <!s3>
        cta.release %ch, %q : !ch3
        %h = arith.truncf %e : !s3 to !h3
        %a = cta.convert_layout %h {how = #cta.conversion<no_op>} : !h3 -> !op3
        scf.yield %ud, %a : !s3, !op3
      }
      cta.store %r#0, %C[%c0, %c0] : !s3 -> memref<?x?xf32>
    }
    cta.role @producer warps(1) {
      cta.elect {
        scf.for %k = %c0 to %K step %c64 {
          %p = cta.acquire %ch : !ch3
          %a = cta.copy %A[%c0, %k] {mechanism = #tma} : memref<?x?xbf16> -> !q3
          %b0 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          %b1 = cta.copy %A[%k, %c0] {mechanism = #tma} : memref<?x?xbf16> -> !b
          cta.commit %ch, %p (%a, %b0, %b1) : !ch3
        }
      }
    }
  }
  tile.return
}
