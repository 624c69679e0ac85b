# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tile programs as data: drawn from seeds (draw), printed as MLIR (printer), evaluated on arrays (evaluate)."""
