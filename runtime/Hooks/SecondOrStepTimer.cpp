//===- SecondOrStepTimer.cpp - Every N steps or S seconds -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/SecondOrStepTimer.h"

using namespace ingot;

SecondOrStepTimer::SecondOrStepTimer(int64_t everySteps, double everySeconds,
                                     std::function<double()> clock)
    : everySteps(everySteps), everySeconds(everySeconds),
      clock(std::move(clock)) {}

bool SecondOrStepTimer::isDue(int64_t step) const {
  if (!any)
    return true;
  if (step == last)
    return false;
  if (everySeconds > 0 && clock() >= time + everySeconds)
    return true;
  return everySteps > 0 && step - last >= everySteps;
}

void SecondOrStepTimer::done(int64_t step) {
  any = true;
  last = step;
  time = clock();
}
