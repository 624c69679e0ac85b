// RUN: tile-opt %s -split-input-file -tile-prepare-inlining -verify-diagnostics

func.func private @f(%x: index) -> index {
  %y = func.call @g(%x) : (index) -> index
  return %y : index
}
func.func private @g(%x: index) -> index {
  // expected-error @+1 {{calls @f, which calls itself: functions of a tile program are inlined, and may not be recursive; write a loop}}
  %y = func.call @f(%x) : (index) -> index
  return %y : index
}
tile.kernel @recursive(%n: index) {
  %m = func.call @f(%n) : (index) -> index
  tile.grid (%i) = (0) to (%m) step (1) {
  }
  tile.return
}

// -----

// 4 calls in each other are 10^4 calls of the last one.
func.func private @f0(%x: index) -> index {
  %0 = arith.addi %x, %x : index
  %1 = arith.addi %0, %x : index
  return %1 : index
}
func.func private @f1(%x: index) -> index {
  %0 = func.call @f0(%x) : (index) -> index
  %1 = func.call @f0(%0) : (index) -> index
  %2 = func.call @f0(%1) : (index) -> index
  %3 = func.call @f0(%2) : (index) -> index
  %4 = func.call @f0(%3) : (index) -> index
  %5 = func.call @f0(%4) : (index) -> index
  %6 = func.call @f0(%5) : (index) -> index
  %7 = func.call @f0(%6) : (index) -> index
  %8 = func.call @f0(%7) : (index) -> index
  %9 = func.call @f0(%8) : (index) -> index
  return %9 : index
}
func.func private @f2(%x: index) -> index {
  %0 = func.call @f1(%x) : (index) -> index
  %1 = func.call @f1(%0) : (index) -> index
  %2 = func.call @f1(%1) : (index) -> index
  %3 = func.call @f1(%2) : (index) -> index
  %4 = func.call @f1(%3) : (index) -> index
  %5 = func.call @f1(%4) : (index) -> index
  %6 = func.call @f1(%5) : (index) -> index
  %7 = func.call @f1(%6) : (index) -> index
  %8 = func.call @f1(%7) : (index) -> index
  %9 = func.call @f1(%8) : (index) -> index
  return %9 : index
}
func.func private @f3(%x: index) -> index {
  %0 = func.call @f2(%x) : (index) -> index
  %1 = func.call @f2(%0) : (index) -> index
  %2 = func.call @f2(%1) : (index) -> index
  %3 = func.call @f2(%2) : (index) -> index
  %4 = func.call @f2(%3) : (index) -> index
  %5 = func.call @f2(%4) : (index) -> index
  %6 = func.call @f2(%5) : (index) -> index
  %7 = func.call @f2(%6) : (index) -> index
  %8 = func.call @f2(%7) : (index) -> index
  %9 = func.call @f2(%8) : (index) -> index
  return %9 : index
}
func.func private @f4(%x: index) -> index {
  %0 = func.call @f3(%x) : (index) -> index
  %1 = func.call @f3(%0) : (index) -> index
  %2 = func.call @f3(%1) : (index) -> index
  %3 = func.call @f3(%2) : (index) -> index
  return %3 : index
}
tile.kernel @exponential(%n: index) {
  %a = func.call @f1(%n) : (index) -> index
  // expected-error @+1 {{calls @f4, which is 21334 ops with all calls in it inlined, and makes the kernel @exponential one of 21392; the limit is 20000: call it less often, or in a loop}}
  %b = func.call @f4(%a) : (index) -> index
  tile.grid (%i) = (0) to (%b) step (1) {
  }
  tile.return
}
