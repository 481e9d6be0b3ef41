//===- LibraryCHeader.cpp - The C header of a library trainer -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/LibraryCHeader.h"

#include "dialects/Host/HostAttributes.h"
#include "dialects/Ingot/IR/DType.h"
#include "runtime/ABI/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace ingot::driver {

namespace {

/// An element type: its C name, the name of its INGOT_ constant, and its size
/// in bytes.
struct CType {
  StringRef name, number;
  unsigned size;
};

/// A feed or fetch as an argument of a C function.
struct CArgument {
  std::string name;   // the argument's name in C
  std::string tensor; // the tensor's name in the graph
  RankedTensorType type;
  CType element;
  bool isFeed;

  bool isStatic() const { return type.hasStaticShape(); }
  /// Whether this argument is a fetch of dynamic size or of strings. Such a
  /// fetch is returned as a non-owning view of the trainer's memory, whereas
  /// the caller provides the memory for all other fetches.
  bool isView() const {
    return !isFeed && (!isStatic() || element.number == "STRING");
  }
  bool isScalar() const { return type.getRank() == 0; }
};

} // namespace

/// Returns the C type of an element type, or std::nullopt if C has none.
static std::optional<CType> typeInC(Type element) {
  switch (::mlir::ingot::getDTypeNumber(element)) {
  case INGOT_FLOAT:
    return CType{"float", "FLOAT", 4};
  case INGOT_DOUBLE:
    return CType{"double", "DOUBLE", 8};
  case INGOT_INT32:
    return CType{"int32_t", "INT32", 4};
  case INGOT_UINT8:
    return CType{"uint8_t", "UINT8", 1};
  case INGOT_INT16:
    return CType{"int16_t", "INT16", 2};
  case INGOT_INT8:
    return CType{"int8_t", "INT8", 1};
  case INGOT_STRING:
    return CType{"ingot_trainer_string", "STRING", 16};
  case INGOT_INT64:
    return CType{"int64_t", "INT64", 8};
  case INGOT_BOOL:
    return CType{"uint8_t", "BOOL", 1};
  case INGOT_BFLOAT16:
    return CType{"uint16_t", "BFLOAT16", 2};
  case INGOT_UINT16:
    return CType{"uint16_t", "UINT16", 2};
  case INGOT_HALF:
    return CType{"uint16_t", "HALF", 2};
  case INGOT_UINT32:
    return CType{"uint32_t", "UINT32", 4};
  case INGOT_UINT64:
    return CType{"uint64_t", "UINT64", 8};
  default:
    return std::nullopt;
  }
}

/// Returns a type as text such as "float32[64,784]", with "?" for a dynamic
/// size.
static std::string typeText(RankedTensorType type, const CType &element) {
  std::string text = StringRef(element.number).lower();
  if (element.number == "FLOAT" || element.number == "DOUBLE")
    text = element.number == "FLOAT" ? "float32" : "float64";
  text += "[";
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    text += (i > 0 ? "," : "") +
            (ShapedType::isDynamic(size) ? "?" : std::to_string(size));
  return text + "]";
}

/// Escape text of the graph for use in a C comment, or in a C string literal.
static std::string inComment(StringRef text) {
  std::string result;
  for (char c : text)
    result += llvm::isPrint(c) && c != '*' ? c : '.';
  return result;
}

static std::string inQuotes(StringRef text) {
  std::string result = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\' || c == '?')
      result += '\\';
    if (llvm::isPrint(static_cast<char>(c)))
      result += static_cast<char>(c);
    else // octal with three digits, since a digit that follows would extend a
         // shorter escape
      result += {'\\', static_cast<char>('0' + (c >> 6)),
                 static_cast<char>('0' + (c >> 3 & 7)),
                 static_cast<char>('0' + (c & 7))};
  }
  return result + "\"";
}

/// Makes a C identifier from `text` and adds it to `taken`. The identifier
/// differs from all names in `taken` and from the keywords and common macros of
/// C and C++.
static std::string identifier(StringRef text, llvm::StringSet<> &taken) {
  static const llvm::StringSet<> words = {
      "alignas",  "alignof",      "and",       "asm",       "assert",
      "auto",     "bitand",       "bitor",     "bool",      "break",
      "case",     "catch",        "char",      "class",     "compl",
      "complex",  "concept",      "const",     "constexpr", "continue",
      "decltype", "default",      "delete",    "do",        "double",
      "else",     "enum",         "errno",     "explicit",  "export",
      "extern",   "false",        "float",     "for",       "friend",
      "goto",     "i386",         "if",        "imaginary", "inline",
      "int",      "linux",        "long",      "mutable",   "namespace",
      "new",      "noexcept",     "not",       "nullptr",   "operator",
      "or",       "private",      "protected", "public",    "register",
      "requires", "restrict",     "return",    "short",     "signed",
      "sizeof",   "static",       "stderr",    "stdin",     "stdout",
      "struct",   "switch",       "template",  "this",      "throw",
      "true",     "try",          "typedef",   "typeid",    "typename",
      "typeof",   "union",        "unix",      "unsigned",  "using",
      "virtual",  "void",         "volatile",  "while",     "xor",
      "NULL",     "EOF",          "BUFSIZ",    "I",         "M_PI",
      "INFINITY", "static_assert"};
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || !llvm::isAlpha(name.front()))
    name = "t_" + name;
  if (words.contains(name))
    name += "_";
  std::string unique = name;
  for (int i = 2; !taken.insert(unique).second; ++i)
    unique = name + "_" + std::to_string(i);
  return unique;
}

namespace {

/// Writes a C function for each entry that users call.
class EntryCFunctionWriter {
public:
  EntryCFunctionWriter(StringRef library, llvm::raw_ostream &os)
      : library(library), os(os) {}

  /// Reserves the name `function`, so that no entry's C function is given this
  /// name.
  void take(StringRef function) { functions.insert(function); }

  void write(host::EntryAttr entry) {
    isStep = entry.getRole() == host::Role::step;
    taken.clear();
    for (StringRef own :
         {"trainer", "ingot_dims_", "ingot_feeds_", "ingot_code_"})
      taken.insert(own);
    arguments.clear();
    bool isWhole = add(entry.getFeeds(), entry.getFeedTypes(), true);
    // The maximum number of arguments of a C function. An entry whose feeds
    // alone exceed it has no C function. If only feeds and fetches together
    // exceed it, the function has no arguments for fetches. C guarantees 127
    // parameters, but few users want to write that many arguments.
    constexpr size_t most = 32;
    size_t feeds = arguments.size();
    hasFetches = isWhole &&
                 add(entry.getFetches(), entry.getFetchTypes(), false) &&
                 arguments.size() <= most;
    if (!hasFetches)
      arguments.resize(feeds);
    if (!isWhole || feeds > most) {
      os << "\n/* Entry " << inComment(entry.getName())
         << " has too many feeds, or a type that C lacks, so it has no "
            "function of its own: ingot_trainer_run() and "
            "ingot_trainer_step() run it. */\n";
      return;
    }
    writeComment(entry);
    writeHead(entry);
    writeBody(entry);
  }

private:
  /// Adds feeds or fetches as arguments. Returns false if C has no type for one
  /// of their element types.
  bool add(ArrayAttr names, ArrayAttr types, bool isFeed) {
    for (auto [name, type] : llvm::zip(names.getAsValueRange<StringAttr>(),
                                       types.getAsValueRange<TypeAttr>())) {
      auto tensor = cast<RankedTensorType>(type);
      std::optional<CType> element = typeInC(tensor.getElementType());
      if (!element)
        return false;
      StringRef node = name;
      node.consume_back(":0");
      arguments.push_back(
          {identifier(node, taken), name.str(), tensor, *element, isFeed});
      if (isFeed)
        for (auto [i, size] : llvm::enumerate(tensor.getShape()))
          if (ShapedType::isDynamic(size))
            taken.insert(dimName(arguments.back(), i));
    }
    return true;
  }

  static std::string dimName(const CArgument &argument, size_t dim) {
    return argument.name + "_dim" + std::to_string(dim);
  }

  void writeComment(host::EntryAttr entry) {
    os << "\n/* Entry \"" << inComment(entry.getName()) << "\": "
       << (isStep ? "trains a step (ingot_trainer_step)"
                  : "runs once (ingot_trainer_run)")
       << ".\n";
    for (const CArgument &argument : arguments) {
      os << " *   " << argument.name << ": "
         << (argument.isFeed ? "feed \"" : "fetch \"")
         << inComment(argument.tensor) << "\", "
         << typeText(argument.type, argument.element);
      if (argument.isView())
        os << "; lives until the next call for the trainer";
      if (!argument.isFeed)
        os << "; may be null";
      os << "\n";
    }
    if (!hasFetches && !entry.getFetches().empty()) {
      os << " * Get its fetches by ingot_trainer_fetch():\n";
      for (StringRef fetch : entry.getFetches().getAsValueRange<StringAttr>())
        os << " *   \"" << inComment(fetch) << "\"\n";
    }
    os << " */\n";
  }

  /// Writes the parameter of a feed or fetch, such as `const float x[8]`, and
  /// one further parameter for each of its dynamic sizes.
  void writeArgument(const CArgument &argument) {
    StringRef element = argument.element.name;
    if (argument.isView()) {
      os << "ingot_trainer_tensor *" << argument.name;
    } else if (argument.isFeed && argument.isScalar()) {
      os << element << " " << argument.name;
    } else {
      os << (argument.isFeed ? "const " : "") << element << " *"
         << argument.name;
    }
    if (argument.isFeed)
      for (auto [i, size] : llvm::enumerate(argument.type.getShape()))
        if (ShapedType::isDynamic(size))
          os << ", int64_t " << dimName(argument, i);
  }

  void writeHead(host::EntryAttr entry) {
    os << "static inline int32_t "
       << identifier((library + "_" + entry.getName()).str(), functions)
       << "(ingot_trainer *trainer";
    for (const CArgument &argument : arguments) {
      os << ",\n    ";
      writeArgument(argument);
    }
    os << ") {\n";
  }

  void writeFeeds() {
    std::string dims, rows;
    size_t numDims = 0;
    for (const CArgument &argument : arguments) {
      if (!argument.isFeed)
        continue;
      std::string bytes = std::to_string(argument.element.size) + "u";
      rows += "      {" + inQuotes(argument.tensor) + ", INGOT_TRAINER_" +
              argument.element.number.str() + ", " +
              std::to_string(argument.type.getRank()) + "u, ingot_dims_ + " +
              std::to_string(numDims) + ", " +
              (argument.isScalar() ? "&" : "") + argument.name;
      for (auto [i, size] : llvm::enumerate(argument.type.getShape())) {
        bool isOpen = ShapedType::isDynamic(size);
        std::string text = isOpen ? dimName(argument, i) : std::to_string(size);
        dims += (numDims++ > 0 ? ", " : "") + text;
        bytes += isOpen ? " * (uint64_t)" + text : " * UINT64_C(" + text + ")";
      }
      rows += ", " + bytes + "},\n";
    }
    os << "  const int64_t ingot_dims_[] = {" << (numDims > 0 ? dims : "0")
       << "};\n  const ingot_trainer_tensor ingot_feeds_[] = {\n"
       << rows << "  };\n";
  }

  void writeBody(host::EntryAttr entry) {
    size_t feeds = entry.getFeeds().size();
    if (feeds > 0)
      writeFeeds();
    os << "  int32_t ingot_code_ = ingot_trainer_" << (isStep ? "step" : "run")
       << "(trainer, ";
    if (!isStep)
      os << inQuotes(entry.getName()) << ", ";
    os << (feeds > 0 ? "ingot_feeds_, " : "NULL, ") << feeds << "u);\n";
    size_t fetch = 0;
    for (const CArgument &argument : arguments) {
      if (argument.isFeed)
        continue;
      os << "  if (ingot_code_ == INGOT_TRAINER_OK && " << argument.name
         << ")\n    ingot_code_ = ingot_trainer_";
      if (argument.isView())
        os << "fetch(trainer, " << inQuotes(argument.tensor) << ", "
           << argument.name;
      else
        os << "copy(trainer, " << fetch << "u, " << argument.name
           << ", UINT64_C("
           << argument.type.getNumElements() * argument.element.size << ")";
      os << ");\n";
      ++fetch;
    }
    os << "  return ingot_code_;\n}\n";
  }

  StringRef library;
  llvm::raw_ostream &os;
  llvm::StringSet<> functions;
  // State of the entry that is being written:
  llvm::StringSet<> taken;
  std::vector<CArgument> arguments;
  bool isStep = false, hasFetches = false;
};

} // namespace

/// Returns whether users call entries with the role of `entry`. Entries with
/// other roles are called by the runtime itself, for example to initialize,
/// save or restore variables.
static bool isCalled(host::EntryAttr entry) {
  return !llvm::is_contained(
      {host::Role::init, host::Role::local_init, host::Role::ready,
       host::Role::ready_for_local_init, host::Role::save, host::Role::restore,
       host::Role::summary, host::Role::after_step},
      entry.getRole());
}

LibraryCHeader makeLibraryHeader(ModuleOp program, StringRef name,
                                 StringRef source, StringRef compiler) {
  std::string functions;
  llvm::raw_string_ostream os(functions);
  EntryCFunctionWriter writer(name, os);
  writer.take((name + "_library").str());
  writer.take((name + "_open").str());
  writer.take((name + "_recover").str());
  for (auto function : program.getOps<func::FuncOp>())
    if (auto entry =
            function->getAttrOfType<host::EntryAttr>(host::entryAttrName))
      if (isCalled(entry))
        writer.write(entry);
  LibraryCHeader header;
  header.interfaceHash =
      llvm::utohexstr(llvm::xxh3_64bits(functions), /*LowerCase=*/true, 16);
  std::string guard = name.upper() + "_H";
  std::string library = name.str() + "_library";
  header.text =
      "/* " + name.str() + ".h - The trainer of " + inComment(source) +
      ", as a library\n *\n * Written by " + inComment(compiler) +
      ". How it is used: ingot/trainer.h. */\n#ifndef " + guard + "\n#define " +
      guard +
      "\n\n#include <ingot/trainer.h>\n\n#ifdef __cplusplus\n"
      "extern \"C\" {\n#endif\n\n/* The library, whose entries and variables "
      "ingot_trainer_describe() gives. */\nconst "
      "ingot_trainer_library *" +
      library +
      "(void);\n\n/* Opens a trainer: ingot_trainer_open(). */\n"
      "static inline int32_t " +
      name.str() +
      "_open(const ingot_trainer_options *options,\n    "
      "ingot_trainer **trainer, char *message, size_t message_size) "
      "{\n  return ingot_trainer_open_as(" +
      library + "(), \"" + header.interfaceHash +
      "\", options,\n      trainer, message, message_size);\n}\n\n"
      "/* Opens a trainer from a checkpoint only: ingot_trainer_recover(). */\n"
      "static inline int32_t " +
      name.str() +
      "_recover(const ingot_trainer_options *options,\n    "
      "ingot_trainer **trainer, int32_t *initialized, char *message,\n    "
      "size_t message_size) {\n  return ingot_trainer_recover_as(" +
      library + "(), \"" + header.interfaceHash +
      "\", options,\n      trainer, initialized, message, message_size);\n}\n" +
      functions + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* " + guard +
      " */\n";
  return header;
}

} // namespace ingot::driver
