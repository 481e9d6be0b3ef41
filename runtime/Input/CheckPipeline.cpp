//===- CheckPipeline.cpp - Checks a pipeline's tables ---------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Checks the datasets of an iterator: walks the tree of datasets in the
// program's tables. Every index in the tables is checked before it is used, so
// that wrong tables lead to an error, not to an access outside of them.
//===----------------------------------------------------------------------===//
#include "runtime/ABI/Program.h"
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/Pipeline.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <cstring>

namespace ingot::input {

namespace {

class InputPipelineChecker {
public:
  explicit InputPipelineChecker(const ingot_program &program)
      : program(program), visits(program.num_datasets) {}

  Status run(uint32_t index) {
    const ingot_iterator &iterator = program.iterators[index];
    check(iterator, iterator.dataset);
    for (uint32_t i = 0; i < program.num_alternatives; ++i)
      if (program.alternatives[i].iterator == index)
        check(iterator, program.alternatives[i].dataset);
    if (problems.empty())
      return Status::ok();
    return Status(unimplemented ? StatusCode::Unimplemented
                                : StatusCode::InvalidArgument,
                  std::string("iterator '") + iterator.name + "': " + problems);
  }

private:
  static constexpr uint32_t noFunction = UINT32_MAX;
  // The largest depth of a pipeline's tree, and the largest number of datasets
  // in it. These limits also stop the walk if a dataset of a faulty table is
  // its own input.
  static constexpr uint32_t maxDepth = INGOT_MAX_DATASET_DEPTH;
  static constexpr uint32_t maxVisits = INGOT_MAX_DATASETS;

  void check(const ingot_iterator &iterator, uint32_t root) {
    dataset = nullptr;
    if (!checkIndex(root, "input"))
      return;
    // Count the visits of each pipeline separately: the pipelines of one
    // iterator may share datasets, but only one of the pipelines is active at a
    // time.
    visits.assign(program.num_datasets, 0);
    visit(root, 0, noFunction);
    checkComponents(iterator, program.datasets[root]);
  }

  void problem(std::string_view text, bool isUnimplemented = false) {
    if (!problems.empty())
      problems += "; ";
    if (dataset)
      problems += std::string("dataset '") + dataset->node + "' (" +
                  dataset->op + "): ";
    problems += text;
    unimplemented |= isUnimplemented;
  }

  bool checkIndex(uint32_t index, const char *role) {
    if (index < program.num_datasets)
      return true;
    problem(std::string("the ") + role + " dataset " + std::to_string(index) +
            " does not exist: the number of datasets is " +
            std::to_string(program.num_datasets));
    return false;
  }

  /// Checks dataset `index` and those upstream of it. `arguments`: the number
  /// of arguments of the function whose body contains the dataset, or
  /// noFunction.
  void visit(uint32_t index, uint32_t depth, uint32_t arguments) {
    dataset = &program.datasets[index];
    if (depth > maxDepth)
      return problem("the pipeline is nested deeper than " +
                         std::to_string(maxDepth) + " datasets",
                     true);
    if (++numVisits > maxVisits)
      return problem("the program's pipelines have more than " +
                         std::to_string(maxVisits) + " datasets",
                     true);
    const DatasetOp *op = datasetOp(*dataset);
    if (!op)
      return problem(
          "the program has no code for this dataset: compile the graph again",
          true);
    // Refuse a shuffle that reshuffles each iteration if two datasets read it.
    // In TensorFlow, both iterators over it draw seeds from one stream, so the
    // order of elements depends on which iterator begins its pass first.
    if (++visits[index] == 2 && op->has(Shuffles) && reshuffles())
      problem("this shuffle has two consumers, which is supported only with "
              "reshuffle_each_iteration=False",
              true);
    checkOperands(*op, arguments);
    checkFunction(*op);
    if (op->numInputs != anyInputsOrNone &&
        (op->numInputs == anyInputs ? dataset->num_inputs == 0
                                    : dataset->num_inputs != op->numInputs))
      return problem(
          "expected " +
          (op->numInputs == anyInputs ? "at least 1"
                                      : std::to_string(op->numInputs)) +
          " input datasets, found " + std::to_string(dataset->num_inputs));
    const ingot_dataset &self = *dataset;
    bool wasReplayed = isReplayed;
    // The functions in the datasets of an interleave share their random states.
    // If one of the datasets read elements again during a restore, its
    // functions would draw other random numbers than the first time, when the
    // datasets took turns.
    isReplayed |= interleaves > 0 && !op->has(ReadsElementsOnce);
    for (uint32_t i = 0; i < self.num_inputs; ++i) {
      dataset = &self;
      if (checkIndex(self.inputs[i], "input"))
        visit(self.inputs[i], depth + 1, arguments);
    }
    isReplayed = wasReplayed;
    dataset = &self;
    bool interleaved = op->has(InterleavesInputs);
    interleaves += interleaved;
    if (op->function == DatasetFunctionKind::Body && self.num_inputs == 1 &&
        self.inputs[0] < program.num_datasets &&
        checkIndex(static_cast<uint32_t>(self.body), "returned"))
      visit(static_cast<uint32_t>(self.body), depth + 1,
            program.datasets[self.inputs[0]].num_components +
                self.num_operands);
    interleaves -= interleaved;
  }

  bool reshuffles() const {
    for (uint32_t i = 0; i < dataset->num_attributes; ++i)
      if (!std::strcmp(dataset->attributes[i].name, "reshuffle_each_iteration"))
        return dataset->attributes[i].integer != 0;
    return true;
  }

  void checkOperands(const DatasetOp &op, uint32_t arguments) {
    size_t named = op.operands.size();
    if (op.variadic ? dataset->num_operands < named
                    : dataset->num_operands != named)
      return problem(std::string("expected ") +
                     (op.variadic ? "at least " : "") + std::to_string(named) +
                     " operands, found " +
                     std::to_string(dataset->num_operands));
    size_t first = dataset->num_operands - named;
    for (uint32_t i = 0; i < dataset->num_operands; ++i) {
      const ingot_dataset_operand &operand = dataset->operands[i];
      if (operand.constant)
        checkConstant(*operand.constant, i,
                      i < first ? nullptr : &op.operands[i - first]);
      else if (arguments == noFunction || operand.argument >= arguments)
        problem("operand " + std::to_string(i) + " is argument " +
                std::to_string(operand.argument) +
                " of the enclosing function, but the number of arguments is " +
                std::to_string(arguments == noFunction ? 0 : arguments));
    }
  }

  void checkConstant(const ingot_constant &constant, uint32_t number,
                     const DatasetOperandConstraint *rule) {
    const ingot_tensor_spec &spec = constant.spec;
    Shape shape(spec.dims, spec.rank);
    std::string what = "operand " + std::to_string(number);
    if (rule)
      what += std::string(" (") + rule->name + ")";
    int64_t count = 0;
    std::string type = dtypeName(spec.dtype) + shapeText(shape);
    if (!countElements(shape, count))
      return problem(what + " has too many elements: " + type);
    if (elementSize(spec.dtype) == 0)
      return problem(what + " has an unsupported type: " + type);
    if (count && !constant.data)
      return problem(what + " has no data: " + type);
    if (!rule)
      return;
    if (spec.dtype != rule->dtype || spec.rank > rule->maxRank)
      return problem(what + " is " + dtypeName(spec.dtype) + shapeText(shape) +
                     ", expected " + dtypeName(rule->dtype) +
                     (rule->maxRank ? " of rank 0 or 1" : "[]"));
    if (spec.dtype == INGOT_INT64 && spec.rank == 0 &&
        *static_cast<const int64_t *>(constant.data) < rule->least)
      problem(what + " is " +
              std::to_string(*static_cast<const int64_t *>(constant.data)) +
              ", expected at least " + std::to_string(rule->least));
  }

  void checkFunction(const DatasetOp &op) {
    if (op.function != DatasetFunctionKind::Compiled)
      return;
    auto index = static_cast<uint32_t>(dataset->function);
    if (index >= program.num_functions)
      return problem("function " + std::to_string(dataset->function) +
                     " does not exist: the number of functions is " +
                     std::to_string(program.num_functions));
    const ingot_function &function = program.functions[index];
    checkParse(function);
    for (uint32_t i = 0; i < function.num_outputs; ++i) {
      const ingot_tensor_spec &spec = function.outputs[i];
      Shape shape(spec.dims, spec.rank);
      int64_t count = 0;
      // If a dimension is dynamic, the number of elements is known at run time
      // only, so overflow is checked for static shapes only.
      bool isOpen = std::ranges::any_of(shape, [](int64_t d) { return d < 0; });
      if ((!isOpen && !countElements(shape, count)) ||
          elementSize(spec.dtype) == 0)
        problem("result " + std::to_string(i) + " of function '" +
                    function.name + "' is " + dtypeName(spec.dtype) +
                    shapeText(shape) +
                    ", which is not supported: its elements must be strings or "
                    "have a fixed size, and must fit into memory",
                true);
    }
    size_t captured =
        dataset->num_operands -
        std::min<size_t>(op.operands.size(), dataset->num_operands);
    uint64_t given = captured + uint64_t(function.num_positions) +
                     function.num_seeds + function.num_variables;
    for (uint32_t i = 0; i < dataset->num_inputs; ++i) {
      if (dataset->inputs[i] >= program.num_datasets)
        return; // visit() reports the invalid index
      given += program.datasets[dataset->inputs[i]].num_components;
    }
    if (function.num_outputs < function.num_positions)
      problem(std::string("function '") + function.name + "' must return " +
              std::to_string(function.num_positions) +
              " positions in sequences of random numbers, but has only " +
              std::to_string(function.num_outputs) + " results");
    checkStates(function);
    checkVariables(function);
    if (function.num_positions && isReplayed)
      problem("the function draws random numbers within an interleave, "
              "upstream of a dataset that prefetches or repeats elements; move "
              "the function after the interleave",
              true);
    if (function.num_inputs != given)
      problem(std::string("function '") + function.name + "' takes " +
              std::to_string(function.num_inputs) + " arguments, but " +
              std::to_string(given) + " are given");
  }

  /// Checks the parse tables of a function that parses Examples: each result
  /// must have the type and shape of its feature.
  void checkParse(const ingot_function &function) {
    const ingot_parse_spec *parse = function.parse;
    if (!parse)
      return;
    auto isWrong = [&](uint32_t output) {
      uint32_t feature = function.parsed[output];
      if (feature == INGOT_COMPUTED)
        return false;
      if (feature >= parse->num_dense)
        return true;
      const ingot_dense_feature &dense = parse->dense[feature];
      const ingot_tensor_spec &spec = function.outputs[output];
      int64_t parsed = 0, count = 0;
      Shape shape(spec.dims, spec.rank);
      // If the function parses a batch, the first dimension of a result is the
      // number of Examples.
      if (function.inputs[0].rank == 1)
        shape = shape.subspan(std::min<size_t>(1, shape.size()));
      return dense.dtype != spec.dtype ||
             !countElements({dense.dims, dense.rank}, parsed) ||
             !countElements(shape, count) || parsed != count;
    };
    bool fits = function.num_inputs == 1 && function.parsed &&
                function.inputs[0].dtype == INGOT_STRING &&
                function.inputs[0].rank <= 1;
    for (uint32_t i = 0; i < function.num_outputs && fits; ++i)
      fits = !isWrong(i);
    if (!fits)
      problem(std::string("function '") + function.name +
              "' must take a string or a vector of strings, and return the "
              "parsed features with the types and sizes of the parse table");
  }

  /// Checks that positions and seeds of random ops are int64[2].
  void checkStates(const ingot_function &function) {
    auto check = [&](const ingot_tensor_spec *specs, uint64_t size,
                     uint64_t count, uint64_t first) {
      for (uint64_t i = first; i < first + count && i < size; ++i)
        if (specs[i].dtype != INGOT_INT64 || specs[i].rank != 1 ||
            specs[i].dims[0] != 2)
          problem(
              std::string("function '") + function.name +
              "': a position or seed of a random op must be int64[2], but is " +
              dtypeName(specs[i].dtype) +
              shapeText(Shape(specs[i].dims, specs[i].rank)));
    };
    uint64_t numStates = uint64_t(function.num_positions) + function.num_seeds;
    uint64_t numLast = numStates + function.num_variables;
    if (numLast <= function.num_inputs)
      check(function.inputs, function.num_inputs, numStates,
            function.num_inputs - numLast);
    if (function.num_positions <= function.num_outputs)
      check(function.outputs, function.num_outputs, function.num_positions,
            function.num_outputs - function.num_positions);
  }

  /// Checks the types of the variables that a function reads, because compiled
  /// code accesses their memory directly.
  void checkVariables(const ingot_function &function) {
    if (function.num_variables > function.num_inputs)
      return problem(std::string("function '") + function.name + "' reads " +
                     std::to_string(function.num_variables) +
                     " variables as its last inputs, but has only " +
                     std::to_string(function.num_inputs) + " inputs");
    const ingot_tensor_spec *inputs =
        function.inputs + (function.num_inputs - function.num_variables);
    for (uint32_t i = 0; i < function.num_variables; ++i) {
      uint32_t number = function.variables[i];
      if (number >= program.num_variables) {
        problem(std::string("function '") + function.name +
                "' reads variable " + std::to_string(number) +
                ", but the number of variables is " +
                std::to_string(program.num_variables));
        continue;
      }
      const ingot_tensor_spec &variable = program.variables[number].spec;
      if (inputs[i].dtype != variable.dtype ||
          !std::ranges::equal(Shape(inputs[i].dims, inputs[i].rank),
                              Shape(variable.dims, variable.rank)))
        problem(std::string("function '") + function.name +
                "' reads variable '" + variable.name +
                "' as another type or shape: " + dtypeName(inputs[i].dtype) +
                shapeText(Shape(inputs[i].dims, inputs[i].rank)) + ", not " +
                dtypeName(variable.dtype) +
                shapeText(Shape(variable.dims, variable.rank)));
    }
  }

  void checkComponents(const ingot_iterator &iterator,
                       const ingot_dataset &root) {
    dataset = nullptr;
    if (iterator.num_components != root.num_components)
      return problem("the iterator has " +
                     std::to_string(iterator.num_components) +
                     " components, but its dataset has " +
                     std::to_string(root.num_components));
    for (uint32_t i = 0; i < root.num_components; ++i)
      if (iterator.components[i].dtype != root.components[i].dtype)
        problem("component " + std::to_string(i) + " is " +
                dtypeName(iterator.components[i].dtype) +
                " in the iterator, but " + dtypeName(root.components[i].dtype) +
                " in its dataset");
  }

  const ingot_program &program;
  std::vector<uint32_t> visits;
  uint32_t numVisits = 0;
  const ingot_dataset *dataset = nullptr; // the dataset being checked
  std::string problems;
  bool unimplemented = false;
  uint32_t interleaves = 0; // number of interleaves that contain `dataset`
  // Whether `dataset` is inside an interleave and upstream of a dataset that
  // may read elements again (that is not ReadsElementsOnce).
  bool isReplayed = false;
};

} // namespace

Status checkPipeline(const ingot_program &program, uint32_t iterator) {
  if (iterator >= program.num_iterators)
    return Status(StatusCode::InvalidArgument,
                  "the program has no iterator " + std::to_string(iterator) +
                      ": iterators are numbered from 0, and their count is " +
                      std::to_string(program.num_iterators));
  return InputPipelineChecker(program).run(iterator);
}

} // namespace ingot::input
