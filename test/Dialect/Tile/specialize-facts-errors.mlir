// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-specialize-facts
// RUN: not tile-opt %s --split-input-file --tile-specialize-facts=variants=some 2>&1 | FileCheck %s
// CHECK: error: tile-specialize-facts: unknown variants 'some'; known: auto, any, lines, aligned, operands, cp_async, repack, tables, tables_any

// expected-error @+1 {{cannot have a variant named @k_any, because that symbol exists; rename one}}
tile.kernel @k() {
  tile.return
}
func.func private @k_any()
