//===- SearchProgram.cpp - A search of AdaNet's, compiled by hand ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "SearchProgram.h"

#include "runtime/ABI/Calls.h"
#include "runtime/AdaNet/Iteration.h"
#include "runtime/AdaNetTrainer/AdaNetTrainerExtension.h"
#include "runtime/Session/Context.h"
#include "runtime/Session/Program.h"
#include "test/runtime/Input/DatasetCode.h"
#include "test/runtime/Session/CounterProgram.h"

#include <cmath>
#include <deque>
#include <map>

using namespace ingot;
using namespace ingot::adanet;
using namespace ingot::test;

namespace {

std::vector<int64_t> drawn;
std::string diverging;
int64_t divergingStep = 0;

/// A program, and the storage of all that its tables point to.
struct Search {
  int64_t iteration = 0, passes = -1;
  std::deque<std::string> names;
  std::vector<ingot_variable> variables;
  std::vector<ingot_tensor_spec> feeds, fetches;
  std::vector<uint32_t> all; // the indices of all variables
  std::vector<ingot_saved_item> items;
  std::vector<ingot_entry> entries;
  ingot_saver saver = {};
  ingot_dataset datasets[3] = {};
  ingot_constant count = {};
  ingot_dataset_operand repeats = {};
  ingot_program program = {};

  const char *name(const std::string &text) {
    return names.emplace_back(text).c_str();
  }
  void addVariable(const std::string &text, int32_t dtype) {
    variables.push_back({{name(text), dtype, 0, nullptr},
                         dtype == INGOT_INT64 ? uint64_t(8) : 4,
                         0,
                         "",
                         0});
  }
};

std::string scopeOf(int64_t iteration) {
  return "adanet/iteration_" + std::to_string(iteration) + "/";
}

/// Returns a number as tables store it.
std::string bytesOf(int64_t number) {
  return {reinterpret_cast<const char *>(&number), sizeof(number)};
}

/// Returns the scalar variable `name`, or the first element of a vector.
template <typename T>
T &scalar(const ingot_program &program, void *const *variables,
          const std::string &name) {
  for (uint32_t i = 0;; ++i)
    if (program.variables[i].spec.name == name)
      return *static_cast<T *>(variables[i]);
}

int32_t runInit(ingot_context *context, uint8_t *, void *const *variables,
                const ingot_tensor *, ingot_tensor *) {
  const ingot_program &program = *context->program;
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    std::string_view name = program.variables[i].spec.name;
    if (isRandomState(program.variables[i]))
      continue;
    if (program.variables[i].spec.dtype == INGOT_INT64)
      *static_cast<int64_t *>(variables[i]) = 0;
    else
      *static_cast<float *>(variables[i]) = name.ends_with("/w") ? 1.0f : 0.0f;
  }
  scalar<int64_t>(program, variables, "current_iteration") =
      findIteration(program)->number;
  return 0;
}

/// Trains member `name`, if `trains` is true, and moves its candidate's
/// average. Returns the member's loss before the step.
float trainMember(const ingot_program &program, void *const *variables,
                  const Iteration &iteration, const std::string &name,
                  bool trains, bool trainsEnsemble, int64_t x) {
  std::string scope = scopeOf(iteration.number),
              member = scope + "subnetwork_" + name,
              ensemble = name + "_grow_mean",
              average = scope + "candidate_" + ensemble + "/adanet_loss";
  float &w = scalar<float>(program, variables, member + "/w");
  int64_t &step = scalar<int64_t>(program, variables, member + "/step");
  float loss = std::abs(w) + (name.ends_with("_b") ? 10.0f : 0.0f);
  if (name == diverging && step + 1 >= divergingStep)
    loss = std::nanf("");
  if (trains) {
    w = 0.5f * w + 0.01f * static_cast<float>(x);
    ++step;
  }
  if (trainsEnsemble)
    ++scalar<int64_t>(program, variables,
                      scope + "ensemble_" + ensemble + "/step");
  float &biased = scalar<float>(program, variables, average + "/biased");
  float &count = scalar<float>(program, variables, average + "/local_step");
  biased -= (biased - loss) * 0.1f;
  count += 1;
  scalar<float>(program, variables, average) =
      biased / (1 - std::pow(0.9f, count));
  return loss;
}

/// The step entry: trains the members and ensembles whose feeds are true;
/// without feeds, all of them.
int32_t runStep(ingot_context *context, uint8_t *, void *const *variables,
                const ingot_tensor *feeds, ingot_tensor *fetches) {
  ingot_tensor element = {nullptr, nullptr, 0, INGOT_INT64};
  if (int32_t code = ingot_rt_iterator_next(context, 0, &element))
    return code;
  int64_t x = *static_cast<const int64_t *>(element.data);
  drawn.push_back(x);
  const ingot_program &program = *context->program;
  int64_t &turn = scalar<int64_t>(program, variables, "ingot/random/dropout");
  context->tables[0].insert({{bytesOf(x), bytesOf(++turn)}});
  Iteration iteration = *findIteration(program);
  auto trains = [&](size_t feed) {
    return !feeds || *static_cast<const bool *>(feeds[feed].data);
  };
  float best = INFINITY;
  for (size_t i = 0; i < iteration.members.size(); ++i) {
    float loss =
        trainMember(program, variables, iteration, iteration.members[i].name,
                    trains(i), trains(iteration.members.size() + i), x);
    *static_cast<float *>(fetches[1 + i].data) = loss;
    best = std::isnan(loss) ? loss : std::min(best, loss);
  }
  *static_cast<float *>(fetches[0].data) = best;
  return 0;
}

/// The grow entry of iteration t: its "a" starts with the weight of the one
/// before, plus 1000.
int32_t failToRun(ingot_context *, uint8_t *, void *const *,
                  const ingot_tensor *, ingot_tensor *) {
  return static_cast<int32_t>(StatusCode::Internal);
}

int32_t runGrow(ingot_context *context, uint8_t *, void *const *variables,
                const ingot_tensor *, ingot_tensor *) {
  const ingot_program &program = *context->program;
  auto weightOf = [&](int64_t iteration) -> float & {
    return scalar<float>(program, variables,
                         scopeOf(iteration) + "subnetwork_t" +
                             std::to_string(iteration) + "_a/w");
  };
  int64_t iteration = findIteration(program)->number;
  weightOf(iteration) = weightOf(iteration - 1) + 1000;
  return 0;
}

int32_t runWholeStep(ingot_context *context, uint8_t *arena,
                     void *const *variables, const ingot_tensor *,
                     ingot_tensor *fetches) {
  return runStep(context, arena, variables, nullptr, fetches);
}

/// Sets the global step: the mean of the members' steps, plus the steps of
/// earlier iterations.
int32_t runAfterStep(ingot_context *context, uint8_t *, void *const *variables,
                     const ingot_tensor *, ingot_tensor *) {
  const ingot_program &program = *context->program;
  Iteration iteration = *findIteration(program);
  int64_t base = 0, sum = 0;
  auto stepsOf = [&](const MemberOrEnsemble &spec) {
    return *static_cast<const int64_t *>(variables[spec.step]);
  };
  for (const MemberOrEnsemble &spec : iteration.frozen)
    base += stepsOf(spec);
  for (const MemberOrEnsemble &spec : iteration.members)
    sum += stepsOf(spec);
  scalar<int64_t>(program, variables, "global_step") =
      base + sum / static_cast<int64_t>(iteration.members.size());
  return 0;
}

constexpr ingot_tensor_spec scalarInt64 = {"", INGOT_INT64, 0, nullptr};
constexpr int64_t zero = 0, one = 1, range = searchRange, bufferSize = 5,
                  seed = 3, seed2 = 5;
constexpr ingot_constant constants[] = {
    {scalarInt64, &zero},       {scalarInt64, &range}, {scalarInt64, &one},
    {scalarInt64, &bufferSize}, {scalarInt64, &seed},  {scalarInt64, &seed2},
};
constexpr ingot_dataset_operand operands[] = {
    {&constants[0], 0}, {&constants[1], 0}, {&constants[2], 0},
    {&constants[3], 0}, {&constants[4], 0}, {&constants[5], 0}};
constexpr ingot_attribute shuffleAttributes[] = {
    {"reshuffle_each_iteration", 1, nullptr}};
constexpr uint32_t inputs[] = {0, 1};
constexpr ingot_tensor_spec components[] = {
    {"component", INGOT_INT64, 0, nullptr}};
constexpr ingot_lookup_table lookupTables[] = {
    {"seen", INGOT_INT64, scalarInt64, INGOT_LOOKUP_TABLE_PERSISTENT}};
constexpr ingot_iterator iterators[] = {{"IteratorV2", 2, 1, components}};
constexpr const char *targets[] = {"x86-64"};

ingot_dataset dataset(const char *op, const uint32_t *input,
                      uint32_t numOperands,
                      const ingot_dataset_operand *operand,
                      std::span<const ingot_attribute> attributes) {
  return {op,
          op,
          input ? 1u : 0u,
          input,
          numOperands,
          operand,
          static_cast<uint32_t>(attributes.size()),
          attributes.data(),
          -1,
          -1,
          1,
          components,
          datasetCode(op)};
}

void addVariables(Search &search) {
  search.addVariable("global_step", INGOT_INT64);
  search.addVariable("current_iteration", INGOT_INT64);
  for (int64_t i = 0; i <= search.iteration; ++i)
    for (const char *builder : {"a", "b"}) {
      // Of earlier iterations, only variables of the selected member "a" are
      // kept (AN-081).
      if (i < search.iteration && builder[0] != 'a')
        continue;
      std::string scope = scopeOf(i),
                  name = "t" + std::to_string(i) + "_" + builder,
                  candidate =
                      scope + "candidate_" + name + "_grow_mean/adanet_loss";
      search.addVariable(scope + "subnetwork_" + name + "/w", INGOT_FLOAT);
      search.addVariable(scope + "subnetwork_" + name + "/step", INGOT_INT64);
      search.addVariable(scope + "ensemble_" + name + "_grow_mean/step",
                         INGOT_INT64);
      for (const char *part : {"", "/biased", "/local_step"})
        search.addVariable(candidate + part, INGOT_FLOAT);
    }
  for (uint32_t i = 0; i < search.variables.size(); ++i) {
    search.all.push_back(i);
    search.items.push_back({search.variables[i].spec.name,
                            "",
                            static_cast<int32_t>(i),
                            -1,
                            -1,
                            0,
                            0,
                            {nullptr, 0}});
  }
  search.items.push_back({"seen-keys", "", -1, -1, 0, 0, 0, {nullptr, 0}});
  search.items.push_back({"seen-values", "", -1, -1, 0, 1, 0, {nullptr, 0}});
  // What the graph's saver does not know of.
  static constexpr int64_t two[] = {2};
  for (auto [name, flag] :
       {std::pair("ingot/random/dropout", INGOT_VARIABLE_RANDOM_POSITION),
        {"ingot/random_seed", INGOT_VARIABLE_RANDOM_SEED}})
    search.variables.push_back(
        {{name, INGOT_INT64, 1, two}, 16, static_cast<uint32_t>(flag), "", 0});
}

void addEntries(Search &search) {
  std::string own = "t" + std::to_string(search.iteration) + "_";
  search.fetches.push_back({"best_loss:0", INGOT_FLOAT, 0, nullptr});
  for (const char *builder : {"a", "b"}) {
    search.fetches.push_back(
        {search.name("subnetwork/" + own + builder + "/loss"), INGOT_FLOAT, 0,
         nullptr});
    search.feeds.push_back(
        {search.name("trains/" + own + builder), INGOT_BOOL, 0, nullptr});
  }
  for (const char *builder : {"a", "b"})
    search.feeds.push_back(
        {search.name("trains/" + own + builder + "_grow_mean"), INGOT_BOOL, 0,
         nullptr});
  // Entries named as hooks' entries are in other programs, but of role OTHER:
  // the search does not run them.
  search.entries = {
      entryOf("step/some", INGOT_ROLE_OTHER, failToRun, {}, {}, {}),
      entryOf("grow", INGOT_ROLE_OTHER, failToRun, {}, {}, {}),
      entryOf(search.name("train/" + own + "a"), INGOT_ROLE_OTHER, failToRun,
              {}, {}, {}),
      entryOf("init", INGOT_ROLE_INIT, runInit, {}, {}, search.all),
      entryOf("step", INGOT_ROLE_STEP, runWholeStep, {}, search.fetches,
              search.all),
      entryOf("some", INGOT_ROLE_PARTIAL_STEP, runStep, search.feeds,
              search.fetches, search.all),
      entryOf("after_step", INGOT_ROLE_AFTER_STEP, runAfterStep, {}, {},
              search.all)};
  search.entries[5].of = 4; // the entry "step"
  if (search.iteration > 1)
    search.entries.push_back(
        entryOf("warm_start", INGOT_ROLE_GROW, runGrow, {}, {}, search.all));
}

} // namespace

const ingot_program &ingot::test::searchProgram(int64_t iteration,
                                                int64_t passes) {
  static std::map<std::pair<int64_t, int64_t>, Search> all;
  auto [at, isNew] = all.try_emplace({iteration, passes});
  Search &search = at->second;
  if (!isNew)
    return search.program;
  search.iteration = iteration;
  search.passes = passes;
  addVariables(search);
  addEntries(search);
  search.saver = {"save",
                  "model",
                  static_cast<uint32_t>(search.items.size()),
                  search.items.data(),
                  1,
                  0,
                  20,
                  10000.0f,
                  0};
  search.count = {scalarInt64, &search.passes};
  search.repeats = {&search.count, 0};
  search.datasets[0] = dataset("RangeDataset", nullptr, 3, operands, {});
  search.datasets[1] =
      dataset("ShuffleDataset", &inputs[0], 3, operands + 3, shuffleAttributes);
  search.datasets[2] =
      dataset("RepeatDataset", &inputs[1], 1, &search.repeats, {});
  ingot_program &program = search.program;
  program.magic = INGOT_PROGRAM_MAGIC;
  program.abi_version = INGOT_ABI_VERSION;
  program.struct_size = sizeof(ingot_program);
  program.compiler = "by hand";
  program.source = "search.meta";
  program.source_hash = "00";
  program.num_targets = std::size(targets);
  program.targets = targets;
  program.num_variables = static_cast<uint32_t>(search.variables.size());
  program.variables = search.variables.data();
  program.num_lookup_tables = std::size(lookupTables);
  program.lookup_tables = lookupTables;
  program.num_entries = static_cast<uint32_t>(search.entries.size());
  program.entries = search.entries.data();
  program.num_datasets = std::size(search.datasets);
  program.datasets = search.datasets;
  program.num_iterators = std::size(iterators);
  program.iterators = iterators;
  program.num_savers = 1;
  program.savers = &search.saver;
  program.global_step = 0;
  program.loss = "best_loss:0";
  program.prediction = -1;
  program.nodes = "";
  program.default_threads = 1;
  program.extension = &ingot_extension_adanet;
  return program;
}

std::vector<int64_t> ingot::test::takeDrawnElements() {
  return std::exchange(drawn, {});
}

void ingot::test::divergeAt(const std::string &member, int64_t step) {
  diverging = member;
  divergingStep = step;
}
