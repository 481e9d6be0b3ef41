//===- Main.cpp - The entry point of a compiled trainer -------------------===//

#include "runtime/CommandLine/TrainerMain.h"

int main(int argc, char **argv) {
  return ingot::trainerMain(argc, argv, ingot_main_program);
}
