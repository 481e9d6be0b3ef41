//===- TranslateLoops.cpp - Loops -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Regions become functions of the graph; the values around them that they use
// become arguments, which the body returns unchanged.
//
// Front ends write a scan as a counted loop that reads a row of some arrays in
// each iteration, and writes a row of others. Such arrays become TensorLists,
// as those of TensorFlow's own scans, for which the compiler has passes. A body
// is translated twice for this: first to see how it uses its arguments.
//
//===----------------------------------------------------------------------===//

#include "compiler/StableHLO/Regions.h"

using namespace llvm;

namespace ingot::stablehlo {

namespace {

/// The deepest nesting of loops whose bodies are translated twice.
constexpr unsigned mostNested = 4;
/// The longest loop whose rows become TensorLists.
constexpr int64_t mostSteps = 1 << 16;

/// A while op on its way.
class Loop {
public:
  Loop(Translation &t, const Op &op, ArrayRef<Tensor> x)
      : t(t), op(op), initial(x), names(t.freeValues(op)) {}

  Tensors translate();

private:
  bool isValid() const;
  void findCounter();
  void build(ArrayRef<Tensor> state);
  bool chooseLists();
  Tensor withLoop(const Tensor &argument, size_t index) const;

  Translation &t;
  const Op &op;
  Tensors initial;
  std::vector<unsigned> names;
  /// The values that the loop carries: those of the op, then captured ones.
  Tensors state;
  std::optional<size_t> counter;
  int64_t steps = 0;
  /// Which values are TensorLists; the arguments and results of the body.
  SmallVector<bool> isList;
  Tensors given, next, tested;
  std::string condition, body;
};

} // namespace

bool Loop::isValid() const {
  if (op.regions.size() != 2)
    return false;
  const Block &test = *op.regions[0], &step = *op.regions[1];
  auto fits = [&](ArrayRef<unsigned> values) {
    return values.size() == initial.size() &&
           all_of(zip(values, initial), [&](auto pair) {
             const TensorType &type = t.typeOf(std::get<0>(pair));
             return type.element == std::get<1>(pair)->type &&
                    type.shape == std::get<1>(pair)->shape;
           });
  };
  if (!fits(test.arguments) || !fits(step.arguments) || !fits(step.returned) ||
      test.returned.size() != 1)
    return false;
  const TensorType &type = t.typeOf(test.returned[0]);
  return type.element == proto::DT_BOOL && type.shape.empty();
}

static const Op *definition(const Block &block, unsigned value) {
  for (const Op &op : block.ops)
    if (is_contained(op.results, value))
      return &op;
  return nullptr;
}

// Returns the value of a scalar constant of the block.
static std::optional<int64_t> constantOf(const Block &block, unsigned value) {
  const Op *op = definition(block, value);
  const Attribute *attribute = op ? op->find("value") : nullptr;
  if (!attribute || attribute->kind != Attribute::Dense)
    return std::nullopt;
  const Elements &elements = *attribute->elements;
  if (!elements.type.shape.empty() ||
      elements.type.element != proto::DT_INT32 || elements.bytes.size() != 4)
    return std::nullopt;
  int32_t number;
  memcpy(&number, elements.bytes.data(), 4);
  return number;
}

// Finds a value that begins as 0, grows by 1, and ends the loop at a constant.
void Loop::findCounter() {
  const Block &test = *op.regions[0], &step = *op.regions[1];
  const Op *compare = definition(test, test.returned[0]);
  const Attribute *direction =
      compare ? compare->find("comparison_direction") : nullptr;
  if (!direction || direction->text != "LT" || compare->operands.size() != 2)
    return;
  auto argument = find(test.arguments, compare->operands[0]);
  auto end = constantOf(test, compare->operands[1]);
  if (argument == test.arguments.end() || !end || *end < 1 || *end > mostSteps)
    return;
  size_t index = argument - test.arguments.begin();
  const Op *add = definition(step, step.returned[index]);
  const Tensor &first = thinOf(initial[index]);
  bool isZero = first->constant && first->type == proto::DT_INT32 &&
                first->constant->bytes == std::string(4, 0);
  if (!isZero || !add || add->name != "stablehlo.add" ||
      add->operands.size() != 2 || add->operands[0] != step.arguments[index] ||
      constantOf(step, add->operands[1]) != 1)
    return;
  counter = index;
  steps = *end;
}

// An argument of the body, with what the rules of slices need to know.
Tensor Loop::withLoop(const Tensor &argument, size_t index) const {
  if (!counter || !state[index]->rank())
    return argument;
  Tensor array = std::make_shared<TensorNode>();
  *array = *argument;
  array->type = state[index]->type;
  array->shape = state[index]->shape;
  array->loop = std::make_shared<LoopArgument>();
  array->loop->steps = steps;
  if (isList[index]) {
    array->loop->list = argument;
    array->output.reset();
  }
  return array;
}

// Adds the functions of condition and body, whose arguments have the types of
// `inputs`.
void Loop::build(ArrayRef<Tensor> inputs) {
  const Block &test = *op.regions[0], &step = *op.regions[1];
  condition =
      t.addFunction("while_cond", inputs, [&](ArrayRef<Tensor> arguments) {
        tested = Tensors(arguments);
        Translation::Values values = valuesOf(test, names, arguments);
        return t.region(test, values);
      });
  body = t.addFunction("while_body", inputs, [&](ArrayRef<Tensor> arguments) {
    given.clear();
    for (auto [index, argument] : enumerate(arguments))
      given.push_back(withLoop(argument, index));
    if (counter) {
      std::vector<int64_t> places(steps);
      for (int64_t i = 0; i < steps; ++i)
        places[i] = i;
      given[*counter]->perStep =
          std::make_shared<const std::vector<int64_t>>(std::move(places));
      for (const Tensor &one : given)
        if (one->loop)
          one->loop->counter = given[*counter];
    }
    Translation::Values values = valuesOf(step, names, given);
    next = t.region(step, values);
    append_range(next, ArrayRef<Tensor>(given).drop_front(initial.size()));
    Tensors results;
    for (auto [index, one] : enumerate(next))
      results.push_back(isList[index] ? one->loop->list : one);
    return results;
  });
  // Arguments point to the counter, and the counter's own list to itself.
  for (const Tensor &one : given)
    if (one->loop)
      one->loop->counter.reset();
}

// Finds the arrays of which the body only reads rows, or only writes them.
bool Loop::chooseLists() {
  for (size_t index = 0; index < state.size(); ++index) {
    const Tensor &argument = given[index];
    if (!argument->loop || tested[index]->uses)
      continue;
    const LoopArgument &loop = *argument->loop;
    bool isRead = next[index] == argument && loop.reads &&
                  argument->uses == loop.reads && count(next, argument) == 1;
    bool isWritten = loop.written && next[index] == loop.written &&
                     argument->uses == 1 && !loop.written->uses &&
                     count(next, loop.written) == 1 && !count(next, argument);
    isList[index] = isRead || isWritten;
  }
  return is_contained(isList, true);
}

Tensors Loop::translate() {
  GraphBuilder &b = t.builder();
  auto around = captured(t, names);
  if (!isValid() || !around)
    return {};
  state = initial;
  append_range(state, *around);
  isList.assign(state.size(), false);
  if (t.functionDepth() < mostNested)
    findCounter();
  int before = t.countFunctions();
  build(state);
  Tensors inputs = state;
  if (counter && t.problems().empty() && chooseLists()) {
    t.dropFunctions(before);
    for (auto [index, input] : enumerate(inputs)) {
      if (!isList[index])
        continue;
      Tensor row = b.sizes(ArrayRef<int64_t>(input->shape).drop_front());
      // Each iteration writes another row, so that nothing is left of the
      // array's first value.
      input = given[index]->loop->written
                  ? b.node("TensorListReserve",
                           {row, b.scalar(steps, proto::DT_INT32)},
                           proto::DT_VARIANT, {},
                           {{"element_dtype", exporter::type(input->type)}})
                  : b.node("TensorListFromTensor", {input, row},
                           proto::DT_VARIANT, {});
    }
    build(inputs);
  }
  std::vector<TensorType> types = typesOf(inputs);
  Tensors made = b.add("StatelessWhile", inputs, types,
                       {{"cond", exporter::function(condition)},
                        {"body", exporter::function(body)},
                        {"output_shapes", shapesOf(types)},
                        {"parallel_iterations", exporter::integer(10)}});
  made.truncate(initial.size());
  for (auto [index, result] : enumerate(made)) {
    if (!isList[index])
      continue;
    bool isRead = next[index] == given[index];
    const Tensor &array = state[index];
    ArrayRef<int64_t> row = ArrayRef<int64_t>(array->shape).drop_front();
    result = isRead ? array
                    : b.node("TensorListStack", {result, b.sizes(row)},
                             array->type, array->shape,
                             {{"num_elements", exporter::integer(steps)}});
  }
  return made;
}

static Tensors whileLoop(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  return Loop(t, op, x).translate();
}

void addLoopOps(OpTable &table) {
  table["stablehlo.while"] = {whileLoop, -1, -1};
}

} // namespace ingot::stablehlo
