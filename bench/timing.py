# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The two protocols of docs/Performance.md, on a GPU or (to test the scripts) on the CPU."""

import json
import math
import os
import random
import statistics
import sys
import time

BURST_IDLE_S, BURST_MS = 0.055, 4.0
SUSTAINED_IDLE_S, SUSTAINED_HEAT_MS, SUSTAINED_MS = 0.3, 400.0, 250.0
QUEUE = 900 # the launches that the driver queues without blocking
HANG_S = 20.0


def say(**record):
    """One line for the parent process."""
    sys.stdout.write("R " + json.dumps(record) + "\n")
    sys.stdout.flush()


class Gpu:
    name = "cuda"

    def __init__(self):
        import torch
        self.torch = torch
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.cuda.init()
        torch.zeros(1, device="cuda")
        torch.cuda.synchronize()

    def describe(self):
        torch = self.torch
        return {"device": torch.cuda.get_device_name(0), "torch": torch.__version__, "cuda": torch.version.cuda}

    def wait(self, name):
        """Waits until the device is idle. If a kernel hangs, this ends the process, because nothing else can."""
        event = self.torch.cuda.Event()
        event.record()
        limit = time.monotonic() + HANG_S
        while not event.query():
            if time.monotonic() > limit:
                say(dead=1, culprit=name, error=f"hangs: no end after {HANG_S:g} s")
                os._exit(99)
        self.torch.cuda.synchronize()

    def is_dead(self):
        """Whether a fault has ended the context, so that nothing can run in this process any more."""
        try:
            self.torch.cuda.synchronize()
            self.torch.zeros(1, device="cuda").item()
            return False
        except Exception:
            return True

    def measure(self, name, call, count, queue_us=0.0, heat=0):
        """(milliseconds of `count` launches, host microseconds per launch). The device waits for `queue_us`
        first, so that the first launches do not wait for the host. `heat` launches run
        just before the measured ones."""
        torch = self.torch
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        if queue_us:
            torch.cuda._sleep(int(1900 * queue_us))
        for i in range(heat):
            call(i)
        start.record()
        began = time.perf_counter()
        for i in range(count):
            call(i)
        host = (time.perf_counter() - began) * 1e6 / count
        end.record()
        self.wait(name)
        return start.elapsed_time(end), host


class Cpu:
    name = "cpu"

    def __init__(self):
        import torch
        self.torch = torch

    def describe(self):
        return {"device": "CPU (a test of the scripts, no measurement)", "torch": self.torch.__version__}

    def wait(self, name):
        pass

    def is_dead(self):
        return False

    def measure(self, name, call, count, queue_us=0.0, heat=0):
        for i in range(heat):
            call(i)
        began = time.perf_counter()
        for i in range(count):
            call(i)
        seconds = time.perf_counter() - began
        return seconds * 1e3, seconds * 1e6 / count


class Candidate:
    """Something to time: call(i) launches it on the i-th set of buffers."""

    def __init__(self, name, call, role, work=None):
        self.name, self.call, self.role, self.work = name, call, role, work
        self.error = None          # relative, against fp32
        self.note, self.facts = "", {}
        self.ms = self.host_us = 0.0
        self.burst, self.sustained = [], [] # milliseconds per launch

    def estimate(self, device, sets):
        for i in range(max(2, sets)):
            self.call(i)
        device.wait(self.name)
        total, self.host_us = device.measure(self.name, self.call, 4, 500)
        self.ms = max(1e-4, total / 4)
        self._burst(device)  # not counted, because the first burst finds a cold chip

    def _count(self, ms):
        return max(1, math.ceil(ms / self.ms))

    def _burst(self, device):
        count = min(max(2, self._count(BURST_MS)), QUEUE)
        time.sleep(BURST_IDLE_S if device.name == "cuda" else 0)
        total, self.host_us = device.measure(self.name, self.call, count, 100 + 1.3 * self.host_us * count)
        self.ms = total / count
        return self.ms

    def run_burst(self, device):
        self.burst.append(self._burst(device))

    def run_sustained(self, device):
        scale = 1 if device.name == "cuda" else 0.02
        time.sleep(SUSTAINED_IDLE_S * scale)
        count = self._count(SUSTAINED_MS * scale)
        total, _ = device.measure(self.name, self.call, count, heat=self._count(SUSTAINED_HEAT_MS * scale))
        self.sustained.append(total / count)


def median(values):
    return statistics.median(values) if values else None


def quartiles(values):
    if len(values) < 2:
        return (values[0], values[0]) if values else (None, None)
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, high


def ratios(ours, peers):
    """How many times faster we were, round by round: both lists are milliseconds of the same rounds."""
    return [peer / own for own, peer in zip(ours, peers)]


def bootstrap(values, level=0.95, resamples=2000, seed=1):
    """A confidence interval for the median of `values`, from the medians of resamples."""
    if not values:
        return None, None
    generator = random.Random(seed)
    medians = sorted(statistics.median(generator.choices(values, k=len(values))) for _ in range(resamples))
    cut = int((1 - level) / 2 * resamples)
    return medians[cut], medians[-1 - cut]


def interleave(device, candidates, rounds, sustained_rounds, seed=1):
    """Every round visits all candidates in a new random order."""
    order, generator = list(candidates), random.Random(seed)
    for _ in range(rounds):
        generator.shuffle(order)
        for candidate in order:
            candidate.run_burst(device)
    for _ in range(sustained_rounds):
        generator.shuffle(order)
        for candidate in order:
            candidate.run_sustained(device)
