//===- LibraryName.cpp - The name of a library trainer --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/LibraryName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using llvm::StringRef;

namespace ingot::driver {

llvm::Expected<LibraryName>
LibraryName::of(StringRef output, StringRef extension, StringRef wanted) {
  StringRef file = llvm::sys::path::filename(output);
  if (!file.ends_with(extension) || file == extension)
    return llvm::createStringError(
        "-o: expected libNAME%s or NAME%s, found '%s'", extension.str().c_str(),
        extension.str().c_str(), output.str().c_str());
  LibraryName result;
  result.name = wanted.str();
  if (wanted.empty()) {
    StringRef stem = file.drop_back(extension.size());
    if (stem.size() > 3)
      stem.consume_front("lib");
    result.name = stem.str();
  }
  StringRef name = result.name;
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  if (name.empty() || !llvm::isAlpha(name.front()) ||
      !llvm::all_of(name, isPart))
    return llvm::createStringError(
        "'%s' is not a valid prefix of C functions: it must start with a "
        "letter and consist of letters, digits and underscores%s",
        result.name.c_str(),
        wanted.empty() ? "; choose another with --name" : "");
  if (name.starts_with_insensitive("ingot"))
    return llvm::createStringError(
        "'%s': names that begin with 'ingot' are reserved%s",
        result.name.c_str(),
        wanted.empty() ? ": choose another with --name" : "");
  llvm::SmallString<128> header(llvm::sys::path::parent_path(output));
  llvm::sys::path::append(header, name + ".h");
  result.header = header.str().str();
  return result;
}

} // namespace ingot::driver
