# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs each gtest binary through lit; every gtest case counts as one test.
import os

import lit.formats

config.name = "Tessera-Unit"
config.test_source_root = config.unit_binary_root
config.test_exec_root = config.unit_binary_root
config.suffixes = []
config.test_format = lit.formats.GoogleTest(".", "Tests")
for name in ("HOME", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
