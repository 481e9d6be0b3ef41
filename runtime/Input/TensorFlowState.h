//===- TensorFlowState.h - States of TensorFlow's iterators -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The position of an iterator as TensorFlow saves it: tensors under the name of
// an iterator ("Iterator::Root::Prefetch::BatchV2") and a key ("index"). A
// checkpoint has them as the elements of a variant (docs/iterator-state.md).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_TENSORFLOWSTATE_H
#define INGOT_RUNTIME_INPUT_TENSORFLOWSTATE_H

#include "runtime/Input/Tensor.h"
#include "runtime/Support/Expected.h"

#include <map>
#include <string>
#include <vector>

namespace ingot::input {

/// The ways in which TensorFlow rewrites a pipeline before it runs it, which
/// change the names of its iterators and what they keep. A state that is read
/// shows which were used; one that is written has the names of several.
struct PipelineRewrites {
  bool parallelMaps = false;     // maps become parallel maps
  bool mapAndBatch = false;      // a batch of a map becomes one iterator
  bool shuffleAndRepeat = false; // a repeated shuffle becomes one iterator
};

/// A state of TensorFlow's that is being read or written. DatasetIterator::
/// exchange() of each dataset reads its own tensors, or adds them.
class TensorFlowState {
public:
  enum class Direction { Read, Write };

  TensorFlowState(BlockPool &pool, Direction direction)
      : pool(pool), direction(direction) {}

  bool isReading() const { return direction == Direction::Read; }

  /// Adds the tensors of the elements of a variant, each serialized. The bytes
  /// are not trusted: DataLoss if they are damaged, and Unimplemented for those
  /// of versions that save in another form.
  Status parse(std::span<const std::string> variants);
  /// Returns the elements of the variant that has all tensors.
  Expected<std::vector<std::string>> serialize() const;

  /// Returns true if there is an iterator `name`, or one below it.
  bool hasIterator(const std::string &name) const;
  bool has(const std::string &name, const std::string &key) const {
    return find(name, key) != nullptr;
  }

  /// Reads or writes a number, a switch, or a tensor. Reading returns NotFound
  /// if there is no such tensor, and DataLoss if it has another type or shape.
  Status exchange(const std::string &name, const std::string &key,
                  uint64_t &value);
  Status exchange(const std::string &name, const std::string &key, bool &value);
  Status exchange(const std::string &name, const std::string &key,
                  Tensor &value);
  /// Writes an empty text, which TensorFlow uses as a mark.
  void mark(const std::string &name, const std::string &key);
  /// Writes a number.
  void set(const std::string &name, const std::string &key, uint64_t value) {
    (void)exchange(name, key, value);
  }

  /// Reads or writes an element: a number of components under `count`, and
  /// each under `component` with its index in brackets.
  Status exchange(const std::string &name, const std::string &count,
                  const std::string &component, Element &element);

  /// Between two exchange()s of datasets that TensorFlow has made one.
  PipelineRewrites rewrites;
  bool isFused = false;    // the next dataset belongs to its parent's iterator
  uint64_t fusedEpoch = 0; // of a shuffle with a repeat: passes finished
  bool fusedEnded = false; // of these: all passes are finished

private:
  const Tensor *find(const std::string &name, const std::string &key) const;
  Status read(const std::string &name, const std::string &key,
              uint64_t &value) const;

  BlockPool &pool;
  Direction direction;
  std::map<std::string, std::map<std::string, Tensor>> iterators;
};

/// Returns the key of a tensor as some of TensorFlow's iterators write it, with
/// the iterator's name.
std::string fullKey(const std::string &name, const std::string &key);

/// Returns the elements of a variant as one text, which Iterator::restore()
/// takes like a state of ours.
std::string packVariants(std::span<const std::string> variants);
/// Returns whether packVariants() made `text`.
bool isPackedVariants(std::string_view text);
/// Returns the elements of which packVariants() made `text`, or DataLoss if
/// `text` is cut off.
Expected<std::vector<std::string>> unpackVariants(std::string_view text);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_TENSORFLOWSTATE_H
