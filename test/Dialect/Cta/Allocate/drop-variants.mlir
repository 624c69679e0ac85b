// RUN: tile-opt %s -cta-drop-variants | FileCheck %s
// RUN: tile-opt %s -cta-drop-variants -cta-drop-variants | FileCheck %s

// With one plan for both, `aligned` takes the launches of `lines`.
// CHECK-NOT: @same_lines
// CHECK: tile.kernel @same_aligned({{.*}}cta.stands_for = "lines"
tile.kernel @same_lines(%A: memref<?x?xbf16>) attributes {plan = #cta.plan<stages = 3, cluster = 2>, variant = "lines", variant_of = "same"} { tile.return }
tile.kernel @same_aligned(%A: memref<?x?xbf16>) attributes {plan = #cta.plan<stages = 3, cluster = 2>, variant = "aligned", variant_of = "same"} { tile.return }

// Without plans the two do not differ.
// CHECK-NOT: @none_lines
// CHECK: tile.kernel @none_aligned(
tile.kernel @none_lines(%A: memref<?x?xbf16>) attributes {variant = "lines", variant_of = "none"} { tile.return }
tile.kernel @none_aligned(%A: memref<?x?xbf16>) attributes {variant = "aligned", variant_of = "none"} { tile.return }

// Two plans.
// CHECK: tile.kernel @two_lines(
// CHECK: tile.kernel @two_aligned({{.*}}variant_of = "two"} {
tile.kernel @two_lines(%A: memref<?x?xbf16>) attributes {plan = #cta.plan<stages = 3, cluster = 1>, variant = "lines", variant_of = "two"} { tile.return }
tile.kernel @two_aligned(%A: memref<?x?xbf16>) attributes {plan = #cta.plan<stages = 3, cluster = 2>, variant = "aligned", variant_of = "two"} { tile.return }

// No other variant would take the launches: it is alone, of another kernel, next to other variants, no variant at all.
// CHECK: tile.kernel @alone_lines(
// CHECK: tile.kernel @alone_any(
// CHECK: tile.kernel @lines(
// CHECK: tile.kernel @other_any(
// CHECK: tile.kernel @other_aligned(
tile.kernel @alone_lines(%A: memref<?x?xbf16>) attributes {plan = #cta.plan<stages = 3, cluster = 2>, variant = "lines", variant_of = "alone"} { tile.return }
tile.kernel @alone_any(%A: memref<?x?xbf16>) attributes {plan = #cta.plan<stages = 3, cluster = 2>, variant = "any", variant_of = "alone"} { tile.return }
tile.kernel @lines(%A: memref<?x?xbf16>) attributes {plan = #cta.plan<stages = 3, cluster = 2>} { tile.return }
tile.kernel @other_any(%A: memref<?x?xbf16>) attributes {plan = #cta.plan<stages = 3, cluster = 2>, variant = "any", variant_of = "other"} { tile.return }
tile.kernel @other_aligned(%A: memref<?x?xbf16>) attributes {plan = #cta.plan<stages = 3, cluster = 2>, variant = "aligned", variant_of = "other"} { tile.return }

// `aligned` demands what `lines` does not, so some launches are for `lines` only.
// CHECK: tile.kernel @large_lines(
// CHECK: tile.kernel @large_aligned(
tile.kernel @large_lines(%A: memref<?x?xbf16>) attributes {guards = [#tile.guard<align, arg = 0, dim = -1, value = 128>], variant = "lines", variant_of = "large"} {
  tile.return
}
tile.kernel @large_aligned(%A: memref<?x?xbf16>) attributes {guards = [#tile.guard<size_min, arg = 0, dim = 0, value = 4096>], variant = "aligned", variant_of = "large"} {
  tile.return
}

// `lines` demands more in addition.
// CHECK-NOT: @more_lines
// CHECK: tile.kernel @more_aligned(
tile.kernel @more_lines(%A: memref<?x?xbf16>) attributes {guards = [#tile.guard<align, arg = 0, dim = -1, value = 16>, #tile.guard<align, arg = 0, dim = -1, value = 128>], variant = "lines", variant_of = "more"} {
  tile.return
}
tile.kernel @more_aligned(%A: memref<?x?xbf16>) attributes {guards = [#tile.guard<align, arg = 0, dim = -1, value = 16>], variant = "aligned", variant_of = "more"} {
  tile.return
}

// Nobody compares predicted times of kernels that are no members (`tilec --predict`).
// CHECK-NOT: @told_lines
// CHECK: tile.kernel @told_aligned(
tile.kernel @told_lines(%A: memref<?x?xbf16>, %n: index) attributes {plan = #cta.plan<stages = 3>, variant = "lines", variant_of = "told", phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @l4 blocks(%n) attributes {cta.prediction = {iteration = 1024 : i64, lines = 600 : i64}} { }
  tile.cost %n
  tile.return
}
tile.kernel @told_aligned(%A: memref<?x?xbf16>, %n: index) attributes {plan = #cta.plan<stages = 3>, variant = "aligned", variant_of = "told", phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @l5 blocks(%n) attributes {cta.prediction = {iteration = 1024 : i64, lines = 1200 : i64}} { }
  tile.cost %n
  tile.return
}

// The predicted time of a member is another one without the guards of `lines`, because L2 then bounds an iteration more. The launcher compares times, so
// both stay. Where L2 bounds neither, one is enough.
// CHECK: tile.kernel @slower_lines(
// CHECK: tile.kernel @slower_aligned(
// CHECK-NOT: @equal_lines
// CHECK: tile.kernel @equal_aligned(
tile.kernel @slower_lines(%A: memref<?x?xbf16>, %n: index) attributes {plan = #cta.plan<stages = 3>, variant = "lines", variant_of = "slower", tile.member_of = "slower_family", tile.member = "B=1", phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @l0 blocks(%n) attributes {cta.prediction = {iteration = 1024 : i64, lines = 600 : i64}} { }
  tile.cost %n
  tile.return
}
tile.kernel @slower_aligned(%A: memref<?x?xbf16>, %n: index) attributes {plan = #cta.plan<stages = 3>, variant = "aligned", variant_of = "slower", tile.member_of = "slower_family", tile.member = "B=1", phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @l1 blocks(%n) attributes {cta.prediction = {iteration = 1024 : i64, lines = 1200 : i64}} { }
  tile.cost %n
  tile.return
}
tile.kernel @equal_lines(%A: memref<?x?xbf16>, %n: index) attributes {plan = #cta.plan<stages = 3>, variant = "lines", variant_of = "equal", tile.member_of = "equal_family", tile.member = "B=1", phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @l2 blocks(%n) attributes {cta.prediction = {iteration = 1024 : i64, lines = 600 : i64}} { }
  tile.cost %n
  tile.return
}
tile.kernel @equal_aligned(%A: memref<?x?xbf16>, %n: index) attributes {plan = #cta.plan<stages = 3>, variant = "aligned", variant_of = "equal", tile.member_of = "equal_family", tile.member = "B=1", phase = #tile.phase<allocated>, warpgroups = 1} {
  cta.launch @l3 blocks(%n) attributes {cta.prediction = {iteration = 1024 : i64, lines = 900 : i64}} { }
  tile.cost %n
  tile.return
}

// So it is before grids are lowered.
// CHECK: tile.kernel @grid_lines(
// CHECK: tile.kernel @grid_aligned(
tile.kernel @grid_lines(%A: memref<?x?xbf16>, %n: index) attributes {plan = #cta.plan<stages = 3>, variant = "lines", variant_of = "grid", tile.member_of = "grid_family", tile.member = "B=1", phase = #tile.phase<planned>, warpgroups = 1} {
  tile.grid (%i) = (0) to (%n) step (64) attributes {cta.prediction = {iteration = 1024 : i64, lines = 600 : i64}} { }
  tile.cost %n
  tile.return
}
tile.kernel @grid_aligned(%A: memref<?x?xbf16>, %n: index) attributes {plan = #cta.plan<stages = 3>, variant = "aligned", variant_of = "grid", tile.member_of = "grid_family", tile.member = "B=1", phase = #tile.phase<planned>, warpgroups = 1} {
  tile.grid (%i) = (0) to (%n) step (64) attributes {cta.prediction = {iteration = 1024 : i64, lines = 1200 : i64}} { }
  tile.cost %n
  tile.return
}
