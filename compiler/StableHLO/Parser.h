//===- Parser.h - Parses the text of a StableHLO module ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Parses MLIR's generic form of any op, and the pretty forms of StableHLO's,
// CHLO's and func's ops, without their dialects. Op by op, the two forms make
// the same module.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_STABLEHLO_PARSER_H
#define INGOT_COMPILER_STABLEHLO_PARSER_H

#include "compiler/StableHLO/Module.h"
#include "compiler/StableHLO/Scanner.h"

namespace ingot::stablehlo {

class Parser {
public:
  Parser(llvm::StringRef text, Module &module)
      : scanner(text), module(module) {}

  /// Parses the whole text into the module. Returns false if it is malformed;
  /// `message` then says where and why.
  bool parse();
  const std::string &message() const { return scanner.message(); }

private:
  /// The types at the end of an op: `: (A, B) -> C`, `: A -> C` or `: A, B`.
  struct Signature {
    llvm::SmallVector<TensorType, 4> inputs, outputs;
    bool hasArrow = false;
  };
  using Form = bool (Parser::*)(Op &);
  struct Results {
    llvm::SmallVector<std::pair<std::string, unsigned>, 2> names;
  };
  class Nesting;

  // Parser.cpp: modules, functions, blocks, ops in the generic form.
  bool parseModuleBody();
  bool parseModuleOp();
  bool parseAlias();
  bool parseFunction();
  bool parseFunctionResults(Function &function);
  bool parseArguments(Block &block);
  bool addFunction(std::unique_ptr<Function> parsed);
  bool parseGenericFunction(Op &op);
  bool parseBlock(Block &block);
  bool parseRegion(Op &op);
  bool parseOp(Block &block);
  bool parseResultNames(Results &results);
  bool parseGenericOp(Op &op);
  bool finishTerminator(Block &block, Op op);

  // ParseValues.cpp: values and the types at the end of ops.
  unsigned addValue(const TensorType &type);
  bool define(llvm::StringRef name, unsigned first, unsigned count);
  bool defineResults(Op &op, const Results &names);
  bool parseOperand(Op &op);
  bool parseOperands(Op &op);
  bool parseOperandsIn(Op &op, llvm::StringRef open, llvm::StringRef close);
  bool parseSignature(Signature &signature);
  bool applySignature(Op &op, const Signature &signature);

  // ParseTypes.cpp
  bool parseType(TensorType &type);
  bool parseTensorType(TensorType &type);
  bool parseTypeList(llvm::SmallVectorImpl<TensorType> &types);
  bool parseTypeOrList(llvm::SmallVectorImpl<TensorType> &types);

  // ParseAttributes.cpp
  bool parseAttribute(Attribute &attribute);
  bool parseList(Attribute &attribute);
  bool parseFields(Attribute &attribute, llvm::StringRef close,
                   llvm::StringRef separator = "=");
  bool parseDialectAttribute(Attribute &attribute);
  bool parseNumber(Attribute &attribute);
  bool parseDense(Attribute &attribute);
  bool parseArray(Attribute &attribute);
  bool parseOptionalAttributes(Op &op);
  bool parseIntegers(Attribute &attribute);

  // ParseLocations.cpp
  bool parseOptionalLocation(int &location);
  bool parseLocation(int &location);
  bool parseLocationBody(int &location);
  bool parseFileRange(LocationNode &node);

  // ParsePrettyOps.cpp
  static Form formOf(llvm::StringRef op);
  bool parsePlain(Op &op);
  bool parseConstant(Op &op);
  bool parseCompare(Op &op);
  bool parseKeyed(Op &op);
  bool parseSlice(Op &op);
  bool parseDot(Op &op);
  bool parseConvolution(Op &op);
  bool parseWindow(Op &op);
  bool parseReduce(Op &op);
  bool parseReducer(Op &op, unsigned count);
  bool parseWhile(Op &op);
  bool parseCall(Op &op);
  bool parseComposite(Op &op);
  bool parseShardingConstraint(Op &op);
  bool parseUnknown(Op &op);
  bool finishPretty(Op &op);

  Scanner scanner;
  Module &module;
  Function *function = nullptr;
  /// The values that can be named here: first number and count.
  std::vector<llvm::StringMap<std::pair<unsigned, unsigned>>> scopes;
  llvm::StringMap<Attribute> attributeAliases;
  llvm::StringMap<TensorType> typeAliases;
  unsigned depth = 0;
};

/// Parses the elements of a constant, the text between `<` and `>`. On failure
/// returns null and sets `error`.
std::shared_ptr<const Elements>
parseElements(llvm::StringRef text, const TensorType &type, std::string &error);

/// Counts how deeply the text is nested, as long as the object lives: a text
/// of a million brackets is an error, not a stack overflow.
class Parser::Nesting {
public:
  explicit Nesting(Parser &parser) : parser(parser) { ++parser.depth; }
  ~Nesting() { --parser.depth; }
  bool ok() const {
    return parser.depth <= 128 ||
           parser.scanner.fail("the text is nested too deeply");
  }

private:
  Parser &parser;
};

} // namespace ingot::stablehlo

#endif // INGOT_COMPILER_STABLEHLO_PARSER_H
