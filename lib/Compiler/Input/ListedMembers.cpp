// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input/ListedMembers.h"

#include "tessera/Dialect/Tile/Params/Params.h"

using namespace mlir;
using namespace tessera;

static constexpr llvm::StringLiteral kWhole = "whole", kDivided = "stream-k";

/// The member that `text` is of: what Member::text prints.
static FailureOr<Member> readMember(tile::KernelOp kernel, StringRef text, StringRef entry,
                                    const CandidateOptions &options) {
  auto error = [&] {
    return emitError(UnknownLoc::get(kernel.getContext()))
           << "the member '" << entry << "' of the list: ";
  };
  Member member;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  if (parts.back().trim() == kDivided) {
    member.isDivided = true;
    parts.pop_back();
  } else if (text.empty() || text == kWhole) {
    parts.clear();
  }
  FailureOr<std::vector<tile::GivenValue>> given =
      tile::parseBindings(llvm::join(parts, ","), error);
  if (failed(given))
    return failure();
  SmallVector<std::string> names;
  for (tile::ParamOp param : tile::paramsOf(kernel))
    names.push_back(param.getName().str());
  for (tile::GivenValue &value : *given) {
    if (!value.kernel.empty() || !llvm::is_contained(names, value.name))
      return error() << "the kernel @" << kernel.getSymName() << " has no parameter '"
                     << (value.kernel.empty() ? "" : value.kernel + "/") << value.name << "'";
    value.kernel = kernel.getSymName().str();
  }
  if (given->size() != names.size())
    return error() << "it binds " << given->size() << " of the " << names.size()
                   << " parameters of the kernel @" << kernel.getSymName();
  FailureOr<tile::Binding> fixed = tile::givenFor(kernel, *given);
  if (failed(fixed))
    return failure();
  FailureOr<tile::Binding> binding = tile::chooseBinding(kernel, *fixed, options.shouldStop);
  if (failed(binding))
    return failure();
  member.binding = std::move(*binding);
  if (member.isDivided && !canBeDivided(kernel, member, options))
    return error() << "its last wave cannot be divided among blocks: a plan or reassoc = off "
                      "excludes it, or its sums cannot be cut; leave out ',"
                   << kDivided << "'";
  return member;
}

FailureOr<std::map<std::string, std::vector<Member>>>
tessera::readMemberList(ModuleOp module, const CompileOptions &options,
                        const CandidateOptions &candidates) {
  std::map<std::string, std::vector<Member>> members;
  for (StringRef entry : options.memberList) {
    auto error = [&] {
      return emitError(UnknownLoc::get(module.getContext()))
             << "the member '" << entry << "' of the list: ";
    };
    // A member has no colon, but the name of a kernel may have some.
    auto [name, text] = entry.rsplit(':');
    if (!entry.contains(':'))
      return error() << "it is not of the form KERNEL: NAME=NUMBER,NAME=NUMBER, with ,stream-k "
                        "behind it if its last wave is divided; without parameters KERNEL: whole",
             failure();
    auto kernel = module.lookupSymbol<tile::KernelOp>(name.trim());
    if (!kernel && !options.kernels.empty())
      continue; // it is not compiled
    if (!kernel)
      return error() << "there is no kernel @" << name.trim(), failure();
    FailureOr<Member> member = readMember(kernel, text.trim(), entry, candidates);
    if (failed(member))
      return failure();
    std::vector<Member> &ofKernel = members[name.trim().str()];
    if (!llvm::is_contained(ofKernel, *member))
      ofKernel.push_back(std::move(*member));
  }
  return members;
}
