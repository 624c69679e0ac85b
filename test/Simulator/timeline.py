# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the timelines of cta-simulate: timeline.py FILE... prints the tracks of each block, with the number of their slices, or what is wrong.

In a sound file every slice is on a track that has a name, begins where the one before it on the track has ended or later, and is named by op and
line (constants that folding made have none); a slot is filled before it is read; an engine works only for a warp that has issued the work before (of those that have a track, the
first of each warpgroup); and iterations count from 0.
"""

import collections
import json
import re
import sys

SLOT_STATES = ("filling", "full", "read")
ENGINES = ("TMA: loads", "TMA: stores", "cp.async", "tensor cores")


def check(path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    processes = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    tracks = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
    slices = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            slices[event["pid"], event["tid"]].append(event)
    wrong = [f"slices on track {key}, which has no name" for key in slices if key not in tracks]
    issued = {}  # for each process, group of warps and event: the first time at which one of the group has issued it
    for (process, thread), name in tracks.items():
        for event in slices[process, thread]:
            key = (process, name.split(",")[0], event["name"], event["args"]["iteration"], event["args"].get("output_tile"))
            issued[key] = min(event["ts"], issued.get(key, event["ts"]))
    for (process, thread), name in tracks.items():
        end, state, iterations = 0, "", collections.defaultdict(set)
        for event in slices[process, thread]:
            where = f"{processes[process]}, {name}: {event['name']} at {event['ts']}"
            if event["ts"] < end or event["dur"] < 0:
                wrong.append(f"{where}: the slice before ends at {end}")
            end = event["ts"] + event["dur"]
            if name.startswith("ring of"):
                if event["name"] not in SLOT_STATES or (event["name"] == "filling" and state == "filling") or (not state and event["name"] != "filling"):
                    wrong.append(f"{where}: follows {state or 'nothing'}")
                state = event["name"]
            else:
                if not re.fullmatch(r"(cta|arith|math|memref|tile)\.\w+:\d+|arith\.constant|cluster meets", event["name"]):
                    wrong.append(f"{where}: no name of an op with a line")
                iterations[event["name"], event["args"].get("output_tile")].add(event["args"]["iteration"])
            if name in ENGINES and int(re.match(r"warp (\d+) of ", event["args"]["issued_by"])[1]) % 4 == 0:
                group = event["args"]["issued_by"].partition(" of ")[2]  # "@math", or "@math of block 3" in a cluster
                block = re.search(r" of (block \d+)$", group)
                launch = processes[process].partition(" of ")[2]
                of = next(number for number, title in processes.items() if title == f"{block[1]} of {launch}") if block else process
                key = (of, group, event["name"], event["args"]["iteration"], event["args"].get("output_tile"))
                if issued.get(key, event["ts"] + 1) > event["ts"]:
                    wrong.append(f"{where}: {event['args']['issued_by']} has not issued it before")
        for (op, tile), numbers in iterations.items():
            if numbers != set(range(len(numbers))):
                wrong.append(f"{processes[process]}, {name}: iterations {sorted(numbers)} of {op} in tile {tile}")
    return processes, tracks, slices, wrong


def main():
    failed = False
    for path in sys.argv[1:]:
        processes, tracks, slices, wrong = check(path)
        failed |= bool(wrong)
        for process, title in processes.items():
            print(title)
            for (of, thread), name in tracks.items():
                if of == process:
                    print(f"  {name}: {len(slices[of, thread])}")
        print("\n".join(f"wrong: {text}" for text in wrong) if wrong else "sound")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
