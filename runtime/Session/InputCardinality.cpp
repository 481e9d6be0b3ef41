//===- InputCardinality.cpp - Entries that never run out of input ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// Distinguishes endless datasets from those that end, like tf.data's
// cardinality(), as far as their ops and constant operands show it.
//
//===----------------------------------------------------------------------===//

#include "runtime/ABI/Tensor.h"
#include "runtime/Session/Program.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

using namespace ingot;

namespace {

/// How many elements a dataset yields: none, infinitely many, or some finite or
/// unknown number.
enum class Cardinality { None, Infinite, Other };

class CardinalityCounter {
public:
  explicit CardinalityCounter(const ingot_program &program)
      : program(program) {}

  Cardinality count(uint32_t index) const;

private:
  static std::optional<int64_t> operand(const ingot_dataset &dataset,
                                        uint32_t index);
  static Cardinality ofSource(const ingot_dataset &dataset);
  static Cardinality ofSeveral(std::string_view op,
                               const std::vector<Cardinality> &inputs);
  static Cardinality ofCounted(std::string_view op, int64_t number,
                               Cardinality input);

  const ingot_program &program;
};

} // namespace

/// Returns the value of an operand that is a constant integer.
std::optional<int64_t> CardinalityCounter::operand(const ingot_dataset &dataset,
                                                   uint32_t index) {
  if (index >= dataset.num_operands || !dataset.operands[index].constant)
    return std::nullopt;
  return *static_cast<const int64_t *>(dataset.operands[index].constant->data);
}

/// Counts the elements of a dataset without inputs.
Cardinality CardinalityCounter::ofSource(const ingot_dataset &dataset) {
  std::string_view op = dataset.op;
  if (op == "TensorSliceDataset" && dataset.num_operands > 0 &&
      dataset.operands[0].constant) {
    const ingot_tensor_spec &spec = dataset.operands[0].constant->spec;
    return spec.rank > 0 && spec.dims[0] == 0 ? Cardinality::None
                                              : Cardinality::Other;
  }
  if (op != "RangeDataset")
    return Cardinality::Other;
  auto start = operand(dataset, 0), stop = operand(dataset, 1),
       step = operand(dataset, 2);
  if (!start || !stop || !step || *step == 0)
    return Cardinality::Other;
  return (*step > 0 ? *start < *stop : *start > *stop) ? Cardinality::Other
                                                       : Cardinality::None;
}

/// Returns the cardinality of a repeat, a take or a skip of `number` elements
/// or passes. A negative number means that a repeat never ends, and that a take
/// or a skip applies to all elements.
Cardinality CardinalityCounter::ofCounted(std::string_view op, int64_t number,
                                          Cardinality input) {
  if (input == Cardinality::None || (number == 0 && op != "SkipDataset") ||
      (number < 0 && op == "SkipDataset"))
    return Cardinality::None;
  if (op == "RepeatDataset")
    return number < 0 || input == Cardinality::Infinite ? Cardinality::Infinite
                                                        : Cardinality::Other;
  if (op == "TakeDataset")
    return number < 0 ? input : Cardinality::Other;
  return input == Cardinality::Infinite ? Cardinality::Infinite
                                        : Cardinality::Other;
}

/// Counts the elements of a dataset of several inputs.
Cardinality
CardinalityCounter::ofSeveral(std::string_view op,
                              const std::vector<Cardinality> &inputs) {
  auto all = [&](Cardinality value) {
    return std::all_of(inputs.begin(), inputs.end(),
                       [&](Cardinality one) { return one == value; });
  };
  auto any = [&](Cardinality value) {
    return std::find(inputs.begin(), inputs.end(), value) != inputs.end();
  };
  if (op == "ConcatenateDataset")
    return any(Cardinality::Infinite) ? Cardinality::Infinite
           : all(Cardinality::None)   ? Cardinality::None
                                      : Cardinality::Other;
  // A dataset of several inputs, such as a zip, may end with the first input
  // that ends, so all of them must be endless.
  if (all(Cardinality::Infinite))
    return Cardinality::Infinite;
  return all(Cardinality::None) ||
                 (op == "ZipDataset" && any(Cardinality::None))
             ? Cardinality::None
             : Cardinality::Other;
}

/// Counts the elements of dataset `index`. A repeat without end is Infinite
/// even if nothing is known of its input. Any other dataset is Infinite only if
/// its input is Infinite and its op, unlike a take, does not end the input.
Cardinality CardinalityCounter::count(uint32_t index) const {
  const ingot_dataset &dataset = program.datasets[index];
  std::string_view op = dataset.op;
  if (dataset.num_inputs == 0)
    return ofSource(dataset);
  std::vector<Cardinality> inputs;
  for (uint32_t i = 0; i < dataset.num_inputs; ++i)
    inputs.push_back(dataset.inputs[i] < index ? count(dataset.inputs[i])
                                               : Cardinality::Other);
  if (inputs.size() > 1)
    return ofSeveral(op, inputs);
  Cardinality input = inputs.front();
  if (op == "RepeatDataset" || op == "TakeDataset" || op == "SkipDataset") {
    auto number = operand(dataset, 0);
    if (number)
      return ofCounted(op, *number, input);
    // The count of this repeat, take or skip is not constant. A take may then
    // end even an endless input; a skip or a repeat of an endless input is
    // endless.
    return input == Cardinality::None ||
                   (input == Cardinality::Infinite && op != "TakeDataset")
               ? input
               : Cardinality::Other;
  }
  if (op == "TakeWhileDataset" && input == Cardinality::Infinite)
    return Cardinality::Other;
  // Any other dataset, such as a map, is empty if its input is empty, and is
  // assumed to be endless if its input is endless.
  return input == Cardinality::None || input == Cardinality::Infinite
             ? input
             : Cardinality::Other;
}

bool ingot::neverEnds(const ingot_program &program, const ingot_entry &entry) {
  return std::all_of(entry.iterators, entry.iterators + entry.num_iterators,
                     [&](uint32_t iterator) {
                       // An initializer may start the iterator over an
                       // alternative dataset, which may end.
                       for (uint32_t i = 0; i < program.num_alternatives; ++i)
                         if (program.alternatives[i].iterator == iterator)
                           return false;
                       return CardinalityCounter(program).count(
                                  program.iterators[iterator].dataset) ==
                              Cardinality::Infinite;
                     });
}
