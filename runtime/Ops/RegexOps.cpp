//===- RegexOps.cpp - Strings against regular expressions -----------------===//

#include "runtime/Ops/Op.h"
#include "runtime/Ops/Regex.h"

using namespace ingot;
using namespace ingot::ops;

INGOT_RUNTIME_OP(regex_full_match) {
  Input input = op.input(0);
  INGOT_ASSIGN_OR_RETURN(Regex regex, Regex::compile(op.input(1).text(0)));
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<bool>(0, input.dims()));
  for (size_t i = 0; i < output.size(); ++i)
    output[i] = regex.matches(input.text(i));
  return Status::ok();
}

/// Adds `rewrite`, in which a backslash and a digit stand for a group.
static Status appendRewrite(Op &op, std::string_view rewrite,
                            std::string_view text, const Regex::Groups &groups,
                            std::string &result) {
  for (size_t i = 0; i < rewrite.size(); ++i) {
    if (rewrite[i] != '\\') {
      result += rewrite[i];
      continue;
    }
    char c = ++i < rewrite.size() ? rewrite[i] : '\0';
    if (c == '\\') {
      result += c;
      continue;
    }
    auto group = static_cast<size_t>(c - '0');
    if (c < '0' || c > '9' || 2 * group >= groups.size())
      return op.invalid("its rewrite '" + std::string(rewrite) +
                        "' names a group that its pattern does not have");
    if (groups[2 * group] >= 0)
      result += text.substr(
          static_cast<size_t>(groups[2 * group]),
          static_cast<size_t>(groups[2 * group + 1] - groups[2 * group]));
  }
  return Status::ok();
}

INGOT_RUNTIME_OP(regex_replace) {
  Input input = op.input(0);
  INGOT_ASSIGN_OR_RETURN(Regex regex, Regex::compile(op.input(1).text(0)));
  std::string_view rewrite = op.input(2).text(0);
  bool all = op.flag("replace_global", true);
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<ingot_string>(0, input.dims()));
  Regex::Groups groups;
  for (size_t i = 0; i < output.size(); ++i) {
    std::string_view text = input.text(i);
    std::string result;
    size_t at = 0, last = std::string_view::npos;
    while (at <= text.size() && regex.search(text, at, groups)) {
      auto begin = static_cast<size_t>(groups[0]);
      auto end = static_cast<size_t>(groups[1]);
      result += text.substr(at, begin - at);
      // Nothing is no match right behind another one.
      if (begin != end || begin != last)
        INGOT_RETURN_IF_ERROR(appendRewrite(op, rewrite, text, groups, result));
      last = at = end;
      if (begin == end) {
        if (at < text.size())
          result += text[at];
        ++at;
      }
      if (!all)
        break;
    }
    if (at < text.size())
      result += text.substr(at);
    INGOT_ASSIGN_OR_RETURN(output[i], op.string(result));
  }
  return Status::ok();
}
