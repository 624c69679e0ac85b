# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs Python scripts for the lit tests in copies of a process that has imported numpy already.

The tests start Python some 350 times, and to import numpy takes longer than most of these scripts run. lit.cfg.py starts this server once:

    python server.py SOCKET

`client.cpp` stands where a test calls %python. It connects to SOCKET, and sends its standard streams, its directory, its environment and
its arguments. The server forks, the copy runs the script, and the client ends as the script ended. If the client is gone, as after a
timeout, the script and the processes that it has started are killed. Limits of resources, the umask and the hashes of strings are those of the
server. The server ends when nobody can write to its standard input any more: all processes of lit are gone.
"""
import array
import atexit
import builtins
import gc
import io
import os
import select
import signal
import socket
import sys
import threading
import types

# What most scripts need.
import argparse, concurrent.futures, ctypes, json, pathlib, re, struct, subprocess, tempfile  # noqa: E401, F401

try:
    import ml_dtypes  # noqa: F401
    import numpy  # noqa: F401
except ImportError:
    pass  # tests that need them are not run


def receive(connection):
    """The standard streams (file descriptors), and the fields: directory, number of variables, variables, arguments."""
    data, ancillary, _, _ = connection.recvmsg(1 << 16, socket.CMSG_LEN(3 * array.array("i").itemsize))
    streams = array.array("i")
    for level, kind, content in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            streams.frombytes(content)
    size = int.from_bytes(data[:8], sys.byteorder)
    while len(data) < 8 + size:
        more = connection.recv(1 << 16)
        if not more:
            raise EOFError("the client is gone")
        data += more
    return list(streams), data[8:].split(b"\0")[:-1]


def take_streams(streams):
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)

    def text(number, mode, like, **options):
        binary = open(number, mode + "b", closefd=False)
        return io.TextIOWrapper(binary, encoding=like.encoding, errors=like.errors, **options)

    sys.stdin = sys.__stdin__ = text(0, "r", sys.stdin)
    sys.stdout = sys.__stdout__ = text(1, "w", sys.stdout)
    sys.stderr = sys.__stderr__ = text(2, "w", sys.stderr, line_buffering=True)


def run(arguments):
    """What `python ARGUMENTS` does, where the first one is -c or the path of a script."""
    main = types.ModuleType("__main__")
    main.__builtins__ = builtins
    if arguments[0] == "-c":
        text, name, place = arguments[1], "<string>", ""
        sys.argv = ["-c", *arguments[2:]]
    else:
        name, place = os.path.abspath(arguments[0]), os.path.dirname(os.path.realpath(arguments[0]))
        sys.argv = arguments
        main.__file__ = name
        with open(name, "rb") as file:
            text = file.read()
    sys.path[0] = place
    sys.modules["__main__"] = main
    try:
        exec(compile(text, name, "exec"), main.__dict__)
    except SystemExit as exit:
        if exit.code is None or isinstance(exit.code, int):
            return exit.code or 0
        print(exit.code, file=sys.stderr)
        return 1
    except BaseException as error:
        error = error.with_traceback(error.__traceback__.tb_next)  # without the frame of this function
        sys.excepthook(type(error), error, error.__traceback__)
        if isinstance(error, KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        return 1
    return 0


def end(code):
    """Ends the process much as Python would: waits for threads, calls what is registered, deletes what the script has, writes what is buffered. The
    memory of numpy and other modules is not freed, which would take longer than most scripts, and libraries are not unloaded."""
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.modules["__main__"].__dict__.clear()
    gc.collect()
    for stream in {sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__}:
        try:
            if not stream.closed:
                stream.flush()
        except OSError:
            code = code or 120
    ctypes.CDLL(None).fflush(None)
    os._exit(code & 0xFF if abs(code) < 2**63 else 0xFF)


def serve(connection):
    """Runs a script in another process, and says how it ended."""
    streams, fields = receive(connection)
    script = os.fork()
    if script == 0:
        connection.close()
        os.setpgid(0, 0)
        take_streams(streams)
        os.chdir(fields[0])
        variables = 2 + int(fields[1])
        os.environ.clear()
        os.environb.update(variable.split(b"=", 1) for variable in fields[2:variables])
        signal.signal(signal.SIGINT, signal.default_int_handler)
        end(run([os.fsdecode(argument) for argument in fields[variables:]]))
    try:
        os.setpgid(script, script)  # in both processes, so that it is done when one goes on
    except OSError:
        pass
    for stream in streams:
        os.close(stream)
    ended = os.pidfd_open(script)
    ready, _, _ = select.select([ended, connection], [], [])
    if ended not in ready:
        os.killpg(script, signal.SIGKILL)
    _, status = os.waitpid(script, 0)
    if ended in ready:
        connection.sendall(status.to_bytes(4, sys.byteorder))
    os._exit(0)


def accept(server):
    """Returns a connection in a process of its own, for each client."""
    lit = sys.stdin.fileno()
    while True:
        ready, _, _ = select.select([lit, server], [], [])
        if lit in ready:
            os.unlink(sys.argv[1])
            os.rmdir(os.path.dirname(sys.argv[1]))
            os._exit(0)
        connection, _ = server.accept()
        if os.fork() == 0:
            server.close()
            return connection
        connection.close()
        while True:  # what has ended by now
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    break
            except ChildProcessError:
                break


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # from a terminal, it is meant for lit
    server = socket.socket(socket.AF_UNIX)
    server.bind(sys.argv[1])
    server.listen(64)
    gc.freeze()  # or the first collection in each copy writes to all memory
    print("ready", flush=True)
    serve(accept(server))


if __name__ == "__main__":
    main()
