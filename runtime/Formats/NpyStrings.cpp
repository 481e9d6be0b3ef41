//===- NpyStrings.cpp - Text in NumPy's .npy files ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Formats/Npy.h"

#include "runtime/Formats/NpyFormat.h"
#include "runtime/Support/TensorSpec.h"

#include <charconv>
#include <cstring>
#include <optional>

using namespace ingot;
using namespace ingot::npy;

namespace {

/// The type of a text array: every element has `units` bytes ("S5"), or `units`
/// UTF-32 characters of 4 bytes each ("<U5").
struct NpyStringType {
  bool hasCharacters = false;
  uint64_t units = 0;

  uint64_t elementSize() const { return hasCharacters ? 4 * units : units; }
};

} // namespace

/// Parses a text type such as "|S5" or "<U5", or returns std::nullopt. The
/// first character, the byte order, does not matter for "S" types, whose
/// characters are single bytes.
static std::optional<NpyStringType> textTypeOf(std::string_view descr) {
  if (descr.size() < 3 || (descr[1] != 'S' && descr[1] != 'U') ||
      (descr[1] == 'U' && descr[0] != '<'))
    return std::nullopt;
  // A length that does not fit 32 bits is an error: no text is that long.
  uint32_t units = 0;
  const char *end = descr.data() + descr.size();
  auto [rest, error] = std::from_chars(descr.data() + 2, end, units);
  if (error != std::errc() || rest != end)
    return std::nullopt;
  return NpyStringType{descr[1] == 'U', units};
}

/// Appends code point `code` as UTF-8. Returns false if it is not a valid code
/// point.
static bool appendCharacter(uint32_t code, std::string &text) {
  auto append = [&](uint32_t bits, uint32_t mark) {
    text += static_cast<char>(mark | bits);
  };
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    return false;
  if (code < 0x80) {
    append(code, 0);
    return true;
  }
  if (code < 0x800) {
    append(code >> 6, 0xc0);
  } else {
    if (code < 0x10000) {
      append(code >> 12, 0xe0);
    } else {
      append(code >> 18, 0xf0);
      append(code >> 12 & 0x3f, 0x80);
    }
    append(code >> 6 & 0x3f, 0x80);
  }
  append(code & 0x3f, 0x80);
  return true;
}

/// Returns the text of one element as UTF-8, or std::nullopt if it contains an
/// invalid character.
static std::optional<std::string> textOf(const char *element,
                                         const NpyStringType &type) {
  std::string text;
  if (type.hasCharacters) {
    for (uint64_t i = 0; i < type.units; ++i) {
      uint32_t code;
      std::memcpy(&code, element + i * sizeof(code), sizeof(code));
      if (!appendCharacter(code, text))
        return std::nullopt;
    }
  } else {
    text.assign(element, type.units);
  }
  // Remove the zeros that pad shorter texts, as NumPy does.
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

Expected<std::vector<std::string>>
ingot::readNpyStrings(const RandomAccessFile &file, const std::string &path,
                      const ingot_tensor_spec &spec) {
  INGOT_ASSIGN_OR_RETURN(NpyHeader header, readHeader(file, path));
  std::optional<NpyStringType> type = textTypeOf(header.descr);
  if (!type || header.shape != shapeOf(spec))
    return otherArray(header, path, spec, "text ('S' or '<U')");
  auto count = static_cast<uint64_t>(elementCountOf(spec));
  uint64_t bytes;
  if (__builtin_mul_overflow(count, type->elementSize(), &bytes))
    return badFile(path, "its header claims more text than fits into memory");
  INGOT_ASSIGN_OR_RETURN(std::vector<char> elements,
                         readElements(file, path, header, bytes));
  makeRowMajor(header, type->elementSize(), elements);
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < count; ++i) {
    std::optional<std::string> text =
        textOf(elements.data() + i * type->elementSize(), *type);
    if (!text)
      return badFile(path, "element " + std::to_string(i) +
                               " has an invalid character: its number is not "
                               "that of a Unicode character");
    texts.push_back(std::move(*text));
  }
  return texts;
}
