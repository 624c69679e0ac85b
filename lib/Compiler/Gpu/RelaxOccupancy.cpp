// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Gpu/RelaxOccupancy.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace tessera;

static constexpr StringLiteral kMinBlocks = "nvvm.minctasm", kMaxRegisters = "nvvm.maxnreg";

static bool setsRegisters(Function &function) {
  for (Instruction &inst : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&inst);
    if (!call)
      continue;
    if (auto *text = dyn_cast<InlineAsm>(call->getCalledOperand());
        text && text->getAsmString().contains("setmaxnreg"))
      return true;
    if (Function *callee = call->getCalledFunction();
        callee && callee->getName().starts_with("llvm.nvvm.setmaxnreg"))
      return true;
  }
  return false;
}

bool tessera::sharesAnSM(Function &function) {
  // A function without the attribute has the number 0.
  return function.getFnAttributeAsParsedInteger(kMinBlocks) > 1 && !setsRegisters(function);
}

void tessera::giveAnSM(Function &function) {
  function.addFnAttr(kMinBlocks, "1");
  function.removeFnAttr(kMaxRegisters);
}
