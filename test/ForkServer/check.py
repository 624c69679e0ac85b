# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scripts do in the server what they do in Python: check.py CLIENT."""
import os
import signal
import subprocess
import sys
import tempfile
import time

# Jobs in the background of a shell begin with SIGINT ignored, and so would the Python that is compared; served scripts never do.
signal.signal(signal.SIGINT, signal.default_int_handler)

CLIENT = os.path.abspath(sys.argv[1])
SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "server.py")
SAYS = "import os, sys; print(sys.argv, __name__, os.getcwd(), os.environ.get('GIVEN'), 'NOT_GIVEN' in os.environ, sys.path[0]); "
CASES = {
    "arguments": ["-c", SAYS, "a", "-b", "", "ä"],
    "script": ["script.py", "--x", "y"],
    "path of a script": ["folder/other.py"],
    "standard input": ["-c", "import sys; print(sys.stdin.read().upper(), len(sys.stdin.buffer.read()))"],
    "bytes": ["-c", "import sys; sys.stdout.buffer.write(bytes(range(256)))"],
    "long output": ["-c", "print('x' * 1000000)"],
    "both streams": ["-c", "import os, sys; print('out'); print('err', file=sys.stderr); os.write(1, b'direct')"],
    "code": ["-c", "raise SystemExit(7)"],
    "no code": ["-c", "import sys; sys.exit()"],
    "message": ["-c", "import sys; sys.exit('it failed')"],
    "exception": ["-c", "def f():\n  raise ValueError('wrong')\nf()"],
    "syntax": ["-c", "def"],
    "signal": ["-c", "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"],
    "end": ["-c", "import atexit; atexit.register(print, 'at the end'); print('before')"],
    "thread": ["-c", "import threading, time; threading.Thread(target=lambda: (time.sleep(0.1), print('thread'))).start()"],
    "children": ["-c", "import subprocess, sys; print(subprocess.run([sys.executable, '-c', 'exit(3)']).returncode)"],
    "pickle": ["-c", "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))))"],
    "file": ["-c", "f = open('written', 'w'); f.write('data')"],
    "C": ["-c", "import ctypes; ctypes.CDLL(None).printf(b'from C')"],
    "closed": ["-c", "import sys; sys.stdout.close()"],
    "hook": ["-c", "import sys; sys.excepthook = lambda *what: print('hook'); 1 / 0"],
    "interrupt": ["-c", "import os, signal; os.kill(os.getpid(), signal.SIGINT)"],
    "no script": ["nowhere.py"],
    "builtins": ["-c", "print(__builtins__.len([1]))"],
    "option": ["-W", "error", "-c", "import warnings; warnings.warn('x')"],
    "no numpy": ["-c", "import sys; sys.modules['numpy'] = None\ntry:\n  import numpy\nexcept ImportError: print('none')"],
}


def run(command, folder, **variables):
    environment = {"PATH": os.environ["PATH"], "TESSERA_TEST_PYTHON": sys.executable, **variables}
    done = subprocess.run(command, cwd=folder, env=environment, input=b"some text", capture_output=True, timeout=60)
    try:
        with open(os.path.join(folder, "written")) as file:
            written = file.read()
        os.remove(file.name)
    except OSError:
        written = None
    return done.returncode, done.stdout, done.stderr, written


def wait_for(what):
    for _ in range(1000):
        if what():
            return True
        time.sleep(0.01)
    return False


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


with tempfile.TemporaryDirectory() as folder:
    os.makedirs(os.path.join(folder, "folder"))
    for name in ("script.py", "folder/other.py"):
        with open(os.path.join(folder, name), "w") as file:
            file.write(SAYS + "print(os.path.isabs(__file__))\n")
    path = os.path.join(tempfile.mkdtemp(), "socket")
    os.environ["NOT_GIVEN"] = "1"
    server = subprocess.Popen([sys.executable, SERVER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdout.readline() == "ready\n"
    served = {"TESSERA_FORK_SERVER": path}
    failures = 0

    def expect(name, holds, detail=""):
        global failures
        if not holds:
            failures += 1
            print(f"{name}: {detail}")

    for name, arguments in CASES.items():
        wanted = run([sys.executable, *arguments], folder, GIVEN="this")
        got = run([CLIENT, *arguments], folder, GIVEN="this", **served)
        expect(name, got == wanted, f"{got} is not {wanted}")
        # Without a server it is Python itself.
        got = run([CLIENT, *arguments], folder, GIVEN="this", TESSERA_FORK_SERVER=path + ".no")
        expect(name + ", no server", got == wanted, f"{got} is not {wanted}")
    has_modules = ["-c", "import sys; print('argparse' in sys.modules)"]
    expect("served", run([CLIENT, *has_modules], folder, **served)[1] == b"True\n")
    expect("PYTHONPATH", run([CLIENT, *has_modules], folder, PYTHONPATH=folder, **served)[1] == b"False\n")

    # A closed stream is closed.
    shell = ["sh", "-c", "$0 -c 'import sys; print(sys.stdin)' <&-"]
    expect("closed input", run([*shell, CLIENT], folder, **served) == run([*shell, sys.executable], folder))

    # The script of a client that is killed is killed, with what it has started.
    with subprocess.Popen(
        [CLIENT, "-c", "import os, subprocess as s; print(os.getpid(), s.Popen(['sleep', '600']).pid, flush=True); os.wait()"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **served, "TESSERA_TEST_PYTHON": sys.executable},
    ) as client:
        processes = [int(word) for word in client.stdout.readline().split()]
        expect("alive", all(map(is_alive, processes)))
        client.send_signal(signal.SIGKILL)
        expect("killed", wait_for(lambda: not any(map(is_alive, processes))))

    # The server ends with those that started it, and leaves nothing.
    server.stdin.close()
    expect("end of the server", server.wait(60) == 0)
    expect("socket", not os.path.exists(os.path.dirname(path)))
print(f"{len(CASES)} cases, {failures} failures")
