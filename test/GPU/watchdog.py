# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ends a process whose kernel hangs: the host cannot stop a kernel."""

import os
import threading
import time

HANG_S = 10.0
HUNG_CODE = 99


class Watchdog:
    """`counts` are {outcome: number}. What is done within `with watchdog.watching(text)` must end within HANG_S."""

    def __init__(self, counts):
        self.counts, self.limit, self.doing = counts, None, ""
        threading.Thread(target=self._look, daemon=True).start()

    def watching(self, doing):
        self.doing = doing
        return self

    def __enter__(self):
        self.limit = time.monotonic() + HANG_S

    def __exit__(self, *unused):
        self.limit = None

    def _look(self):
        while True:
            time.sleep(0.2)
            if self.limit and time.monotonic() > self.limit:
                print(f"FAILED {self.doing}: hangs, no end after {HANG_S:g} s", flush=True)
                self.counts["failed"] += 1
                print(closing(self.counts) + ", stopped by the hang", flush=True)
                os._exit(HUNG_CODE)


def closing(counts):
    """The last line."""
    return ", ".join(f"{number} {outcome}" for outcome, number in counts.items())
