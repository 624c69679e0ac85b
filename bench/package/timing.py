# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time of calls on a GPU, for the benchmarks beside it."""

import torch

WARM_UP = 5


def warm_up(call):
    for _ in range(WARM_UP):
        call()


def burst(call, launches):
    """Microseconds of a call, from one burst of `launches`."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(launches):
        call()
    end.record()
    torch.cuda.synchronize()
    return 1e3 * begin.elapsed_time(end) / launches


def microseconds(call, launches=30, bursts=7):
    """Microseconds of a call: the median of bursts, after a warm-up."""
    warm_up(call)
    torch.cuda.synchronize()
    return sorted(burst(call, launches) for _ in range(bursts))[bursts // 2]


def medians(calls, launches=20, bursts=9):
    """Microseconds of each call; they take turns, and the first turn does not count."""
    times = [[] for _ in calls]
    for turn in range(-1, bursts):
        for call, list_ in zip(calls, times):
            warm_up(call)
            found = burst(call, launches)
            if turn >= 0:
                list_.append(found)
    return [sorted(list_)[bursts // 2] for list_ in times]
