# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Appends the global that carries a contract: add-contract.py CONTRACT.json KERNELS.ptx > OUT.ptx"""

import json
import struct
import sys

with open(sys.argv[1]) as file:
    text = json.dumps(json.load(file)).encode()
with open(sys.argv[2]) as file:
    ptx = file.read()
data = b"TESSERA-CTR-0001" + struct.pack("<Q", len(text)) + text + b"\0"
numbers = ", ".join(str(byte) for byte in data)
print(ptx)
print(f".visible .global .align 16 .b8 __tessera_contract[{len(data)}] = {{{numbers}}};")
