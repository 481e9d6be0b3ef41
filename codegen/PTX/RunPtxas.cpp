//===- RunPtxas.cpp - PTX to machine code by ptxas ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/PTX/RunPtxas.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace ingot::ptx {

/// The folder into which NVIDIA's installers put ptxas by default.
static constexpr StringLiteral toolkitFolder = "/usr/local/cuda/bin";

std::string findAssembler() {
  if (ErrorOr<std::string> path = sys::findProgramByName("ptxas"))
    return *path;
  ErrorOr<std::string> path = sys::findProgramByName("ptxas", {toolkitFolder});
  return path ? *path : "";
}

namespace {

/// A temporary file, which is removed when this object is destroyed.
struct ScopedTemporaryFile {
  Error make(StringRef suffix) {
    if (std::error_code error =
            sys::fs::createTemporaryFile("ingot-kernels", suffix, path))
      return createStringError(
          error, "cannot create a temporary file (TMPDIR sets its folder): %s",
          error.message().c_str());
    remover.setFile(path);
    return Error::success();
  }

  SmallString<128> path;
  FileRemover remover;
};

} // namespace

/// Returns the contents of a file, or "" if it cannot be read.
static std::string contentOf(StringRef path) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  return file ? (*file)->getBuffer().str() : "";
}

static Error write(StringRef path, StringRef text) {
  std::error_code error;
  raw_fd_ostream stream(path, error);
  stream << text;
  stream.close();
  if (!error)
    error = stream.error();
  stream.clear_error();
  if (error)
    return createStringError(error, "cannot write '%s': %s", path.str().c_str(),
                             error.message().c_str());
  return Error::success();
}

static Expected<std::string> requireAssembler() {
  std::string program = findAssembler();
  if (program.empty())
    return createStringError("ptxas not found in $PATH or %s: install the CUDA "
                             "toolkit, or use --emit=ptx",
                             toolkitFolder.data());
  return program;
}

Expected<std::string> assemblerVersion() {
  Expected<std::string> program = requireAssembler();
  if (!program)
    return program;
  ScopedTemporaryFile words;
  if (Error error = words.make("txt"))
    return error;
  StringRef told = words.path;
  std::string problem;
  if (sys::ExecuteAndWait(*program, {*program, "--version"},
                          /*Env=*/std::nullopt, {std::nullopt, told, told},
                          /*SecondsToWait=*/0, /*MemoryLimit=*/0,
                          &problem) != 0)
    return createStringError("%s --version failed: %s", program->c_str(),
                             problem.c_str());
  return contentOf(words.path);
}

namespace {

/// What ptxas wrote to its output file, and what it said.
struct Assembled {
  std::string code, words;
};

} // namespace

static Expected<Assembled> runAssembler(StringRef text, StringRef arch,
                                        bool isVerbose) {
  Expected<std::string> found = requireAssembler();
  if (!found)
    return found.takeError();
  std::string program = *found;
  ScopedTemporaryFile source, result, words;
  for (auto [file, suffix] :
       {std::pair(&source, "ptx"), std::pair(&result, "cubin"),
        std::pair(&words, "txt")})
    if (Error error = file->make(suffix))
      return error;
  if (Error error = write(source.path, text))
    return error;
  std::string option = "-arch=" + arch.str(), problem;
  SmallVector<StringRef> command = {program, option, source.path, "-o",
                                    result.path};
  if (isVerbose)
    command.push_back("-v");
  StringRef told = words.path;
  int code = sys::ExecuteAndWait(
      program, command, /*Env=*/std::nullopt, {std::nullopt, told, told},
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &problem);
  if (code != 0)
    return createStringError("%s failed to assemble the kernels for %s: %s%s",
                             program.c_str(), arch.str().c_str(),
                             problem.c_str(), contentOf(words.path).c_str());
  return Assembled{contentOf(result.path), contentOf(words.path)};
}

Expected<std::string> assemble(StringRef text, StringRef arch) {
  Expected<Assembled> assembled = runAssembler(text, arch, false);
  if (!assembled)
    return assembled.takeError();
  return assembled->code;
}

Expected<std::string> describeUsage(StringRef text, StringRef arch) {
  Expected<Assembled> assembled = runAssembler(text, arch, true);
  if (!assembled)
    return assembled.takeError();
  return assembled->words;
}

} // namespace ingot::ptx
