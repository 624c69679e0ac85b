# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numpy-arrays.py make|verify DIRECTORY"""

import os
import sys

import ml_dtypes
import numpy as np

values = np.array([1.5, -2.0, 0.0, 448.0], dtype=np.float32)
directory = sys.argv[2]


def path(name):
    return os.path.join(directory, name + ".npy")


if sys.argv[1] == "make":
    np.save(path("f32"), values)
    np.save(path("f64"), 2.0 * values.astype(np.float64))
    np.save(path("f2"), values.astype(np.float16))
    np.save(path("bf16"), values.astype(ml_dtypes.bfloat16))
    np.save(path("u2"), values.astype(ml_dtypes.bfloat16).view(np.uint16))
    np.save(path("fortran"), np.asfortranarray(np.ones((2, 3), dtype=np.float32)))
    np.save(path("big"), values.astype(">f4"))
else:
    found = np.load(path("y")).view(ml_dtypes.bfloat16).astype(np.float32)
    assert (found == values).all(), found
