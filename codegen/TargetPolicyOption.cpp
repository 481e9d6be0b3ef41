//===- TargetPolicyOption.cpp - A policy as an option of passes -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/TargetPolicyOption.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace ingot;

namespace {

/// Prints a policy's fields that differ from the defaults.
struct TargetPolicyPrinter {
  llvm::raw_ostream &os;
  llvm::ListSeparator separator{" "};

  void print(llvm::StringRef name, bool value) {
    os << separator << name << '=' << (value ? "true" : "false");
  }
  void print(llvm::StringRef name, int64_t value) {
    os << separator << name << '=' << value;
  }
  void print(llvm::StringRef name, unsigned value) {
    os << separator << name << '=' << value;
  }
};

} // namespace

/// Parses the value of a field. Returns false if `text` is not a valid value.
static bool parseValue(llvm::StringRef text, bool &value) {
  value = text == "true";
  return value || text == "false";
}
template <typename T> static bool parseValue(llvm::StringRef text, T &value) {
  return !text.getAsInteger(10, value);
}

/// Disables the rewrites in `names`, a comma-separated list. Returns false if a
/// name is unknown.
static bool turnOff(llvm::StringRef names, OptionalPassSet &rewrites) {
  for (llvm::StringRef name : llvm::split(names, ',')) {
    std::optional<Rewrite> rewrite = OptionalPassSet::find(name);
    if (!rewrite)
      return false;
    rewrites = rewrites.without(*rewrite);
  }
  return true;
}

static bool setField(llvm::StringRef name, llvm::StringRef value,
                     TargetPolicy &policy) {
  if (name == "without")
    return turnOff(value, policy.rewrites);
#define INGOT_POLICY(field, spelling)                                          \
  if (name == (spelling))                                                      \
    return parseValue(value, policy.field);
#include "codegen/TargetPolicy.def"
  return false;
}

llvm::raw_ostream &ingot::operator<<(llvm::raw_ostream &os,
                                     const TargetPolicy &policy) {
  const TargetPolicy defaults;
  os << '{';
  TargetPolicyPrinter printer{os};
#define INGOT_POLICY(field, spelling)                                          \
  if (policy.field != defaults.field)                                          \
    printer.print(spelling, policy.field);
#include "codegen/TargetPolicy.def"
  llvm::SmallVector<llvm::StringRef> off;
  for (unsigned i = 0; i < OptionalPassSet::count; ++i)
    if (auto rewrite = static_cast<Rewrite>(i); !policy.rewrites.has(rewrite))
      off.push_back(OptionalPassSet::nameOf(rewrite));
  if (!off.empty())
    os << printer.separator << "without=" << llvm::join(off, ",");
  return os << '}';
}

llvm::Error ingot::parsePolicy(llvm::StringRef text, TargetPolicy &policy) {
  for (llvm::StringRef pair : llvm::split(text, ' ')) {
    if (pair.empty())
      continue;
    auto [name, value] = pair.split('=');
    if (!setField(name, value, policy))
      return llvm::createStringError(
          "expected field=value, with a field and a value of "
          "codegen/TargetPolicy.def, but got '" +
          pair + "'");
  }
  return llvm::Error::success();
}

bool llvm::cl::parser<TargetPolicy>::parse(Option &option, StringRef,
                                           StringRef text,
                                           TargetPolicy &policy) {
  if (Error error = parsePolicy(text, policy))
    return option.error(toString(std::move(error)));
  return false;
}

void llvm::cl::parser<TargetPolicy>::anchor() {}
