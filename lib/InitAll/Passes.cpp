// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Conversion/Passes.h"
#include "tessera/Conversion/CtaToNVVM.h"
#include "tessera/Dialect/Cta/Passes.h"
#include "tessera/Dialect/Tile/Passes.h"
#include "tessera/InitAll.h"
#include "tessera/Pipelines.h"
#include "tessera/Simulate/Passes.h"
#include "tessera/Target/HostObject.h"

void tessera::registerTesseraPasses() {
  tile::registerTilePasses();
  cta::registerCtaPasses();
  registerTesseraConversionPasses();
  registerHostPipelines();
  registerNVVMPipeline();
  registerTilePipelines();
  simulate::registerTesseraSimulatePasses();
}
