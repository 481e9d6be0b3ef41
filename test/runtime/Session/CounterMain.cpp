//===- CounterMain.cpp - The counter program as a trainer -----------------===//
//
// What tests start, kill and resume as a process of its own.
//
//===----------------------------------------------------------------------===//

#include "CounterProgram.h"

#include "runtime/CommandLine/TrainerMain.h"

#include <cstdlib>

int main(int argc, char **argv) {
  const char *passes = std::getenv("COUNTER_PASSES");
  ingot_program program =
      ingot::test::counterProgram(passes ? std::atoll(passes) : -1);
  return ingot::trainerMain(argc, argv, program);
}
