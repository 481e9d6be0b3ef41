//===- ToolMain.cpp - Command line of ingot-adanet ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/AdaNetTool/Tool.h"

using namespace ingot;
using namespace ingot::adanet;

int adanet::toolMain(int argc, char **argv, FileSystem &fileSystem) {
  const tools::ToolSubcommand *const verbs[] = {
      &trainVerb(), &evaluateVerb(), &predictVerb(), &exportVerb,
      &showVerb,    &reportVerb,     &extractVerb,   &pruneVerb};
  const tools::ToolHelp help = {
      "ingot-adanet",
      "Runs AdaNet searches, and inspects and edits the model directories of "
      "AdaNet's estimator.",
      "VERB --model-dir DIR [FLAGS]",
      "'ingot-adanet VERB --help' lists a verb's flags; --version prints "
      "versions.",
      "0 done, 1 failed, 2 wrong usage, 4 no usable checkpoint, or a file\nof "
      "the folder is damaged or missing, 130, 143 stopped by a signal",
      "reads and writes what adanet 0.9.0 writes",
      verbs};
  return tools::runTool(help, argc, argv, fileSystem);
}
