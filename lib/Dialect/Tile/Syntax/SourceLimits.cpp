// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/Syntax/SourceLimits.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <utility>

using namespace mlir;
using namespace tessera::tile;

namespace {

/// One pass over the words of a text. It knows strings, comments, brackets, and definitions of
/// aliases and values; whether all that makes sense is the parser's question.
class SourceScanner {
public:
  explicit SourceScanner(StringRef text) : text(text) { open.push_back({'\0', 0}); }

  std::optional<SourceProblem> scan() {
    while (at < text.size() && !problem)
      scanToken();
    return std::move(problem);
  }

private:
  struct Bracket {
    char sign;
    unsigned operators; ///< one after the other, not in brackets of their own
    /// Of a region, `{`: the values named by the operation before it.
    llvm::SmallVector<StringRef, 4> operands = {};
    bool isOfBlock = false; ///< `(`: around the arguments of a block
  };
  struct Alias {
    unsigned nesting = 0;
    uint64_t words = 0;
  };

  static bool isWord(char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$' || c == '?';
  }
  StringRef takeWhile(bool (*belongs)(char)) {
    StringRef word = text.drop_front(at).take_while(belongs);
    at += word.size();
    return word;
  }
  unsigned nesting() const { return open.size() - 1; }

  void fail(size_t offset, const Twine &message) {
    StringRef before = text.take_front(offset);
    problem =
        SourceProblem{static_cast<unsigned>(1 + before.count('\n')),
                      static_cast<unsigned>(offset - (before.rfind('\n') + 1) + 1), message.str()};
  }

  void scanToken() {
    const char c = text[at];
    if (c == '\n')
      isNewLine = true;
    if (llvm::isSpace(c)) {
      ++at;
      return;
    }
    if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
      return;
    }
    endDefinition(c);
    if (c != ',' && c != '%')
      results.clear();
    isNewLine = false;
    ++words;
    switch (c) {
    case '"':
      return skipString();
    case '%':
      return scanValue();
    case '^':
      return scanBlock();
    case '(':
    case '[':
    case '{':
    case '<':
      return openBracket(c);
    case ')':
    case ']':
    case '}':
    case '>':
      findEmptyGroup();
      ++at;
      return closeBracket(c);
    case ',':
    case '=':
    case ':':
      ++at;
      // "d0 >= 0" has no bracket that could be closed: '>' is.
      open.back().operators = 0;
      return;
    case '-':
      if (text.substr(at).starts_with("->")) {
        at += 2;
        return;
      }
      [[fallthrough]];
    case '+':
    case '*':
      countOperator(at++);
      return;
    case '#':
      if (at + 1 < text.size() && llvm::isDigit(text[at + 1]))
        return scanResultNumber();
      [[fallthrough]];
    case '!':
      return scanAlias();
    default:
      break;
    }
    if (llvm::isDigit(c) || c == '?')
      return scanNumber();
    if (!isWord(c)) {
      ++at;
      return;
    }
    const size_t start = at;
    StringRef word = takeWhile(isWord);
    if (word == "floordiv" || word == "ceildiv" || word == "mod")
      countOperator(start);
    if (word.contains('.')) { // the name of an operation, after its results
      operation = word;
      operands.clear();
    }
  }

  void skipString() {
    // The name of an operation, or something else.
    operation = text.drop_front(at + 1).take_while(isWord);
    operands.clear();
    // As MLIR's lexer does: a string ends with its line.
    for (++at; at < text.size() && text[at] != '\n'; ++at) {
      if (text[at] == '"') {
        ++at;
        return;
      }
      if (text[at] == '\\')
        ++at;
    }
  }

  void openBracket(char c) {
    // "<=" is a comparison, and no expression goes on behind a region.
    if (text.substr(at).starts_with("<=")) {
      at += 2;
      return;
    }
    if (c == '{')
      open.back().operators = 0;
    open.push_back({c, 0});
    if (c == '{')
      for (StringRef name : open.back().operands = std::exchange(operands, {}))
        ++hidden[name];
    open.back().isOfBlock = std::exchange(isBlock, false);
    reach(at++, nesting());
  }

  /// Signs of comparison are no brackets: those that nothing closes end with the bracket around
  /// them, and those that close nothing are none.
  void closeBracket(char c) {
    const char opening = c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : '<';
    if (opening == '<') {
      if (open.back().sign == '<')
        open.pop_back();
      return;
    }
    auto match = llvm::find_if(llvm::reverse(open), [](const Bracket &b) { return b.sign != '<'; });
    if (match == open.rend() || match->sign != opening)
      return;
    const size_t left = open.size() - 1 - (match - open.rbegin());
    for (const Bracket &bracket : llvm::drop_begin(open, left))
      for (StringRef name : bracket.operands)
        --hidden[name];
    if (opening == '{') // the operation may go on: with "else", say
      operands = std::move(match->operands);
    open.truncate(left);
  }

  /// `[[0], []]` of a reshape. The verifier of such an operation ends the process.
  void findEmptyGroup() {
    if (open.size() > 2 && open.back().sign == '[' && open[open.size() - 2].sign == '[' &&
        (operation.ends_with(".expand_shape") || operation.ends_with(".collapse_shape")) &&
        text.take_front(at).rtrim().ends_with("["))
      fail(at, "a group of dimensions of " + operation +
                   " is empty: each stands for at least one dimension");
  }

  /// `^name`: the beginning of a block, unless something is before it in its line: a branch.
  void scanBlock() {
    const StringRef before = text.take_front(at).rtrim(" \t");
    ++at;
    takeWhile(isWord);
    isBlock = text.drop_front(at).starts_with("(") &&
              (before.empty() || before.ends_with("\n") || before.ends_with("{"));
  }

  /// `%name`: an operand, the argument of a block, or a result, one of a list before `=`.
  void scanValue() {
    const size_t start = at++;
    const StringRef name =
        text.substr(start, 1 + takeWhile([](char c) { return isWord(c) || c == '-'; }).size());
    results.push_back({name, start});
    if (text.drop_front(at).starts_with(":")) { // and the number of results
      ++at;
      takeWhile(llvm::isDigit);
    }
    const StringRef rest = text.drop_front(at).ltrim();
    const bool isBound = rest.starts_with("="), isResult = isBound && open.back().sign != '(';
    if (!isBound && operation.starts_with("scf."))
      operands.push_back(name);
    if (isResult || open.back().isOfBlock)
      for (auto [result, offset] : results)
        define(result, offset);
    if (!rest.starts_with(",") || open.back().isOfBlock)
      results.clear();
  }

  /// An operation does not see what its regions define. MLIR's parser puts a value that is defined
  /// later in the place of what stood for it in operations that are complete. `scf.if`, `scf.while`
  /// and others look up their operands before their regions, are not complete then, and would keep
  /// an operand that no longer exists.
  void define(StringRef name, size_t offset) {
    if (!problem && hidden.lookup(name))
      fail(offset, name + " is defined here, in a region of an operation that has it as an "
                          "operand: define it before that operation");
  }

  void reach(size_t offset, unsigned depth) {
    defined.nesting = std::max(defined.nesting, depth);
    if (depth > kMaxNesting)
      fail(offset, "nesting is deeper than " + Twine(kMaxNesting) +
                       " levels here, which is the limit for regions, types, attributes and "
                       "locations (aliases count as what they stand for): make it flatter");
  }

  void countOperator(size_t offset) {
    if (++open.back().operators > kMaxOperators)
      fail(offset, "an expression has more than " + Twine(kMaxOperators) +
                       " operators, which is the limit: compute its operands in ops of their own");
  }

  void scanNumber() {
    const size_t start = at;
    StringRef word = takeWhile(isWord);
    if (word.size() > kMaxNumberLength)
      fail(start, "a number or shape of " + Twine(word.size()) + " characters; at most " +
                      Twine(kMaxNumberLength) + " are read: write fewer digits");
  }

  /// `#3` of `%r#3`. The parser makes room for so many results when it sees the first use.
  void scanResultNumber() {
    const size_t start = at++;
    uint64_t number;
    StringRef word = takeWhile(isWord);
    if (word.getAsInteger(10, number) ? llvm::all_of(word, llvm::isDigit) : number >= kMaxResults)
      fail(start, "result number " + word + " of a value; an op has at most " + Twine(kMaxResults) +
                      " results");
  }

  /// `#name` or `!name`: a definition, a use, or the name of a dialect's attribute or type.
  void scanAlias() {
    const size_t start = at++;
    const StringRef name = text.substr(start, 1 + takeWhile(isWord).size());
    const StringRef rest = text.drop_front(at).ltrim(" \t");
    if (nesting() == 0 && rest.starts_with("=") && name.size() > 1) {
      defining = name;
      defined = Alias();
      words = 0;
      at = rest.data() - text.data() + 1;
      return;
    }
    auto known = aliases.find(name);
    if (known == aliases.end())
      return;
    reach(start, nesting() + known->second.nesting);
    words += known->second.words;
    if (!problem && words > kMaxAliasWords && !defining.empty())
      fail(start, "the alias " + defining + " stands for more than " + Twine(kMaxAliasWords) +
                      " words, aliases in it written out, which is the limit");
  }

  /// A definition ends where the next line begins with a word.
  void endDefinition(char c) {
    if (defining.empty() || !isNewLine || nesting() != 0 || words == 0 ||
        !(isWord(c) || c == '#' || c == '!' || c == '"' || c == '%' || c == '{'))
      return;
    defined.words = words;
    aliases[defining] = defined;
    defining = "";
  }

  StringRef text;
  size_t at = 0;
  llvm::SmallVector<Bracket> open;          ///< the first stands for the whole text
  StringRef operation;                      ///< the last name of one
  llvm::SmallVector<StringRef, 4> operands; ///< its values so far
  llvm::SmallVector<std::pair<StringRef, size_t>, 4> results; ///< if `=` follows
  bool isBlock = false;                                       ///< the arguments of a block follow
  llvm::StringMap<unsigned> hidden; ///< how many of the regions around have it as an operand
  bool isNewLine = true;
  uint64_t words = 0; ///< of the definition
  StringRef defining; ///< empty: none
  Alias defined;
  llvm::StringMap<Alias> aliases;
  std::optional<SourceProblem> problem;
};

/// How deep attributes and types are nested. Without recursion, since that is what is to be found.
class DepthOfParts {
public:
  bool exceeds(Attribute attr) { return search({attr.getAsOpaquePointer(), /*isType=*/false}); }
  bool exceeds(Type type) { return search({type.getAsOpaquePointer(), /*isType=*/true}); }

private:
  struct Part {
    const void *pointer;
    bool isType;
  };

  static SmallVector<Part> partsOf(Part part) {
    SmallVector<Part> parts;
    auto addAttr = [&](Attribute attr) {
      if (attr)
        parts.push_back({attr.getAsOpaquePointer(), false});
    };
    auto addType = [&](Type type) {
      if (type)
        parts.push_back({type.getAsOpaquePointer(), true});
    };
    if (part.isType)
      Type::getFromOpaquePointer(part.pointer).walkImmediateSubElements(addAttr, addType);
    else
      Attribute::getFromOpaquePointer(part.pointer).walkImmediateSubElements(addAttr, addType);
    return parts;
  }

  /// Depth first, with a stack of its own; each part is visited once, whoever holds it.
  bool search(Part root) {
    if (!root.pointer || depths.count(root.pointer))
      return depths.lookup(root.pointer) > kMaxNesting;
    SmallVector<std::pair<Part, bool>> work{{root, false}};
    while (!work.empty()) {
      auto [part, isLeft] = work.pop_back_val();
      SmallVector<Part> parts = partsOf(part);
      if (isLeft) {
        unsigned depth = 0;
        for (Part inner : parts)
          depth = std::max(depth, depths.lookup(inner.pointer));
        depths[part.pointer] = depth + 1;
        continue;
      }
      if (!depths.try_emplace(part.pointer, 0).second)
        continue;
      work.push_back({part, true});
      for (Part inner : parts)
        if (!depths.count(inner.pointer))
          work.push_back({inner, false});
    }
    return depths.lookup(root.pointer) > kMaxNesting;
  }

  llvm::DenseMap<const void *, unsigned> depths;
};

} // namespace

std::optional<SourceProblem> tessera::tile::findSourceProblem(StringRef text) {
  return SourceScanner(text).scan();
}

LogicalResult tessera::tile::checkSourceText(StringRef text, StringRef name, MLIRContext *context) {
  std::optional<SourceProblem> problem = findSourceProblem(text);
  if (!problem)
    return success();
  return emitError(FileLineColLoc::get(context, name, problem->line, problem->column),
                   problem->message);
}

LogicalResult tessera::tile::checkNesting(ModuleOp module) {
  DepthOfParts parts;
  auto tooDeep = [&](Location loc, StringRef what) {
    return emitError(loc) << what << " are nested deeper than " << kMaxNesting
                          << " levels, which is the limit: make them flatter";
  };
  SmallVector<std::pair<Operation *, unsigned>> work{{module, 0}};
  while (!work.empty()) {
    auto [op, depth] = work.pop_back_val();
    // The location itself may be what is too deep.
    Location loc = op->getLoc();
    if (parts.exceeds(LocationAttr(loc)))
      return tooDeep(UnknownLoc::get(op->getContext()), "locations");
    if (depth > kMaxNesting)
      return tooDeep(loc, "regions");
    if (parts.exceeds(op->getAttrDictionary()))
      return tooDeep(loc, "attributes");
    for (Type type : op->getResultTypes())
      if (parts.exceeds(type))
        return tooDeep(loc, "types");
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        for (BlockArgument arg : block.getArguments())
          if (parts.exceeds(arg.getType()))
            return tooDeep(loc, "types");
        for (Operation &inner : block)
          work.push_back({&inner, depth + 1});
      }
  }
  return success();
}
