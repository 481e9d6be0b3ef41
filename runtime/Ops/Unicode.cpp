//===- Unicode.cpp - Decoding and encoding of Unicode texts ---------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Malformed bytes are replaced or reported in the same units as in the ICU
// library, which TensorFlow's kernels use. In UTF-8 such a unit is the longest
// prefix of a well-formed sequence, or a single byte if there is no such
// prefix. A sequence that the end of the text truncates is one unit.
//===----------------------------------------------------------------------===//
#include "runtime/Ops/OpKernelContext.h"

#include <optional>

using namespace ingot;
using namespace ingot::ops;

namespace {

enum class Encoding { Ascii, Latin1, Utf8, Utf16BE, Utf16LE, Utf32BE, Utf32LE };

/// A code point at the beginning of a text, and its size in bytes. Malformed
/// bytes have no code point.
struct DecodedCodePoint {
  std::optional<char32_t> codePoint;
  size_t size = 1;
};

/// How the three ops of this file treat malformed input, according to their
/// attributes.
struct MalformedInputOptions {
  explicit MalformedInputOptions(const OpKernelContext &op)
      : isStrict(op.text("errors", "replace") == "strict"),
        ignores(op.text("errors", "replace") == "ignore"),
        replacesControls(op.flag("replace_control_characters")),
        replacement(
            static_cast<char32_t>(op.integer("replacement_char", 0xfffd))) {}

  bool isStrict, ignores, replacesControls;
  char32_t replacement;
};

} // namespace

static constexpr char32_t lastCodePoint = 0x10ffff;

static bool isSurrogate(char32_t value) {
  return value >= 0xd800 && value <= 0xdfff;
}

static Encoding encodingOf(std::string_view name) {
  static constexpr std::pair<std::string_view, Encoding> names[] = {
      {"US-ASCII", Encoding::Ascii},    {"ISO-8859-1", Encoding::Latin1},
      {"UTF-16-BE", Encoding::Utf16BE}, {"UTF-16-LE", Encoding::Utf16LE},
      {"UTF-32-BE", Encoding::Utf32BE}, {"UTF-32-LE", Encoding::Utf32LE}};
  for (auto [known, encoding] : names)
    if (known == name)
      return encoding;
  return Encoding::Utf8;
}

/// Decodes the code point at the beginning of a UTF-8 text (RFC 3629).
static DecodedCodePoint decodeUtf8(std::string_view text) {
  auto byteAt = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char lead = byteAt(0);
  if (lead < 0x80)
    return {lead, 1};
  if (lead < 0xc2 || lead > 0xf4)
    return {};
  size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // The second byte's range excludes overlong encodings, surrogates, and
  // numbers beyond the last code point.
  unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  char32_t value = lead & (0x7fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if (i == text.size() || byteAt(i) < low || byteAt(i) > high)
      return {std::nullopt, i};
    value = value << 6 | (byteAt(i) & 0x3f);
    low = 0x80;
    high = 0xbf;
  }
  return {value, size};
}

/// Returns the code unit of `size` bytes at index `at`.
static char32_t readUnit(std::string_view text, size_t at, size_t size,
                         bool isBig) {
  char32_t value = 0;
  for (size_t i = 0; i < size; ++i)
    value = value << 8 |
            static_cast<unsigned char>(text[at + (isBig ? i : size - 1 - i)]);
  return value;
}

static DecodedCodePoint decodeUtf16(std::string_view text, bool isBig) {
  if (text.size() < 2)
    return {std::nullopt, text.size()};
  char32_t lead = readUnit(text, 0, 2, isBig);
  if (!isSurrogate(lead))
    return {lead, 2};
  if (lead >= 0xdc00)
    return {std::nullopt, 2};
  if (text.size() < 4)
    return {std::nullopt, text.size()};
  char32_t trail = readUnit(text, 2, 2, isBig);
  if (trail < 0xdc00 || trail > 0xdfff)
    return {std::nullopt, 2};
  return {0x10000 + ((lead - 0xd800) << 10) + (trail - 0xdc00), 4};
}

/// Decodes the code point at the beginning of a text, which is not empty.
static DecodedCodePoint decode(std::string_view text, Encoding encoding) {
  auto first = static_cast<unsigned char>(text[0]);
  switch (encoding) {
  case Encoding::Utf8:
    return decodeUtf8(text);
  case Encoding::Ascii:
    return first < 0x80 ? DecodedCodePoint{first, 1} : DecodedCodePoint{};
  case Encoding::Latin1:
    return {first, 1};
  case Encoding::Utf16BE:
  case Encoding::Utf16LE:
    return decodeUtf16(text, encoding == Encoding::Utf16BE);
  case Encoding::Utf32BE:
  case Encoding::Utf32LE:
    if (text.size() < 4)
      return {std::nullopt, text.size()};
    char32_t value = readUnit(text, 0, 4, encoding == Encoding::Utf32BE);
    if (value > lastCodePoint || isSurrogate(value))
      return {std::nullopt, 4};
    return {value, 4};
  }
  return {};
}

/// Appends a code point to UTF-16 text.
static void append(std::u16string &text, char32_t value) {
  if (value >= 0x10000) {
    text += static_cast<char16_t>(0xd7c0 + (value >> 10));
    value = 0xdc00 | (value & 0x3ff);
  }
  text += static_cast<char16_t>(value);
}

static void appendUtf8(std::string &out, char32_t value) {
  if (value < 0x80) {
    out += static_cast<char>(value);
    return;
  }
  int more = value < 0x800 ? 1 : value < 0x10000 ? 2 : 3;
  out += static_cast<char>((0xf0 << (3 - more) & 0xff) | value >> (6 * more));
  while (more-- > 0)
    out += static_cast<char>(0x80 | (value >> (6 * more) & 0x3f));
}

/// Encodes UTF-16 text. In UTF-8 a surrogate without its other half becomes
/// U+FFFD; the other encodings keep it, as ICU does.
static std::string encode(const std::u16string &text, Encoding encoding) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    char32_t value = text[i];
    if (encoding == Encoding::Utf16BE) {
      out += static_cast<char>(value >> 8);
      out += static_cast<char>(value);
      continue;
    }
    if (isSurrogate(value)) {
      bool isPair = value < 0xdc00 && i + 1 < text.size() &&
                    text[i + 1] >= 0xdc00 && text[i + 1] <= 0xdfff;
      if (isPair)
        value = 0x10000 + ((value - 0xd800) << 10) +
                (static_cast<char32_t>(text[++i]) - 0xdc00);
      else if (encoding == Encoding::Utf8)
        value = 0xfffd;
    }
    if (encoding == Encoding::Utf8)
      appendUtf8(out, value);
    else
      for (int shift : {24, 16, 8, 0})
        out += static_cast<char>(value >> shift);
  }
  return out;
}

// Implements UnicodeTranscode.
INGOT_RUNTIME_OP(unicode_transcode) {
  OpInput texts = op.input(0);
  MalformedInputOptions options(op);
  Encoding from = encodingOf(op.text("input_encoding")),
           to = encodingOf(op.text("output_encoding"));
  INGOT_ASSIGN_OR_RETURN(auto out, op.output<ingot_string>(0, texts.dims()));
  for (size_t i = 0; i < out.size(); ++i) {
    std::u16string decoded;
    std::string_view rest = texts.text(i);
    while (!rest.empty()) {
      DecodedCodePoint next = decode(rest, from);
      rest.remove_prefix(next.size);
      bool isError = !next.codePoint ||
                     (options.replacesControls && *next.codePoint <= 0x1f);
      if (isError && options.isStrict)
        return op.invalid("Invalid formatting on input string " +
                          std::to_string(i));
      if (!isError)
        append(decoded, *next.codePoint);
      else if (!options.ignores)
        append(decoded, options.replacement);
    }
    INGOT_ASSIGN_OR_RETURN(out[i], op.string(encode(decoded, to)));
  }
  return Status::ok();
}

// Implements UnicodeDecodeWithOffsets and UnicodeDecode.
INGOT_RUNTIME_OP(unicode_decode) {
  OpInput texts = op.input(0);
  MalformedInputOptions options(op);
  Encoding from = encodingOf(op.text("input_encoding"));
  std::vector<int32_t> codePoints;
  std::vector<int64_t> starts, ends;
  for (size_t i = 0; i < static_cast<size_t>(texts.numElements()); ++i) {
    std::string_view rest = texts.text(i);
    while (!rest.empty()) {
      DecodedCodePoint next = decode(rest, from);
      auto start = static_cast<int64_t>(texts.text(i).size() - rest.size());
      rest.remove_prefix(next.size);
      if (!next.codePoint && options.isStrict)
        return op.invalid("Invalid formatting on input string " +
                          std::to_string(i) + " at byte " +
                          std::to_string(start));
      bool isError = !next.codePoint ||
                     (options.replacesControls && *next.codePoint <= 0x1f);
      if (isError && options.ignores)
        continue;
      codePoints.push_back(static_cast<int32_t>(isError ? options.replacement
                                                        : *next.codePoint));
      starts.push_back(start);
    }
    ends.push_back(std::ssize(codePoints));
  }
  INGOT_ASSIGN_OR_RETURN(auto values,
                         op.output<int32_t>(1, {std::ssize(codePoints)}));
  std::ranges::copy(codePoints, values.begin());
  INGOT_ASSIGN_OR_RETURN(auto offsets,
                         op.output<int64_t>(2, {std::ssize(starts)}));
  std::ranges::copy(starts, offsets.begin());
  auto write = [&]<typename T>() {
    INGOT_ASSIGN_OR_RETURN(auto splits,
                           op.output<T>(0, {std::ssize(ends) + 1}));
    splits[0] = 0;
    for (size_t i = 0; i < ends.size(); ++i)
      splits[i + 1] = static_cast<T>(ends[i]);
    return Status::ok();
  };
  return op.outputType(0) == INGOT_INT64 ? write.template operator()<int64_t>()
                                         : write.template operator()<int32_t>();
}

/// Returns whether a number is a code point that texts may have: neither a
/// surrogate nor a noncharacter.
static bool isUnicodeChar(char32_t value) {
  return value <= lastCodePoint && !isSurrogate(value) &&
         !(value >= 0xfdd0 && value <= 0xfdef) && (value & 0xfffe) != 0xfffe;
}

// Implements UnicodeEncode.
INGOT_RUNTIME_OP(unicode_encode) {
  OpInput values = op.input(0), splits = op.input(1);
  MalformedInputOptions options(op);
  Encoding to = encodingOf(op.text("output_encoding"));
  int64_t count = splits.numElements();
  if (count == 0)
    return op.invalid("Input_splits should contain elements, but given "
                      "input_values has " +
                      std::to_string(values.numElements()) + " elements");
  if (splits.integer(0) != 0)
    return op.invalid("First value in input_splits must be zero. It is " +
                      std::to_string(splits.integer(0)));
  for (size_t i = 1; i < static_cast<size_t>(count); ++i)
    if (splits.integer(i) < splits.integer(i - 1))
      return op.invalid("Values in input_splits must be equal or in ascending "
                        "order. " +
                        std::to_string(splits.integer(i)) + " follows " +
                        std::to_string(splits.integer(i - 1)));
  if (splits.integer(static_cast<size_t>(count) - 1) != values.numElements())
    return op.invalid(
        "Last value in input_splits must be equal to length of "
        "input_tensor. It is " +
        std::to_string(splits.integer(static_cast<size_t>(count) - 1)) +
        ", but the length is " + std::to_string(values.numElements()));
  INGOT_ASSIGN_OR_RETURN(auto out, op.output<ingot_string>(0, {count - 1}));
  for (size_t row = 0; row < out.size(); ++row) {
    std::u16string text;
    for (int64_t i = splits.integer(row); i < splits.integer(row + 1); ++i) {
      auto value =
          static_cast<char32_t>(values.as<int32_t>()[static_cast<size_t>(i)]);
      if (!isUnicodeChar(value) && options.isStrict)
        return op.invalid("Code point is out of range for Unicode, or a "
                          "noncharacter. It is " +
                          std::to_string(static_cast<int32_t>(value)));
      if (!isUnicodeChar(value) && !options.ignores)
        value = options.replacement;
      // As in TensorFlow, the error mode `ignore` drops only numbers beyond the
      // last code point, and keeps surrogates and noncharacters.
      if (value <= lastCodePoint)
        append(text, value);
    }
    INGOT_ASSIGN_OR_RETURN(out[row], op.string(encode(text, to)));
  }
  return Status::ok();
}
