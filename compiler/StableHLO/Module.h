//===- Module.h - A StableHLO module in memory ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// What the parser makes of the text of a StableHLO module: functions whose
// bodies are ops, with attributes by the names of the generic form, whichever
// form the text has.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_STABLEHLO_MODULE_H
#define INGOT_COMPILER_STABLEHLO_MODULE_H

#include "proto/Types.pb.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ingot::stablehlo {

using Sizes = llvm::SmallVector<int64_t, 4>;

/// The type of a value. `element` is DT_INVALID for everything that is no
/// tensor of static shape with an element type that programs have; then `text`
/// is how the module writes the type.
struct TensorType {
  proto::DataType element = proto::DT_INVALID;
  Sizes shape;
  std::string text;

  bool isValid() const { return element != proto::DT_INVALID; }
  bool operator==(const TensorType &other) const {
    return element == other.element && shape == other.shape &&
           (isValid() || text == other.text);
  }
};

/// Returns the number of elements, or std::nullopt if it is 2^40 or more, or if
/// a size is negative.
std::optional<int64_t> numElements(llvm::ArrayRef<int64_t> shape);

/// Returns the bytes of one element: 1 for a boolean.
unsigned sizeOf(proto::DataType element);

/// The elements of a constant, little-endian. A splat has the bytes of one
/// element.
struct Elements {
  TensorType type;
  std::string bytes;
  bool isSplat = false;
};

/// An attribute: an integer, a boolean or a number; text; a list; a dictionary,
/// which is also the form of `#stablehlo.dot<..>` and its like; elements.
struct Attribute {
  enum Kind { Unit, Integer, Float, Text, List, Dictionary, Dense, Unread };
  Kind kind = Unit;
  int64_t integer = 0;
  double number = 0;
  /// Text: a string, a symbol without `@`, or the word of an enumeration such
  /// as `#stablehlo<precision DEFAULT>`. Unread: the attribute as it stands.
  std::string text;
  /// The elements of a list, or the values of a dictionary, whose keys are
  /// `names`.
  std::vector<Attribute> list;
  std::vector<std::string> names;
  std::shared_ptr<const Elements> elements;

  const Attribute *find(llvm::StringRef name) const;
  void add(llvm::StringRef name, Attribute value);
};

/// Where an op comes from, as the text says: the name stack of the framework
/// ("jit(step)/dot_general"), and the user's file and line.
struct Origin {
  std::string name, file;
  unsigned line = 0;
};

struct Block;

/// An op. Values are numbered within a function.
struct Op {
  std::string name;
  std::vector<unsigned> operands, results;
  Attribute attributes;
  std::vector<std::unique_ptr<Block>> regions;
  /// The line of the module's text, and the number of the op's location.
  unsigned line = 0;
  int location = -1;
  /// Why the op cannot be read, if so: its form is unknown.
  std::string problem;

  const Attribute *find(llvm::StringRef name) const {
    return attributes.find(name);
  }
};

/// A region of one block. `returned` are the operands of its terminator.
struct Block {
  std::vector<unsigned> arguments;
  std::vector<Op> ops;
  std::vector<unsigned> returned;
};

struct Function {
  std::string name;
  unsigned line = 0;
  Block body;
  bool hasBody = false;
  std::vector<TensorType> resultTypes;
  /// The types of all values of the function.
  std::vector<TensorType> types;
};

/// A node of a location, from which `Module::originOf` finds name and line.
struct LocationNode {
  std::string name, file, alias;
  unsigned line = 0;
  llvm::SmallVector<int, 2> children;
};

struct Module {
  llvm::StringMap<std::unique_ptr<Function>> functions;
  std::vector<LocationNode> locations;
  llvm::StringMap<int> locationAliases;
  /// Ops of the module besides functions.
  std::vector<Op> ops;

  const Function *find(llvm::StringRef name) const {
    auto found = functions.find(name);
    return found == functions.end() ? nullptr : found->second.get();
  }
  Origin originOf(int location) const;
};

} // namespace ingot::stablehlo

#endif // INGOT_COMPILER_STABLEHLO_MODULE_H
