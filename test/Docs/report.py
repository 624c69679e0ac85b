# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares docs/Report.md with reports.

  report.py collect DIR SOURCE...   compiles each source to LLVM IR, where the report is complete, and writes it to DIR/NAME.json
  report.py check PAGE REPORT...    every key that a report has is in the page, with its type, and every key of the page is in a report

The tables of the page are below the headings that name the objects. A type is string, integer, number, boolean, object NAME, object of TYPE, list of TYPE,
or the name of an object.
"""

import json
import os
import re
import subprocess
import sys

SCALARS = {"string": str, "integer": int, "number": (int, float), "boolean": bool}


def collect(directory, *sources):
    os.makedirs(directory, exist_ok=True)
    for source in sources:
        name = os.path.join(directory, os.path.splitext(os.path.basename(source))[0])
        run = subprocess.run(["tilec", source, "-j1", "--stop-after=allocated", "-o", os.devnull, "--report=json"], capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit(f"{source}: {run.stderr}")
        with open(name + ".json", "w", encoding="utf-8") as file:
            file.write(run.stderr[run.stderr.index("{\n") :])


def schema_of(page):
    """Returns {object: {key: (type, whether it is always there)}}."""
    with open(page, encoding="utf-8") as file:
        sections = re.split(r"^## ", file.read(), flags=re.M)[1:]
    schema = {}
    for section in sections:
        name = section.split("\n")[0].strip()
        keys = {}
        for other in re.findall(r"has the keys of `(\w+)`", section):
            keys.update(schema[other])
        for key, kind, there in re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|", section, re.M):
            keys[key] = (kind.replace("`", "").strip(), there.strip() == "always")
        schema[name] = keys
    return schema


class Check:
    def __init__(self, schema):
        self.schema, self.seen, self.errors = schema, set(), set()

    def value(self, kind, value, where):
        if kind.startswith("list of "):
            if not isinstance(value, list):
                return self.errors.add(f"{where} is no list")
            for entry in value:
                self.value(kind[len("list of ") :], entry, where)
        elif kind.startswith("object of "):
            if not isinstance(value, dict):
                return self.errors.add(f"{where} is no object")
            for entry in value.values():
                self.value(kind[len("object of ") :], entry, where)
        elif kind in SCALARS:
            is_bool = isinstance(value, bool)
            if not isinstance(value, SCALARS[kind]) or is_bool != (kind == "boolean"):
                self.errors.add(f"{where} is no {kind}: {value!r}")
        else:
            self.object(kind.removeprefix("object "), value, where)

    def object(self, name, value, where):
        if name not in self.schema:
            return self.errors.add(f"{where}: the page has no object {name}")
        if not isinstance(value, dict):
            return self.errors.add(f"{where} is no object")
        keys = self.schema[name]
        for key in value:
            if key not in keys:
                self.errors.add(f"{name}.{key} is not in the page")
            else:
                self.seen.add((name, key))
                self.value(keys[key][0], value[key], f"{name}.{key}")
        for key, (_, always) in keys.items():
            if always and key not in value:
                self.errors.add(f"{name}.{key} is not always there")


def check(page, *reports):
    schema = schema_of(page)
    checker = Check(schema)
    for path in reports:
        with open(path, encoding="utf-8") as file:
            checker.object("report", json.load(file), path)
    names = {(name, key) for name, keys in schema.items() if name != "place" for key in keys}
    checker.errors |= {f"{name}.{key} is in no report" for name, key in names - checker.seen}
    for error in sorted(checker.errors):
        print(f"error: {error}")
    print(f"{len(names)} keys, {len(reports)} reports, {len(checker.errors)} errors")
    return 1 if checker.errors else 0


if __name__ == "__main__":
    sys.exit({"collect": collect, "check": check}[sys.argv[1]](*sys.argv[2:]))
