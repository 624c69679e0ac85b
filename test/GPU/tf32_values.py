#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a product with `precision = tf32` makes of factors that are no tf32: tf32_values.py ARTIFACT [--tile-run PATH].

ARTIFACT is Inputs/tf32-values.mlir, compiled for a device or for the CPU. The lowest 13 bits of a factor are dropped, of denormals too: one without higher
bits becomes zero, and makes NaN with an infinity. NaN stays NaN. Prints what differs, then "N passed, N failed".
"""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np


def of_bits(*bits):
    return np.array(bits, np.uint32).view(np.float32)


VALUES = np.concatenate([
    np.array([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 65504.0, 3e38, 1 + 2.0 ** -10, 1 + 2.0 ** -11, -1 - 2.0 ** -10 - 2.0 ** -23,
              2.0 ** -126, 2.0 ** -127, -2.0 ** -136, 2.0 ** -137, 1e-42, -1e-42, 2.0 ** -149, np.finfo(np.float32).max], np.float32),
    # NaN whose bits are all among those that are dropped, or all but one.
    of_bits(0x7F800001, 0x7F801FFF, 0xFF800001, 0x7F802000, 0x007FFFFF, 0x00002000, 0x00001FFF)])
OTHERS = np.array([1.0, -2.0, 0.0, np.inf, -np.inf, 2.0 ** 100, 0.5, 1 + 2.0 ** -11, np.nan, -0.0, 3.0, 2.0 ** -100], np.float32)


def dropped(x):
    return np.where(np.isnan(x), x, (x.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32))


def expected():
    """Sums with zeros: of a product the sign of zero is lost, since it is added to +0."""
    with np.errstate(all="ignore"):
        product = dropped(VALUES)[:, None].astype(np.float64) * dropped(OTHERS)[None].astype(np.float64)
        return product.astype(np.float32) + np.float32(0)


def in_first_column(values):
    full = np.zeros((len(values), 32), np.float32)
    full[:, 0] = values
    return full


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("artifact")
    parser.add_argument("--tile-run", default="tile-run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        a, b, c = (os.path.join(folder, name) for name in ("a.npy", "b.npy", "c.npy"))
        np.save(a, in_first_column(VALUES))
        np.save(b, in_first_column(OTHERS))
        subprocess.run([options.tile_run, options.artifact, a, b, f"nan:{len(VALUES)}x{len(OTHERS)}xf32", "--out", f"C={c}"], check=True, stdout=subprocess.DEVNULL)
        found, want = np.load(c), expected()
    same = (found == want) | (np.isnan(found) & np.isnan(want))
    for i, j in np.argwhere(~same):
        print(f"{VALUES[i]:.9g} (0x{VALUES[i:i + 1].view(np.uint32)[0]:08X}) * {OTHERS[j]:.9g}: {found[i, j]:.9g} instead of {want[i, j]:.9g}")
    print(f"{int(same.sum())} passed, {int((~same).sum())} failed")
    return 0 if same.all() else 1


if __name__ == "__main__":
    sys.exit(main())
