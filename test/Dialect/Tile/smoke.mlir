// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @empty()
// CHECK-NEXT: tile.return
tile.kernel @empty() {
  tile.return
}
