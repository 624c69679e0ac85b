// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-specialize-facts

// expected-error @+1 {{cannot have a variant named @k_any, because that symbol exists; rename one}}
tile.kernel @k() {
  tile.return
}
func.func private @k_any()
