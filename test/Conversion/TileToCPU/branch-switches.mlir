// RUN: tile-opt %s -pass-pipeline='builtin.module(func.func(cpu-branch-switches))' | FileCheck %s
// RUN: tile-opt %s -pass-pipeline='builtin.module(func.func(cpu-branch-switches,cpu-branch-switches))' | FileCheck %s

// CHECK-LABEL: func.func @three(
// CHECK-SAME: %[[I:.*]]: index, %[[T:.*]]: tensor<8xf32>)
// CHECK: %[[IS4:.*]] = arith.cmpi eq, %[[I]], %c4
// CHECK: %[[N0:.*]] = arith.select %[[IS4]], %c0{{.*}}, %c2
// CHECK: %[[IS7:.*]] = arith.cmpi eq, %[[I]], %c-7
// CHECK: %[[N:.*]] = arith.select %[[IS7]], %c1{{.*}}, %[[N0]]
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %[[N]], %c1
// CHECK: %[[R:.*]]:2 = scf.if %[[FIRST]] -> (tensor<8xf32>, index) {
// CHECK: math.sin
// CHECK: } else {
// CHECK: %[[SECOND:.*]] = arith.cmpi ult, %[[N]], %c2
// CHECK: %[[Q:.*]]:2 = scf.if %[[SECOND]] -> (tensor<8xf32>, index) {
// CHECK: scf.yield %[[T]], %[[I]]
// CHECK: } else {
// CHECK: math.cos
// CHECK: scf.yield %[[Q]]#0, %[[Q]]#1
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @three(%i: index, %t: tensor<8xf32>) -> (tensor<8xf32>, index) {
  %c9 = arith.constant 9 : index
  %r:2 = scf.index_switch %i -> tensor<8xf32>, index
  case 4 {
    %x = math.sin %t : tensor<8xf32>
    scf.yield %x, %c9 : tensor<8xf32>, index
  }
  case -7 {
    scf.yield %t, %i : tensor<8xf32>, index
  }
  default {
    %x = math.cos %t : tensor<8xf32>
    scf.yield %x, %c9 : tensor<8xf32>, index
  }
  return %r#0, %r#1 : tensor<8xf32>, index
}

// A switch in a switch; one without cases.
// CHECK-LABEL: func.func @nested(
// CHECK-NOT: scf.index_switch
// CHECK: scf.if
// CHECK: scf.if
// CHECK: math.exp
// CHECK-NOT: scf.index_switch
func.func @nested(%i: index, %j: index, %t: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.index_switch %i -> tensor<8xf32>
  case 0 {
    %q = scf.index_switch %j -> tensor<8xf32>
    case 1 {
      scf.yield %t : tensor<8xf32>
    }
    default {
      %x = math.exp %t : tensor<8xf32>
      scf.yield %x : tensor<8xf32>
    }
    scf.yield %q : tensor<8xf32>
  }
  default {
    %q = scf.index_switch %j -> tensor<8xf32>
    default {
      scf.yield %t : tensor<8xf32>
    }
    scf.yield %q : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// Scalars are no buffers.
// CHECK-LABEL: func.func @scalars(
// CHECK: scf.index_switch
func.func @scalars(%i: index) -> index {
  %c9 = arith.constant 9 : index
  %r = scf.index_switch %i -> index
  case 4 {
    scf.yield %c9 : index
  }
  default {
    scf.yield %i : index
  }
  return %r : index
}
