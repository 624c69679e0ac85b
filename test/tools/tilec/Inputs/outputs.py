# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tilec does to a file that exists: outputs.py FOLDER PROGRAM."""

import os
import stat
import subprocess
import sys
import threading

FOLDER, PROGRAM = sys.argv[1:]
os.makedirs(FOLDER, exist_ok=True)
os.chdir(FOLDER)
for name in os.listdir("."):
    os.remove(name)


def compile_to(path, *options):
    return subprocess.run(["tilec", PROGRAM, "--variants=any", "--emit=ptx", "-o", path, *options], capture_output=True, text=True)


def contents(path):
    with open(path) as file:
        return file.read()


assert compile_to("new.ptx").returncode == 0
PTX = contents("new.ptx")
umask = os.umask(0)
os.umask(umask)
assert stat.S_IMODE(os.stat("new.ptx").st_mode) == 0o666 & ~umask

# A program that has opened the old file can read it to its end.
with open("old.ptx", "w") as file:
    file.write("old")
os.chmod("old.ptx", 0o640)
with open("old.ptx") as reader:
    assert compile_to("old.ptx").returncode == 0
    assert reader.read() == "old", "the old file was written over"
assert contents("old.ptx") == PTX
assert stat.S_IMODE(os.stat("old.ptx").st_mode) == 0o640, "its permissions went"

# A link stays a link, whatever its target is.
os.symlink("old.ptx", "link.ptx")
os.symlink("nowhere.ptx", "dangling.ptx")
for link in ("link.ptx", "dangling.ptx"):
    assert compile_to(link).returncode == 0
    assert os.path.islink(link) and contents(link) == PTX

# A device is written to directly.
os.mkfifo("pipe")
read = []
thread = threading.Thread(target=lambda: read.append(contents("pipe")))
thread.start()
assert compile_to("pipe").returncode == 0
thread.join()
assert read == [PTX] and stat.S_ISFIFO(os.stat("pipe").st_mode)
assert compile_to("/dev/null").returncode == 0 and stat.S_ISCHR(os.stat("/dev/null").st_mode)
assert compile_to("-").stdout == PTX and compile_to("/dev/stdout").stdout == PTX
full = compile_to("/dev/full")
assert full.returncode == 1 and "cannot write '/dev/full'" in full.stderr, full

# A failure leaves the old file, and no other one.
with open("old.ptx", "w") as file:
    file.write("old")
assert compile_to("old.ptx", "--require=peeled").returncode == 1 and contents("old.ptx") == "old"
if os.geteuid() != 0:
    os.chmod("old.ptx", 0o440)
    assert compile_to("old.ptx").returncode == 1 and contents("old.ptx") == "old"
left = sorted(os.listdir("."))
assert left == ["dangling.ptx", "link.ptx", "new.ptx", "nowhere.ptx", "old.ptx", "pipe"], left
print("good")
