//===- MetaGraphSaverHook.cpp - The saver of a program without variables --===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/MetaGraphSaverHook.h"

using namespace ingot;

Status MetaGraphSaverHook::write(const RunContext &context) {
  timer.done(context.globalStep);
  return checkpoints.saveGraph(context.globalStep);
}

Status MetaGraphSaverHook::afterCreateSession(RunContext &context) {
  return write(context);
}

Status MetaGraphSaverHook::afterRun(RunContext &context, const RunValues &) {
  return timer.isDue(context.globalStep) ? write(context) : Status::ok();
}

Status MetaGraphSaverHook::end(RunContext &context) {
  return context.globalStep == timer.lastStep() ? Status::ok() : write(context);
}
