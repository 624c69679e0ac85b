// RUN: %python %S/Inputs/refused.py tile-opt %s | FileCheck %s
// RUN: %python %S/Inputs/refused.py tile-opt %s --canonicalize --cse | FileCheck %s
// CHECK: 6 kernels taken, 6 changes refused, 0 wrong

// Arms of a branch on the turn that cta-verify accepts, and some that differ in one number.

// As many, computed in another way.
// REFUSED: /constant 63/constant 127/ passes over 9 slots of a channel where the other arm of the scf.if on the turn passes over 8
!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @computed(%A: memref<?x?xbf16>, %n: index, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  cta.launch @computed_0 blocks(%n) {
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      %r = cta.replica
      scf.for %t = %c0 to %n step %c1 iter_args(%turn = %z) -> (i32) {
        %mine = arith.cmpi eq, %turn, %r : i32
        scf.if %mine {
          cta.take_turn %ch, %z : !channel
          scf.for %k = %c0 to %K step %c64 {
            %q, %a = cta.wait %ch : !channel
            cta.release %ch, %q : !channel
          }
          cta.pass_turn %ch : !channel
        } else {
          %e = arith.constant 63 : index
          %sum = arith.addi %K, %e : index
          %trips = arith.divui %sum, %c64 : index
          %s = arith.index_castui %trips : index to i32
          cta.skip %ch, %s : !channel
        }
        %o = arith.constant 1 : i32
        %next = arith.xori %turn, %o : i32
        scf.yield %next : i32
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !channel
        %c = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
        cta.commit %ch, %p (%c) : !channel
      }
    }
  }
  tile.return
}

// -----

// A number from memory is the same in both arms.
// REFUSED: /to %m step %c1 /to %m step %c64 / passes over 768 slots of a channel where the other arm of the scf.if on the turn passes over 12
!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @loads(%A: memref<?x?xbf16>, %n: index, %K: index, %M: memref<?xindex>) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  cta.launch @loads_0 blocks(%n) {
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      %r = cta.replica
      scf.for %t = %c0 to %n step %c1 iter_args(%turn = %z) -> (i32) {
        %mine = arith.cmpi eq, %turn, %r : i32
        scf.if %mine {
          cta.take_turn %ch, %z : !channel
          %m = memref.load %M[%t] : memref<?xindex>
          scf.for %k = %c0 to %m step %c1 {
            %q, %a = cta.wait %ch : !channel
            cta.release %ch, %q : !channel
          }
          cta.pass_turn %ch : !channel
        } else {
          %m = memref.load %M[%t] : memref<?xindex>
          %s = arith.index_castui %m : index to i32
          cta.skip %ch, %s : !channel
        }
        %o = arith.constant 1 : i32
        %next = arith.xori %turn, %o : i32
        scf.yield %next : i32
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !channel
        %c = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
        cta.commit %ch, %p (%c) : !channel
      }
    }
  }
  tile.return
}

// -----

// As many for some sizes: facts about K may make that all sizes. cta-simulate finds out.
// REFUSED: /%c128 = arith.constant 128/%c128 = arith.constant 1/ passes over 1024 slots
!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @some(%A: memref<?x?xbf16>, %n: index, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  cta.launch @some_0 blocks(%n) {
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      %r = cta.replica
      scf.for %t = %c0 to %n step %c1 iter_args(%turn = %z) -> (i32) {
        %mine = arith.cmpi eq, %turn, %r : i32
        scf.if %mine {
          cta.take_turn %ch, %z : !channel
          scf.for %k = %c0 to %K step %c64 {
            %q, %a = cta.wait %ch : !channel
            cta.release %ch, %q : !channel
          }
          cta.pass_turn %ch : !channel
        } else {
          %c128 = arith.constant 128 : index
          %c2 = arith.constant 2 : i32
          %pairs = arith.divui %K, %c128 : index
          %p = arith.index_castui %pairs : index to i32
          %s = arith.muli %p, %c2 : i32
          cta.skip %ch, %s : !channel
        }
        %o = arith.constant 1 : i32
        %next = arith.xori %turn, %o : i32
        scf.yield %next : i32
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !channel
        %c = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
        cta.commit %ch, %p (%c) : !channel
      }
    }
  }
  tile.return
}

// -----

// A loop without slots is not followed, so nothing is reported.
// REFUSED: /%s = scf.for (.|\n)*?yield %y : i32\n *\}/%s = arith.constant 1000 : i32/ passes over 1000 slots
!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @opaque(%A: memref<?x?xbf16>, %n: index, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  cta.launch @opaque_0 blocks(%n) {
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      %r = cta.replica
      scf.for %t = %c0 to %n step %c1 iter_args(%turn = %z) -> (i32) {
        %mine = arith.cmpi eq, %turn, %r : i32
        scf.if %mine {
          cta.take_turn %ch, %z : !channel
          scf.for %k = %c0 to %K step %c64 {
            %q, %a = cta.wait %ch : !channel
            cta.release %ch, %q : !channel
          }
          cta.pass_turn %ch : !channel
        } else {
          %one = arith.constant 1 : i32
          %s = scf.for %k = %c0 to %K step %c64 iter_args(%x = %one) -> (i32) {
            %y = arith.addi %x, %one : i32
            scf.yield %y : i32
          }
          cta.skip %ch, %s : !channel
        }
        %o = arith.constant 1 : i32
        %next = arith.xori %turn, %o : i32
        scf.yield %next : i32
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !channel
        %c = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
        cta.commit %ch, %p (%c) : !channel
      }
    }
  }
  tile.return
}

// -----

// Nor are loops of millions of slots.
// REFUSED: /100000000/100/ passes over 1 slots of a channel where the other arm of the scf.if on the turn passes over 2
!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @long(%A: memref<?x?xbf16>, %n: index, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  cta.launch @long_0 blocks(%n) {
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      %r = cta.replica
      %many = arith.constant 100000000 : index
      scf.for %t = %c0 to %n step %c1 iter_args(%turn = %z) -> (i32) {
        %mine = arith.cmpi eq, %turn, %r : i32
        scf.if %mine {
          cta.take_turn %ch, %z : !channel
          scf.for %k = %c0 to %many step %c64 {
            %q, %a = cta.wait %ch : !channel
            cta.release %ch, %q : !channel
          }
          cta.pass_turn %ch : !channel
        } else {
          %s = arith.constant 1 : i32
          cta.skip %ch, %s : !channel
        }
        %o = arith.constant 1 : i32
        %next = arith.xori %turn, %o : i32
        scf.yield %next : i32
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !channel
        %c = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
        cta.commit %ch, %p (%c) : !channel
      }
    }
  }
  tile.return
}

// -----

// A number of slots by case.
// REFUSED: /%one, %two/%two, %one/ passes over 1 slots of a channel where the other arm of the scf.if on the turn passes over 2
!channel = !cta.channel<2, !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>>
tile.kernel @switch(%A: memref<?x?xbf16>, %n: index, %K: index) attributes {phase = #tile.phase<specialized>, warpgroups = 1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  cta.launch @switch_0 blocks(%n) {
    %ch = cta.channel : !channel
    cta.role @math warps(4) replicas(2) {
      %r = cta.replica
      scf.for %t = %c0 to %n step %c1 iter_args(%turn = %z) -> (i32) {
        %mine = arith.cmpi eq, %turn, %r : i32
        scf.if %mine {
          cta.take_turn %ch, %z : !channel
          scf.index_switch %K
          case 64 {
            %q, %a = cta.wait %ch : !channel
            cta.release %ch, %q : !channel
            scf.yield
          }
          default {
            %q, %a = cta.wait %ch : !channel
            cta.release %ch, %q : !channel
            %q1, %a1 = cta.wait %ch : !channel
            cta.release %ch, %q1 : !channel
          }
          cta.pass_turn %ch : !channel
        } else {
          %one = arith.constant 1 : i32
          %two = arith.constant 2 : i32
          %is = arith.cmpi eq, %K, %c64 : index
          %s = arith.select %is, %one, %two : i32
          cta.skip %ch, %s : !channel
        }
        %o = arith.constant 1 : i32
        %next = arith.xori %turn, %o : i32
        scf.yield %next : i32
      }
    }
    cta.role @producer warps(1) {
      cta.elect {
        %p = cta.acquire %ch : !channel
        %c = cta.copy %A[%c0, %c0] {mechanism = #cta.mechanism<tma>} : memref<?x?xbf16> -> !cta.smem<64x64xbf16, #cta.swizzle<128, dim = 1>>
        cta.commit %ch, %p (%c) : !channel
      }
    }
  }
  tile.return
}
