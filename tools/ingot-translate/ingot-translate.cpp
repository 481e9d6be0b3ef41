//===- ingot-translate.cpp - Graphs to and from the graph dialect ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/Export.h"
#include "compiler/Export/SavedModel.h"
#include "compiler/Import/Import.h"
#include "compiler/StableHLO/StableHLO.h"
#include "dialects/Ingot/IR/IngotDialect.h"
#include "tools/GraphFlags/GraphFlags.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

#include <google/protobuf/text_format.h>

using namespace llvm;

static cl::OptionCategory category("ingot-translate options");

enum class Translation {
  None,
  MetaGraph,
  GraphDef,
  SavedModel,
  Export,
  ExportSavedModel
};

static cl::opt<Translation> translation(
    cl::desc("action:"), cl::init(Translation::None), cl::cat(category),
    cl::values(clEnumValN(Translation::MetaGraph, "import-metagraph",
                          "import a MetaGraphDef and print the program"),
               clEnumValN(Translation::GraphDef, "import-graphdef",
                          "import a GraphDef, with the given entries"),
               clEnumValN(Translation::SavedModel, "import-saved-model",
                          "import the folder of a SavedModel"),
               clEnumValN(Translation::Export, "export-graphdef",
                          "export a program, or a graph, as a GraphDef"),
               clEnumValN(Translation::ExportSavedModel, "export-saved-model",
                          "export a program as the folder of a SavedModel, "
                          "with its variables' initial values")));
static cl::opt<std::string> input(cl::Positional, cl::desc("INPUT"),
                                  cl::init(""), cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("write this file"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(category));
static cl::opt<bool> check(
    "check",
    cl::desc(
        "print the graph's contents and unsupported nodes, but no program"),
    cl::cat(category));
static cl::opt<bool> json("json", cl::desc("--check: print JSON"),
                          cl::cat(category));
static cl::opt<bool>
    listOps("list-ops",
            cl::desc("print the table of TensorFlow's ops (docs/ops.md)"),
            cl::cat(category));
static cl::opt<bool> locations("locations", cl::desc("print each op's node"),
                               cl::cat(category));

static raw_ostream &error() {
  return WithColor(errs(), HighlightColor::Error) << "error: ";
}

// Prints a diagnostic of the importer as compilers do, with the file first.
static LogicalResult printDiagnostic(mlir::Diagnostic &diagnostic) {
  // Remarks are printed by ingotc --remarks only.
  if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark)
    return success();
  auto print = [](const mlir::Diagnostic &said) {
    if (auto name = dyn_cast<mlir::NameLoc>(said.getLocation()))
      errs() << name.getName().getValue() << ": ";
    errs() << (said.getSeverity() == mlir::DiagnosticSeverity::Error ? "error: "
               : said.getSeverity() == mlir::DiagnosticSeverity::Note
                   ? "note: "
                   : "warning: ")
           << said.str() << '\n';
  };
  print(diagnostic);
  for (const mlir::Diagnostic &note : diagnostic.getNotes())
    print(note);
  return success();
}

// Writes the result to the output file. Prints an error and returns false if
// that fails.
static bool write(function_ref<void(raw_ostream &)> print) {
  std::error_code code;
  ToolOutputFile file(output, code, sys::fs::OF_Text);
  if (!code) {
    print(file.os());
    file.os().flush();
    code = file.os().error();
  }
  if (code) {
    file.os().clear_error();
    error() << output << ": " << code.message() << '\n';
    return false;
  }
  file.keep();
  return true;
}

// Imports a graph and returns its program. If the graph cannot be imported,
// prints all errors and returns null.
static mlir::OwningOpRef<mlir::ModuleOp>
importGraph(ingot::importer::GraphFile &file, mlir::MLIRContext &context,
            ingot::importer::ImportOptions &options,
            ingot::importer::ImportReport &report) {
  options.checkpoint = file.checkpoint;
  // A GraphDef has no collections, SaverDef or signatures: import the graph by
  // naming conventions only.
  if (translation == Translation::GraphDef) {
    file.graph.clear_collection_def();
    file.graph.clear_saver_def();
    file.graph.clear_signature_def();
    ingot::importer::addConventions(file.graph);
  }
  return ingot::importer::importMetaGraph(file.graph, context, options,
                                          &report);
}

// Turns a step in StableHLO into a graph. Prints everything that is wrong with
// it and returns the exit code.
static int readStableHLO(ingot::importer::GraphFile &file,
                         ingot::importer::ImportOptions &options) {
  ingot::importer::ImportErrors problems;
  if (succeeded(ingot::stablehlo::readStep(file, input, ingot::tools::roles,
                                           options, problems)))
    return 0;
  mlir::MLIRContext context;
  mlir::ScopedDiagnosticHandler handler(&context, printDiagnostic);
  if (!check)
    problems.emit(mlir::NameLoc::get(mlir::StringAttr::get(&context, input)));
  ingot::importer::ImportReport report;
  problems.moveTo(report);
  if (check && !write([&](raw_ostream &os) {
        json ? report.printJson(os) : report.print(os);
      }))
    return 1;
  return report.exitCode();
}

// Parses `text`, a program in MLIR. If the program is invalid, prints an error
// and returns null.
static mlir::OwningOpRef<mlir::ModuleOp>
parseProgram(StringRef text, mlir::MLIRContext &context) {
  context.loadDialect<mlir::ingot::IngotDialect, mlir::func::FuncDialect>();
  return mlir::parseSourceString<mlir::ModuleOp>(
      text, mlir::ParserConfig(&context), input);
}

// Exports the program as a GraphDef, in text form if the output's name ends in
// .pbtxt. Returns the exit code.
static int writeGraph(mlir::ModuleOp module) {
  mlir::FailureOr<ingot::proto::GraphDef> graph =
      ingot::exporter::exportGraphDef(module);
  if (failed(graph))
    return 3;
  std::string bytes;
  bool isText = StringRef(output).ends_with(".pbtxt");
  if (isText ? !google::protobuf::TextFormat::PrintToString(*graph, &bytes)
             : !graph->SerializeToString(&bytes)) {
    error() << "the graph exceeds the limit of 2 GiB for a GraphDef\n";
    return 1;
  }
  return write([&](raw_ostream &os) { os << bytes; }) ? 0 : 1;
}

// Exports the program's predictions as a SavedModel in a new folder. Returns
// the exit code.
static int writeSavedModel(mlir::ModuleOp module) {
  if (output == "-") {
    error() << "no output folder: give -o DIR for a SavedModel\n";
    return 2;
  }
  auto model = ingot::exporter::exportSavedModel(module);
  if (failed(model))
    return 3;
  std::string bytes;
  if (!model->SerializeToString(&bytes)) {
    error() << "the graph exceeds the limit of 2 GiB for a SavedModel\n";
    return 1;
  }
  if (std::error_code code = sys::fs::create_directories(output)) {
    error() << output << ": " << code.message() << '\n';
    return 1;
  }
  output = output + "/saved_model.pb";
  return write([&](raw_ostream &os) { os << bytes; }) ? 0 : 1;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions({&category, &ingot::tools::graphFlags});
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Translates TensorFlow's graphs into Ingot's graph dialect, and "
          "back\n\n"
          "  ingot-translate --import-metagraph train.meta -o train.mlir\n"
          "  ingot-translate --export-graphdef train.mlir -o train.pb\n",
          &errs()))
    return 2;
  if (listOps)
    return write(ingot::importer::printOps) ? 0 : 1;
  if (translation == Translation::None || input.empty()) {
    error() << (input.empty() ? "no input file\n"
                              : "no translation was chosen: see --help\n");
    return 2;
  }
  ingot::importer::ImportOptions options;
  options.inputName = input;
  if (!ingot::tools::readGraphFlags(options))
    return 2;

  mlir::FailureOr<ingot::importer::GraphFile> file = ingot::importer::readGraph(
      input, [](const Twine &message) { error() << message << '\n'; },
      ingot::tools::tagSet);
  if (failed(file))
    return 1;
  if (file->kind == ingot::importer::GraphFile::MLIR &&
      ingot::stablehlo::isModule(file->text))
    if (int code = readStableHLO(*file, options))
      return code;
  bool exports = translation == Translation::Export ||
                 translation == Translation::ExportSavedModel;
  bool isProgram = file->kind == ingot::importer::GraphFile::MLIR;
  if (isProgram && !exports) {
    error() << input << ": expected a graph to import, found MLIR\n";
    return 1;
  }

  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  ingot::importer::ImportReport report;
  mlir::ScopedDiagnosticHandler handler(
      &context, [](mlir::Diagnostic &diagnostic) {
        return check ? success() : printDiagnostic(diagnostic);
      });
  mlir::OwningOpRef<mlir::ModuleOp> module =
      isProgram ? parseProgram(file->text, context)
                : importGraph(*file, context, options, report);
  if (check && !isProgram) {
    if (!write([&](raw_ostream &os) {
          json ? report.printJson(os) : report.print(os);
        }))
      return 1;
    return report.exitCode();
  }
  if (!module)
    return report.ok() ? 1 : report.exitCode();
  if (exports)
    return translation == Translation::Export ? writeGraph(*module)
                                              : writeSavedModel(*module);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(locations);
  return write([&](raw_ostream &os) {
    module->print(os, flags);
    os << '\n';
  })
             ? 0
             : 1;
}
