//===- TrainCommand.cpp - ingot-adanet train ------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNetTrainer/AdaNetFlags.h"
#include "runtime/CommandLine/Verbs/SaverFlags.h"
#include "runtime/CommandLine/Verbs/TrainOptions.h"
#include "tools/AdaNetTool/SearchFolder.h"
#include "tools/AdaNetTool/SearchRun.h"
#include "tools/AdaNetTool/Tool.h"

using namespace ingot;
using namespace ingot::adanet;

// The flags of `ingot-adanet train` that trainers do not have.
static constexpr FlagSpec ownFlags[] = {
    {"--max-iterations", "N", "end after N iterations (default: the search's)"},
    {"--plan", nullptr,
     "print what is done and what remains, without training"},
    {"--ingotc", "FILE",
     "use this compiler (default: the one beside this program)"},
    {"--task", "I/N",
     "run as process I of N that share the folder; 0 is the chief (default: "
     "from TF_CONFIG)"},
    {"--parallel", nullptr,
     "compile iterations for several ranks, which each compute slices of every "
     "batch"},
    {"--slices", "S",
     "--parallel: divide each batch into S slices (default: chosen by the size "
     "of a batch)"},
    {"--launcher", "COMMAND",
     "--parallel: start the trainer of each iteration by COMMAND, such as "
     "'mpirun -n 4'"},
    {"--worker-wait-secs", "S",
     "poll for the chief's next iteration every S seconds (default: 5)"},
    {"--worker-wait-timeout-secs", "S",
     "give up polling after S seconds (default: 7200)"},
    {"--delay-secs-per-worker", "S",
     "start an iteration in worker I after (I + 1) * S seconds (default: 5)"},
    {"--max-worker-delay-secs", "S",
     "limit the delay of a worker's start to S seconds (default: 60)"},
    {"--cpu", "native|x86-64-v2,...",
     "compile for these CPU levels (default: native)"},
    {"--target", "cpu|cuda|cpu,cuda",
     "compile for these targets; --device chooses one at run time"},
    {"--gpu-arch", "sm_90,...", "add machine code for these GPUs"},
    {"--precision", "f32|tf32|bf16|f16",
     "round matmul and convolution inputs to this type on GPUs"},
    {"--cache-dir", "DIR", "keep compiled kernels in DIR"},
    {"--no-cache", nullptr, "neither read nor write the kernel cache"},
};
// Flags on the user's command line that are not forwarded to trainers:
// SearchRun computes their values for each iteration.
static constexpr std::string_view notForwarded[] = {
    "--model-dir", "--max-steps", "--steps", "--max-iteration-steps",
    "--data-dir"};

/// Returns all flags of trainers, and this verb's own flags.
static std::vector<FlagSpec> trainSpecs() {
  static const TrainFlags trainers;
  static const AdaNetFlags searches;
  std::vector<FlagSpec> specs(std::begin(ownFlags), std::end(ownFlags));
  for (const FlagSet *set : {static_cast<const FlagSet *>(&trainers),
                             static_cast<const FlagSet *>(&searches)})
    for (const FlagSpec &spec : set->specs())
      specs.push_back(spec);
  specs.push_back({"How checkpoints are written", nullptr, nullptr});
  specs.insert(specs.end(), std::begin(saveFlags), std::end(saveFlags));
  specs.push_back({"--help", nullptr, "print this"});
  return specs;
}

static int runTrain(ToolContext &tool) {
  if (modelDirectory(tool).empty())
    return tool.usage({"--model-dir is missing: it names the folder of the "
                       "search",
                       ""});
  std::vector<std::string_view> without(std::begin(notForwarded),
                                        std::end(notForwarded));
  for (const FlagSpec &own : ownFlags)
    without.emplace_back(own.name);
  return SearchRun(tool, forwarded(tool.flags, trainSpecs(), without)).run();
}

const tools::ToolSubcommand &adanet::trainVerb() {
  static const std::vector<FlagSpec> specs = trainSpecs();
  static const tools::ToolSubcommand verb = {
      "train",
      "SEARCH.pbtxt --model-dir DIR [FLAGS]",
      "run a search, resuming from its model directory",
      "search.pbtxt --model-dir run",
      1,
      1,
      specs,
      runTrain,
  };
  return verb;
}
