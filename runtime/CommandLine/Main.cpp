//===- Main.cpp - The entry point of a compiled trainer -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/ABI/Program.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/Support/AllocationFailureHandlers.h"

int main(int argc, char **argv) {
  return ingot::trainerMain(argc, argv, ingot_main_program);
}
