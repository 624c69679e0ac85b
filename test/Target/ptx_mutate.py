# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptx_mutate.py TILE-PTX-CHECK GOOD.ptx CONTRACT.json: every change of the PTX of a pipelined GEMM must be found.

GOOD.ptx has a ring of three slots: full mbarriers that count 1, behind them empty ones that count 2.

Not found, because the text does not say it: counts of full and empty that become equal (the rings then look like one), an mbarrier of a ring that is
not initialised (the address depends on the slot), and which phase a parity means; cta-simulate sees these before they are PTX.
"""
import re
import subprocess
import sys

CHECK, GOOD, CONTRACT = sys.argv[1:4]
text = open(GOOD).read()
inits = [int(offset) for offset in re.findall(r"mbarrier\.init\S+\s+\[\w+\+(\d+)\]", text)]
assert len(inits) == 6, inits
FULL, EMPTY = inits[0], inits[3]
WAIT = r"wait_\d+:\n\tmbarrier\.try_wait\S+ done, \[%r\d+\], %r\d+;\n\t@!done bra\.uni wait_\d+;\n"
# The consumer's wait comes first: math roles do.
MUTATIONS = [
    ("the consumer does not wait", WAIT, "", 1, "nobody waits for the ring"),
    ("the wait is not repeated", r"\t@!done bra\.uni wait_\d+;\n", "", 1, "nobody looks at the result"),
    ("the producer's wait is not repeated", r"(\t@!done bra\.uni wait_0;\n[\s\S]*)\t@!done bra\.uni wait_\d+;\n", r"\1", 1, "nobody looks at the result"),
    ("nobody releases", r"\t@first mbarrier\.arrive\S+ _, \[%r\d+\];\n", "", 1, "is waited for, but nobody arrives"),
    ("releases go to the full mbarriers", rf"(add\.s32 \t%r\d+, %r\d+, ){EMPTY}(;\n\t// begin inline asm\n\t{{\n\t\.reg \.pred first)", rf"\g<1>{FULL}\2", 1, "is waited for, but nobody arrives"),
    ("no bytes are announced", r"\tmbarrier\.arrive\.expect_tx.*\n", "", 1, "nobody announces their bytes"),
    ("bytes are announced on the empty mbarriers", rf"(mbarrier\.arrive\.expect_tx.*\[%rd\d+\+){FULL}", rf"\g<1>{EMPTY}", 1, "are brought to that of"),
    ("copies arrive on the empty mbarriers", rf"(cp\.async\.bulk\.tensor.*complete_tx.*\[%rd\d+\+){FULL}\]", rf"\g<1>{EMPTY}]", 0, "are brought to that of"),
    ("too few bytes are announced", r"mov\.b32 \t(%r\d+), 32768;", r"mov.b32 \t\1, 16384;", 1, "expects 16384 bytes"),
    ("one byte too many is announced", r"mov\.b32 \t(%r\d+), 32768;", r"mov.b32 \t\1, 32769;", 1, "expects 32769 bytes"),
    ("one copy is missing", r"\tcp\.async\.bulk\.tensor.*complete_tx.*\n", "", 1, "but the copies beside bring"),
    ("full counts three arrivals", r"mov\.b32 \t(%r\d+), 1;\n(\tmbarrier\.init)", r"mov.b32 \t\1, 3;\n\2", 1, "counts 3 arrivals, but only 1 can come"),
    ("empty counts no arrival", r"mov\.b32 \t(%r\d+), 2;\n(\tmbarrier\.init)", r"mov.b32 \t\1, 0;\n\2", 1, "arrival count 0"),
    ("empty counts more arrivals than threads", r"mov\.b32 \t(%r\d+), 2;\n(\tmbarrier\.init)", r"mov.b32 \t\1, 2000;\n\2", 1, "counts 2000 arrivals of a block of"),
    ("no fence after the initialisation", r"\tfence\.mbarrier_init\S*\n", "", 1, "after mbarrier.init without"),
    ("no proxy fence before the store", r"\tfence\.proxy\.async\.shared::cta;\n", "", 0, "a TMA store that may read"),
    ("no wgmma.fence", r"\twgmma\.fence\S*\n", "", 0, "without wgmma.fence"),
    ("no commit", r"\twgmma\.commit_group\S*\n", "", 0, "not committed"),
    ("the last wait leaves a group", r"(wgmma\.wait_group\S*) 0;", r"\1 1;", 0, "ends with wgmma in flight"),
    ("nobody waits for the launch before", r"\tgriddepcontrol\.wait;\n", "", 1, "is accessed where griddepcontrol.wait has not been passed"),
    ("blocks without work do not wait", r"\tgriddepcontrol\.wait;\n", r"\t@%p1 ret;\n\g<0>", 1, "a thread ends without griddepcontrol.wait"),
    ("some threads do not wait", r"\tgriddepcontrol\.wait;\n", r"\t@%p1 griddepcontrol.wait;\n", 1, "is accessed where griddepcontrol.wait has not been passed"),
    ("the wait is behind the roles", r"(\tgriddepcontrol\.wait;\n)([\s\S]*)(\tcp\.async\.bulk\.tensor\S*global\.shared)", r"\2\1\3", 1, "is accessed where griddepcontrol.wait has not been passed"),
    ("a load comes before the wait", r"\tgriddepcontrol\.wait;\n", r"\tld.global.b32 %r1, [%rd1];\n\g<0>", 1, "is accessed where griddepcontrol.wait has not been passed"),
    ("registers are given up and not taken", r"(\tbar\.sync \t0;\n)", r"\1\tsetmaxnreg.dec.sync.aligned.u32 40;\n", 1, "nobody takes them"),
]


def check(mutated):
    done = subprocess.run([CHECK, "-", f"--contract={CONTRACT}"], input=mutated, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


code, output = check(text)
assert code == 0, output
failures = []
for name, old, new, count, expect in MUTATIONS:
    mutated, times = re.subn(old, new, text, count=count)
    if not times:
        failures.append(f"{name}: nothing to change")
        continue
    code, output = check(mutated)
    if not code or expect not in output:
        failures.append(f"{name}: expected '{expect}', got '{output}'")
print(f"found {len(MUTATIONS) - len(failures)} of {len(MUTATIONS)}")
for failure in failures:
    print("FAILED", failure)
sys.exit(bool(failures))
