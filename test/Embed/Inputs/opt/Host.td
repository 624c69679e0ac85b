// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HOST_TD
#define HOST_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Host_Dialect : Dialect {
  let name = "host";
  let cppNamespace = "::host";
}

def Host_FastTanhOp : Op<Host_Dialect, "fast_tanh", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "a hyperbolic tangent of low accuracy";
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

#endif
