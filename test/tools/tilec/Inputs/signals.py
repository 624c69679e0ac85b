# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec is ended while a program that it runs works: signals.py FOLDER PROGRAM. Neither that program nor a temporary file may be
left, and the old output is."""

import os
import shutil
import signal
import subprocess
import sys
import time

FOLDER, PROGRAM = sys.argv[1:]
shutil.rmtree(FOLDER, ignore_errors=True)
temporary = os.path.join(FOLDER, "tmp")
os.makedirs(temporary)
NUMBER = os.path.join(FOLDER, "number")
OUTPUT = os.path.join(FOLDER, "output")
# Stands for ptxas and for the linker. It says that it runs, and then runs for a long time.
TOOL = os.path.join(FOLDER, "tool")
with open(TOOL, "w") as file:
    file.write(f"""#!/bin/sh
[ "$1" = --version ] && echo 'release 13.0, V13.0.88' && exit
echo $$ > {NUMBER}.new && mv {NUMBER}.new {NUMBER}
exec sleep 600
""")
os.chmod(TOOL, 0o755)


def wait_until(what, condition):
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    sys.exit(f"in vain: {what}")


def runs(number):
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def end(options, signals, ignored=None):
    with open(OUTPUT, "w") as file:
        file.write("old")

    def begin():
        # Some signals may be ignored when the tests run: a shell does so for jobs in the background.
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN if number == ignored else signal.SIG_DFL)

    tilec = subprocess.Popen(["tilec", PROGRAM, "-o", OUTPUT] + options, env={**os.environ, "TMPDIR": temporary},
                             stderr=subprocess.PIPE, preexec_fn=begin)
    try:
        wait_until("the program begins", lambda: os.path.exists(NUMBER) or tilec.poll() is not None)
        with open(NUMBER) as file:
            number = int(file.read())
        os.remove(NUMBER)
        assert os.listdir(temporary), "the test looks in the wrong place"
        for sent in signals:
            assert tilec.poll() is None and runs(number)
            tilec.send_signal(sent)
            if sent == ignored:
                time.sleep(0.3)
        said = tilec.communicate(timeout=60)[1]
        assert tilec.returncode == -signals[-1], tilec.returncode
        assert said == b"", said
        wait_until("the program ends", lambda: not runs(number))
    finally:
        tilec.kill()
    assert os.listdir(temporary) == [], os.listdir(temporary)
    with open(OUTPUT) as file:
        assert file.read() == "old"
    assert sorted(os.listdir(FOLDER)) == ["output", "tmp", "tool"], os.listdir(FOLDER)


GPU, CPU = [f"--ptxas={TOOL}", "--emit=cubin"], [f"--linker={TOOL}", "--target=cpu", "--emit=so"]
end(GPU, [signal.SIGINT])
end(GPU, [signal.SIGTERM])
end(CPU, [signal.SIGTERM])
# As nohup does.
end(CPU, [signal.SIGHUP, signal.SIGTERM], ignored=signal.SIGHUP)
print("good")
