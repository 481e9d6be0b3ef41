//===- ProtoMessageWithSourceLocations.h - Search file messages -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_PROTOMESSAGEWITHSOURCELOCATIONS_H
#define INGOT_COMPILER_ENSEMBLE_PROTOMESSAGEWITHSOURCELOCATIONS_H

#include "compiler/Ensemble/SearchChecks.h"
#include "compiler/Ensemble/SearchFile.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace ingot::ensemble {

namespace pb = google::protobuf;

/// A protobuf message in the search file (for example one generator), with the
/// positions of the message and of its fields in the file. The member functions
/// check a field, and report an error at the field's position.
class ProtoMessageWithSourceLocations {
public:
  using Report = llvm::function_ref<void(const std::string &)>;
  ProtoMessageWithSourceLocations(const pb::Message &message,
                                  const pb::TextFormat::ParseInfoTree *tree,
                                  pb::TextFormat::ParseLocation start,
                                  llvm::StringRef file, Report report, bool &ok)
      : message(&message), tree(tree), start(start), file(file), report(report),
        ok(&ok) {}

  /// Reports an error that concerns the message as a whole, such as a missing
  /// field.
  void fail(const llvm::Twine &text) const { say(start, text); }

  /// Reports an error of the field `name`, at the position of its value.
  /// `index` selects an element of a repeated field.
  void fail(llvm::StringRef name, const llvm::Twine &text,
            int index = -1) const {
    const pb::FieldDescriptor *field = find(name);
    pb::TextFormat::ParseLocation place;
    if (tree && has(name))
      place = tree->GetLocation(field,
                                field->is_repeated() ? std::max(index, 0) : -1);
    say(place.line < 0 ? start : place, text);
  }

  bool has(llvm::StringRef name) const {
    const pb::FieldDescriptor *field = find(name);
    const pb::Reflection *reflection = message->GetReflection();
    return field->is_repeated() ? reflection->FieldSize(*message, field) > 0
                                : reflection->HasField(*message, field);
  }
  bool require(llvm::StringRef name) const {
    if (has(name))
      return true;
    fail("missing field " + name);
    return false;
  }

  /// Returns the message in field `name`, or element `index` of a repeated
  /// field. The field must be set.
  ProtoMessageWithSourceLocations part(llvm::StringRef name,
                                       int index = -1) const {
    const pb::FieldDescriptor *field = find(name);
    const pb::Reflection *reflection = message->GetReflection();
    bool repeated = field->is_repeated();
    const pb::Message &inner =
        repeated ? reflection->GetRepeatedMessage(*message, field, index)
                 : reflection->GetMessage(*message, field);
    int at = repeated ? index : -1;
    if (!tree)
      return ProtoMessageWithSourceLocations(inner, nullptr, start, file,
                                             report, *ok);
    return ProtoMessageWithSourceLocations(
        inner, tree->GetTreeForNested(field, at), tree->GetLocation(field, at),
        file, report, *ok);
  }

  void positive(llvm::StringRef name) const {
    if (has(name) && integer(name) <= 0)
      fail(name, name + " must be positive, not " + llvm::Twine(integer(name)));
  }
  void notNegative(llvm::StringRef name) const {
    if (has(name) && integer(name) < 0)
      fail(name, name + " must not be negative, but is " +
                     llvm::Twine(integer(name)));
  }
  /// Checks that a field, if it is set, is in [low, high), or in (low, high) if
  /// `excludesLow`.
  void within(llvm::StringRef name, double low, double high,
              bool excludesLow = false) const {
    if (!has(name))
      return;
    double value = number(name);
    if (std::isfinite(value) && (excludesLow ? value > low : value >= low) &&
        value < high)
      return;
    std::string range = (excludesLow ? "in (" : "in [") + toText(low) + ", " +
                        toText(high) + ")";
    if (std::isinf(low))
      range = "finite";
    else if (std::isinf(high))
      range = excludesLow ? "positive and finite" : "zero or more and finite";
    fail(name, name + " must be " + range + ", not " + toText(value));
  }
  void plainName(llvm::StringRef name) const {
    std::string value = text(name);
    if (has(name) && !isPlainName(value))
      fail(name, name + " '" + value +
                     "' must be 1 to 128 letters, digits, '_', '.' or '-', and "
                     "not '.' or '..'");
  }

  std::string text(llvm::StringRef name) const {
    return message->GetReflection()->GetString(*message, find(name));
  }

  static std::string toText(double value) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%g", value);
    return text;
  }

private:
  const pb::FieldDescriptor *find(llvm::StringRef name) const {
    return message->GetDescriptor()->FindFieldByName(name.str());
  }
  int64_t integer(llvm::StringRef name) const {
    return message->GetReflection()->GetInt64(*message, find(name));
  }
  double number(llvm::StringRef name) const {
    return message->GetReflection()->GetDouble(*message, find(name));
  }
  void say(pb::TextFormat::ParseLocation place, const llvm::Twine &text) const {
    *ok = false;
    report(placed(file, place.line, place.column) + text.str());
  }

  const pb::Message *message;
  const pb::TextFormat::ParseInfoTree *tree;
  pb::TextFormat::ParseLocation start;
  llvm::StringRef file;
  Report report;
  bool *ok;
};

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_PROTOMESSAGEWITHSOURCELOCATIONS_H
