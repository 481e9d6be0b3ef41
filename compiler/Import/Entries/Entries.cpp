//===- Entries.cpp - The entries of a graph -------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Entries/Entries.h"

#include "compiler/Import/AdaNet/AdaNetEntries.h"
#include "compiler/Import/AdaNet/AdaNetSummaries.h"
#include "compiler/Import/Entries/EntryFeeds.h"
#include "compiler/Import/Entries/EvaluationEntries.h"
#include "compiler/Import/Entries/InferTrainOp.h"
#include "compiler/Import/Entries/StepTargets.h"
#include "compiler/Import/Graph/Collections.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Graph/NodeAttributes.h"
#include "compiler/Import/Ops/OpTable.h"
#include "compiler/Import/ReportUninitialized.h"
#include "dialects/Ingot/IR/VariableOps.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// The signatures under which a SavedModel stores its init op and its train op.
// They do not become entries of their own.
static constexpr llvm::StringLiteral initSignature("__saved_model_init_op");
static constexpr llvm::StringLiteral trainSignature("__saved_model_train_op");

namespace {
class EntryPointFinder {
public:
  EntryPointFinder(Program &program, const ImportOptions &options,
                   const AdaNetEntryPointNodes *adanet, ImportErrors &problems)
      : program(program), graph(program.graph), options(options),
        adanet(adanet), problems(problems) {}

  std::vector<EntrySpec> run();

private:
  void addFromCollection(StringRef collection, Role role);
  void addInit(StringRef collection, StringRef variables, Role role);
  void addStep();
  void addAfterStep(ArrayRef<int> found);
  void addEvaluation();
  bool addEvaluationSignature(const proto::SignatureDef &signature);
  void addSignatures();
  EntrySpec readSignature(StringRef name, const proto::SignatureDef &signature);
  void addSignature(StringRef name, const proto::SignatureDef &signature);
  bool addStepSignature();
  void noteMissingStep();
  void addMain();
  void addOption(const ImportOptions::UserDefinedEntry &option);
  std::vector<std::string> signatureOutputs(StringRef signature) const;
  void addTargets(EntrySpec &spec, ArrayRef<std::string> names,
                  StringRef source, bool isOption = true);

  // Returns the tensor or node called `name`; the port is -1 for a node. If the
  // graph has no such node, records a problem and returns std::nullopt. The
  // message states the origin of the name, `source`, such as "--step".
  std::optional<Output> find(StringRef name, const llvm::Twine &source,
                             bool isOption);
  bool has(Role role) const {
    return llvm::any_of(
        entries, [&](const EntrySpec &entry) { return entry.role == role; });
  }

  Program &program;
  const Graph &graph;
  const ImportOptions &options;
  const AdaNetEntryPointNodes *adanet;
  ImportErrors &problems;
  std::vector<EntrySpec> entries;
};
} // namespace

std::optional<Output> EntryPointFinder::find(StringRef name,
                                             const llvm::Twine &source,
                                             bool isOption) {
  std::optional<Output> tensor = graph.findTensor(name);
  if (tensor)
    return tensor;
  std::string message =
      (source + ": the graph has no tensor or node '" + name + "'").str();
  if (isOption)
    problems.unknownName(message);
  else
    problems.malformed(message);
  return std::nullopt;
}

void EntryPointFinder::addTargets(EntrySpec &spec, ArrayRef<std::string> names,
                                  StringRef source, bool isOption) {
  for (const std::string &name : names)
    if (auto node = find(name, source, isOption))
      spec.targets.push_back(node->first);
}

void EntryPointFinder::addFromCollection(StringRef collection, Role role) {
  EntrySpec spec;
  spec.name = stringifyRole(role).str();
  spec.role = role;
  SmallVector<Output> tensors;
  for (const std::string &name : getNames(program.source, collection))
    if (auto node = find(name, "collection '" + collection + "'", false)) {
      spec.targets.push_back(node->first);
      if (node->second >= 0)
        tensors.push_back(*node);
    }
  // A ready op that a user has written returns the names of uninitialized
  // variables, so fetch its results. The nodes of TensorFlow's own ready op are
  // not fetched, because a single ingot op replaces them
  // (ReportUninitialized.h).
  bool isReady = role == Role::ready || role == Role::ready_for_local_init;
  if (isReady && !isReportUninitialized(graph, spec.targets))
    for (Output tensor : tensors)
      spec.fetches.push_back({graph.nameOf(tensor), tensor});
  if (!spec.targets.empty())
    entries.push_back(std::move(spec));
}

// Adds the entry that initializes variables. It runs the init op that the
// graph's collection `collection` names. Without such an init op, it runs the
// initializer of each variable in collection `variables`, like
// global_variables_initializer.
void EntryPointFinder::addInit(StringRef collection, StringRef variables,
                               Role role) {
  size_t before = entries.size();
  addFromCollection(collection, role);
  EntrySpec spec;
  spec.name = stringifyRole(role).str();
  spec.role = role;
  if (entries.size() != before) {
    spec = std::move(entries.back());
    entries.pop_back();
  } else {
    for (const proto::VariableDef &def :
         getVariables(program.source, variables))
      if (auto node = find(def.initializer_name(),
                           "collection '" + variables + "'", false))
        spec.targets.push_back(node->first);
  }
  if (role == Role::local_init) {
    llvm::DenseSet<int> reached = reach(graph, spec.targets, {});
    auto add = [&](StringRef name, const llvm::Twine &source) {
      if (auto node = find(name, source, false))
        if (!reached.contains(node->first))
          spec.targets.push_back(node->first);
    };
    // Local initialization also runs the ops that a SavedModel runs after its
    // variables have been restored, such as initializers of tables.
    for (StringRef collection :
         {"table_initializer", "saved_model_main_op", "legacy_init_op"})
      for (const std::string &name : getNames(program.source, collection))
        add(name, "collection '" + collection + "'");
    for (const std::string &name : signatureOutputs(initSignature))
      add(name, "the model's init op");
  }
  // Initializers may depend on placeholders. Sessions feed these by
  // `init_feed_dict`, trainers by the flag --init-feed.
  if (role == Role::init)
    addPlaceholders(program, spec);
  if (!spec.targets.empty())
    entries.push_back(std::move(spec));
}

void EntryPointFinder::addStep() {
  EntrySpec spec;
  spec.name = "step";
  spec.role = Role::step;
  if (addStepSignature())
    return;
  StringRef whyInferred = "the graph has no collection 'train_op'";
  if (!options.step.empty()) {
    addTargets(spec, options.step, "--step");
  } else if (adanet) {
    SmallVector<int> nodes = adanet->graph.step();
    spec.targets.assign(nodes.begin(), nodes.end());
  } else {
    addTargets(spec, getTrainOps(program), "collection 'train_op'", false);
    // If a queue runner applies the gradients, an optimizer has added the
    // runner's updates to the collection.
    bool isNamed = !spec.targets.empty();
    llvm::erase_if(spec.targets, [&](int node) {
      return program.updatingRunners.isRun(node);
    });
    if (isNamed && spec.targets.empty())
      whyInferred = "a queue runner runs all of collection 'train_op'";
    if (!spec.targets.empty())
      warnOfUncalledTrainOps(program, spec.targets);
    if (spec.targets.empty())
      addTargets(spec, signatureOutputs(trainSignature), "the model's train op",
                 false);
  }
  if (spec.targets.empty())
    if (int node = inferTrainOp(program, whyInferred); node >= 0) {
      spec.targets.push_back(node);
      spec.isOptional = true;
    }
  if (spec.targets.empty())
    return;
  spec.targets = outsideOfBranches(graph, spec.targets);
  std::string loss = findLoss(program);
  if (!loss.empty())
    spec.fetches.push_back({loss, *graph.findTensor(loss)});
  for (const std::string &name : options.observe)
    if (auto tensor = find(name, "--observe", true)) {
      Output output(tensor->first, std::max(tensor->second, 0));
      if (llvm::none_of(spec.fetches, [&](const EntrySpec::FetchSpec &fetch) {
            return fetch.tensor == output;
          }))
        spec.fetches.push_back({graph.nameOf(output), output});
    }
  for (const std::string &name : getNames(program.source, "summary_op"))
    if (auto node = find(name, "collection 'summary_op'", false)) {
      spec.targets.push_back(node->first);
      spec.optional.push_back(node->first);
    }
  addPlaceholders(program, spec);
  if (!adanet)
    if (std::optional<EntrySpec> defaults = addDefaults(program, spec))
      entries.push_back(std::move(*defaults));
  if (adanet && options.step.empty()) {
    addPartialSteps(program, adanet->graph, spec, entries);
    SmallVector<EntrySpec *> steps = {&spec};
    for (EntrySpec &entry : entries)
      if (entry.role == Role::partial_step)
        steps.push_back(&entry);
    addSummaryFetches(graph, steps);
  }
  entries.push_back(std::move(spec));
  addAfterStep(adanet && options.step.empty()
                   ? ArrayRef(adanet->graph.afterStep)
                   : ArrayRef<int>());
}

// Adds the entry that runs after each step. It runs the nodes that --after-step
// names. Without the flag, it runs `found`: the nodes that AdaNet's hooks would
// run after a step.
void EntryPointFinder::addAfterStep(ArrayRef<int> found) {
  EntrySpec after;
  after.name = "after_step";
  after.role = Role::after_step;
  if (options.afterStep.empty())
    after.targets.assign(found.begin(), found.end());
  else
    addTargets(after, options.afterStep, "--after-step");
  if (!after.targets.empty())
    entries.push_back(std::move(after));
}

std::vector<std::string>
EntryPointFinder::signatureOutputs(StringRef signature) const {
  std::vector<std::string> names;
  auto it = program.source.signature_def().find(signature.str());
  if (it != program.source.signature_def().end())
    for (const auto &[key, info] : it->second.outputs())
      names.push_back(info.name());
  llvm::sort(names);
  return names;
}

// Returns true if no node of the entry writes anything. In TensorFlow 2, all
// signatures have the method name of predictions, even those that train. So
// only signatures that write nothing become predictions.
static bool onlyReads(Program &program, const EntrySpec &spec) {
  return llvm::all_of(nodesOf(program.graph, spec), [&](int node) {
    return program.effectOf(program.graph, node) <= Effect::Reads;
  });
}

EntrySpec
EntryPointFinder::readSignature(StringRef name,
                                const proto::SignatureDef &signature) {
  EntrySpec spec;
  spec.name = name.str();
  spec.signature = &signature;
  auto sorted = [](const auto &map) {
    return std::map<std::string, proto::TensorInfo>(map.begin(), map.end());
  };
  for (const auto &[key, info] : sorted(signature.inputs())) {
    auto tensor = find(info.name(), "signature '" + name + "'", false);
    if (!tensor)
      continue;
    Output output(tensor->first, std::max(tensor->second, 0));
    std::string error;
    TensorType type = convertTensorType(
        info.dtype(), info.has_tensor_shape() ? &info.tensor_shape() : nullptr,
        program.context(), error);
    spec.feeds.push_back({key, output, type});
  }
  for (const auto &[key, info] : sorted(signature.outputs())) {
    auto tensor = find(info.name(), "signature '" + name + "'", false);
    if (!tensor)
      continue;
    // A signature's output may be the name of a node, without a port, instead
    // of a tensor, as for the init op of a SavedModel. Such a node becomes a
    // target of the entry, not a fetch.
    if (tensor->second < 0)
      spec.targets.push_back(tensor->first);
    else
      spec.fetches.push_back({key, *tensor});
  }
  return spec;
}

void EntryPointFinder::addSignature(StringRef name,
                                    const proto::SignatureDef &signature) {
  EntrySpec spec = readSignature(name, signature);
  if (StringRef(signature.method_name()).starts_with("tensorflow/serving/") &&
      onlyReads(program, spec))
    spec.role = Role::predict;
  spec.isOptional = true;
  entries.push_back(std::move(spec));
}

// If flag --step is the name of a signature, adds an entry for the training
// step with the feeds and fetches of the signature, and returns true. Otherwise
// returns false.
bool EntryPointFinder::addStepSignature() {
  if (options.step.size() != 1)
    return false;
  auto found = program.source.signature_def().find(options.step.front());
  if (found == program.source.signature_def().end())
    return false;
  EntrySpec spec = readSignature("step", found->second);
  spec.role = Role::step;
  entries.push_back(std::move(spec));
  return true;
}

// Warns that the program cannot train, as it has no step, and names the
// signatures that write variables, which the user could choose with --step.
void EntryPointFinder::noteMissingStep() {
  SmallVector<std::string> names;
  for (const EntrySpec &entry : entries) {
    if (!entry.signature || onlyReads(program, entry))
      continue;
    // Leave out signatures whose inputs are all strings: they save or restore
    // checkpoints, and the inputs are names of files.
    const auto &inputs = entry.signature->inputs();
    if (inputs.empty() || llvm::any_of(inputs, [](const auto &input) {
          return input.second.dtype() != proto::DT_STRING;
        }))
      names.push_back("'" + entry.name + "'");
  }
  if (!names.empty())
    emitWarning(program.module.getLoc())
        << "the graph has no training step; choose one with --step from the "
           "signatures that update variables: "
        << llvm::join(names, ", ");
}

void EntryPointFinder::addEvaluation() {
  if (adanet && !adanet->evaluation.fetches.empty())
    return llvm::append_range(entries,
                              evaluationOfAdaNet(program, adanet->evaluation));
  if (llvm::none_of(options.entries,
                    [](const ImportOptions::UserDefinedEntry &option) {
                      return option.name == "evaluate";
                    }))
    llvm::append_range(entries, evaluationOfMetrics(program));
}

// If `signature` is that of an evaluation graph which an Estimator has
// exported, adds the entries for the evaluation and returns true. The outputs
// of such a signature are "metrics/NAME/value", "metrics/NAME/update_op" and
// "loss". Returns false for other signatures.
bool EntryPointFinder::addEvaluationSignature(
    const proto::SignatureDef &signature) {
  if (signature.method_name() != "tensorflow/supervised/eval")
    return false;
  auto [update, metrics] = createEvaluation();
  std::map<std::string, proto::TensorInfo> sorted(signature.outputs().begin(),
                                                  signature.outputs().end());
  for (const auto &[key, info] : sorted) {
    StringRef name = key;
    auto tensor = find(info.name(), "the evaluation's signature", false);
    if (!tensor)
      continue;
    Output output(tensor->first, std::max(tensor->second, 0));
    name.consume_front("metrics/");
    if (name.consume_back("/value"))
      metrics.fetches.push_back({name.str(), output});
    else if (name.ends_with("/update_op"))
      update.targets.push_back(output.first);
    else if (name == "loss")
      update.fetches.push_back({"loss", output});
  }
  addPlaceholders(program, update);
  entries.push_back(std::move(update));
  if (!metrics.fetches.empty())
    entries.push_back(std::move(metrics));
  return true;
}

void EntryPointFinder::addSignatures() {
  std::map<std::string, const proto::SignatureDef *> sorted;
  for (const auto &[name, signature] : program.source.signature_def())
    if (name != initSignature && name != trainSignature &&
        ArrayRef(options.step) != ArrayRef(name))
      sorted[name] = &signature;
  for (const auto &[name, signature] : sorted)
    if (!addEvaluationSignature(*signature))
      addSignature(name, *signature);
}

// Adds entry `main` for a graph that has neither a train op nor signatures. The
// entry has the graph's placeholders as feeds, and computes all nodes that no
// other node uses.
void EntryPointFinder::addMain() {
  EntrySpec spec;
  spec.name = "main";
  spec.role = Role::predict;
  llvm::DenseSet<int> used;
  for (int node = 0; node < graph.size(); ++node) {
    for (Output input : graph[node].inputs)
      used.insert(input.first);
    used.insert(graph[node].controls.begin(), graph[node].controls.end());
  }
  for (int node = 0; node < graph.size(); ++node) {
    const OpTableRow *info = findOp(graph[node].op());
    if (used.contains(node) || !info || graph[node].op() == "Placeholder" ||
        graph[node].op() == "NoOp")
      continue;
    EntrySpec own;
    size_t outputs = std::max<size_t>(info->outputs.size(), 1);
    for (size_t port = 0; port < outputs; ++port)
      own.fetches.push_back({graph.nameOf(Output(node, port)),
                             Output(node, static_cast<int>(port))});
    addPlaceholders(program, own);
    if (!own.feeds.empty() && onlyReads(program, own)) {
      llvm::append_range(spec.fetches, own.fetches);
      spec.optional.push_back(node);
    }
  }
  addPlaceholders(program, spec);
  if (!spec.fetches.empty())
    entries.push_back(std::move(spec));
}

void EntryPointFinder::addOption(
    const ImportOptions::UserDefinedEntry &option) {
  EntrySpec spec;
  spec.name = option.name;
  // `--entry evaluate=...` defines what the command `evaluate` of the compiled
  // program runs.
  if (option.name == "evaluate")
    spec.role = Role::evaluate;
  std::string source = "--entry " + option.name;
  if (llvm::any_of(entries, [&](const EntrySpec &entry) {
        return entry.name == option.name;
      }))
    problems.unknownName(source +
                         ": there is an entry of this name already; choose "
                         "another name");
  for (const std::string &name : option.feeds)
    if (auto tensor = find(name, source, true)) {
      Output output(tensor->first, std::max(tensor->second, 0));
      spec.feeds.push_back({graph.nameOf(output), output, {}});
    }
  for (const std::string &name : option.fetches)
    if (auto tensor = find(name, source, true)) {
      // A name without a port means the node itself if the node writes a
      // variable or is a NoOp; it then becomes a target. Otherwise the name
      // means the node's first output, which becomes a fetch.
      bool isNode = tensor->second < 0;
      StringRef op = graph[tensor->first].op();
      const OpTableRow *info = findOp(op);
      if (isNode && (op == "NoOp" || (info && info->effect == Effect::Writes)))
        spec.targets.push_back(tensor->first);
      else {
        Output output(tensor->first, std::max(tensor->second, 0));
        spec.fetches.push_back({graph.nameOf(output), output});
      }
    }
  spec.targets = outsideOfBranches(graph, spec.targets);
  entries.push_back(std::move(spec));
}

std::vector<EntrySpec> EntryPointFinder::run() {
  addInit("init_op", "variables", Role::init);
  addInit("local_init_op", "local_variables", Role::local_init);
  addFromCollection("ready_op", Role::ready);
  // The op in collection `ready_for_local_init_op` says whether local
  // initialization may start. Ignore this op if there is no entry for local
  // initialization: the graph of an Estimator may contain the op but lack the
  // nodes on which it depends, which a Scaffold would have added.
  if (has(Role::local_init))
    addFromCollection("ready_for_local_init_op", Role::ready_for_local_init);
  addStep();
  addEvaluation();
  addSignatures();
  bool saysWhatToRun =
      !options.entries.empty() || llvm::any_of(entries, [](const auto &entry) {
        return entry.role == Role::step || !entry.fetches.empty();
      });
  if (!saysWhatToRun)
    addMain();
  for (const ImportOptions::UserDefinedEntry &option : options.entries)
    addOption(option);
  choosePrediction(options, entries);
  if (!has(Role::step))
    noteMissingStep();
  return std::move(entries);
}

std::vector<EntrySpec> findEntries(Program &program,
                                   const ImportOptions &options,
                                   const AdaNetEntryPointNodes *adanet,
                                   ImportErrors &problems) {
  return EntryPointFinder(program, options, adanet, problems).run();
}

} // namespace ingot::importer
