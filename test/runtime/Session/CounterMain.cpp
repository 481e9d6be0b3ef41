//===- CounterMain.cpp - The counter program as a trainer -----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The trainer of the counter program, which tests start, kill and resume as a
// process. COUNTER_PASSES=N ends the input after N passes; COUNTER_LINES=FILE
// reads lines of FILE as input; with COUNTER_PREFETCH set, a thread reads them
// ahead of the steps.
//
//===----------------------------------------------------------------------===//

#include "CounterProgram.h"

#include "runtime/CommandLine/TrainerMain.h"

#include <cstdlib>

int main(int argc, char **argv) {
  const char *passes = std::getenv("COUNTER_PASSES");
  const char *lines = std::getenv("COUNTER_LINES");
  ingot_program program =
      lines ? ingot::test::lineProgram(lines, std::getenv("COUNTER_PREFETCH") !=
                                                  nullptr)
            : ingot::test::counterProgram(passes ? std::atoll(passes) : -1);
  return ingot::trainerMain(argc, argv, program);
}
