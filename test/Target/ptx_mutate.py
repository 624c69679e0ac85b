# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptx_mutate.py TILE-PTX-CHECK GOOD.ptx alone|cluster: every change of the PTX of a pipelined GEMM must be found.

GOOD.ptx has a ring of three slots: full mbarriers that count 1, after them empty ones that count 2, or 4 in clusters of two blocks.

Not found, because the text does not say it: counts of full and empty that become equal (the rings then look like one), an mbarrier of a ring that is
not initialised (the address depends on the slot), which phase a parity means, and a count that is that of one block of a cluster; cta-simulate sees these
before they are PTX. Nor is one of several waits, if another at the end makes up for it: docs/Debugging.md.
"""
import json
import re
import subprocess
import sys

CHECK, GOOD, BLOCKS = sys.argv[1:4]
text = open(GOOD).read()
inits = [int(offset) for offset in re.findall(r"mbarrier\.init\S+\s+\[\w+\+(\d+)\]", text)]
assert len(inits) == 6, inits
FULL, EMPTY = inits[0], inits[3]
WAIT = r"wait_\d+:\n\tmbarrier\.try_wait\S+ done, \[%r\d+\], %r\d+;\n\t@!done bra\.uni wait_\d+;\n"
# The bytes of a slot, from which those that lie outside of the arrays are subtracted.
BYTES = r"(sub\.[su]32 %r\d+, )32768,"
# The consumer's wait comes first, because math roles do.
MUTATIONS = [
    ("the consumer does not wait", WAIT, "", 1, "nobody waits for the ring"),
    ("the wait is not repeated", r"\t@!done bra\.uni wait_\d+;\n", "", 1, "nobody looks at the result"),
    ("the producer's wait is not repeated", r"(\t@!done bra\.uni wait_0;\n[\s\S]*)\t@!done bra\.uni wait_\d+;\n", r"\1", 1, "nobody looks at the result"),
    ("nobody releases", r"\t@first mbarrier\.arrive\S+ _, \[%r\d+\];\n", "", 1, "is waited for, but nobody arrives"),
    ("releases go to the full mbarriers", rf"(add\.s32 \t%r\d+, %r\d+, ){EMPTY}(;\n\t// begin inline asm\n\t{{\n\t\.reg \.pred first)", rf"\g<1>{FULL}\2", 1, "is waited for, but nobody arrives"),
    ("no bytes are announced", r"\tmbarrier\.arrive\.expect_tx.*\n", "", 1, "nobody announces their bytes"),
    ("bytes are announced on the empty mbarriers", rf"(mbarrier\.arrive\.expect_tx.*\[%rd\d+\+){FULL}", rf"\g<1>{EMPTY}", 1, "are brought to that of"),
    ("copies arrive on the empty mbarriers", rf"(cp\.async\.bulk\.tensor.*complete_tx.*\[%rd\d+\+){FULL}\]", rf"\g<1>{EMPTY}]", 0, "are brought to that of"),
    ("too few bytes are announced", BYTES, r"\g<1>16384,", 1, "expects 16384"),
    ("one byte too many is announced", BYTES, r"\g<1>32769,", 1, "expects 32769"),
    ("one copy is missing", r"\tcp\.async\.bulk\.tensor.*complete_tx.*\n", "", 1, "but the copies that arrive there bring"),
    ("full counts three arrivals", r"mov\.b32 \t(%r\d+), 1;\n(\tmbarrier\.init)", r"mov.b32 \t\1, 3;\n\2", 1, "counts 3 arrivals, but only 1 can come"),
    ("empty counts no arrival", r"mov\.b32 \t(%r\d+), 2;\n(\tmbarrier\.init)", r"mov.b32 \t\1, 0;\n\2", 1, "arrival count 0"),
    ("empty counts more arrivals than threads", r"mov\.b32 \t(%r\d+), 2;\n(\tmbarrier\.init)", r"mov.b32 \t\1, 2000;\n\2", 1, "counts 2000 arrivals of a block of"),
    ("no fence after the initialisation", r"\tfence\.mbarrier_init\S*\n", "", 1, "after mbarrier.init without"),
    ("one of the producer's loops does not announce bytes", r"([\s\S]*)\tmbarrier\.arrive\.expect_tx.*\n", r"\1", 1, "a TMA load whose bytes some path does not announce"),
    ("no barrier after the initialisation", r"(fence\.mbarrier_init[\s\S]*?)\tbar\.sync \t0;\n", r"\1", 1, "has made known that it is initialised"),
    ("stores are in no group", r"\tcp\.async\.bulk\.commit_group;\n", "", 0, "TMA stores not committed"),
    ("no proxy fence before the store", r"\tfence\.proxy\.async\.shared::cta;\n", "", 0, "a TMA store that may read"),
    ("no wgmma.fence", r"\twgmma\.fence\S*\n", "", 0, "without wgmma.fence"),
    ("no commit", r"\twgmma\.commit_group\S*\n", "", 0, "not committed"),
    ("the last wait leaves a group", r"(wgmma\.wait_group\S*) 0;", r"\1 1;", 0, "ends with wgmma in flight"),
    ("nobody waits for the launch before", r"\tgriddepcontrol\.wait;\n", "", 1, "nothing waits for the launch before it"),
    ("blocks without work do not wait", r"\tgriddepcontrol\.wait;\n", r"\t@%p1 ret;\n\g<0>", 1, "a thread ends without griddepcontrol.wait"),
    ("some threads do not wait", r"\tgriddepcontrol\.wait;\n", r"\t@%p1 griddepcontrol.wait;\n", 1, "is accessed where griddepcontrol.wait has not been passed"),
    ("the wait is behind the roles", r"(\tgriddepcontrol\.wait;\n)([\s\S]*)(\tcp\.async\.bulk\.tensor\S*global\.shared)", r"\2\1\3", 1, "is accessed where griddepcontrol.wait has not been passed"),
    ("a load comes before the wait", r"\tgriddepcontrol\.wait;\n", r"\tld.global.b32 %r1, [%rd1];\n\g<0>", 1, "is accessed where griddepcontrol.wait has not been passed"),
    ("registers are given up and not taken", r"(\tbar\.sync \t0;\n)", r"\1\tsetmaxnreg.dec.sync.aligned.u32 40;\n", 1, "nobody takes them"),
]

# After its opcode "\tmapa…" and "\t@some mbarrier.arrive…" are one asm block.
REMOTE = r"\t@some mbarrier\.arrive\.shared::cluster\.b64 _, \[there\];\n"
MEETS = r"\tbarrier\.cluster\.arrive\S*;\n\tbarrier\.cluster\.wait\S*;\n"
# A copy on one side of a branch on which each block has a tile of its own.
OWN = r"\tcp\.async\.bulk\.tensor\S*shared::cluster\S*complete_tx::bytes(?!\S*multicast).*\n"
CLUSTER_MUTATIONS = [
    ("nobody releases", REMOTE, "", 1, "is waited for, but nobody arrives"),
    ("nobody tells other blocks", REMOTE, "", 1, "no block says to others that its memory is free"),
    ("releases go to the full mbarriers", rf"(add\.s32 \t%r\d+, %r\d+, ){EMPTY}(;\n[^;]*\n\t{{\n\t\.reg \.pred some)", rf"\g<1>{FULL}\2", 1, "is waited for, but nobody arrives"),
    ("releases stay in the own block", r"\[there\]", "[own]", 1, "an arrival in the cluster on an address that no mapa has made"),
    ("releases go to four blocks", r"(setp\.lt\.u32 some, %r\d+, )2;", r"\1 4;", 1, "arrives in 4 blocks of clusters of 2"),
    ("releases go to one block", r"(setp\.lt\.u32 some, %r\d+, )2;", r"\1 1;", 1, "arrives in 1 blocks of clusters of 2"),
    ("an odd number of releases", r"mov\.b32 \t(%r\d+), 4;\n(\tmbarrier\.init)", r"mov.b32 \t\1, 3;\n\2", 1, "as many come from each of the 2 blocks"),
    ("more releases than the cluster has threads", r"mov\.b32 \t(%r\d+), 4;\n(\tmbarrier\.init)", r"mov.b32 \t\1, 2000;\n\2", 1, "counts 2000 arrivals of a cluster of 576 threads"),
    ("only the own part is announced", BYTES, r"\g<1>24576,", 1, "but the copies that arrive there bring 32768"),
    ("only the own tile is announced", BYTES, r"\g<1>16384,", 1, "expects 16384"),
    ("parts are announced as whole tiles", BYTES, r"\g<1>49152,", 1, "expects 49152"),
    ("a part is fetched for the own block only", r"\.multicast::cluster(\S*) (.*), %rs\d+(.*;)", r"\1 \2\3", 1, "but the copies that arrive there bring"),
    ("a part is not fetched", r"\tcp\.async\.bulk\.tensor.*multicast.*\n", "", 1, "but the copies that arrive there bring"),
    ("a box of what is not shared is not fetched", OWN, "", 1, "but the copies that arrive there bring"),
    ("what is not shared is not fetched", OWN, "", 0, "but the copies that arrive there bring"),
    ("what is not shared is fetched twice", rf"({OWN})", r"\1\1", 1, "but the copies that arrive there bring"),
    ("a multicast to the first block", r"mov\.b16 \t(%rs\d+), 3;", r"mov.b16 \t\1, 1;", 1, "a multicast with the mask 1 in clusters of 2 blocks"),
    ("a multicast to three blocks", r"mov\.b16 \t(%rs\d+), 3;", r"mov.b16 \t\1, 7;", 1, "a multicast with the mask 7"),
    ("no clusters", r"\.explicitcluster\n\.reqnctapercluster.*\n", "", 1, "does not say how large clusters are"),
    ("larger clusters", r"\.reqnctapercluster 2,", ".reqnctapercluster 4,", 1, "with the mask 3 in clusters of 4 blocks"),
    ("the cluster does not meet at the start", MEETS, "", 1, "before the cluster has met"),
    ("only the block meets at the start", MEETS, "\tbar.sync \t0;\n", 1, "before the cluster has met"),
    ("the cluster does not wait at the start", r"\tbarrier\.cluster\.wait\S*;\n", "", 1, "before the cluster has met"),
    ("the cluster does not arrive at the start", r"\tbarrier\.cluster\.arrive\S*;\n", "", 1, "without an arrive"),
    ("no fence before the cluster meets", r"\tfence\.mbarrier_init\S*\n", "", 1, "meets after mbarrier.init without"),
    ("the cluster does not meet at the end", rf"{MEETS}(\tret)", r"\1", 1, "a thread ends where the cluster has not met"),
    ("only some threads meet at the end", rf"({MEETS}\tret)", r"\t@%p1 ret;\n\1", 1, "a thread ends where the cluster has not met"),
]

CONTRACT = re.compile(r"(__tessera_contract)\[\d+\] = \{([\d, ]*)\}")
HEADER = 24  # 16 bytes of magic, 8 of the length


def with_bytes(change):
    """A change of the bytes of the contract in the PTX."""
    def apply(text):
        old = bytes(int(byte) for byte in CONTRACT.search(text).group(2).split(",")) + b"\0"  # zeros at the end are not written
        new = change(old)
        return CONTRACT.sub(lambda match: f"{match.group(1)}[{len(new)}] = {{{', '.join(map(str, new))}}}", text) if new != old else text
    return apply


def with_launch(change):
    """A change of the launches that the contract in the PTX describes."""
    def rewrite(old):
        contract = json.loads(old[HEADER:-1])
        for kernel in contract["kernels"]:
            for variant in kernel["variants"]:
                for launch in variant["launches"]:
                    change(launch)
        text = json.dumps(contract).encode()
        return old[:16] + len(text).to_bytes(8, "little") + text + b"\0"
    return with_bytes(rewrite)


def without(pattern):
    return lambda text: re.sub(pattern, "", text)


# The code must keep what the contract promises, and do no more.
CONTRACT_MUTATIONS = [
    ("the contract says not dependent", with_launch(lambda launch: launch.update(dependent=False)), "the contract does not call this one dependent"),
    ("the contract says nothing", with_launch(lambda launch: launch.pop("dependent")), "the contract does not call this one dependent"),
    ("the code is not dependent", without(r"\tgriddepcontrol\.\w+;\n"), "nothing waits for the launch before it"),
    ("the code waits only", without(r"\tgriddepcontrol\.launch_dependents;\n"), "does not let the next one in early"),
    ("boxes are smaller", with_launch(lambda launch: [d.update(box=[d["box"][0], d["box"][1] // 2]) for d in launch["descriptors"]]), "but the copies that arrive there bring"),
    ("another magic", with_bytes(lambda old: b"t" + old[1:]), "is no text in the form of docs/Contract.md"),
    ("the text is cut", with_bytes(lambda old: old[:-2]), "is no text in the form of docs/Contract.md"),
    ("the text is empty", with_bytes(lambda old: b""), "is no text in the form of docs/Contract.md"),
    ("the text is longer than memory", lambda text: CONTRACT.sub(r"\1[99999999999999] = {84}", text), "is no text in the form of docs/Contract.md"),
    ("a number is no byte", lambda text: CONTRACT.sub(r"\1[2] = {84, 256}", text), "is no text in the form of docs/Contract.md"),
    ("the text is no JSON", with_bytes(lambda old: old[:HEADER] + b"]" + old[HEADER + 1:]), "is not JSON"),
]


def check(mutated):
    done = subprocess.run([CHECK, "-"], input=mutated, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


code, output = check(text)
assert code == 0, output
failures = []
mutations = CLUSTER_MUTATIONS if BLOCKS == "cluster" else MUTATIONS + CONTRACT_MUTATIONS
for name, *change, expect in mutations:
    if len(change) == 1:
        mutated = change[0](text)
    else:
        old, new, count = change
        mutated = re.sub(old, new, text, count=count)
    if mutated == text:
        failures.append(f"{name}: nothing to change")
        continue
    code, output = check(mutated)
    if code != 1 or expect not in output:
        failures.append(f"{name}: expected '{expect}', got {code} '{output}'")
print(f"found {len(mutations) - len(failures)} of {len(mutations)}")
for failure in failures:
    print("FAILED", failure)
sys.exit(bool(failures))
