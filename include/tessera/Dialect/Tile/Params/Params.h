// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parameters of kernels (`tile.param`): which there are, which of their choices go together, and
// the kernel that a choice makes, a *member* of the family (docs/design/Families.md).
//
//   for (const Binding &binding : legalBindings(kernel).bindings)
//     FailureOr<KernelOp> member = bindClone(kernel, binding, nameOf(binding));
#ifndef TESSERA_DIALECT_TILE_PARAMS_PARAMS_H
#define TESSERA_DIALECT_TILE_PARAMS_PARAMS_H

#include "tessera/Dialect/Tile/Tile.h"

#include <string>
#include <utility>
#include <vector>

namespace tessera::tile {

/// The most parameters of a kernel.
constexpr size_t kMaxParams = 64;
/// The most choices of one parameter.
constexpr size_t kMaxChoices = 64;
/// The largest value of a parameter, and of an extent that follows from parameters.
constexpr int64_t kMaxExtent = int64_t(1) << 31;
/// How many bindings `legalBindings` lists by default.
constexpr size_t kMaxBindings = 4096;
/// After so many values of parameters a search for bindings is given up: then so few of the choices
/// go together that nobody would wait for one.
constexpr size_t kMaxSearchSteps = size_t(1) << 18;

/// On a kernel that had parameters (a dictionary): what they were bound to.
constexpr llvm::StringLiteral kBound = "tile.bound";

//===--- parameters --------------------------------------------------------------------------===//

/// The parameters of a kernel, in program order.
llvm::SmallVector<ParamOp> paramsOf(KernelOp kernel);
bool hasParams(KernelOp kernel);

/// Constraint 3 of `tile.param`, for all parameters of a kernel.
mlir::LogicalResult verifyParams(KernelOp kernel);

/// Fails, with an error at each kernel in `root` (a module or a kernel) that has parameters. The
/// passes that need static extents ask this first.
mlir::LogicalResult requireBound(mlir::Operation *root);

/// A value that a number may not depend on if the parameters alone are to give it, or null.
mlir::Value findParamObstacle(mlir::Value value);
/// True if the value is a number that parameters give, at least one of them.
bool dependsOnParams(mlir::Value value);

/// Whether two extents may be equal: they are, or one is not known before parameters are bound.
inline bool extentsAgree(int64_t a, int64_t b) {
  return a == b || mlir::ShapedType::isDynamic(a) || mlir::ShapedType::isDynamic(b);
}
bool shapesAgree(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// Fails, with an error at `op` that begins with `constraint`, unless there is an extent for each
/// `?` of the type.
mlir::LogicalResult verifyExtents(mlir::Operation *op, llvm::StringRef constraint,
                                  mlir::RankedTensorType type, mlir::ValueRange extents);

/// The numbers that an op gives to its result's `?`, in order; null if the op has no such operands.
std::optional<mlir::ValueRange> extentsGiven(mlir::Operation *op);

//===--- bindings ----------------------------------------------------------------------------===//

/// Values of parameters by name. That of a whole kernel has them in program order.
using Binding = std::vector<std::pair<std::string, int64_t>>;

/// "BM=128,BN=256".
std::string bindingText(const Binding &binding);

/// An entry of an option: a value for a parameter of all kernels that have it, or of one.
struct GivenValue {
  std::string kernel; ///< empty: all
  std::string name;
  int64_t value = 0;
};

/// The parts of "NAME=VALUE" or "KERNEL/NAME=VALUE", without spaces around them; no kernel is
/// empty.
struct NamedText {
  llvm::StringRef kernel, name, value;
};
/// Nothing if the text is not of that form.
std::optional<NamedText> splitNamed(llvm::StringRef text);

/// Reads "BM=128,BN=256,KERNEL/BK=64". Errors go to `emitError`: syntax, numbers that are not
/// positive, a parameter that is given twice.
mlir::FailureOr<std::vector<GivenValue>>
parseBindings(llvm::ArrayRef<std::string> texts,
              llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// Fails, with an error, if no kernel of the module has the parameter of an entry.
mlir::LogicalResult checkGiven(mlir::ModuleOp module, llvm::ArrayRef<GivenValue> given,
                               llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// The entries that concern a kernel, in program order. Fails, with an error at the parameter, for
/// a value that is none of its choices.
mlir::FailureOr<Binding> givenFor(KernelOp kernel, llvm::ArrayRef<GivenValue> given);

/// Inlines the calls of a kernel with parameters, all of them: what a helper assumes about its
/// arguments is an assumption about parameters, too. The functions below do not look into helpers.
/// Fails, with an error at the call, if one cannot be inlined.
mlir::LogicalResult inlineHelpers(KernelOp kernel);

/// Asked at each step of a search: true if the host wants no answer any more. It may be null.
using StopFunction = llvm::function_ref<bool()>;

/// Why a search for bindings ended.
enum class SearchEnd {
  Complete, ///< all were found
  Enough,   ///< there are more than were asked for
  TooLong,  ///< after kMaxSearchSteps: there may be more
  Stopped   ///< the host wanted it to stop
};

/// What a search found.
struct LegalBindings {
  std::vector<Binding> bindings;
  size_t found = 0; ///< with those that are not among `bindings`
  SearchEnd end = SearchEnd::Complete;
  bool isComplete() const { return end == SearchEnd::Complete; }
};

/// The bindings of all parameters that have the values of `fixed`, are among the choices of the
/// others, and keep all assumptions of the kernel: in the order of the choices, the last parameter
/// the fastest, at most `most` of them. None if a parameter that is not fixed has no choices. A
/// kernel without parameters has one, which is empty.
LegalBindings legalBindings(KernelOp kernel, const Binding &fixed = {}, size_t most = kMaxBindings,
                            StopFunction shouldStop = {});

/// The same, but if there are more than `most`, they are spread evenly over all of them; the first
/// one is always there. The same kernel has the same ones every time.
LegalBindings sampleBindings(KernelOp kernel, const Binding &fixed, size_t most,
                             StopFunction shouldStop = {});

/// The binding that `fixed` leads to: the first of `legalBindings`. Fails, with an error at the
/// parameter or at the assumption that is in the way, if there is none or none was found; and
/// without one if it was stopped.
mlir::FailureOr<Binding> chooseBinding(KernelOp kernel, const Binding &fixed,
                                       StopFunction shouldStop = {});

//===--- members -----------------------------------------------------------------------------===//

/// Makes the kernel the member of a binding of all its parameters, in place: calls are inlined,
/// parameters become numbers, conditions on them choose a branch, and all extents become static.
/// Fails, with errors in the source, if an assumption is broken or an extent does not fit; then the
/// kernel is of no use.
mlir::LogicalResult bindParams(KernelOp kernel, const Binding &binding);

/// The same for a copy with another name, which stands behind the kernel. After a failure there is
/// no copy.
mlir::FailureOr<KernelOp> bindClone(KernelOp kernel, const Binding &binding, llvm::StringRef name);

} // namespace tessera::tile

#endif
