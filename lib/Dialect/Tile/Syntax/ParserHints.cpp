// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/Syntax/ParserHints.h"

#include "tessera/Dialect/Tile/OpHints.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tessera::tile;

//===--- values of another type --------------------------------------------------------------===//

template <typename... Parts>
static std::string join(const Parts &...parts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  (os << ... << parts);
  return text;
}

/// The dimensions of `to` along which `from` lies, for tile.broadcast: ascending, each of the same
/// extent or 1 in `from`. Trailing ones are preferred. Nothing if there are none.
static std::optional<SmallVector<int64_t>> broadcastDims(ArrayRef<int64_t> from,
                                                         ArrayRef<int64_t> to) {
  SmallVector<int64_t> dims(from.size());
  int64_t next = static_cast<int64_t>(to.size()) - 1;
  for (int64_t d = static_cast<int64_t>(from.size()) - 1; d >= 0; --d, --next) {
    while (next >= 0 && from[d] != to[next] && (from[d] != 1 || from.size() != to.size()))
      --next;
    if (next < 0)
      return std::nullopt;
    dims[d] = next;
  }
  return dims;
}

/// How to get a tile of type `to` from one of another shape and the same element type.
static std::string reshapeTile(StringRef value, RankedTensorType from, RankedTensorType to) {
  if (from.getRank() == 2 && to.getRank() == 2 && from.getDimSize(0) == to.getDimSize(1) &&
      from.getDimSize(1) == to.getDimSize(0))
    return join("transpose it: %t = tile.transpose ", value, " dims = [1, 0] : ", from, " -> ", to);
  if (std::optional<SmallVector<int64_t>> dims = broadcastDims(from.getShape(), to.getShape())) {
    std::string list;
    llvm::raw_string_ostream os(list);
    llvm::interleaveComma(*dims, os);
    return join("repeat it along the other dimensions: %wide = tile.broadcast ", value, " dims = [",
                list, "] : ", from, " -> ", to);
  }
  if (from.hasStaticShape() && to.hasStaticShape() && from.getNumElements() == to.getNumElements())
    return "tensor.expand_shape and tensor.collapse_shape change the shape of a tile";
  return join("a tile has the extents that its load gives it: make both of one shape");
}

/// For a value of type `from` where a value of type `to` is wanted.
static std::string hintForTypes(StringRef value, Type to, Type from) {
  for (Type type : {to, from})
    if (auto vector = dyn_cast<VectorType>(type))
      return join("tiles are tensors, vectors are no part of the language: write ",
                  RankedTensorType::get(vector.getShape(), vector.getElementType()));
  auto toTile = dyn_cast<RankedTensorType>(to), fromTile = dyn_cast<RankedTensorType>(from);
  if (auto memref = dyn_cast<MemRefType>(from); memref && toTile)
    return join("arithmetic is on tiles: load one with tile.load ", value, "[%i] : ", memref,
                " -> ", toTile);
  if (toTile && !fromTile) {
    if (from == toTile.getElementType())
      return join("make a tile of the scalar: %t = tensor.splat ", value, " : ", toTile);
    StringRef op = conversionOp(from, toTile.getElementType());
    return op.empty() ? ""
                      : join("convert the scalar with ", op, " to ", toTile.getElementType(),
                             ", then make a tile of it with tensor.splat");
  }
  if (fromTile && !toTile) {
    if (to == fromTile.getElementType())
      return join("ops on tiles have the types of tiles: write ", fromTile, " instead of ", to,
                  "; tile.reduce makes one number of a tile");
    return "";
  }
  if (!toTile) {
    StringRef op = conversionOp(from, to);
    return op.empty() ? ""
                      : join("convert it first: %x = ", op, " ", value, " : ", from, " to ", to);
  }
  if (toTile.getElementType() != fromTile.getElementType()) {
    StringRef op = conversionOp(fromTile.getElementType(), toTile.getElementType());
    if (op.empty())
      return "";
    return join("convert it first: %x = ", op, " ", value, " : ", fromTile, " to ",
                fromTile.clone(toTile.getElementType()));
  }
  return toTile == fromTile ? "" : reshapeTile(value, fromTile, toTile);
}

//===--- the text around an error ------------------------------------------------------------===//

/// The text before the place of the diagnostic, with the word that begins there.
static StringRef textBefore(Diagnostic &diagnostic, StringRef source) {
  auto loc = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
  if (!loc || !loc.getLine())
    return "";
  StringRef rest = source;
  for (unsigned line = 1; line < loc.getLine(); ++line)
    rest = rest.split('\n').second;
  if (rest.empty())
    return "";
  size_t end = rest.data() - source.data() + loc.getColumn() - 1;
  end = std::min(end, source.size());
  while (end < source.size() &&
         (llvm::isAlnum(source[end]) || source[end] == '.' || source[end] == '_'))
    ++end;
  // An op or attribute is not longer than this.
  return source.take_front(end).take_back(4000);
}

/// The name of the op with which the last statement of a text begins: `%a = tile.load ...`.
static StringRef lastOp(StringRef text) {
  while (!text.empty()) {
    auto [before, line] = text.rsplit('\n');
    if (line.empty() && !text.contains('\n'))
      std::swap(before, line);
    StringRef words = line.ltrim();
    if (words.starts_with("%") && words.contains('='))
      words = words.split('=').second.ltrim();
    StringRef name = words.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; });
    if (name.contains('.') && !llvm::isDigit(name.front()))
      return name;
    text = before;
  }
  return "";
}

/// The keys of an attribute that is written as `<key = value, ...>`. A test compares those of the
/// plan with its reference.
static StringRef keysAround(StringRef text) {
  const size_t open = text.rfind('<');
  if (open == StringRef::npos)
    return "";
  text = text.take_front(open).rtrim();
  if (text.ends_with("cta.plan"))
    return "replicate, warpgroups, producers, stages, persistent, group, blocks_per_sm, cluster, "
           "registers, pending, epilogue, stream_k, cluster_dim, least_group, spread";
  return text.ends_with("tile.guard") ? "arg, dim, value" : "";
}

//===--- hints -------------------------------------------------------------------------------===//

/// The first text between two single quotes.
static StringRef quoted(StringRef message) { return message.split('\'').second.split('\'').first; }

static std::string hintForUse(Diagnostic &diagnostic, StringRef message) {
  SmallVector<Type> types;
  for (const DiagnosticArgument &argument : diagnostic.getArguments())
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Type)
      types.push_back(argument.getAsType());
  return types.size() == 2 ? hintForTypes(quoted(message), types[0], types[1]) : "";
}

/// `arith.addf` on integers, `arith.addi` on floats.
static std::string hintForElements(StringRef message, MLIRContext *context) {
  const StringRef name = quoted(message);
  const bool wantsFloats = message.contains("must be floating-point-like");
  if (!name.starts_with("arith.") ||
      (!wantsFloats && !message.contains("must be signless-integer-like")))
    return "";
  const char last = wantsFloats ? 'i' : 'f';
  for (std::string other : {name.drop_back().str() + last, name.drop_back(2).str() + last,
                            name.drop_back().str() + "s" + last})
    if (other != name && RegisteredOperationName::lookup(other, context))
      return "for " + std::string(wantsFloats ? "integers" : "floats") + " it is '" + other + "'";
  return "";
}

std::string tessera::tile::hintFor(Diagnostic &diagnostic, StringRef source, MLIRContext *context) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return "";
  const std::string text = diagnostic.str();
  StringRef message = text;
  // Parsers of ops begin what they say with `custom op 'tile.load' `.
  StringRef op;
  if (message.starts_with("custom op '") && !message.contains("' is unknown")) {
    op = quoted(message);
    message = message.split("' ").second;
  }
  if (message.starts_with("Dialect `") && message.contains("' not found for custom op '"))
    return hintForUnknownOp(quoted(message.split("custom op ").second), context);
  if (message.starts_with("custom op '") && message.contains("' is unknown"))
    return hintForUnknownOp(quoted(message), context);
  if (message.contains("created with unregistered dialect") ||
      message.contains("operation being parsed with an unregistered dialect") ||
      message.starts_with("unregistered operation '") ||
      message.contains("' is unknown. If this is intended"))
    return hintForUnknownOp(
        message.contains('\'') ? quoted(message) : lastOp(textBefore(diagnostic, source)), context);
  if (message.starts_with("use of value '") && message.contains("expects different type"))
    return hintForUse(diagnostic, message);
  if (message.starts_with("use of undeclared SSA value name")) {
    return "a value is made before it is used: a constant by %c0 = arith.constant 0 : index, the "
           "size of an argument by %N = tile.dim \"N\" : index";
  }
  if (message.starts_with("duplicate or unknown struct parameter name: ")) {
    const StringRef keys = keysAround(textBefore(diagnostic, source));
    return keys.empty() ? "" : ("the keys are " + keys + "; each is given at most once").str();
  }
  if (message.contains("region branch point has ") && message.contains("scf.yield"))
    return "scf.yield, the last line of a region, has one value for each result of the op, as in "
           "scf.yield %d : tensor<64xf32>";
  if (message.contains("block with no terminator"))
    return "the last line of a region is its terminator: tile.return in a tile.kernel, scf.yield "
           "in "
           "scf.for and scf.if, tile.yield in a combiner";
  if (std::string hint = hintForElements(message, context); !hint.empty())
    return hint;
  if (message.starts_with("expected ") || message.starts_with("unknown clause ")) {
    if (op.empty())
      op = lastOp(textBefore(diagnostic, source));
    if (StringRef example = exampleOfOp(op); !example.empty())
      return (op + " is written like this: " + example).str();
  }
  return "";
}

//===--- handlers ----------------------------------------------------------------------------===//

static DiagnosticEngine::HandlerID addHandler(MLIRContext *context, StringRef source) {
  return context->getDiagEngine().registerHandler([context, source](Diagnostic &diagnostic) {
    if (std::string hint = hintFor(diagnostic, source, context); !hint.empty())
      diagnostic.attachNote() << hint;
    return failure(); // another handler reports it
  });
}

ParserHints::ParserHints(MLIRContext *context, StringRef source)
    : context(context), id(addHandler(context, source)) {}
ParserHints::~ParserHints() { context->getDiagEngine().eraseHandler(id); }

namespace {
/// The dialect is loaded when the parser meets the first kernel. Handlers that are registered then
/// come before those of the tool.
class HintsExtension : public DialectExtension<HintsExtension, TileDialect> {
public:
  explicit HintsExtension(StringRef source) : source(source) {}
  void apply(MLIRContext *context, TileDialect *) const override { addHandler(context, source); }

private:
  StringRef source;
};
} // namespace

void tessera::tile::registerParserHints(DialectRegistry &registry, StringRef source) {
  registry.addExtension(TypeID::get<HintsExtension>(), std::make_unique<HintsExtension>(source));
}
