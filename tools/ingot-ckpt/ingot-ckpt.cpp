//===- ingot-ckpt.cpp - Checkpoints without TensorFlow --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/AllocationFailureHandlers.h"
#include "tools/CheckpointTool/Tool.h"

int main(int argc, char **argv) {
  return ingot::ckpt::toolMain(argc, argv, ingot::FileSystem::posix());
}
