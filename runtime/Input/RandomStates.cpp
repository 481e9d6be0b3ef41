//===- RandomStates.cpp - Random states of functions ----------------------===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "runtime/Input/Dataset.h"

#include "runtime/ABI/Program.h"

#include <algorithm>
#include <sys/random.h>

namespace ingot::input {

Expected<uint64_t> drawSeed() {
  uint64_t seed = 0;
  if (getentropy(&seed, sizeof(seed)))
    return Status(StatusCode::Unavailable,
                  "cannot read random numbers from the system for random ops "
                  "of the input pipeline: give these ops seeds");
  return std::max<uint64_t>(seed, 1);
}

std::shared_ptr<RandomState> RandomStates::state() {
  if (nextState == states.size())
    states.push_back(std::make_shared<RandomState>());
  states[nextState]->seed = derive(2 * nextState);
  return states[nextState++];
}

std::shared_ptr<RandomStates> RandomStates::body() {
  if (nextBody == bodies.size())
    bodies.push_back(std::make_shared<RandomStates>(derive(2 * nextBody + 1)));
  return bodies[nextBody++];
}

void RandomStates::save(proto::RandomStates &saved) const {
  saved.set_seed(seed);
  for (const auto &state : states) {
    proto::RandomState &own = *saved.add_functions();
    own.mutable_words()->Add(state->words.begin(), state->words.end());
  }
  for (const auto &body : bodies)
    body->save(*saved.add_bodies());
}

Status RandomStates::restore(const proto::RandomStates &saved) {
  seed = saved.seed();
  rewind();
  for (const proto::RandomState &own : saved.functions()) {
    std::vector<uint64_t> &words = state()->words;
    if (!words.empty() && words.size() != static_cast<size_t>(own.words_size()))
      return badState("random ops have " + std::to_string(own.words_size()) +
                      " numbers, expected " + std::to_string(words.size()));
    words.assign(own.words().begin(), own.words().end());
  }
  for (const proto::RandomStates &inner : saved.bodies())
    INGOT_RETURN_IF_ERROR(body()->restore(inner));
  rewind();
  return Status::ok();
}

bool drawsRandom(const ingot_program &program, uint32_t index, bool unseeded) {
  const ingot_dataset &dataset = program.datasets[index];
  if (dataset.function >= 0) {
    const ingot_function &function = program.functions[dataset.function];
    if (function.num_seeds || (!unseeded && function.num_positions))
      return true;
  }
  if (dataset.body >= 0 &&
      drawsRandom(program, static_cast<uint32_t>(dataset.body), unseeded))
    return true;
  for (uint32_t i = 0; i < dataset.num_inputs; ++i)
    if (drawsRandom(program, dataset.inputs[i], unseeded))
      return true;
  return false;
}

} // namespace ingot::input
