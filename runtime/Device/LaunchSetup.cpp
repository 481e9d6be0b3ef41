//===- LaunchSetup.cpp - Facts of kernels on this machine -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/LaunchSetup.h"

#include "runtime/Device/ParallelLoops.h"

#include <algorithm>

using namespace ingot;

void KernelLaunchBatch::run(int64_t begin, int64_t end) const {
  int64_t size = plan.iterations;
  for (int64_t member = begin / size; member * size < end; ++member)
    plan.run(slots + rows[member].arguments,
             std::max<int64_t>(begin - member * size, 0),
             std::min(end - member * size, size));
}

int64_t ingot::countIterations(const ingot_kernel_code &code,
                               void *const *arguments) {
  int64_t range = code.grid_base;
  for (uint32_t i = 0; i < code.num_terms; ++i)
    range += code.terms[i].coefficient *
             reinterpret_cast<intptr_t>(arguments[code.terms[i].slot]);
  return range <= 0 ? 0 : (range - 1) / code.grid_step + 1;
}

std::vector<CpuKernel> ingot::planKernels(const ingot_program &program,
                                          uint32_t target, unsigned threads) {
  std::vector<CpuKernel> plans;
  plans.reserve(program.num_kernels);
  for (uint32_t i = 0; i < program.num_kernels; ++i) {
    const ingot_kernel_code &code = program.kernels[i].code[target];
    int64_t iterations = code.num_terms ? -1 : countIterations(code, nullptr);
    plans.push_back({code.run, iterations,
                     threads > 1 && isWorthParallelizing(iterations, code.flops,
                                                         code.bytes)});
  }
  return plans;
}

void ingot::setArguments(uint32_t count, const ingot_argument *arguments,
                         const void *const *constants, void *const *variables,
                         uint8_t *arena) {
  auto *slots = reinterpret_cast<const void **>(arena);
  for (uint32_t i = 0; i < count; ++i) {
    const ingot_argument &argument = arguments[i];
    switch (argument.kind) {
    case INGOT_ARGUMENT_ARENA:
      slots[argument.slot] = arena + argument.number;
      break;
    case INGOT_ARGUMENT_VARIABLE:
      slots[argument.slot] = variables[argument.number];
      break;
    case INGOT_ARGUMENT_CONSTANT:
      slots[argument.slot] = constants[argument.number];
      break;
    }
  }
}
