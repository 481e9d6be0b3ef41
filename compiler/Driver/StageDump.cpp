//===- StageDump.cpp - Dumps of stages, and a page to browse them ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/Stages.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

namespace ingot::driver {

/// Writes a file of a dump. On failure, prints an error and returns false.
static bool write(llvm::StringRef directory, llvm::StringRef name,
                  llvm::StringRef text) {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    stream << text;
    stream.flush();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    llvm::WithColor::error()
        << "cannot write '" << path << "': " << error.message() << '\n';
  return !error;
}

static std::string escaped(llvm::StringRef text) {
  std::string html;
  llvm::raw_string_ostream stream(html);
  llvm::printHTMLEscaped(text, stream);
  return html;
}

/// Returns an HTML page with one tab per stage. In each tab, lines that the
/// previous stage does not have are highlighted.
static std::string
page(const std::vector<std::pair<std::string, std::string>> &texts) {
  std::string html =
      "<!doctype html><meta charset=utf-8><title>Stages</title>\n<style>"
      "body{font:14px sans-serif;margin:1em}pre{font:12px monospace}"
      ".new{background:#dfd}section{display:none}section:target{display:block}"
      "a{margin-right:1em}</style>\n<nav>";
  for (const auto &[stage, text] : texts)
    html += "<a href='#" + stage + "'>" + stage + "</a>";
  html += "</nav>\n";
  llvm::StringRef before;
  for (const auto &[stage, text] : texts) {
    llvm::StringSet<> known;
    llvm::SmallVector<llvm::StringRef> lines;
    before.split(lines, '\n');
    for (llvm::StringRef line : lines)
      known.insert(line.trim());
    html += "<section id='" + stage + "'><pre>";
    lines.clear();
    llvm::StringRef(text).split(lines, '\n');
    for (llvm::StringRef line : lines)
      html += (known.contains(line.trim()) ? "<span>" : "<span class=new>") +
              escaped(line) + "</span>\n";
    html += "</pre></section>\n";
    before = text;
  }
  return html;
}

void StageInstrumentation::writeDump(size_t number) {
  if (!isWritten)
    return;
  if (std::error_code error = llvm::sys::fs::create_directories(directory)) {
    llvm::WithColor::error() << "cannot create the folder '" << directory
                             << "': " << error.message() << '\n';
    isWritten = false;
    return;
  }
  const auto &[stage, text] = texts[number - 1];
  std::string name;
  llvm::raw_string_ostream(name)
      << llvm::format("%02u-", static_cast<unsigned>(number)) << stage
      << ".mlir";
  isWritten = write(directory, name, text);
}

bool StageInstrumentation::finishDumps() {
  return directory.empty() ||
         (isWritten && write(directory, "index.html", page(texts)));
}

} // namespace ingot::driver
