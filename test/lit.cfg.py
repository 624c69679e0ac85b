# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Configuration of the lit tests. Every option comes from lit.site.cfg.py, which CMake writes.
import os
import shutil
import subprocess
import tempfile

import lit.formats

config.name = "Tessera"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "Inputs", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tessera_binary_root, "test")

# Tools under test, then FileCheck, not, mlir-opt, …; last the ptxas and nvdisasm of bootstrap.sh.
config.environment["PATH"] = os.path.pathsep.join(
    [
        os.path.join(config.tessera_binary_root, "bin"),
        config.llvm_tools_dir,
        config.environment.get("PATH", ""),
        os.path.join(config.tessera_source_root, ".venv", "bin"),
    ]
)
# Strict by default: variables do not leak between CHECK-LABELs, a prefix that no line uses is an error.
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"
# Sweeps over many programs, changes or sizes take every second, fourth or sixth of them, always the same ones, and programs that only
# have to compile one variant; most examples on the CPU have -O1. With `--param cases=all`, as before a release, they take all.
all_cases = lit_config.params.get("cases", "some") == "all"
for every in (2, 4, 6):
    config.substitutions.append((f"%every{every}", "--every=1" if all_cases else f"--every={every}"))
config.substitutions.append(("%one_variant", "" if all_cases else "--variants=aligned"))
config.substitutions.append(("%cpu_level", "" if all_cases else "-O1"))
config.substitutions.append(("%one_layout", "" if all_cases else "--kernel=mm_tn"))
# The threads of numpy's products wait for work in a loop, and the tests have a job for each core already.
config.environment["OPENBLAS_NUM_THREADS"] = "1"
# Projects of hosts are the same in each run, so the cache of compilations that the build uses serves them, too.
if shutil.which("ccache"):
    for language in ("C", "CXX"):
        config.environment[f"CMAKE_{language}_COMPILER_LAUNCHER"] = "ccache"
# They link large archives, which takes GNU ld several times as long as lld. One, `builder` of Embed/hosts.test, is linked by GNU ld,
# for which the order of archives matters.
if shutil.which("ld.lld", path=config.environment["PATH"]):
    config.environment["LDFLAGS"] = "-fuse-ld=lld"
for name in ("HOME", "CCACHE_DIR", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

venv_python = os.path.join(config.tessera_source_root, ".venv", "bin", "python")
python = venv_python if os.path.exists(venv_python) else config.fallback_python


def works(*command):
    try:
        return subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


if works("nvidia-smi", "-L"):
    config.available_features.add("gpu")
if shutil.which("ptxas", path=config.environment["PATH"]):
    config.available_features.add("ptxas")
if shutil.which("clang-format-" + config.llvm_major):
    config.available_features.add("clang-format")
if shutil.which("clang++-" + config.llvm_major):  # the pages name it
    config.available_features.add("clang")
if works(python, "-c", "import numpy, ml_dtypes"):
    config.available_features.add("numpy")

# The Python package in the build tree. It is built where Python's headers are.
package = os.path.join(config.tessera_binary_root, "python")
package_python = (
    f"env PYTHONPATH={package} TESSERA_LIBRARY_DIR={os.path.join(config.tessera_binary_root, 'lib')} {python} -W error::DeprecationWarning:tessera"
)
if os.path.exists(os.path.join(package, "tessera", "_native.abi3.so")):
    config.available_features.add("python-package")
if works(python, "-c", "import torch"):
    config.available_features.add("torch")

# Python's scripts run in copies of a process that has imported numpy (ForkServer/server.py). The socket is in a directory of this user
# alone. The server ends when all processes of lit have: nobody holds the other end of its standard input any more.
python_client = os.path.join(config.tessera_binary_root, "bin", "python-fork-client")
if os.path.exists(python_client):
    config.environment["TESSERA_TEST_PYTHON"] = python
    config.environment["TESSERA_FORK_SERVER"] = os.path.join(tempfile.mkdtemp(prefix="tessera-"), "socket")
    held_by_server, held_by_lit = os.pipe()
    subprocess.Popen(
        [python, os.path.join(config.test_source_root, "ForkServer", "server.py"), config.environment["TESSERA_FORK_SERVER"]],
        stdin=held_by_server,
        stdout=subprocess.DEVNULL,
        env=config.environment,
    )
    os.close(held_by_server)
else:
    python_client = python

config.substitutions.append(("%package_python", package_python))
config.substitutions.append(("%python", python_client))
config.substitutions.append(("%cmake", config.cmake))
config.substitutions.append(("%mlir_dir", config.mlir_dir))
config.substitutions.append(("%cc", config.cc))
config.substitutions.append(("%cxx", config.cxx))
config.substitutions.append(("%examples", os.path.join(config.tessera_source_root, "examples")))
config.substitutions.append(("%kernels", os.path.join(config.tessera_source_root, "python", "tessera", "kernels")))
config.substitutions.append(("%source_root", config.tessera_source_root))
config.substitutions.append(("%binary_root", config.tessera_binary_root))
