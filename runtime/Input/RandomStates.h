//===- RandomStates.h - Random states of functions --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A dataset's function that draws random numbers, such as the function of a
// map, must not draw the same numbers again when the dataset's iterator is
// created again. In the body of a flat_map or interleave, for instance,
// iterators are created again for each element. So the states of random ops are
// stored here, outside the iterators, and outlive them.
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

/// The state of a function's random ops: their positions in their sequences,
/// then their seeds, two words each. Empty until a CapturedFunction is first
/// created for the function.
struct RandomState {
  std::vector<uint64_t> words;
  /// The seed of random ops to which the graph gives no seed.
  uint64_t seed = 0;
};

/// Returns a random seed. It is never 0, since 0 stands for no seed.
Expected<uint64_t> drawSeed();

/// The random states of all functions in the body of a flat_map or interleave.
/// They are in the order in which the iterators of the body's datasets are
/// made; this order is always the same, so each function finds its state again.
class RandomStates {
public:
  explicit RandomStates(uint64_t seed) : seed(seed) {}

  /// Starts over with the first state, because an iterator over the body is
  /// being made again.
  void rewind() { nextState = nextBody = 0; }

  std::shared_ptr<RandomState> state();
  /// Returns the random states of the next flat_map or interleave body that is
  /// nested in this body. Nested bodies count in the order in which their
  /// iterators are made.
  std::shared_ptr<RandomStates> body();

  void save(proto::RandomStates &saved) const;
  /// Drops all states. The iterators that use the states must have been
  /// destroyed, because the changes that they make would no longer be saved.
  void clear() {
    states.clear();
    bodies.clear();
    rewind();
  }
  /// Restores all states. Returns DataLoss if `saved` does not match the
  /// functions.
  Status restore(const proto::RandomStates &saved);

private:
  /// Returns a seed that depends only on `seed` and `number`, or 0 if `seed` is
  /// 0. The i-th function has number 2 i, the i-th nested body 2 i + 1, so that
  /// all of them draw different random numbers.
  uint64_t derive(uint64_t number) const {
    return seed == 0 ? 0 : seed + number * 0x9e3779b97f4a7c15;
  }

  uint64_t seed; // 0: the graph gives a seed to every random op
  std::vector<std::shared_ptr<RandomState>> states;
  std::vector<std::shared_ptr<RandomStates>> bodies;
  size_t nextState = 0, nextBody = 0;
};

/// Returns true if dataset `index`, a dataset upstream of it, or its body has a
/// function that draws random numbers. The body is the dataset that the
/// function of a flat_map, for instance, returns. If `unseeded` is true,
/// functions to which the graph gives seeds do not count.
bool drawsRandom(const ingot_program &program, uint32_t index,
                 bool unseeded = false);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_RANDOMSTATES_H
