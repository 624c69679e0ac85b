// What the log of ptxas makes of a compilation. ptxas itself is a script that prints a log.
//
// RUN: env FAKE_LOG=%S/Inputs/serialized.log not tilec %s --ptxas=%S/Inputs/fake-ptxas.sh -O1 -o %t.cubin 2>&1 | FileCheck %s --check-prefix=SERIALIZED
// SERIALIZED: ptxas-errors.mlir:[[#@LINE+16]]:{{[0-9]+}}: error: ptxas (C7510): Potential Performance Loss: wgmma.mma_async instructions are serialized
//
// RUN: env FAKE_LOG=%S/Inputs/spills.log not tilec %s --ptxas=%S/Inputs/fake-ptxas.sh -O1 -o %t.cubin 2>&1 | FileCheck %s --check-prefix=SPILLS
// SPILLS: ptxas-errors.mlir:[[#@LINE+13]]:{{[0-9]+}}: error: 'product' spills registers (48 bytes stored, 52 loaded, with 255 registers a thread)
//
// RUN: env FAKE_LOG=%S/Inputs/error.log FAKE_STATUS=255 not tilec %s --ptxas=%S/Inputs/fake-ptxas.sh -O1 -o %t.cubin 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: ptxas, PTX line 5: Not a name of any known instruction: 'foo'
// ERROR-NOT: aborted
//
// RUN: not tilec %s --ptxas=%t.nowhere -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PATH
// PATH: error: '{{.*}}.nowhere' is not a program that can be run, but was given as ptxas
//
// A failure leaves no output.
// RUN: not ls %t.cubin
//

llvm.func @product(%a: i64, %b: i64, %p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  nvvm.wgmma.fence.aligned
  %d = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $4, $5, 0, 1, 1, 0, 0;", "=f,=f,=f,=f,l,l" %a, %b : (i64, i64) -> !llvm.struct<(f32, f32, f32, f32)>
  nvvm.wgmma.commit.group.sync.aligned
  nvvm.wgmma.wait.group.sync.aligned 0
  %x = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
  llvm.store %x, %p : f32, !llvm.ptr<1>
  llvm.return
}
