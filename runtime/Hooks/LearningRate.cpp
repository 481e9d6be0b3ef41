//===- LearningRate.cpp - The learning rates of a program -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/LearningRate.h"

#include "runtime/ABI/Program.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Numeric.h"

#include <algorithm>
#include <cctype>
#include <string_view>

using namespace ingot;

/// Returns the last component of a variable's name, without the number that
/// TensorFlow appends to a name that is taken: "learning_rate" for
/// "Adam/learning_rate_1".
static std::string_view lastComponent(std::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);
  size_t number = name.rfind('_');
  if (number != std::string_view::npos && number + 1 < name.size() &&
      std::all_of(name.begin() + static_cast<long>(number) + 1, name.end(),
                  [](unsigned char c) { return std::isdigit(c); }))
    name = name.substr(0, number);
  return name;
}

std::vector<uint32_t> ingot::learningRatesOf(const ingot_program &program) {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_tensor_spec &spec = program.variables[i].spec;
    std::string_view name = lastComponent(spec.name);
    if (spec.rank == 0 && isFloating(spec.dtype) &&
        (name == "learning_rate" || name == "lr"))
      found.push_back(i);
  }
  return found;
}
