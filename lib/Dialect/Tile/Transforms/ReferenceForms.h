// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How values depend on a reference: what tile-guard-references asks.
//
// A value may contain a reference R, a number for each row, as a term, rest + c · R, or as a
// factor, rest · e^(c · R). The coefficient c is a number times powers of scalars that do not
// change in the loop, such as the scale of attention. Where coefficients cancel (o / l, or R + log
// l) the value does not depend on the reference at all, but for rounding.
#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_REFERENCEFORMS_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_REFERENCEFORMS_H

#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

#include <array>
#include <optional>
#include <string>

namespace tessera::tile {

/// A number times powers of values.
struct Coefficient {
  double number = 0;
  llvm::SmallVector<std::pair<mlir::Value, int>> symbols;

  bool isZero() const { return number == 0; }
  Coefficient operator-() const { return times(-1); }
  Coefficient times(double factor) const;
  Coefficient times(const Coefficient &other) const;
  Coefficient inverse() const;
  bool sameSymbols(const Coefficient &other) const;
  /// Numbers that constants of f32 are made of: equal but for their rounding.
  bool operator==(const Coefficient &other) const;
  /// Nothing if the symbols differ.
  static std::optional<Coefficient> sum(const Coefficient &a, const Coefficient &b);
};

/// The references: before an iteration, and after it. After the loop there is only the latter.
enum Reference { kOld, kNew };

struct Form {
  enum Kind {
    Free,   ///< does not depend on a reference
    Log,    ///< rest + Σ c · R
    Scaled, ///< rest · e^(Σ c · R)
    Unknown ///< `why` says what makes it so
  };
  Kind kind = Free;
  std::array<Coefficient, 2> of;
  bool positive = false; ///< not below zero
  std::string why;

  bool sameAs(const Form &other) const {
    return kind == other.kind && of[kOld] == other.of[kOld] && of[kNew] == other.of[kNew];
  }
};

class ReferenceForms {
public:
  /// Whether references have an element for each row, dimension 0 of all tiles, or one for all.
  ReferenceForms(mlir::scf::ForOp loop, bool hasRows) : loop(loop), hasRows(hasRows) {}

  void set(mlir::Value value, Form form) { forms[value] = std::move(form); }
  void clear() { forms.clear(); }
  Form of(mlir::Value value);

  /// The sums that selects compare with zero and replace there.
  llvm::SmallVector<mlir::Value> replacedZeros;

private:
  Form evaluate(mlir::Operation *op, mlir::Value value);
  Form add(mlir::Value a, mlir::Value b, bool negate);
  Form add(const Form &x, const Form &y, bool zeroX, bool zeroY);
  Form multiply(mlir::Value a, mlir::Value b);
  Form divide(mlir::Value a, mlir::Value b);
  Form compare(mlir::arith::CmpFOp op);
  Form select(mlir::arith::SelectOp op);
  Form broadcast(BroadcastOp op);
  Form reduce(ReduceOp op);
  Form product(MmaOp op);
  Form narrow(mlir::arith::TruncFOp op);
  std::optional<Coefficient> coefficientOf(mlir::Value value);

  mlir::scf::ForOp loop;
  bool hasRows;
  llvm::DenseMap<mlir::Value, Form> forms;
};

/// By how many powers of two sums may grow because their reference lags behind.
constexpr double kGuardedPowers = 8;

/// Why sums of this type must not grow so much, or nothing if they may.
std::optional<std::string> whyTooNarrow(mlir::Type type);

} // namespace tessera::tile

#endif
