//===- CounterProgram.cpp - A small program, compiled by hand -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "CounterProgram.h"

#include "test/runtime/Input/DatasetCode.h"

#include "runtime/ABI/Calls.h"
#include "runtime/Session/Context.h"
#include "runtime/Support/ErrorSlot.h"

#include <cmath>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <mutex>
#include <unistd.h>

using namespace ingot::test;

namespace {

template <typename T> T &variable(void *const *variables, uint32_t index) {
  return *static_cast<T *>(variables[index]);
}

int64_t setting(const char *name) {
  const char *value = std::getenv(name);
  return value ? std::atoll(value) : 0;
}

/// Sleeps for the number of microseconds in environment variable `name`.
void pause(const char *name) {
  if (int64_t time = setting(name))
    ::usleep(static_cast<useconds_t>(time));
}

int32_t runInit(ingot_context *, uint8_t *, void *const *variables,
                const ingot_tensor *, ingot_tensor *) {
  pause("COUNTER_INIT_USEC");
  static const char text[] = "a label\nof two lines";
  variable<float>(variables, CounterW) = 0.5f;
  for (uint32_t part : {CounterV0, CounterV1})
    for (int i = 0; i < 2; ++i)
      static_cast<float *>(variables[part])[i] = 1.0f;
  variable<ingot_string>(variables, CounterLabel) = {text, sizeof(text) - 1};
  variable<int64_t>(variables, CounterStep) = 0;
  return 0;
}

int32_t runLocalInit(ingot_context *context, uint8_t *, void *const *variables,
                     const ingot_tensor *, ingot_tensor *) {
  pause("COUNTER_LOCAL_INIT_USEC");
  variable<int64_t>(variables, CounterSeen) = 0;
  return ingot_rt_iterator_make(context, 0);
}

int32_t runReady(ingot_context *context, uint8_t *, void *const *,
                 const ingot_tensor *, ingot_tensor *) {
  static const uint32_t all[] = {CounterW,     CounterV0,   CounterV1,
                                 CounterLabel, CounterSeen, CounterStep};
  ingot_rt_report_uninitialized(context, std::size(all), all);
  return 0;
}

void mixIntoV(void *const *arguments, int64_t begin, int64_t end) {
  float w = *static_cast<const float *>(arguments[0]);
  for (int64_t i = begin; i < end; ++i)
    static_cast<float *>(arguments[1 + i / 2])[i % 2] +=
        static_cast<float>(i + 1) * w;
}

/// Draws the next integer: an element of the range, or the sum of a batch of
/// lines.
int32_t drawElement(ingot_context *context, int64_t &x) {
  if (context->program->iterators[0].components[0].dtype == INGOT_INT64) {
    ingot_tensor element = {nullptr, nullptr, 0, INGOT_INT64};
    int32_t code = ingot_rt_iterator_next(context, 0, &element);
    if (code == 0)
      x = *static_cast<const int64_t *>(element.data);
    return code;
  }
  int64_t dims[1] = {};
  ingot_tensor lines = {nullptr, dims, 1, INGOT_STRING};
  if (int32_t code = ingot_rt_iterator_next(context, 0, &lines))
    return code;
  x = 0;
  for (int64_t i = 0; i < dims[0]; ++i) {
    ingot_string line = static_cast<const ingot_string *>(lines.data)[i];
    x += std::atoll(std::string(line.data, line.size).c_str());
  }
  return 0;
}

/// The arena of a step begins with the value x; from slot 8 on it has the
/// arguments of the kernel that mixes x in.
constexpr uint32_t firstSlot = 8, arenaSize = 128;

int32_t runStep(ingot_context *context, uint8_t *arena, void *const *variables,
                const ingot_tensor *, ingot_tensor *fetches) {
  pause("COUNTER_INPUT_USEC");
  int64_t x;
  if (int32_t code = drawElement(context, x))
    return code;
  int64_t &step = variable<int64_t>(variables, CounterStep);
  if (setting("COUNTER_FAIL_AT") == step + 1) {
    // Fails by a runtime call, so that the failure has a message: it parses
    // bytes that are no Example. (A call for a missing iterator would crash.)
    static const ingot_parse_spec spec = {"parse", 0, nullptr};
    ingot_string bytes = {"\xff", 1};
    return ingot_rt_parse_example(context, &spec, &bytes, 1, nullptr);
  }
  if (setting("COUNTER_ABORT_AT") == step + 1) {
    if (!std::getenv("COUNTER_ABORT_ALWAYS"))
      ::unsetenv("COUNTER_ABORT_AT");
    return ingot::recordError(
        ingot::Status(ingot::StatusCode::Aborted, "the machine is taken away"));
  }
  float &w = variable<float>(variables, CounterW);
  w = 0.9f * w + 0.1f * static_cast<float>(x);
  if (setting("COUNTER_NAN_AT") == step + 1)
    w = std::nanf("");
  *reinterpret_cast<float *>(arena) = w;
  static const ingot_launch rows[] = {{0, firstSlot, 0, 1}};
  ingot_rt_run(context, arena, rows, std::size(rows));
  ++variable<int64_t>(variables, CounterSeen);
  ++step;
  *static_cast<float *>(fetches[0].data) = w;
  *static_cast<int64_t *>(fetches[1].data) = x;
  for (int i = 0; i < 4; ++i)
    static_cast<float *>(fetches[2].data)[i] =
        static_cast<float *>(variables[i < 2 ? CounterV0 : CounterV1])[i % 2];
  ingot_rt_scalar_summary(context, "loss_1", INGOT_FLOAT, &w);
  pause("COUNTER_STEP_USEC");
  return 0;
}

int32_t runSave(ingot_context *context, uint8_t *, void *const *,
                const ingot_tensor *feeds, ingot_tensor *) {
  return ingot_rt_save(context, 0,
                       static_cast<const ingot_string *>(feeds[0].data));
}

int32_t runRestore(ingot_context *context, uint8_t *, void *const *,
                   const ingot_tensor *feeds, ingot_tensor *) {
  return ingot_rt_restore(context, 0,
                          static_cast<const ingot_string *>(feeds[0].data));
}

/// Returns the sum of each row of a 2x3 matrix, plus w.
int32_t runPredict(ingot_context *, uint8_t *, void *const *variables,
                   const ingot_tensor *feeds, ingot_tensor *fetches) {
  auto *x = static_cast<const float *>(feeds[0].data);
  for (int i = 0; i < 2; ++i)
    static_cast<float *>(fetches[0].data)[i] =
        x[3 * i] + x[3 * i + 1] + x[3 * i + 2] +
        variable<float>(variables, CounterW);
  return 0;
}

/// Returns the sum of each row of a matrix, plus the number of rows.
int32_t runSums(ingot_context *context, uint8_t *, void *const *,
                const ingot_tensor *feeds, ingot_tensor *fetches) {
  int64_t rows = feeds[0].dims[0], columns = feeds[0].dims[1];
  auto *sums = static_cast<float *>(
      ingot_rt_allocate(context, (rows + 1) * int64_t(sizeof(float))));
  if (!sums)
    return static_cast<int32_t>(ingot::StatusCode::ResourceExhausted);
  for (int64_t i = 0; i < rows; ++i) {
    sums[i] = static_cast<float>(rows);
    for (int64_t j = 0; j < columns; ++j)
      sums[i] += static_cast<const float *>(feeds[0].data)[i * columns + j];
  }
  fetches[0].data = sums;
  fetches[0].dims[0] = rows;
  return 0;
}

/// Draws an element, returns it as the loss of the batch, and counts it.
int32_t runEvaluate(ingot_context *context, uint8_t *, void *const *variables,
                    const ingot_tensor *, ingot_tensor *fetches) {
  ingot_tensor element = {nullptr, nullptr, 0, INGOT_INT64};
  if (int32_t code = ingot_rt_iterator_next(context, 0, &element))
    return code;
  ++variable<int64_t>(variables, CounterSeen);
  *static_cast<float *>(fetches[0].data) =
      static_cast<float>(*static_cast<const int64_t *>(element.data));
  return 0;
}

int32_t runMetrics(ingot_context *, uint8_t *, void *const *variables,
                   const ingot_tensor *, ingot_tensor *fetches) {
  *static_cast<int64_t *>(fetches[0].data) =
      variable<int64_t>(variables, CounterSeen);
  return 0;
}

constexpr int64_t dims2[] = {2}, dims4[] = {4}, dims2x3[] = {2, 3};

constexpr ingot_variable variables[] = {
    {{"w", INGOT_FLOAT, 0, nullptr}, 4, INGOT_VARIABLE_TRAINABLE, "", 0},
    {{"v/part_0", INGOT_FLOAT, 1, dims2}, 8, INGOT_VARIABLE_TRAINABLE, "", 0},
    {{"v/part_1", INGOT_FLOAT, 1, dims2}, 8, INGOT_VARIABLE_TRAINABLE, "", 0},
    {{"label", INGOT_STRING, 0, nullptr}, 16, 0, "", 0},
    {{"seen", INGOT_INT64, 0, nullptr}, 8, INGOT_VARIABLE_LOCAL, "", 0},
    {{"global_step", INGOT_INT64, 0, nullptr}, 8, 0, "", 0},
};

// The program has code for two targets; no machine is of the second one.
constexpr const char *targets[] = {"x86-64", "x86-64-v99"};

constexpr uint32_t initAssigns[] = {CounterW, CounterV0, CounterV1,
                                    CounterLabel, CounterStep};
constexpr uint32_t localInitAssigns[] = {CounterSeen};
constexpr uint32_t stepAssigns[] = {CounterW, CounterV0, CounterV1, CounterSeen,
                                    CounterStep};

constexpr ingot_tensor_spec stepFetches[] = {
    {"loss:0", INGOT_FLOAT, 0, nullptr},
    {"element:0", INGOT_INT64, 0, nullptr},
    {"v:0", INGOT_FLOAT, 1, dims4},
};
constexpr ingot_tensor_spec prefixFeed[] = {
    {"save/Const:0", INGOT_STRING, 0, nullptr}};
constexpr ingot_tensor_spec predictFeeds[] = {{"x:0", INGOT_FLOAT, 2, dims2x3}};
constexpr ingot_tensor_spec predictFetches[] = {
    {"sum:0", INGOT_FLOAT, 1, dims2}};

constexpr int64_t open1[] = {-1}, open2[] = {-1, -1};
constexpr ingot_tensor_spec sumsFeeds[] = {{"x:0", INGOT_FLOAT, 2, open2}};
constexpr ingot_tensor_spec sumsFetches[] = {{"sum:0", INGOT_FLOAT, 1, open1}};

constexpr ingot_tensor_spec evaluateFetches[] = {
    {"loss", INGOT_FLOAT, 0, nullptr}};
constexpr ingot_tensor_spec metricsFetches[] = {
    {"seen", INGOT_INT64, 0, nullptr}};

constexpr ingot_argument stepArguments[] = {
    {firstSlot, INGOT_ARGUMENT_ARENA, 0},
    {firstSlot + 1, INGOT_ARGUMENT_VARIABLE, CounterV0},
    {firstSlot + 2, INGOT_ARGUMENT_VARIABLE, CounterV1}};

// Enough operations to make the launch seem worth a second thread.
constexpr int64_t manyFlops = 1'000'000'000;
constexpr ingot_kernel_code mixCode[] = {
    {mixIntoV, 4, 1, 0, nullptr, 0, manyFlops, 0, 0, nullptr},
    {mixIntoV, 4, 1, 0, nullptr, 0, manyFlops, 0, 0, nullptr}};
constexpr ingot_tensor_spec mixArguments[] = {{"", INGOT_FLOAT, 0, nullptr},
                                              {"", INGOT_FLOAT, 1, dims2},
                                              {"", INGOT_FLOAT, 1, dims2}};
constexpr ingot_kernel_info kernels[] = {{"mix_into_v", mixCode,
                                          std::size(mixArguments), mixArguments,
                                          /*num_inputs=*/0}};

constexpr uint32_t theIterator[] = {0};
constexpr ingot_entry drawing(ingot_entry entry) {
  entry.num_iterators = std::size(theIterator);
  entry.iterators = theIterator;
  return entry;
}

constexpr ingot_entry stepEntry() {
  ingot_entry entry =
      entryOf("step", INGOT_ROLE_STEP, runStep, {}, stepFetches, stepAssigns);
  entry.arena_size = arenaSize;
  entry.num_arguments = std::size(stepArguments);
  entry.arguments = stepArguments;
  return drawing(entry);
}

/// `owner` is the index of the entry to which the metrics belong.
constexpr ingot_entry metricsEntry(int32_t owner) {
  ingot_entry entry = entryOf("evaluate/metrics", INGOT_ROLE_METRICS,
                              runMetrics, {}, metricsFetches, {});
  entry.of = owner;
  return entry;
}

constexpr ingot_entry entries[] = {
    entryOf("init", INGOT_ROLE_INIT, runInit, {}, {}, initAssigns),
    entryOf("local_init", INGOT_ROLE_LOCAL_INIT, runLocalInit, {}, {},
            localInitAssigns),
    entryOf("ready", INGOT_ROLE_READY, runReady, {}, {}, {}),
    stepEntry(),
    entryOf("save", INGOT_ROLE_SAVE, runSave, prefixFeed, {}, {}),
    entryOf("restore", INGOT_ROLE_RESTORE, runRestore, prefixFeed, {}, {}),
    entryOf("predict", INGOT_ROLE_PREDICT, runPredict, predictFeeds,
            predictFetches, {}),
    entryOf("sums", INGOT_ROLE_PREDICT, runSums, sumsFeeds, sumsFetches, {}),
    drawing(entryOf("evaluate", INGOT_ROLE_EVALUATE, runEvaluate, {},
                    evaluateFetches, localInitAssigns)),
    metricsEntry(8),
};

constexpr ingot_saved_item savedItems[] = {
    {"IteratorV2", "", -1, 0, -1, 0, 0, {nullptr, 0}},
    {"global_step", "", CounterStep, -1, -1, 0, 0, {nullptr, 0}},
    {"label", "", CounterLabel, -1, -1, 0, 0, {nullptr, 0}},
    {"v", "4 0,2", CounterV0, -1, -1, 0, 0, {nullptr, 0}},
    {"v", "4 2,2", CounterV1, -1, -1, 0, 0, {nullptr, 0}},
    {"w", "", CounterW, -1, -1, 0, 0, {nullptr, 0}},
};
constexpr ingot_saver savers[] = {
    {"save", "model", std::size(savedItems), savedItems, 1, 1, 5, 10000.0f, 0}};

constexpr int64_t zero = 0, one = 1, range = counterRange, bufferSize = 10,
                  seed = 3, seed2 = 5;
constexpr ingot_tensor_spec scalarInt64 = {"", INGOT_INT64, 0, nullptr};
constexpr ingot_constant constants[] = {
    {scalarInt64, &zero},       {scalarInt64, &range}, {scalarInt64, &one},
    {scalarInt64, &bufferSize}, {scalarInt64, &seed},  {scalarInt64, &seed2},
};
constexpr ingot_dataset_operand rangeOperands[] = {
    {&constants[0], 0}, {&constants[1], 0}, {&constants[2], 0}};
constexpr ingot_dataset_operand shuffleOperands[] = {
    {&constants[3], 0}, {&constants[4], 0}, {&constants[5], 0}};
constexpr ingot_attribute shuffleAttributes[] = {
    {"reshuffle_each_iteration", 1, nullptr}};
constexpr uint32_t input0[] = {0}, input1[] = {1};
constexpr ingot_tensor_spec components[] = {
    {"component", INGOT_INT64, 0, nullptr}};
constexpr ingot_iterator iterators[] = {{"IteratorV2", 2, 1, components}};

constexpr int64_t linesAStep = 3;
constexpr bool keepRemainder = false;
constexpr ingot_string noCompression = {"", 0};
constexpr int64_t unknown[] = {-1}, dims1[] = {1};
constexpr ingot_tensor_spec line[] = {{"line", INGOT_STRING, 0, nullptr}},
                            lines[] = {{"lines", INGOT_STRING, 1, unknown}};
constexpr ingot_constant lineConstants[] = {
    {{"", INGOT_STRING, 0, nullptr}, &noCompression},
    {scalarInt64, &range},
    {scalarInt64, &linesAStep},
    {{"", INGOT_BOOL, 0, nullptr}, &keepRemainder},
    {scalarInt64, &one},
};
constexpr ingot_dataset_operand batchOperands[] = {{&lineConstants[2], 0},
                                                   {&lineConstants[3], 0}};
constexpr ingot_dataset_operand prefetchOperands[] = {{&lineConstants[4], 0}};

/// The dataset tables of a program whose input is lines of a file.
struct LinePipeline {
  std::string path;
  ingot_string name;
  ingot_constant file;
  ingot_dataset_operand operands[3];
  ingot_dataset datasets[3];
  ingot_iterator iterator;
};

/// The dataset tables of a program with a range as input.
struct Pipeline {
  int64_t passes;
  ingot_constant count;
  ingot_dataset_operand operand;
  ingot_dataset datasets[3];
};

/// Returns tables that live until the process ends. Ranks of a test, which are
/// threads, make their programs at the same time.
template <typename TablesT> TablesT &addTables() {
  static std::mutex mutex;
  static std::deque<TablesT> all;
  std::lock_guard lock(mutex);
  return all.emplace_back();
}

} // namespace

ingot_program ingot::test::counterProgram(int64_t passes) {
  Pipeline &pipeline = addTables<Pipeline>();
  pipeline.passes = passes;
  pipeline.count = {scalarInt64, &pipeline.passes};
  pipeline.operand = {&pipeline.count, 0};
  pipeline.datasets[0] = {"RangeDataset",
                          "RangeDataset",
                          0,
                          nullptr,
                          3,
                          rangeOperands,
                          0,
                          nullptr,
                          -1,
                          -1,
                          1,
                          components,
                          nullptr};
  pipeline.datasets[1] = {"ShuffleDataset",
                          "ShuffleDataset",
                          1,
                          input0,
                          3,
                          shuffleOperands,
                          1,
                          shuffleAttributes,
                          -1,
                          -1,
                          1,
                          components,
                          nullptr};
  pipeline.datasets[2] = {"RepeatDataset",
                          "RepeatDataset",
                          1,
                          input1,
                          1,
                          &pipeline.operand,
                          0,
                          nullptr,
                          -1,
                          -1,
                          1,
                          components,
                          nullptr};

  for (ingot_dataset &dataset : pipeline.datasets)
    dataset.code = datasetCode(dataset.op);

  ingot_program program = {};
  program.magic = INGOT_PROGRAM_MAGIC;
  program.abi_version = INGOT_ABI_VERSION;
  program.struct_size = sizeof(ingot_program);
  program.compiler = "by hand";
  program.source = "counter.meta";
  program.source_hash = "00";
  program.num_targets = std::size(targets);
  program.targets = targets;
  program.num_variables = std::size(variables);
  program.variables = variables;
  program.num_entries = std::size(entries);
  program.entries = entries;
  program.num_datasets = std::size(pipeline.datasets);
  program.datasets = pipeline.datasets;
  program.num_iterators = std::size(iterators);
  program.iterators = iterators;
  program.num_savers = std::size(savers);
  program.savers = savers;
  program.global_step = CounterStep;
  program.loss = "loss:0";
  program.prediction = -1;
  program.num_kernels = std::size(kernels);
  program.kernels = kernels;
  program.nodes = "mix";
  program.default_threads = 2;
  return program;
}

ingot_program ingot::test::lineProgram(const std::string &path,
                                       bool prefetches) {
  LinePipeline &pipeline = addTables<LinePipeline>();
  pipeline.path = path;
  pipeline.name = {pipeline.path.data(), pipeline.path.size()};
  pipeline.file = {{"", INGOT_STRING, 1, dims1}, &pipeline.name};
  pipeline.operands[0] = {&pipeline.file, 0};
  pipeline.operands[1] = {&lineConstants[0], 0};
  pipeline.operands[2] = {&lineConstants[1], 0};
  pipeline.datasets[0] = {"TextLineDataset",
                          "TextLineDataset",
                          0,
                          nullptr,
                          3,
                          pipeline.operands,
                          0,
                          nullptr,
                          -1,
                          -1,
                          1,
                          line,
                          nullptr};
  pipeline.datasets[1] = {"BatchDatasetV2",
                          "BatchDatasetV2",
                          1,
                          input0,
                          2,
                          batchOperands,
                          0,
                          nullptr,
                          -1,
                          -1,
                          1,
                          lines,
                          nullptr};
  pipeline.datasets[2] = {"PrefetchDataset",
                          "PrefetchDataset",
                          1,
                          input1,
                          1,
                          prefetchOperands,
                          0,
                          nullptr,
                          -1,
                          -1,
                          1,
                          lines,
                          nullptr};
  for (ingot_dataset &dataset : pipeline.datasets)
    dataset.code = datasetCode(dataset.op);
  pipeline.iterator = {"IteratorV2", prefetches ? 2u : 1u, 1, lines};
  ingot_program program = counterProgram();
  program.num_datasets = std::size(pipeline.datasets);
  program.datasets = pipeline.datasets;
  program.iterators = &pipeline.iterator;
  return program;
}

ingot::SessionOptions ingot::test::oneThread(FileSystem &files) {
  SessionOptions options;
  options.fileSystem = &files;
  options.threads = 1;
  return options;
}
