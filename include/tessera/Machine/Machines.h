// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tables of all chips that the compiler knows.
#ifndef TESSERA_MACHINE_MACHINES_H
#define TESSERA_MACHINE_MACHINES_H

#include "tessera/Machine/Hopper.h"

#include <string>
#include <string_view>

namespace tessera {

inline constexpr const Machine *kMachines[] = {&hopper::kMachine};
/// The machine of a program that names no chip.
inline constexpr const Machine &kDefaultMachine = hopper::kMachine;

/// The table of a chip, by the name that ptxas has for it. Null if there is none; `error` then
/// says so and names those that there are.
inline const Machine *machineOf(std::string_view chip, std::string &error) {
  std::string known;
  for (const Machine *machine : kMachines) {
    if (chip == machine->chip)
      return machine;
    known += (known.empty() ? "" : ", ") + std::string(machine->chip);
  }
  error = "no chip '" + std::string(chip) + "' is known; known are: " + known;
  return nullptr;
}

} // namespace tessera

#endif
