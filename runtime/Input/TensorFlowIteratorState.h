//===- TensorFlowIteratorState.h - States of tf.data ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The position of an iterator as TensorFlow saves it: tensors under the name of
// an iterator ("Iterator::Root::Prefetch::BatchV2") and a key ("index"). A
// checkpoint has them as the elements of a variant (docs/iterator-state.md).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_TENSORFLOWITERATORSTATE_H
#define INGOT_RUNTIME_INPUT_TENSORFLOWITERATORSTATE_H

#include "runtime/Input/Tensor.h"
#include "runtime/Support/Expected.h"

#include <map>
#include <string>
#include <vector>

namespace ingot::input {

/// The rewrites that TensorFlow's optimizer may have applied to a pipeline.
/// Rewrites change the names and the states of iterators. A state that is read
/// shows which rewrites were applied; a state that is written contains the
/// names for several combinations of rewrites.
struct AppliedDatasetOptimizations {
  bool parallelMaps = false;     // maps become parallel maps
  bool mapAndBatch = false;      // a map and its batch become one iterator
  bool shuffleAndRepeat = false; // a shuffle and its repeat become one iterator
};

/// A saved iterator state of TensorFlow that is being read or written.
/// exchange() of each dataset reads its tensors from the state, or adds them.
class TensorFlowIteratorState {
public:
  enum class Direction { Read, Write };

  TensorFlowIteratorState(TensorMemoryPool &pool, Direction direction)
      : pool(pool), direction(direction) {}

  bool isReading() const { return direction == Direction::Read; }

  /// Parses the serialized elements of a variant, and adds their tensors. The
  /// bytes are not trusted: returns DataLoss if they are damaged, and
  /// Unimplemented if they have the form of a version of TensorFlow that is not
  /// supported.
  Status parse(std::span<const std::string> variants);
  /// Serializes all tensors as the elements of one variant.
  Expected<std::vector<std::string>> serialize() const;

  /// Returns true if the state has an iterator whose name is, or begins with,
  /// `name`.
  bool hasIterator(const std::string &name) const;
  bool has(const std::string &name, const std::string &key) const {
    return find(name, key) != nullptr;
  }

  /// Reads or writes a number, a flag or a tensor. Reading returns NotFound if
  /// there is no such tensor, and DataLoss if it has another type or shape.
  Status exchange(const std::string &name, const std::string &key,
                  uint64_t &value);
  Status exchange(const std::string &name, const std::string &key, bool &value);
  Status exchange(const std::string &name, const std::string &key,
                  Tensor &value);
  /// Writes an empty string, which TensorFlow uses as a flag.
  void mark(const std::string &name, const std::string &key);
  /// Writes a number.
  void set(const std::string &name, const std::string &key, uint64_t value) {
    (void)exchange(name, key, value);
  }

  /// Reads or writes an element: the number of its components under key
  /// `count`, and each component under key `component` with its index in
  /// brackets.
  Status exchange(const std::string &name, const std::string &count,
                  const std::string &component, Element &element);

  /// State that exchange() of one dataset passes to exchange() of the next one,
  /// if TensorFlow has fused both into one iterator.
  AppliedDatasetOptimizations rewrites;
  bool isFused = false;    // the next dataset belongs to its parent's iterator
  uint64_t fusedEpoch = 0; // passes that a repeated shuffle has finished
  bool fusedEnded = false; // a repeated shuffle has ended its last pass

private:
  const Tensor *find(const std::string &name, const std::string &key) const;
  Status read(const std::string &name, const std::string &key,
              uint64_t &value) const;

  TensorMemoryPool &pool;
  Direction direction;
  std::map<std::string, std::map<std::string, Tensor>> iterators;
};

/// Returns the form of a tensor's key that begins with the iterator's name, as
/// some of TensorFlow's iterators write it.
std::string fullKey(const std::string &name, const std::string &key);

/// Packs the elements of a variant tensor into one string, which
/// Iterator::restore() accepts like a state that Ingot has saved.
std::string packVariants(std::span<const std::string> variants);
/// Returns whether packVariants() has made `text`.
bool isPackedVariants(std::string_view text);
/// Returns the elements that packVariants() has packed into `text`. Returns
/// DataLoss if `text` is truncated.
Expected<std::vector<std::string>> unpackVariants(std::string_view text);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_TENSORFLOWITERATORSTATE_H
