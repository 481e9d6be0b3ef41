//===- ingot-adanet.cpp - AdaNet's model directories ----------------------===//

#include "runtime/AdaNetTool/Tool.h"
#include "runtime/Support/ProgramMemory.h"

int main(int argc, char **argv) {
  return ingot::adanet::toolMain(argc, argv, ingot::FileSystem::posix());
}
