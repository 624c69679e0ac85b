// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReferenceForms.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace tessera::tile;

//===--- coefficients ------------------------------------------------------------------------===//

/// Products of a few constants of f32, each rounded.
static bool nearly(double a, double b) {
  return std::fabs(a - b) <= 1e-6 * std::max(std::fabs(a), std::fabs(b));
}

Coefficient Coefficient::times(double factor) const {
  Coefficient result = *this;
  result.number *= factor;
  return result;
}

Coefficient Coefficient::times(const Coefficient &other) const {
  Coefficient result = times(other.number);
  for (auto [value, power] : other.symbols) {
    auto *at = llvm::find_if(result.symbols,
                             [value = value](auto &symbol) { return symbol.first == value; });
    if (at == result.symbols.end())
      result.symbols.push_back({value, power});
    else
      at->second += power;
  }
  llvm::erase_if(result.symbols, [](auto &symbol) { return symbol.second == 0; });
  return result;
}

Coefficient Coefficient::inverse() const {
  Coefficient result{1 / number, symbols};
  for (auto &[value, power] : result.symbols)
    power = -power;
  return result;
}

bool Coefficient::sameSymbols(const Coefficient &other) const {
  return symbols.size() == other.symbols.size() && llvm::all_of(symbols, [&](auto &symbol) {
           return llvm::is_contained(other.symbols, symbol);
         });
}

bool Coefficient::operator==(const Coefficient &other) const {
  if (isZero() || other.isZero())
    return isZero() && other.isZero();
  return nearly(number, other.number) && sameSymbols(other);
}

std::optional<Coefficient> Coefficient::sum(const Coefficient &a, const Coefficient &b) {
  if (a.isZero())
    return b;
  if (b.isZero())
    return a;
  if (!a.sameSymbols(b))
    return std::nullopt;
  if (nearly(a.number, -b.number))
    return Coefficient();
  return Coefficient{a.number + b.number, a.symbols};
}

//===--- forms -------------------------------------------------------------------------------===//

static Form unknown(const Twine &why) {
  Form form;
  form.kind = Form::Unknown;
  form.why = why.str();
  return form;
}

static Form unknown(Operation *op) {
  return unknown(op->getName().getStringRef() + " depends on the reference");
}

/// Without coefficients a value does not depend on references.
static Form normalized(Form form) {
  if ((form.kind == Form::Log || form.kind == Form::Scaled) && form.of[kOld].isZero() &&
      form.of[kNew].isZero())
    form.kind = Form::Free;
  return form;
}

static Form scaledBy(Form form, const Coefficient &factor) {
  for (Coefficient &c : form.of)
    c = c.times(factor);
  return normalized(form);
}

static Form withSums(Form::Kind kind, const Form &x, const Form &y, double sign) {
  Form form;
  form.kind = kind;
  for (Reference r : {kOld, kNew}) {
    std::optional<Coefficient> sum = Coefficient::sum(x.of[r], y.of[r].times(sign));
    if (!sum)
      return unknown("coefficients of the reference that are different values");
    form.of[r] = *sum;
  }
  return normalized(form);
}

/// The float that all elements of a constant have.
static std::optional<APFloat> constantOf(Value value) {
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValue();
  auto tile = dyn_cast<DenseFPElementsAttr>(attribute);
  if (tile && tile.isSplat())
    return tile.getSplatValue<APFloat>();
  return std::nullopt;
}

static std::optional<APFloat> numberOf(Value value) {
  if (auto splat = value.getDefiningOp<tensor::SplatOp>())
    return numberOf(splat.getInput());
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    return numberOf(broadcast.getSource());
  return constantOf(value);
}

static bool isZero(Value value) {
  std::optional<APFloat> number = numberOf(value);
  return number && number->isZero();
}

static bool isNegativeInfinity(Value value) {
  std::optional<APFloat> number = numberOf(value);
  return number && number->isInfinity() && number->isNegative();
}

/// What a factor multiplies coefficients by, if it is the same for all elements of a row.
std::optional<Coefficient> ReferenceForms::coefficientOf(Value value) {
  if (std::optional<APFloat> number = numberOf(value)) {
    if (!number->isFinite() || number->isZero())
      return std::nullopt;
    bool lost = false;
    APFloat wide = *number;
    wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    return Coefficient{wide.convertToDouble(), {}};
  }
  Operation *op = value.getDefiningOp();
  if (auto splat = dyn_cast_or_null<tensor::SplatOp>(op))
    return coefficientOf(splat.getInput());
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op)) {
    auto source = dyn_cast<RankedTensorType>(broadcast.getSource().getType());
    if (!source || source.getRank() == 0 ||
        (hasRows && source.getRank() == 1 && broadcast.getDims().front() == 0))
      return coefficientOf(broadcast.getSource());
    return std::nullopt;
  }
  if (isa_and_nonnull<arith::MulFOp, arith::DivFOp>(op)) {
    std::optional<Coefficient> a = coefficientOf(op->getOperand(0)),
                               b = coefficientOf(op->getOperand(1));
    if (!a || !b)
      return std::nullopt;
    return a->times(isa<arith::MulFOp>(op) ? *b : b->inverse());
  }
  if (auto negation = dyn_cast_or_null<arith::NegFOp>(op)) {
    std::optional<Coefficient> a = coefficientOf(negation.getOperand());
    return a ? std::optional(-*a) : std::nullopt;
  }
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  const bool isScalar = !tile || tile.getRank() == 0;
  if (!loop.isDefinedOutsideOfLoop(value) || !(isScalar || (hasRows && tile.getRank() == 1)))
    return std::nullopt;
  return Coefficient{1, {{value, 1}}};
}

std::optional<std::string> tessera::tile::whyTooNarrow(Type type) {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  if (APFloat::semanticsMaxExponent(element.getFloatSemantics()) >= 127)
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream(text) << "numbers up to 2^" << static_cast<int>(kGuardedPowers)
                                 << " times as large are " << element;
  return text;
}

Form ReferenceForms::of(Value value) {
  auto it = forms.find(value);
  if (it != forms.end())
    return it->second;
  Form form;
  if (Operation *op = value.getDefiningOp()) {
    form = evaluate(op, value);
    // Conversions are looked at; what only moves elements, and exponentials, make none larger.
    if (form.kind == Form::Scaled &&
        !isa<arith::TruncFOp, BroadcastOp, arith::SelectOp, math::ExpOp, math::Exp2Op>(op))
      if (auto why = whyTooNarrow(value.getType()))
        form = unknown(*why);
  }
  forms[value] = form;
  return form;
}

//===--- ops ---------------------------------------------------------------------------------===//

Form ReferenceForms::add(const Form &x, const Form &y, bool zeroX, bool zeroY) {
  if (x.kind == Form::Scaled || y.kind == Form::Scaled) {
    // A zero scales like anything.
    if (zeroX && x.kind == Form::Free)
      return y;
    if (zeroY && y.kind == Form::Free)
      return x;
    if (!x.sameAs(y))
      return unknown("a sum has terms that do not scale alike");
    Form form = x;
    form.positive = x.positive && y.positive;
    return form;
  }
  return withSums(Form::Log, x, y, 1);
}

Form ReferenceForms::add(Value a, Value b, bool negate) {
  Form x = of(a), y = of(b);
  if (negate) {
    y.positive = false;
    if (y.kind == Form::Log)
      y = scaledBy(y, {-1, {}});
  }
  return add(x, y, isZero(a), isZero(b));
}

Form ReferenceForms::multiply(Value a, Value b) {
  Form x = of(a), y = of(b);
  if (x.kind == Form::Free) {
    std::swap(x, y);
    std::swap(a, b);
  }
  if (x.kind == Form::Free)
    return x;
  if (x.kind == Form::Scaled && y.kind != Form::Log) {
    Form form = withSums(Form::Scaled, x, y, 1);
    form.positive = x.positive && y.positive;
    return form;
  }
  if (x.kind == Form::Log && y.kind == Form::Free) {
    std::optional<Coefficient> factor = coefficientOf(b);
    if (!factor)
      return unknown("the reference is multiplied by what is not one number for each row, the same "
                     "in all iterations");
    return scaledBy(x, *factor);
  }
  return unknown("a product of two values that depend on the reference");
}

Form ReferenceForms::divide(Value a, Value b) {
  const Form x = of(a), &y = of(b);
  if (x.kind != Form::Log && y.kind != Form::Log) {
    Form form = withSums(Form::Scaled, x, y, -1);
    form.positive = x.positive && y.positive;
    return form;
  }
  if (x.kind == Form::Log && y.kind == Form::Free)
    if (std::optional<Coefficient> factor = coefficientOf(b))
      return scaledBy(x, factor->inverse());
  return unknown("a quotient of values that depend on the reference");
}

/// The order of two values that contain the reference alike, and the sign of one that it scales, do
/// not depend on it.
Form ReferenceForms::compare(arith::CmpFOp op) {
  const Form x = of(op.getLhs()), &y = of(op.getRhs());
  const bool alike = x.sameAs(y) || (x.kind == Form::Scaled && isZero(op.getRhs())) ||
                     (y.kind == Form::Scaled && isZero(op.getLhs()));
  return alike ? Form() : unknown("a comparison depends on the reference");
}

/// The sum that a comparison finds to be zero (true) or not to be (false).
static std::pair<Value, std::optional<bool>> testOfZero(Value condition) {
  auto test = condition.getDefiningOp<arith::CmpFOp>();
  if (!test || !isZero(test.getRhs()))
    return {};
  switch (test.getPredicate()) {
  case arith::CmpFPredicate::OEQ:
  case arith::CmpFPredicate::UEQ:
    return {test.getLhs(), true};
  case arith::CmpFPredicate::ONE:
  case arith::CmpFPredicate::UNE:
  case arith::CmpFPredicate::OGT:
  case arith::CmpFPredicate::UGT:
    return {test.getLhs(), false};
  default:
    return {};
  }
}

Form ReferenceForms::select(arith::SelectOp op) {
  if (of(op.getCondition()).kind != Form::Free)
    return unknown(op);
  Value yes = op.getTrueValue(), no = op.getFalseValue();
  const Form x = of(yes), &y = of(no);
  if (x.sameAs(y)) {
    Form form = x;
    form.positive = x.positive && y.positive;
    return form;
  }
  // A zero scales like anything, and -inf + c · R is -inf.
  for (auto [value, other] : {std::pair(yes, &y), std::pair(no, &x)}) {
    if (other->kind == Form::Scaled && isZero(value))
      return *other;
    if (other->kind == Form::Log && isNegativeInfinity(value))
      return *other;
  }
  // l == 0 ? 1 : l. Whoever multiplies by it must be zero there, too.
  auto [sum, where] = testOfZero(op.getCondition());
  if (where && (*where ? no : yes) == sum && of(sum).kind == Form::Scaled &&
      of(*where ? yes : no).kind == Form::Free) {
    replacedZeros.push_back(sum);
    return of(sum);
  }
  return unknown("a select has values that do not depend on the reference alike");
}

Form ReferenceForms::broadcast(BroadcastOp op) {
  const Form form = of(op.getSource());
  auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (form.kind == Form::Free || !hasRows ||
      (source && source.getRank() > 0 && op.getDims().front() == 0))
    return form;
  return unknown("the rows of the reference become another dimension");
}

Form ReferenceForms::reduce(ReduceOp op) {
  if (op.getInputs().size() != 1)
    return unknown(op);
  const Form form = of(op.getInputs().front());
  if (hasRows && llvm::is_contained(op.getDims(), 0))
    return unknown("rows with references of their own are combined");
  std::optional<ReduceKind> kind = op.getKind();
  const bool isSum = kind == ReduceKind::AddF;
  const bool selects = kind == ReduceKind::MaximumF || kind == ReduceKind::MinimumF ||
                       kind == ReduceKind::MaxNumF || kind == ReduceKind::MinNumF;
  if ((isSum && form.kind == Form::Scaled) || selects)
    return form;
  return unknown(op);
}

Form ReferenceForms::product(MmaOp op) {
  const Form a = of(op.getA()), &b = of(op.getB());
  const bool bHasRows = hasRows && op.getResult().getType().getRank() == 2;
  if (b.kind != Form::Free && bHasRows)
    return unknown("a product sums over rows with references of their own");
  if (a.kind == Form::Log || b.kind == Form::Log)
    return unknown(op);
  Form form = withSums(Form::Scaled, a, b, 1);
  form.positive = false;
  if (!op.getC() || form.kind == Form::Unknown)
    return form;
  return add(form, of(op.getC()), /*zeroX=*/false, isZero(op.getC()));
}

/// A narrow type must hold 2^kGuardedPowers, the largest exponential, and takes no more than that.
Form ReferenceForms::narrow(arith::TruncFOp op) {
  const Form form = of(op.getIn());
  if (form.kind != Form::Scaled)
    return unknown(op);
  auto type = cast<FloatType>(getElementTypeOrSelf(op.getType()));
  // An exponential need not be of a number below 0: p · 2^8 fills the range of f8.
  auto why = whyTooNarrow(type);
  return why ? unknown(*why) : form;
}

Form ReferenceForms::evaluate(Operation *op, Value value) {
  auto isFree = [&](Value operand) { return of(operand).kind == Form::Free; };
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op)) {
    // What is inside is looked at where references are used.
    return llvm::all_of(op->getOperands(), isFree) ? Form() : unknown(op);
  }
  if (llvm::all_of(op->getOperands(), isFree)) {
    Form form;
    form.positive = isa<math::ExpOp, math::Exp2Op, math::AbsFOp, math::SqrtOp>(op);
    if (std::optional<APFloat> number = numberOf(value))
      form.positive = !number->isNegative() && !number->isNaN();
    return form;
  }
  for (Value operand : op->getOperands())
    if (of(operand).kind == Form::Unknown)
      return of(operand);
  auto power = [&](double base) {
    Form form = of(op->getOperand(0));
    if (form.kind != Form::Log)
      return unknown(op);
    form = scaledBy(form, {base, {}});
    form.kind = form.kind == Form::Free ? Form::Free : Form::Scaled;
    form.positive = true;
    return form;
  };
  auto logarithm = [&](double base) {
    Form form = of(op->getOperand(0));
    if (form.kind != Form::Scaled)
      return unknown(op);
    form.kind = Form::Log;
    form.positive = false;
    return scaledBy(form, {1 / base, {}});
  };
  auto root = [&](double exponent) {
    Form form = of(op->getOperand(0));
    return form.kind == Form::Scaled ? scaledBy(form, {exponent, {}}) : unknown(op);
  };
  return llvm::TypeSwitch<Operation *, Form>(op)
      .Case([&](arith::AddFOp o) { return add(o.getLhs(), o.getRhs(), false); })
      .Case([&](arith::SubFOp o) { return add(o.getLhs(), o.getRhs(), true); })
      .Case([&](arith::MulFOp o) { return multiply(o.getLhs(), o.getRhs()); })
      .Case([&](arith::DivFOp o) { return divide(o.getLhs(), o.getRhs()); })
      .Case([&](math::FmaOp o) {
        Form product = multiply(o.getA(), o.getB());
        return product.kind == Form::Unknown ? product
                                             : add(product, of(o.getC()), false, isZero(o.getC()));
      })
      .Case([&](arith::NegFOp o) {
        Form form = of(o.getOperand());
        form.positive = false;
        return form.kind == Form::Log ? scaledBy(form, {-1, {}}) : form;
      })
      .Case<math::AbsFOp>([&](auto o) {
        Form form = of(o.getOperand());
        form.positive = true;
        return form.kind == Form::Scaled ? form : unknown(op);
      })
      .Case<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>([&](auto o) {
        return of(o.getLhs()).sameAs(of(o.getRhs())) ? of(o.getLhs()) : unknown(op);
      })
      .Case<math::ExpOp>([&](auto) { return power(1); })
      .Case<math::Exp2Op>([&](auto) { return power(std::log(2.0)); })
      .Case<math::LogOp>([&](auto) { return logarithm(1); })
      .Case<math::Log2Op>([&](auto) { return logarithm(std::log(2.0)); })
      .Case<math::Log10Op>([&](auto) { return logarithm(std::log(10.0)); })
      .Case<math::SqrtOp>([&](auto) { return root(0.5); })
      .Case<math::RsqrtOp>([&](auto) { return root(-0.5); })
      .Case<arith::ExtFOp, tensor::SplatOp>([&](auto o) {
        return isa<tensor::SplatOp>(op) && hasRows ? unknown(op) : of(o->getOperand(0));
      })
      .Case([&](arith::TruncFOp o) { return narrow(o); })
      .Case([&](arith::CmpFOp o) { return compare(o); })
      .Case([&](arith::SelectOp o) { return select(o); })
      .Case([&](BroadcastOp o) { return broadcast(o); })
      .Case([&](ReduceOp o) { return reduce(o); })
      .Case([&](MmaOp o) { return product(o); })
      .Case<tensor::ExtractOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, TransposeOp>(
          [&](auto o) { return hasRows ? unknown(op) : of(o->getOperand(0)); })
      .Default([&](Operation *) { return unknown(op); });
}
