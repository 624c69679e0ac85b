#!/bin/sh
# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Stands for ptxas: prints the log that FAKE_LOG names, writes an empty cubin, exits with FAKE_STATUS.
. "$(dirname "$0")/fake-ptxas-arguments.sh"
cat "$FAKE_LOG"
exit "${FAKE_STATUS:-0}"
