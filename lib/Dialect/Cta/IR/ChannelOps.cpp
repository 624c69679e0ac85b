// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/IR/CountedLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

//===--- channels ----------------------------------------------------------------------------===//

LogicalResult ChannelOp::verify() {
  if (!isa_and_nonnull<LaunchOp>((*this)->getParentOp()))
    return emitOpError("channel_c1: must stand directly in a cta.launch");
  return success();
}

ParseResult CommitOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand channel, credit;
  SmallVector<OpAsmParser::UnresolvedOperand> values;
  ChannelType type;
  SMLoc loc;
  if (parser.parseOperand(channel) || parser.parseComma() || parser.parseOperand(credit) ||
      parser.getCurrentLocation(&loc) ||
      parser.parseOperandList(values, OpAsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type))
    return failure();
  return failure(
      parser.resolveOperand(channel, type, result.operands) ||
      parser.resolveOperand(credit, CreditType::get(parser.getContext()), result.operands) ||
      parser.resolveOperands(values, type.getPayload(), loc, result.operands));
}

void CommitOp::print(OpAsmPrinter &p) {
  p << ' ' << getChannel() << ", " << getCredit() << " (" << getValues() << ')';
  p.printOptionalAttrDict((*this)->getAttrs());
  p << " : " << getChannel().getType();
}

LogicalResult CommitOp::verify() {
  auto type = cast<ChannelType>(getChannel().getType());
  if (TypeRange(getValues()) != TypeRange(type.getPayload()))
    return emitOpError("commit_c1: the values must have the payload types of ") << type;
  for (Value value : getValues()) {
    if (!isa<SmemType>(value.getType()))
      continue;
    auto copy = value.getDefiningOp<CopyOp>();
    if (!copy || copy->getBlock() != (*this)->getBlock() || !value.hasOneUse())
      return emitOpError("commit_c2: a tile of a slot is made by a cta.copy in the same block and "
                         "used by nothing else");
    auto acquire = getCredit().getDefiningOp<AcquireOp>();
    if (!acquire || acquire->getBlock() != copy->getBlock() || !acquire->isBeforeInBlock(copy))
      return emitOpError("commit_c2: the cta.acquire of the slot must stand before its copies, in "
                         "the same block");
  }
  return success();
}

ParseResult WaitOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand channel, token;
  ChannelType type;
  if (parser.parseOperand(channel))
    return failure();
  const bool tested = succeeded(parser.parseOptionalKeyword("unless"));
  if ((tested && parser.parseOperand(token)) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  result.addTypes(CreditType::get(parser.getContext()));
  result.addTypes(type.getPayload());
  return failure(parser.resolveOperand(channel, type, result.operands) ||
                 (tested && parser.resolveOperand(token, TokenType::get(parser.getContext()),
                                                  result.operands)));
}

void WaitOp::print(OpAsmPrinter &p) {
  p << ' ' << getChannel();
  if (getUnless())
    p << " unless " << getUnless();
  p.printOptionalAttrDict((*this)->getAttrs());
  p << " : " << getChannel().getType();
}

LogicalResult WaitOp::verify() {
  auto type = cast<ChannelType>(getChannel().getType());
  if (TypeRange(getValues()) != TypeRange(type.getPayload()))
    return emitOpError("wait_c1: the results must be a credit and the payload of ") << type;
  return success();
}

//===--- steps and roles ---------------------------------------------------------------------===//

ParseResult StepOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  StringRef word;
  int64_t stage = 0;
  SMLoc loc;
  if (parser.parseSymbolName(name, "sym_name", result.attributes) || parser.parseKeyword("role") ||
      parser.parseLParen() || parser.getCurrentLocation(&loc) || parser.parseKeyword(&word) ||
      parser.parseRParen() || parser.parseKeyword("stage") || parser.parseLParen() ||
      parser.parseInteger(stage) || parser.parseRParen())
    return failure();
  std::optional<RoleKind> role = symbolizeRoleKind(word);
  if (!role)
    return parser.emitError(loc) << "expected 'producer' or 'math', got '" << word << "'";
  result.addAttribute("role", RoleKindAttr::get(parser.getContext(), *role));
  result.addAttribute("stage", parser.getBuilder().getI64IntegerAttr(stage));
  Region *body = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseRegion(*body) ||
      parser.parseOptionalColonTypeList(result.types))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void StepOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getSymName());
  p << " role(" << stringifyRoleKind(getRole()) << ") stage(" << getStage() << ')';
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"sym_name", "role", "stage"});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/getNumResults() > 0);
  if (getNumResults())
    p << " : " << getResultTypes();
}

void StepOp::inlineBody() {
  StepOp step = *this;
  Block &body = step.getBody().front();
  Operation *yield = body.getTerminator();
  step->replaceAllUsesWith(yield->getOperands());
  yield->erase();
  step->getBlock()->getOperations().splice(step->getIterator(), body.getOperations());
  step->erase();
}

void StepOp::getSuccessorRegions(RegionBranchPoint point,
                                 SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    regions.emplace_back(&getBody());
  else
    regions.emplace_back(getOperation(), getResults());
}

LogicalResult StepOp::verify() {
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  if (yield.getOperandTypes() != getResultTypes())
    return emitOpError("step_c1: yields ")
           << yield.getOperandTypes() << ", but its results are " << getResultTypes();
  if (!isa_and_nonnull<CountedLoop, scf::WhileOp, RoleOp, LaunchOp>((*this)->getParentOp()))
    return emitOpError("step_c2: stands in a loop, a cta.role or a cta.launch");
  if (static_cast<int64_t>(getStage()) < 0)
    return emitOpError("step_c3: the stage is 0 or more, got ") << static_cast<int64_t>(getStage());
  if (getSchedule() && *(*this)->getBlock()->getOps<StepOp>().begin() != *this)
    return emitOpError("step_c4: only the first step of a block has a 'schedule'");
  return success();
}

ParseResult ElectOp::parse(OpAsmParser &parser, OperationState &result) {
  Region *body = result.addRegion();
  if (parser.parseRegion(*body) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void ElectOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printRegion(getBody());
  p.printOptionalAttrDict((*this)->getAttrs());
}

LogicalResult RoleOp::verify() {
  if (!isa_and_nonnull<LaunchOp>((*this)->getParentOp()))
    return emitOpError("role_c1: must stand directly in a cta.launch");
  if (Operation *next = (*this)->getNextNode(); next && !isa<RoleOp>(next))
    return emitOpError("role_c1: only roles may follow a role");
  int64_t warps = getWarps();
  if (warps < 1 || warps > 32)
    return emitOpError("role_c2: has 1 to 32 warps, got ") << warps;
  if (getReplicas()) {
    int64_t replicas = numReplicas();
    if (replicas < 2 || warps % 4 || replicas > 32 / warps)
      return emitOpError("role_c3: two or more replicas of whole warpgroups, at most 32 warps "
                         "together, got ")
             << replicas << " of " << warps << " warps";
  }
  if (!getRegisters())
    return success();
  int64_t registers = *getRegisters();
  if (warps % 4)
    return emitOpError("role_c2: 'registers' is for whole warpgroups, but the role has ")
           << warps << " warps";
  if (registers < 24 || registers > 256 || registers % 8)
    return emitOpError("role_c2: 'registers' is a multiple of 8 from 24 to 256, got ") << registers;
  return success();
}
