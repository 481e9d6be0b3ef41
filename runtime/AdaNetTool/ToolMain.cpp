//===- ToolMain.cpp - What ingot-adanet does when started -----------------===//

#include "runtime/AdaNetTool/Tool.h"

using namespace ingot;
using namespace ingot::adanet;

static const Verb *const verbs[] = {&showVerb, &reportVerb};

static const tools::ToolHelp help = {
    "ingot-adanet",
    "Works with the model directories of AdaNet's estimator.",
    "VERB --model-dir DIR [FLAGS]",
    "'ingot-adanet VERB --help' lists a verb's flags; --version prints "
    "versions.",
    "0 done, 1 failed, 2 wrong usage, 4 no usable checkpoint, or a file\nof "
    "the folder is damaged or missing",
    "reads what adanet 0.9.0 writes",
    verbs};

int adanet::toolMain(int argc, char **argv, FileSystem &fileSystem) {
  return tools::runTool(help, argc, argv, fileSystem);
}
