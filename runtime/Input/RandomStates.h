//===- RandomStates.h - Random states of functions --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A function that draws random numbers continues its sequence in the next pass
// and, in the body of a flat_map, in the next dataset that the body makes. Such
// a body's iterators come and go; the states of their functions are kept here.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_RANDOMSTATES_H
#define INGOT_RUNTIME_INPUT_RANDOMSTATES_H

#include "proto/IteratorState.pb.h"
#include "runtime/ABI/Dataset.h"
#include "runtime/Support/Expected.h"

#include <memory>
#include <vector>

struct ingot_program;

namespace ingot::input {

/// The positions in their sequences, then the seeds, of a function's random
/// ops: two words each. Empty until a FunctionCall is first created for it.
struct RandomState {
  std::vector<uint64_t> words;
  /// The source of seeds that are not given.
  uint64_t seed = 0;
};

/// A random seed, which is not 0.
Expected<uint64_t> drawSeed();

/// The states of the functions in a body, in the order in which an iterator
/// over it is made, which is the same each time.
class RandomStates {
public:
  explicit RandomStates(uint64_t seed) : seed(seed) {}

  /// Starts over: an iterator over the body is being made again.
  void rewind() { nextState = nextBody = 0; }

  std::shared_ptr<RandomState> state();
  /// The states of a body nested in this one.
  std::shared_ptr<RandomStates> body();

  void save(proto::RandomStates &saved) const;
  /// Forgets those there are; the iterators that use them go away.
  void clear() {
    states.clear();
    bodies.clear();
    rewind();
  }
  /// DataLoss where `saved` does not match the functions.
  Status restore(const proto::RandomStates &saved);

private:
  /// Seed number `number`, the same one each time.
  uint64_t derive(uint64_t number) const {
    return seed == 0 ? 0 : seed + number * 0x9e3779b97f4a7c15;
  }

  uint64_t seed; // 0: no function wants one
  std::vector<std::shared_ptr<RandomState>> states;
  std::vector<std::shared_ptr<RandomStates>> bodies;
  size_t nextState = 0, nextBody = 0;
};

/// Whether a function of dataset `index`, its inputs or its body draws random
/// numbers; with `unseeded`, from no seed of its own.
bool drawsRandom(const ingot_program &program, uint32_t index,
                 bool unseeded = false);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_RANDOMSTATES_H
