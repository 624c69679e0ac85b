# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that work through a list and may die of it: a new one goes on after the item that killed the last.

A worker runs `make()` once and then the function that this returns on each item. What it returns, and whatever happens instead, reaches `report`.
"""

import multiprocessing
import os
import time
import traceback
from multiprocessing import connection

DIED, HUNG = "died", "hung"


def _work(make, items, pipe):
    try:
        function = make()
    except Exception:
        pipe.send((None, "failed", traceback.format_exc()))
        os._exit(1)
    for number, item in items:
        pipe.send((number, "begins", None))
        try:
            result, last = function(item), False
            if isinstance(result, tuple) and len(result) == 2 and result[1] == "leave":
                result, last = result[0], True
        except Exception:
            result, last = ("error", traceback.format_exc()), False
        pipe.send((number, "ends", result))
        if last:  # this process is of no more use
            os._exit(1)
    pipe.send((None, "done", None))


class _Worker:
    def __init__(self, context, make, items):
        self.make, self.context, self.items, self.current, self.began = make, context, items, None, time.monotonic()
        self.receiver, sender = context.Pipe(duplex=False)
        self.process = context.Process(target=_work, args=(make, items, sender), daemon=False)
        self.process.start()
        sender.close()


def run(make, items, processes, report, timeout=10.0, first=60.0, method="fork"):
    """`report(item, result)` for each; the result is ("died", exit code) or ("hung", seconds) where there is none. `timeout` is for one item, `first` for
    the time until the first one begins."""
    context = multiprocessing.get_context(method)
    numbered = list(enumerate(items))
    shares = [numbered[i::processes] for i in range(processes)]
    workers = [_Worker(context, make, share) for share in shares if share]
    try:
        while workers:
            connection.wait([worker.receiver for worker in workers], timeout=0.5)
            for worker in list(workers):
                ended = _drain(worker, report, items)
                late = time.monotonic() - worker.began > (timeout if worker.current is not None else first)
                if ended is None and not late:
                    continue
                workers.remove(worker)
                if ended is None:
                    worker.process.kill()
                worker.process.join()
                if worker.current is not None:
                    code = worker.process.exitcode
                    report(items[worker.current], (HUNG, timeout) if late and ended is None else (DIED, code))
                    worker.items = [entry for entry in worker.items if entry[0] > worker.current]
                if ended != "done" and worker.items and ended != "failed":
                    workers.append(_Worker(context, make, worker.items))
    finally:
        for worker in workers:
            worker.process.kill()


def _drain(worker, report, items):
    """Messages of a worker: None while it runs, "done", "failed", or "lost" if the process is no more."""
    try:
        while worker.receiver.poll():
            number, what, result = worker.receiver.recv()
            if what in ("done", "failed"):
                if what == "failed":
                    raise RuntimeError(result)
                return what
            worker.began = time.monotonic()
            if what == "begins":
                worker.current = number
            else:
                worker.current = None
                worker.items = [entry for entry in worker.items if entry[0] > number]
                report(items[number], result)
    except EOFError:
        return "lost"
    return None
