//===- LearningRate.h - The learning rates of a program ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_LEARNINGRATE_H
#define INGOT_RUNTIME_HOOKS_LEARNINGRATE_H

#include <cstdint>
#include <vector>

struct ingot_program;

namespace ingot {

/// Returns the indices of the variables that are learning rates: floating-point
/// scalars named "learning_rate" or "lr" in any scope. Keras, Estimator and
/// users give them these names. A learning rate that the step computes, such as
/// that of a schedule, is not a variable.
std::vector<uint32_t> learningRatesOf(const ingot_program &program);

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_LEARNINGRATE_H
