// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input/TakeKernels.h"

#include "tessera/Dialect/Tile/Params/Members.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tessera;

/// Refuses assembly at module level. It belongs to no function, so neither target can compile it.
static LogicalResult checkAttributes(ModuleOp module) {
  StringRef name = LLVM::LLVMDialect::getModuleLevelAsmAttrName();
  if (module->hasAttr(name))
    return module.emitError("'")
           << name << "' is not supported: leave it out; in hand-written code for the GPU "
           << "llvm.inline_asm takes PTX";
  return success();
}

/// The kernels of a symbol table and all functions that they reach, in the order in which they
/// stand there.
static FailureOr<SmallVector<Operation *>> reachFromKernels(Operation *table) {
  SymbolTable symbols(table);
  llvm::SetVector<Operation *> found;
  for (auto kernel : table->getRegion(0).getOps<tile::KernelOp>())
    found.insert(kernel);
  for (size_t i = 0; i < found.size(); ++i) {
    std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(found[i]);
    if (!uses)
      continue;
    for (SymbolTable::SymbolUse use : *uses) {
      Operation *symbol = symbols.lookup(use.getSymbolRef().getRootReference());
      // The verifier has reported symbols that are not there.
      if (!symbol || isa<tile::KernelOp>(symbol))
        continue;
      if (!isa<func::FuncOp>(symbol))
        return symbol
                   ->emitOpError("is not part of a tile program, but a kernel refers to it: "
                                 "kernels call func.func and get data as arguments")
                   .attachNote(use.getUser()->getLoc())
               << "it is used here";
      found.insert(symbol);
    }
  }
  SmallVector<Operation *> ordered = found.takeVector();
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

/// Moves the kernels of a nested symbol table to the module.
static LogicalResult hoist(Operation *table, ModuleOp module) {
  FailureOr<SmallVector<Operation *>> reached = reachFromKernels(table);
  if (failed(reached))
    return failure();
  SymbolTable nested(table), outer(module);
  for (Operation *op : *reached) {
    StringAttr name = SymbolTable::getSymbolName(op);
    Operation *other = outer.lookup(name);
    if (other && isa<tile::KernelOp>(op)) {
      InFlightDiagnostic error = op->emitOpError("has the name of something in another module, and "
                                                 "an artifact holds one kernel of a name: rename "
                                                 "one of them");
      error.attachNote(other->getLoc()) << "the other one";
      return error;
    }
    if (other && failed(nested.renameToUnique(op, {&outer})))
      return op->emitOpError("cannot be renamed, and something in another module has its name");
  }
  // Only now: what has been moved is not reached when a symbol of the nested table is renamed.
  for (Operation *op : *reached) {
    op->moveBefore(module.getBody(), module.getBody()->end());
    outer.insert(op);
  }
  return success();
}

/// "'memref.global' @data", or "'host.op'" for ops without a name.
static std::string describe(Operation *op) {
  std::string text = "'" + op->getName().getStringRef().str() + "'";
  if (StringAttr name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
    text += " @" + name.str();
  return text;
}

/// True for what is left out without a word: private functions that nobody calls, and modules (of
/// any dialect) that hold nothing else.
static bool isNothing(Operation &op) {
  if (auto function = dyn_cast<func::FuncOp>(op))
    return function.isPrivate();
  return op.hasTrait<OpTrait::IsTerminator>() ||
         (op.hasTrait<OpTrait::SymbolTable>() && llvm::all_of(op.getRegion(0).getOps(), isNothing));
}

/// Erases ops of a module that may refer to each other.
static void eraseAll(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops)) {
    op->dropAllReferences();
    op->dropAllUses();
  }
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}

/// Removes everything from the module that is not in `taken`, and says so.
static void dropOthers(ModuleOp module, ArrayRef<Operation *> taken) {
  SmallVector<Operation *> others;
  llvm::SmallPtrSet<Operation *, 16> stays(taken.begin(), taken.end());
  for (Operation &op : *module.getBody())
    if (!stays.contains(&op))
      others.push_back(&op);
  SmallVector<Operation *> named;
  llvm::copy_if(others, std::back_inserter(named), [](Operation *op) { return !isNothing(*op); });
  if (!named.empty()) {
    constexpr size_t kMostNames = 5;
    std::string list =
        llvm::join(llvm::map_range(ArrayRef(named).take_front(kMostNames), describe), ", ");
    if (named.size() > kMostNames)
      list += " and " + std::to_string(named.size() - kMostNames) + " more";
    named.front()->emitRemark("not compiled, because no kernel calls it: ") << list;
  }
  eraseAll(others);
}

LogicalResult tessera::takeKernels(ModuleOp module, StringRef sourceName) {
  if (failed(checkAttributes(module)))
    return failure();
  llvm::SetVector<Operation *> tables;
  module.walk([&](tile::KernelOp kernel) {
    if (kernel->getParentOp() != module)
      tables.insert(kernel->getParentOp());
  });
  for (Operation *table : tables)
    if (failed(hoist(table, module)))
      return failure();
  if (!module.getOps<tile::KernelOp>().empty()) {
    FailureOr<SmallVector<Operation *>> taken = reachFromKernels(module);
    if (failed(taken))
      return failure();
    dropOthers(module, *taken);
    return success();
  }
  if (llvm::any_of(module.getOps<LLVM::LLVMFuncOp>(),
                   [](LLVM::LLVMFuncOp func) { return !func.isExternal(); }))
    return success();
  return emitError(FileLineColLoc::get(module.getContext(), sourceName, 1, 1),
                   "there is nothing to compile: a tile program holds at least one tile.kernel; "
                   "examples/vector-add.mlir is the smallest one");
}

LogicalResult tessera::takeNamedKernels(ModuleOp module, ArrayRef<std::string> names) {
  // Options have no location in the source.
  Location loc = UnknownLoc::get(module.getContext());
  if (module.getOps<tile::KernelOp>().empty())
    return emitError(loc) << "kernel '" << names.front()
                          << "' cannot be taken alone from a program in phase nvvm or later, which "
                             "has no kernels any more: compile an earlier phase";
  // Of a program in a later phase a kernel is several: its variants, those of members.
  auto hasName = [](tile::KernelOp kernel, StringRef name) {
    return kernel.getSymName() == name || kernel.getVariantOf() == name ||
           tile::launchedName(kernel) == name;
  };
  llvm::SetVector<StringRef> known;
  llvm::StringSet<> found;
  for (auto kernel : llvm::make_early_inc_range(module.getOps<tile::KernelOp>())) {
    known.insert(kernel.getSymNameAttr().getValue());
    bool isNamed = false;
    for (const std::string &name : names)
      if (hasName(kernel, name)) {
        found.insert(name);
        isNamed = true;
      }
    if (!isNamed)
      kernel.erase();
  }
  for (const std::string &name : names)
    if (!found.contains(name))
      return emitError(loc) << "there is no kernel '" << name << "' to compile; the kernels are "
                            << llvm::join(known, ", ");
  FailureOr<SmallVector<Operation *>> taken = reachFromKernels(module);
  if (failed(taken))
    return failure();
  llvm::SmallPtrSet<Operation *, 16> stays(taken->begin(), taken->end());
  SmallVector<Operation *> others;
  for (Operation &op : *module.getBody())
    if (!stays.contains(&op))
      others.push_back(&op);
  eraseAll(others);
  return success();
}
