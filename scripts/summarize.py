#!/usr/bin/env python3
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints "N passed, N failed, N skipped" for a JSON file written by `lit -o`.

Every gtest case and every lit file counts as one test. Exits with 1 if a test failed or none ran.
"""
import json
import sys

PASSED = {"PASS", "FLAKYPASS", "XFAIL"}
SKIPPED = {"UNSUPPORTED", "SKIPPED"}
IGNORED = {"EXCLUDED"} # tests that --filter has left out


def main():
    try:
        with open(sys.argv[1]) as file:
            tests = json.load(file)["tests"]
    except (OSError, ValueError, KeyError) as error:
        print(f"no test results: {error}", file=sys.stderr)
        tests = []
    codes = [test["code"] for test in tests if test["code"] not in IGNORED]
    passed = sum(code in PASSED for code in codes)
    skipped = sum(code in SKIPPED for code in codes)
    failed = len(codes) - passed - skipped
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
