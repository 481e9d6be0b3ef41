//===- hidden_hook.cpp - A hook in C++ that exports what it must ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// A hook that counts steps, built with -fvisibility=hidden, as many libraries
// are.
//
//===----------------------------------------------------------------------===//

#include <ingot/hook.h>

#include <iostream>
#include <memory>

namespace {

struct Counter {
  const ingot_hook_services &services;
  ingot_hook_run *run;
  int steps = 0;
};

int32_t afterRun(void *state) {
  ++static_cast<Counter *>(state)->steps;
  return INGOT_HOOK_OK;
}

void destroy(void *state) {
  std::unique_ptr<Counter> counter(static_cast<Counter *>(state));
  std::cout << "counted " << counter->steps << " steps" << std::endl;
}

} // namespace

int32_t ingot_hook_create(const ingot_hook_services *services,
                          ingot_hook_run *run, const char *arguments,
                          ingot_hook *hook) {
  hook->name = "counter";
  hook->state = new Counter{*services, run};
  hook->after_run = afterRun;
  hook->destroy = destroy;
  return INGOT_HOOK_OK;
}
