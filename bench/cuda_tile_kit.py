#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the matrix products of cuda_tile_kernels.py with NVIDIA's CUDA Tile: cubins for bench/gemm.py to
time together with ours. Needs no GPU, but Python 3.11 and wheels of PyPI, best in a virtual environment of their own:

  python3 -m venv V && V/bin/pip install cuda-tile==1.7.0 nvidia-cuda-tileiras==13.5.37 nvidia-cuda-nvcc==13.5.37 \\
      nvidia-nvvm==13.5.37 nvidia-cuda-cuobjdump==13.5.37
  V/bin/python bench/cuda_tile_kit.py DIR        # DIR/*.cubin, DIR/manifest.json
  scripts/gpu-kit.sh --peer-kit DIR
"""

import argparse
import fnmatch
import io
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import cuda.tile as ct
from cuda.tile.compilation import ArrayConstraint, CallingConvention, KernelSignature, export_kernel

import cuda_tile_kernels

TOOLS = os.path.join(os.path.dirname(ct.__file__), "..", "..", "nvidia", "cu13", "bin")
ELEMENTS = {"bf16": ct.bfloat16, "f16": ct.float16}

# kernel, tile, CTAs of a cluster, worker warps (4 is the default and spills with large tiles), occupancy
LARGE = [("gemm", (256, 256, 64), 2, 8, None), ("gemm_persistent", (256, 256, 64), 2, 8, None),
         ("gemm", (128, 256, 64), 1, 8, None), ("gemm_persistent", (128, 256, 64), 1, 8, None),
         ("gemm", (256, 128, 64), 1, 8, None)]
MIDDLE = [("gemm", (128, 128, 64), 1, 8, None), ("gemm", (128, 128, 64), 1, None, 2), ("gemm_persistent", (128, 128, 64), 1, 8, None)]
SMALL = [("gemm", (64, 64, 128), 1, None, None), ("gemm", (64, 128, 64), 1, None, None), ("gemm", (128, 64, 128), 1, None, None)]
EPILOGUES = [((256, 256, 64), 2, 8), ((128, 256, 64), 1, 8), ((256, 128, 64), 1, 8), ((128, 128, 64), 1, None)]


def jobs():
    """The products in the rows of bench/gemm_rows.json. "facts": whole (what CUDA Tile's JIT derives of multiples of 16),
    ragged (rows of whole 16 bytes, sizes of any number), any."""
    def job(kernel, tile, ctas, warps, occupancy, layout, element="bf16", facts="whole", group=8):
        name = f"{kernel}-{element}-{layout}-{'x'.join(map(str, tile))}-c{ctas}-w{warps or 4}-o{occupancy or 1}-{facts}"
        return {"name": name, "kernel": kernel, "tile": tile, "ctas": ctas, "warps": warps, "occupancy": occupancy,
                "layout": layout, "element": element, "facts": facts, "group": group}

    for layout in ("nt", "nn"):
        for entry in LARGE + MIDDLE + SMALL:
            yield job(*entry, layout)
        for entry in LARGE[:4]:
            yield job(*entry, layout, element="f16")
        for entry in LARGE + MIDDLE[:1]:
            yield job(*entry, layout, facts="ragged")
        for entry in (LARGE[0], LARGE[2], MIDDLE[0], MIDDLE[1]):
            yield job(*entry, layout, facts="any")
        for kernel in ("gemm_bias_gelu", "gemm_residual"):
            for tile, ctas, warps in EPILOGUES:
                yield job(kernel, tile, ctas, warps, 2 if not warps else None, layout)
    for layout in ("tn", "tt"):
        for entry in LARGE:
            yield job(*entry, layout)


def array(rank, element, facts):
    rows, sizes = {"whole": (8, 16), "ragged": (8, 1), "any": (1, 1)}[facts]
    return ArrayConstraint(ELEMENTS[element], rank, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=(),
                           may_alias_internally=False, stride_constant=[None] * (rank - 1) + [1],
                           stride_divisible_by=[rows] * (rank - 1) + [1], shape_divisible_by=[sizes] * rank,
                           base_addr_divisible_by=16)


def front_end(job):
    """CUDA Tile's bytecode."""
    kernel = ct.kernel(getattr(cuda_tile_kernels, job["kernel"]), num_ctas=job["ctas"], occupancy=job["occupancy"],
                       num_worker_warps=job["warps"])
    matrix = array(2, job["element"], job["facts"])
    extra = {"gemm_bias_gelu": [array(1, job["element"], job["facts"])], "gemm_residual": [matrix]}.get(job["kernel"], [])
    flags = [job["layout"][0] == "t", job["layout"][1] == "t"]
    signature = KernelSignature([matrix, matrix, *extra, matrix, *job["tile"], *flags, job["group"]],
                                CallingConvention.cutile_python_v1(), symbol="k")
    stream = io.BytesIO()
    export_kernel(kernel, [signature], stream, gpu_code="sm_90", output_format="tileir_bytecode")
    return stream.getvalue()


def facts_of(cubin):
    """The parameters as [ordinal, offset, size], CTAs of a cluster, registers, stack."""
    tool = os.path.join(TOOLS, "cuobjdump")
    elf = subprocess.run([tool, "-elf", cubin], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"Ordinal : (0x\w+)\s+Offset\s+: (0x\w+)\s+Size\s+: (0x\w+)", elf)
    cluster = re.search(r"EIATTR_CTA_PER_CLUSTER\s+Format:\s+\S+\s+Value:\s+(0x\w+)", elf)
    usage = subprocess.run([tool, "-res-usage", cubin], capture_output=True, text=True, check=True).stdout
    resources = re.search(r"REG:(\d+) STACK:(\d+) SHARED:(\d+)", usage)
    return {"params": sorted([int(text, 16) for text in row] for row in set(found)), "cluster": int(cluster.group(1), 16) if cluster else 1,
            "registers": int(resources.group(1)), "stack": int(resources.group(2)), "shared": int(resources.group(3))}


def compile_one(job, bytecode, folder):
    source, cubin = os.path.join(folder, job["name"] + ".tileirbc"), os.path.join(folder, job["name"] + ".cubin")
    with open(source, "wb") as file:
        file.write(bytecode)
    # If an older toolkit is named by one of these variables, tileiras fails without a message.
    environment = {key: value for key, value in os.environ.items() if key not in ("CUDA_HOME", "CUDA_PATH", "LIBRARY_PATH")}
    environment["PATH"] = TOOLS + ":/usr/bin:/bin"
    try:
        run = subprocess.run([os.path.join(TOOLS, "tileiras"), source, "-o", cubin, "--gpu-name", "sm_90", "-O3"],
                             env=environment, capture_output=True, text=True, timeout=120)
        error = (run.stdout + run.stderr)[-300:] if run.returncode else None
    except subprocess.TimeoutExpired:
        error = "timeout"
    os.remove(source)
    return {**job, "error": error} if error else {**job, "file": job["name"] + ".cubin", **facts_of(cubin)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out")
    parser.add_argument("--only", default="*", help="pattern of names")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    chosen = [job for job in jobs() if fnmatch.fnmatchcase(job["name"], options.only)]
    with ThreadPoolExecutor(options.jobs) as pool:
        entries = list(pool.map(lambda pair: compile_one(*pair, options.out), [(job, front_end(job)) for job in chosen]))
    with open(os.path.join(options.out, "manifest.json"), "w") as file:
        json.dump([entry for entry in entries if "file" in entry], file, indent=0)
    for entry in entries:
        if "error" in entry and entry["error"]:
            print(f"{entry['name']}: {entry['error'].strip()}", file=sys.stderr)
    bad = sum("file" not in entry for entry in entries)
    size = sum(os.path.getsize(os.path.join(options.out, entry["file"])) for entry in entries if "file" in entry)
    print(f"{options.out}: {len(entries) - bad} cubins, {size >> 10} KiB, {bad} failures")
    return 1 if bad or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
