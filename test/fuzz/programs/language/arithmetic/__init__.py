# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the evaluator knows of numbers: values with their error bounds, functions, sums and scans of them."""
