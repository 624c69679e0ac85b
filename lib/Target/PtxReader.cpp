// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PtxReader.h"

#include "tessera/Target/PtxCheck.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace tessera::ptx;
using llvm::SmallVector;
using llvm::StringRef;

bool Instruction::has(StringRef part) const {
  StringRef rest = opcode;
  while (!rest.empty()) {
    // Single dots separate the parts of an opcode; "shared::cta" is one part, with the name
    // "shared".
    StringRef head = rest.split('.').first;
    if (head.split("::").first == part)
      return true;
    rest = rest.split('.').second;
  }
  return false;
}

/// Splits at the commas outside of brackets.
static SmallVector<StringRef, 4> splitOperands(StringRef text) {
  SmallVector<StringRef, 4> result;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : ',';
    if (c == '{' || c == '[' || c == '(')
      ++depth;
    else if (c == '}' || c == ']' || c == ')')
      --depth;
    else if (c == ',' && (depth == 0 || i == text.size())) {
      StringRef operand = text.slice(start, i).trim();
      if (!operand.empty())
        result.push_back(operand);
      start = i + 1;
    }
  }
  return result;
}

SmallVector<StringRef> tessera::ptx::elements(StringRef operand) {
  if (operand.consume_front("{"))
    operand = operand.rtrim().drop_back(operand.ends_with("}"));
  SmallVector<StringRef> parts;
  operand.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef &part : parts)
    part = part.trim();
  return parts;
}

SmallVector<StringRef> Instruction::defs() const {
  SmallVector<StringRef> result;
  // If the first operand is an address in memory, it is read. The operands of an instruction
  // without a result are read, too.
  if (operands.empty() || operands[0].starts_with("[") || is("bra") || is("bar") || is("barrier"))
    return result;
  for (StringRef element : elements(operands[0])) {
    // The form is "%p1|%p2".
    auto [first, second] = element.split('|');
    for (StringRef reg : {first, second})
      if (!reg.empty() && reg != "_")
        result.push_back(reg);
  }
  return result;
}

namespace {

bool isWord(char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%' || c == '.'; }

/// Replaces comments by blanks, so that positions in the text stay.
std::string withoutComments(StringRef text) {
  std::string result = text.str();
  for (size_t i = 0; i + 1 < result.size();) {
    if (result[i] == '/' && result[i + 1] == '/') {
      while (i < result.size() && result[i] != '\n')
        result[i++] = ' ';
    } else if (result[i] == '/' && result[i + 1] == '*') {
      for (; i < result.size() &&
             !(result[i] == '*' && i + 1 < result.size() && result[i + 1] == '/');
           ++i)
        if (result[i] != '\n')
          result[i] = ' ';
      for (size_t end = std::min(i + 2, result.size()); i < end; ++i)
        result[i] = ' ';
    } else {
      ++i;
    }
  }
  return result;
}

class Reader {
public:
  /// `clean` is the text without comments. Names refer to `text`, in which everything has the same
  /// position.
  Reader(StringRef clean, StringRef text) : clean(clean), text(text) {}

  std::vector<Function> run() {
    while (skipBlanks())
      readTopLevel();
    return std::move(functions);
  }

private:
  bool skipBlanks() {
    for (; at < clean.size() && llvm::isSpace(clean[at]); ++at)
      line += clean[at] == '\n';
    return at < clean.size();
  }

  /// Moves to `end` and returns the text between.
  StringRef take(size_t end) {
    end = std::min(end, clean.size());
    StringRef result = text.slice(at, end);
    line += clean.slice(at, std::min(end + 1, clean.size())).count('\n');
    at = std::min(end + 1, clean.size());
    return result;
  }

  void skipBraces() {
    int depth = 0;
    do {
      depth += clean[at] == '{' ? 1 : clean[at] == '}' ? -1 : 0;
      line += clean[at] == '\n';
      ++at;
    } while (at < clean.size() && depth > 0);
  }

  void readTopLevel() {
    StringRef rest = clean.drop_front(at);
    for (StringRef directive : {".version", ".target", ".address_size", ".file", ".loc"})
      if (rest.starts_with(directive)) {
        take(clean.find('\n', at));
        return;
      }
    if (clean[at] == '{')
      return skipBraces();
    if (rest.starts_with(".section")) {
      take(clean.find('{', at) - 1);
      return;
    }
    size_t semicolon = clean.find(';', at), brace = clean.find('{', at);
    unsigned first = line;
    StringRef head = clean.slice(at, std::min(semicolon, brace));
    bool isFunction = brace < semicolon && (head.contains(".entry") || head.contains(".func"));
    if (!isFunction) {
      take(semicolon);
      return;
    }
    take(brace);
    readFunction(head, first);
  }

  static int64_t threadsOf(StringRef head, StringRef directive) {
    size_t where = head.find(directive);
    if (where == StringRef::npos)
      return 0;
    StringRef rest = head.drop_front(where + directive.size());
    int64_t product = 1;
    do {
      int64_t n;
      rest = rest.ltrim();
      if (rest.consumeInteger(10, n))
        return 0;
      product *= n;
      rest = rest.ltrim();
    } while (rest.consume_front(","));
    return product;
  }

  void readFunction(StringRef head, unsigned first) {
    Function function;
    bool isEntry = head.contains(".entry");
    StringRef name = head.split(isEntry ? ".entry" : ".func").second.ltrim();
    if (!isEntry && name.starts_with("("))
      name = name.split(')').second.ltrim();
    function.name = name.take_while(isWord).str();
    function.line = first;
    function.reqntid = threadsOf(head, ".reqntid");
    function.maxntid = threadsOf(head, ".maxntid");
    function.cluster = threadsOf(head, ".reqnctapercluster");
    function.blocks.emplace_back();
    labels.clear();
    jumps.clear();
    tables.clear();
    bool fallsThrough = true;
    int depth = 1;
    while (true) {
      if (!skipBlanks()) {
        function.malformed.push_back({first, "the PTX ends before its body does"});
        break;
      }
      char c = clean[at];
      if (c == '{' || c == '}') {
        ++at;
        depth += c == '{' ? 1 : -1;
        if (depth == 0)
          break;
        continue;
      }
      size_t end = at;
      while (end < clean.size() && isWord(clean[end]))
        ++end;
      if (end > at && end < clean.size() && clean[end] == ':' && clean[at] != '@' &&
          !clean.substr(end).starts_with("::")) {
        StringRef label = take(end);
        startBlock(function, fallsThrough);
        labels[label] = function.blocks.size() - 1;
        lastLabel = label;
        fallsThrough = true;
        continue;
      }
      if (clean.drop_front(at).starts_with(".loc")) {
        take(clean.find('\n', at));
        continue;
      }
      unsigned where = line;
      StringRef statement = take(clean.find(';', at)).trim();
      readStatement(function, statement, where, fallsThrough);
    }
    connect(function);
    if (isEntry)
      functions.push_back(std::move(function));
  }

  static bool isOpcode(StringRef text) {
    return !text.empty() && llvm::isLower(text[0]) && llvm::all_of(text, [](char c) {
      return llvm::isAlnum(c) || c == '_' || c == '.' || c == ':';
    });
  }

  void startBlock(Function &function, bool fallsThrough) {
    if (fallsThrough)
      jumps.push_back({unsigned(function.blocks.size() - 1), "", unsigned(function.blocks.size())});
    function.blocks.emplace_back();
  }

  void readStatement(Function &function, StringRef statement, unsigned where, bool &fallsThrough) {
    if (statement.consume_front(".branchtargets")) {
      for (StringRef target : splitOperands(statement))
        tables[lastLabel].push_back(target);
      return;
    }
    if (statement.empty() || statement.starts_with("."))
      return;
    Instruction instruction;
    instruction.line = where;
    if (statement.consume_front("@")) {
      instruction.guard = statement.take_until([](char c) { return llvm::isSpace(c); });
      statement = statement.drop_front(instruction.guard.size()).ltrim();
    }
    instruction.opcode =
        statement.take_until([](char c) { return llvm::isSpace(c) || c == '{' || c == '['; });
    instruction.operands = splitOperands(statement.drop_front(instruction.opcode.size()));
    if (!isOpcode(instruction.opcode))
      function.malformed.push_back(
          {where, "'" + instruction.opcode.take_front(40).str() + "' is no instruction"});
    unsigned block = function.blocks.size() - 1;
    bool conditional = !instruction.guard.empty();
    bool ends = true;
    if (instruction.is("bra")) {
      if (!instruction.operands.empty())
        jumps.push_back({block, instruction.operands[0], 0});
    } else if (instruction.is("brx")) {
      if (instruction.operands.size() > 1)
        for (StringRef target : tables[instruction.operands[1]])
          jumps.push_back({block, target, 0});
    } else {
      ends = instruction.is("ret") || instruction.is("exit") || instruction.is("trap");
    }
    function.blocks.back().instructions.push_back(std::move(instruction));
    if (!ends)
      return;
    if (conditional) {
      startBlock(function, true);
    } else {
      // Code that follows without a label cannot be reached.
      function.blocks.emplace_back();
      fallsThrough = false;
    }
  }

  void connect(Function &function) {
    for (const Jump &jump : jumps) {
      unsigned to = jump.to;
      if (!jump.label.empty()) {
        auto it = labels.find(jump.label);
        if (it == labels.end()) {
          const std::vector<Instruction> &from = function.blocks[jump.from].instructions;
          function.malformed.push_back({from.empty() ? function.line : from.back().line,
                                        "the label '" + jump.label.str() + "' is missing"});
          continue;
        }
        to = it->second;
      }
      function.blocks[jump.from].successors.push_back(to);
    }
  }

  struct Jump {
    unsigned from;
    StringRef label; // empty if `to` says it
    unsigned to;
  };

  StringRef clean, text;
  size_t at = 0;
  unsigned line = 1;
  std::vector<Function> functions;
  llvm::StringMap<unsigned> labels;
  llvm::StringMap<SmallVector<StringRef>> tables;
  StringRef lastLabel;
  std::vector<Jump> jumps;
};

} // namespace

std::vector<Function> tessera::ptx::read(StringRef text) {
  std::string clean = withoutComments(text);
  return Reader(clean, text).run();
}

std::optional<std::string> tessera::whyNotPtx(std::string_view text) {
  const std::string clean = withoutComments(text);
  const StringRef rest = StringRef(clean).ltrim();
  if (rest.empty())
    return "there is no text";
  if (!rest.starts_with(".version"))
    return "this is no PTX: a module begins with .version";
  if (!rest.contains(".entry") && !rest.contains(".func"))
    return "there is no function: nothing is checked";
  return std::nullopt;
}
