// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Registers all dialects, passes and pipelines of Tessera, for tools and for hosts that want
// everything (`Tessera::All`). It includes no other header, so that a host pays for those alone
// that it uses itself.
#ifndef TESSERA_INITALL_H
#define TESSERA_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tessera {

/// The dialects of Tessera and those that tile programs and their lowerings use.
void registerTesseraDialects(mlir::DialectRegistry &registry);

/// The passes and pipelines of Tessera; upstream's are not among them.
void registerTesseraPasses();

} // namespace tessera

#endif
