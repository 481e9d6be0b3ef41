//===- ProgramBuilder.cpp - Programs as codegen would lay them out --------===//
// SPDX-License-Identifier: Apache-2.0
//
// The memory of tables is allocated in chunks that never move.
//
//===----------------------------------------------------------------------===//
#include "ProgramBuilder.h"

#include "DatasetCode.h"

#include <cstring>

namespace ingot::test {

static const char *const targets[] = {"x86-64-v2"};

ProgramBuilder::ProgramBuilder() {
  tables.magic = INGOT_PROGRAM_MAGIC;
  tables.abi_version = INGOT_ABI_VERSION;
  tables.struct_size = sizeof(ingot_program);
  tables.compiler = "none";
  tables.source = "test";
  tables.source_hash = "";
  tables.num_targets = 1;
  tables.targets = targets;
  tables.global_step = -1;
  tables.prediction = -1;
}

template <typename T> const T *ProgramBuilder::keep(std::vector<T> values) {
  std::vector<char> &bytes =
      storage.emplace_back(values.size() * sizeof(T) + 1);
  if (!values.empty())
    std::memcpy(bytes.data(), values.data(), values.size() * sizeof(T));
  return reinterpret_cast<const T *>(bytes.data());
}

ingot_tensor_spec ProgramBuilder::spec(int32_t dtype, Dims dims) {
  auto rank = static_cast<uint32_t>(dims.size());
  return {"", dtype, rank, keep(std::move(dims))};
}

ingot_dataset_operand ProgramBuilder::constant(int32_t dtype, Dims dims,
                                               const void *data) {
  return {keep<ingot_constant>({{spec(dtype, std::move(dims)), data}}), 0};
}

ingot_dataset_operand ProgramBuilder::scalar(int64_t value) {
  return constant(INGOT_INT64, {}, keep<int64_t>({value}));
}

ingot_dataset_operand ProgramBuilder::scalar32(int32_t value) {
  return constant(INGOT_INT32, {}, keep<int32_t>({value}));
}

ingot_dataset_operand ProgramBuilder::boolean(bool value) {
  return constant(INGOT_BOOL, {}, keep<uint8_t>({value}));
}

ingot_dataset_operand ProgramBuilder::string(std::string value) {
  ingot_dataset_operand operand = strings({std::move(value)});
  return constant(INGOT_STRING, {}, operand.constant->data);
}

ingot_dataset_operand
ProgramBuilder::strings(const std::vector<std::string> &values) {
  std::vector<ingot_string> views;
  for (const std::string &value : values) {
    const std::string &kept = texts.emplace_back(value);
    views.push_back({kept.data(), kept.size()});
  }
  auto count = static_cast<int64_t>(values.size());
  return constant(INGOT_STRING, {count}, keep(std::move(views)));
}

ingot_dataset_operand ProgramBuilder::int64s(std::vector<int64_t> values,
                                             Dims dims) {
  return constant(INGOT_INT64, std::move(dims), keep(std::move(values)));
}

ingot_dataset_operand ProgramBuilder::floats(std::vector<float> values,
                                             Dims dims) {
  return constant(INGOT_FLOAT, std::move(dims), keep(std::move(values)));
}

ingot_dataset_operand ProgramBuilder::argument(uint32_t index) {
  return {nullptr, index};
}

uint32_t ProgramBuilder::dataset(const char *op, std::vector<uint32_t> inputs,
                                 std::vector<ingot_dataset_operand> operands,
                                 std::vector<ingot_tensor_spec> components,
                                 std::vector<ingot_attribute> attributes,
                                 int32_t function, int32_t body) {
  auto index = static_cast<uint32_t>(datasets.size());
  ingot_dataset made{};
  made.node =
      texts.emplace_back(op + std::string("_") + std::to_string(index)).c_str();
  made.op = op;
  made.num_inputs = static_cast<uint32_t>(inputs.size());
  made.inputs = keep(std::move(inputs));
  made.num_operands = static_cast<uint32_t>(operands.size());
  made.operands = keep(std::move(operands));
  made.num_attributes = static_cast<uint32_t>(attributes.size());
  made.attributes = keep(std::move(attributes));
  made.function = function;
  made.body = body;
  made.num_components = static_cast<uint32_t>(components.size());
  made.components = keep(std::move(components));
  made.code = datasetCode(op);
  datasets.push_back(made);
  return index;
}

static std::vector<ingot_tensor_spec> componentsOf(const ingot_dataset &from) {
  return {from.components, from.components + from.num_components};
}

uint32_t ProgramBuilder::range(int64_t count) {
  return dataset("RangeDataset", {}, {scalar(0), scalar(count), scalar(1)},
                 {spec(INGOT_INT64)});
}

uint32_t ProgramBuilder::shuffle(uint32_t input, int64_t buffer, int64_t seed,
                                 int64_t seed2, bool reshuffle) {
  return dataset("ShuffleDataset", {input},
                 {scalar(buffer), scalar(seed), scalar(seed2)},
                 componentsOf(datasets[input]),
                 {{"reshuffle_each_iteration", reshuffle, nullptr}});
}

uint32_t ProgramBuilder::unary(const char *op, uint32_t input,
                               int64_t operand) {
  return dataset(op, {input}, {scalar(operand)}, componentsOf(datasets[input]));
}

uint32_t ProgramBuilder::repeat(uint32_t input, int64_t count) {
  return unary("RepeatDataset", input, count);
}

uint32_t ProgramBuilder::batch(uint32_t input, int64_t size,
                               bool dropRemainder) {
  std::vector<ingot_tensor_spec> components = componentsOf(datasets[input]);
  for (ingot_tensor_spec &component : components) {
    Dims dims = {dropRemainder ? size : -1};
    dims.insert(dims.end(), component.dims, component.dims + component.rank);
    component = spec(component.dtype, dims);
  }
  return dataset("BatchDatasetV2", {input},
                 {scalar(size), boolean(dropRemainder)}, components);
}

uint32_t ProgramBuilder::prefetch(uint32_t input, int64_t depth) {
  return unary("PrefetchDataset", input, depth);
}

uint32_t ProgramBuilder::records(ingot_dataset_operand files,
                                 std::string compression) {
  return dataset("TFRecordDataset", {},
                 {files, string(std::move(compression)), scalar(262144)},
                 {spec(INGOT_STRING)});
}

int32_t
ProgramBuilder::function(uint32_t input, ingot_code code,
                         const std::vector<ingot_tensor_spec> &outputs,
                         uint64_t arenaSize,
                         const std::vector<ingot_dataset_operand> &captured) {
  std::vector<ingot_tensor_spec> inputs = componentsOf(datasets[input]);
  for (const ingot_dataset_operand &operand : captured)
    inputs.push_back(operand.constant->spec);
  ingot_function function{};
  function.name = "test_function";
  function.run = code;
  function.arena_size = arenaSize;
  function.num_inputs = static_cast<uint32_t>(inputs.size());
  function.inputs = keep(std::move(inputs));
  function.num_outputs = static_cast<uint32_t>(outputs.size());
  function.outputs = keep(outputs);
  auto index = static_cast<int32_t>(functions.size());
  functions.push_back(function);
  return index;
}

uint32_t ProgramBuilder::map(uint32_t input, ingot_code code,
                             std::vector<ingot_tensor_spec> outputs,
                             uint64_t arenaSize,
                             std::vector<ingot_dataset_operand> captured) {
  int32_t index = function(input, code, outputs, arenaSize, captured);
  captured.push_back(scalar(2));
  return dataset("ParallelMapDatasetV2", {input}, captured, std::move(outputs),
                 {}, index);
}

uint32_t ProgramBuilder::randomMap(uint32_t input, ingot_code code,
                                   bool wantsSeed, bool isParallel) {
  ingot_tensor_spec number = spec(INGOT_INT64);
  int32_t index = function(input, code, {number}, 0, {});
  ingot_function &made = functions.back();
  std::vector<ingot_tensor_spec> inputs(2 + wantsSeed, spec(INGOT_INT64, {2}));
  inputs[0] = made.inputs[0];
  made.num_inputs = static_cast<uint32_t>(inputs.size());
  made.inputs = keep(std::move(inputs));
  made.num_outputs = 2;
  made.outputs = keep<ingot_tensor_spec>({number, spec(INGOT_INT64, {2})});
  made.num_positions = 1;
  made.num_seeds = wantsSeed;
  if (isParallel)
    return dataset("ParallelMapDatasetV2", {input}, {scalar(-1)}, {number}, {},
                   index);
  return dataset("MapDataset", {input}, {}, {number}, {}, index);
}

uint32_t ProgramBuilder::variableMap(uint32_t input, ingot_code code,
                                     uint32_t variable) {
  ingot_tensor_spec number = spec(INGOT_INT64);
  int32_t index = function(input, code, {number}, 0, {});
  ingot_function &made = functions.back();
  made.num_inputs = 2;
  made.inputs =
      keep<ingot_tensor_spec>({made.inputs[0], variables[variable].spec});
  made.num_variables = 1;
  made.variables = keep<uint32_t>({variable});
  return dataset("MapDataset", {input}, {}, {number}, {}, index);
}

uint32_t ProgramBuilder::filter(uint32_t input, ingot_code predicate,
                                const char *op) {
  int32_t index = function(input, predicate, {spec(INGOT_BOOL)}, 0, {});
  return dataset(op, {input}, {}, componentsOf(datasets[input]), {}, index);
}

uint32_t ProgramBuilder::scan(uint32_t input, ingot_code code,
                              ingot_dataset_operand initial) {
  // State and element have the same type here.
  std::vector<ingot_tensor_spec> both(2, initial.constant->spec);
  int32_t index = function(input, code, both, 0, {initial});
  return dataset("ScanDataset", {input}, {initial},
                 componentsOf(datasets[input]), {}, index);
}

uint32_t ProgramBuilder::window(uint32_t input, int64_t size, int64_t shift,
                                int64_t stride, bool dropRemainder) {
  return dataset(
      "WindowDataset", {input},
      {scalar(size), scalar(shift), scalar(stride), boolean(dropRemainder)},
      {spec(INGOT_VARIANT)});
}

uint32_t ProgramBuilder::interleave(uint32_t input, uint32_t body,
                                    int64_t cycleLength, int64_t blockLength) {
  return dataset(
      "InterleaveDataset", {input}, {scalar(cycleLength), scalar(blockLength)},
      componentsOf(datasets[body]), {}, -1, static_cast<int32_t>(body));
}

uint32_t ProgramBuilder::flatMap(uint32_t input, uint32_t body) {
  return dataset("FlatMapDataset", {input}, {}, componentsOf(datasets[body]),
                 {}, -1, static_cast<int32_t>(body));
}

uint32_t ProgramBuilder::variable(const char *name, int32_t dtype, Dims dims) {
  ingot_variable made{};
  made.spec = spec(dtype, std::move(dims));
  made.spec.name = name;
  variables.push_back(made);
  return static_cast<uint32_t>(variables.size() - 1);
}

uint32_t ProgramBuilder::iterator(uint32_t dataset) {
  auto index = static_cast<uint32_t>(iterators.size());
  ingot_iterator made{};
  made.name = texts.emplace_back("IteratorV2_" + std::to_string(index)).c_str();
  made.dataset = dataset;
  made.num_components = datasets[dataset].num_components;
  made.components = datasets[dataset].components;
  iterators.push_back(made);
  return index;
}

void ProgramBuilder::alternative(uint32_t iterator, uint32_t dataset) {
  alternatives.push_back({iterator, dataset});
}

const ingot_program &ProgramBuilder::program() {
  tables.num_variables = static_cast<uint32_t>(variables.size());
  tables.variables = keep(variables);
  tables.num_functions = static_cast<uint32_t>(functions.size());
  tables.functions = keep(functions);
  tables.num_datasets = static_cast<uint32_t>(datasets.size());
  tables.datasets = keep(datasets);
  tables.num_iterators = static_cast<uint32_t>(iterators.size());
  tables.iterators = keep(iterators);
  tables.num_alternatives = static_cast<uint32_t>(alternatives.size());
  tables.alternatives = keep(alternatives);
  return *keep<ingot_program>({tables});
}

} // namespace ingot::test
