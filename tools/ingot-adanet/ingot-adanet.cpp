//===- ingot-adanet.cpp - The command ingot-adanet ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/AllocationFailureHandlers.h"
#include "tools/AdaNetTool/Tool.h"

int main(int argc, char **argv) {
  return ingot::adanet::toolMain(argc, argv, ingot::FileSystem::posix());
}
