//===- ParsePrettyOps.cpp - The pretty forms of ops -----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Attributes get the names that they have in the generic form. Loops and
// reductions are in ParsePrettyRegions.cpp.
//
//===----------------------------------------------------------------------===//

#include "compiler/StableHLO/Parser.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace ingot::stablehlo {

static Attribute textAttribute(StringRef text) {
  Attribute attribute;
  attribute.kind = Attribute::Text;
  attribute.text = text.str();
  return attribute;
}

static void set(Op &op, StringRef name, Attribute value) {
  op.attributes.add(name, std::move(value));
}

Parser::Form Parser::formOf(StringRef op) {
  StringRef name = op;
  if (name.consume_front("chlo."))
    return name == "constant" ? &Parser::parseConstant
           : name == "top_k"  ? &Parser::parseKeyed
                              : &Parser::parsePlain;
  if (op == "func.call")
    return &Parser::parseCall;
  if (op == "return" || op == "func.return")
    return &Parser::parsePlain;
  if (op == "sdy.sharding_constraint")
    return &Parser::parseShardingConstraint;
  if (!name.consume_front("stablehlo."))
    return &Parser::parseUnknown;
  return StringSwitch<Form>(name)
      .Case("constant", &Parser::parseConstant)
      .Case("compare", &Parser::parseCompare)
      .Cases({"broadcast_in_dim", "transpose", "reverse", "concatenate", "iota",
              "pad", "dynamic_slice", "reduce_precision", "rng_bit_generator",
              "cholesky", "rng", "get_dimension_size"},
             &Parser::parseKeyed)
      .Case("slice", &Parser::parseSlice)
      .Cases({"dot_general", "dot"}, &Parser::parseDot)
      .Case("convolution", &Parser::parseConvolution)
      .Case("reduce", &Parser::parseReduce)
      .Case("while", &Parser::parseWhile)
      .Case("custom_call", &Parser::parseCall)
      .Case("composite", &Parser::parseComposite)
      .Cases({"abs", "add", "and", "atan2", "bitcast_convert", "cbrt", "ceil",
              "clamp", "convert", "cosine"},
             &Parser::parsePlain)
      .Cases({"count_leading_zeros", "divide", "dynamic_update_slice",
              "exponential", "exponential_minus_one", "floor", "imag",
              "is_finite"},
             &Parser::parsePlain)
      .Cases({"log", "log_plus_one", "logistic", "maximum", "minimum",
              "multiply", "negate", "not", "optimization_barrier", "or"},
             &Parser::parsePlain)
      .Cases({"popcnt", "power", "real", "remainder", "reshape", "return",
              "round_nearest_afz", "round_nearest_even", "rsqrt", "select"},
             &Parser::parsePlain)
      .Cases({"shift_left", "shift_right_arithmetic", "shift_right_logical",
              "sign", "sine", "sqrt", "subtract", "tan", "tanh", "xor"},
             &Parser::parsePlain)
      .Cases({"after_all", "create_token", "partition_id", "replica_id"},
             &Parser::parsePlain)
      .Default(&Parser::parseUnknown);
}

// The attributes and types that end an op. Where the types have no arrow, one
// type is that of all operands and of the result; `select` states those of its
// predicate and of its result, a barrier and a return those of each operand.
bool Parser::finishPretty(Op &op) {
  Signature signature;
  StringRef name = op.name;
  bool isReturn = name.ends_with("return");
  if (isReturn && op.operands.empty())
    return true;
  if (!parseOptionalAttributes(op) || !parseSignature(signature))
    return false;
  if (signature.hasArrow)
    return applySignature(op, signature);
  SmallVector<TensorType, 4> types = signature.inputs;
  if (types.empty())
    return scanner.fail("expected a type");
  if (name == "stablehlo.select" && types.size() == 2)
    signature.inputs = {types[0], types[1], types[1]};
  else if (types.size() == 1)
    signature.inputs.assign(op.operands.size(), types[0]);
  if (name == "stablehlo.optimization_barrier")
    signature.outputs = signature.inputs;
  else if (!isReturn)
    signature.outputs = {types.back()};
  return applySignature(op, signature);
}

// `%a, %b : A`, or as older versions print some ops, `(%a) : (A) -> B`.
bool Parser::parsePlain(Op &op) {
  bool ok =
      scanner.peek("(") ? parseOperandsIn(op, "(", ")") : parseOperands(op);
  return ok && finishPretty(op);
}

bool Parser::parseUnknown(Op &op) {
  op.problem = "this op is not supported";
  scanner.skipOp();
  return !scanner.hasFailed();
}

bool Parser::parseConstant(Op &op) {
  Attribute value;
  if (!parseOptionalAttributes(op) || !parseAttribute(value))
    return false;
  if (value.kind != Attribute::Dense) {
    bool isElided = StringRef(value.text).contains("elided");
    op.problem =
        isElided ? "the text leaves out the elements of this constant"
                 : "constants of this kind are not supported: " + value.text;
    return true;
  }
  op.results.push_back(addValue(value.elements->type));
  set(op, "value", std::move(value));
  return true;
}

// `GT, %a, %b, FLOAT : (A, A) -> B`
bool Parser::parseCompare(Op &op) {
  set(op, "comparison_direction", textAttribute(scanner.word()));
  if (!scanner.expect(",") || !parseOperand(op) || !scanner.expect(",") ||
      !parseOperand(op))
    return false;
  if (scanner.consume(","))
    set(op, "compare_type", textAttribute(scanner.word()));
  return finishPretty(op);
}

// Returns the attribute's name in the generic form.
static StringRef genericName(StringRef op, StringRef key) {
  return StringSwitch<StringRef>(op)
      .Case("stablehlo.broadcast_in_dim", "broadcast_dimensions")
      .Case("stablehlo.transpose", "permutation")
      .Case("stablehlo.reverse", "dimensions")
      .Case("stablehlo.concatenate", "dimension")
      .Case("stablehlo.iota", "iota_dimension")
      .Case("stablehlo.dynamic_slice", "slice_sizes")
      .Case("stablehlo.pad", key == "low"    ? "edge_padding_low"
                             : key == "high" ? "edge_padding_high"
                                             : "interior_padding")
      .Default(key);
}

// `%a, %b, dims = [1]`: operands, and then attributes by keys.
bool Parser::parseKeyed(Op &op) {
  bool isInParentheses = scanner.consume("(");
  bool isFirst = true;
  while (isFirst || scanner.consume(",")) {
    isFirst = false;
    if (scanner.peek("%")) {
      if (!parseOperand(op))
        return false;
      continue;
    }
    StringRef key = scanner.word();
    Attribute value;
    if (key.empty() || !scanner.expect("="))
      return scanner.fail("expected a value or the name of an attribute");
    bool isWord =
        key == "format" || key == "algorithm" || key == "distribution";
    if (isWord) {
      value = textAttribute(scanner.word());
    } else if (auto number = scanner.integer()) {
      // The types of the op follow, not that of the number.
      value.kind = Attribute::Integer;
      value.integer = *number;
    } else if (!parseAttribute(value)) {
      return false;
    }
    set(op, genericName(op.name, key), std::move(value));
  }
  return (!isInParentheses || scanner.expect(")")) && finishPretty(op);
}

// `%a [0:2, 1:5:2] : (A) -> B`
bool Parser::parseSlice(Op &op) {
  Attribute begin, end, strides;
  begin.kind = end.kind = strides.kind = Attribute::List;
  auto add = [&](Attribute &list) {
    auto value = scanner.integer();
    Attribute &one = list.list.emplace_back();
    one.kind = Attribute::Integer;
    one.integer = value.value_or(1);
    return value || scanner.fail("expected a number");
  };
  if (!parseOperand(op) || !scanner.expect("["))
    return false;
  while (!scanner.consume("]")) {
    if (!begin.list.empty() && !scanner.expect(","))
      return false;
    if (!add(begin) || !scanner.expect(":") || !add(end))
      return false;
    if (scanner.consume(":") ? !add(strides) : false)
      return false;
    if (strides.list.size() < begin.list.size()) {
      strides.list.emplace_back().kind = Attribute::Integer;
      strides.list.back().integer = 1;
    }
  }
  set(op, "start_indices", std::move(begin));
  set(op, "limit_indices", std::move(end));
  set(op, "strides", std::move(strides));
  return finishPretty(op);
}

// `%a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], ..`
bool Parser::parseDot(Op &op) {
  Attribute numbers;
  numbers.kind = Attribute::Dictionary;
  if (!parseOperand(op) || !scanner.expect(",") || !parseOperand(op))
    return false;
  while (scanner.consume(",")) {
    StringRef key = scanner.word();
    if (key.empty() || !scanner.expect("="))
      return scanner.fail("expected an attribute");
    if (key == "batching_dims" || key == "contracting_dims") {
      std::string kind = key == "batching_dims" ? "batching_dimensions"
                                                : "contracting_dimensions";
      Attribute lhs, rhs;
      if (!parseIntegers(lhs) || !scanner.expect("x") || !parseIntegers(rhs))
        return false;
      numbers.add("lhs_" + kind, std::move(lhs));
      numbers.add("rhs_" + kind, std::move(rhs));
    } else {
      // `precision = [DEFAULT, DEFAULT]`, `algorithm = <..>`.
      auto text = scanner.brackets();
      if (!text)
        return false;
      set(op, key == "precision" ? "precision_config" : key,
          textAttribute(*text));
    }
  }
  set(op, "dot_dimension_numbers", std::move(numbers));
  return finishPretty(op);
}

// `(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {..} {..}`
bool Parser::parseConvolution(Op &op) {
  if (!parseOperandsIn(op, "(", ")") || !scanner.consumeWord("dim_numbers") ||
      !scanner.expect("="))
    return scanner.fail("expected the operands and dim_numbers");
  scanner.atEnd();
  size_t begin = scanner.offset();
  if (!scanner.brackets() || !scanner.expect("x") || !scanner.brackets() ||
      !scanner.expect("->") || !scanner.brackets())
    return scanner.fail("expected dim_numbers");
  Attribute numbers = textAttribute(scanner.since(begin));
  numbers.kind = Attribute::Unread;
  set(op, "dimension_numbers", std::move(numbers));
  if (scanner.consume(",") &&
      (!scanner.consumeWord("window") || !scanner.expect("=") ||
       !scanner.expect("{") || !parseWindow(op)))
    return scanner.fail("expected a window");
  return finishPretty(op);
}

// `stride = [2, 2], pad = [[0, 1], [0, 1]]}`
bool Parser::parseWindow(Op &op) {
  Attribute window;
  if (!parseFields(window, "}"))
    return false;
  for (auto [key, value] : llvm::zip(window.names, window.list))
    set(op,
        StringSwitch<StringRef>(key)
            .Case("stride", "window_strides")
            .Case("pad", "padding")
            .Case("lhs_dilate", "lhs_dilation")
            .Case("rhs_dilate", "rhs_dilation")
            .Case("reverse", "window_reversal")
            .Default(key),
        std::move(value));
  return true;
}

// `@name(%a) : (A) -> B`
bool Parser::parseCall(Op &op) {
  auto callee = scanner.symbol('@');
  if (!callee)
    return scanner.fail("expected the name of a function");
  set(op, op.name == "func.call" ? "callee" : "call_target_name",
      textAttribute(*callee));
  return parseOperandsIn(op, "(", ")") && finishPretty(op);
}

// `"name" %a {decomposition = @f, ..} : (A) -> B`
bool Parser::parseComposite(Op &op) {
  auto name = scanner.string();
  if (!name)
    return scanner.fail("expected the name of the composite");
  set(op, "name", textAttribute(*name));
  return parseOperands(op) && finishPretty(op);
}

// `%a <@mesh, [{}]> : A`
bool Parser::parseShardingConstraint(Op &op) {
  if (!parseOperand(op))
    return false;
  auto sharding = scanner.brackets();
  if (!sharding)
    return false;
  set(op, "sharding", textAttribute(*sharding));
  return finishPretty(op);
}

} // namespace ingot::stablehlo
