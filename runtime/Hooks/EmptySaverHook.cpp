//===- EmptySaverHook.cpp - The saver of a program without variables ------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/EmptySaverHook.h"

using namespace ingot;

Status EmptySaverHook::write(const RunContext &context) {
  timer.done(context.globalStep);
  return checkpoints.saveGraph(context.globalStep);
}

Status EmptySaverHook::afterCreateSession(RunContext &context) {
  return write(context);
}

Status EmptySaverHook::afterRun(RunContext &context, const RunValues &) {
  return timer.isDue(context.globalStep) ? write(context) : Status::ok();
}

Status EmptySaverHook::end(RunContext &context) {
  return context.globalStep == timer.lastStep() ? Status::ok() : write(context);
}
