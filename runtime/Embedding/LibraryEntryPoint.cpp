//===- LibraryEntryPoint.cpp - The one symbol of a trainer as a library ---===//
// SPDX-License-Identifier: Apache-2.0
//
// The only exported symbol of a trainer that is compiled as a library. `ingotc
// --emit=lib` and --emit=shared link this file instead of the one with main(),
// and rename the symbol to NAME_library.
//
//===----------------------------------------------------------------------===//

#include "runtime/ABI/Program.h"
#include "runtime/Embedding/TrainerFunctions.h"

#include <cstdlib>
#include <google/protobuf/stubs/logging.h>

/// Replaces libstdc++'s handler for uncaught exceptions. That handler prints
/// the exception's type and so would link a demangler into the library.
namespace __gnu_cxx {
void __verbose_terminate_handler() { std::abort(); }
} // namespace __gnu_cxx

/// A hash of the C header that the compiler has generated for this library. A
/// caller compares it with the hash in its copy of the header.
extern "C" const char ingot_library_interface[];

extern "C" __attribute__((visibility("default"))) const ingot_trainer_library *
ingot_trainer_library_main() {
  // Stops protobuf from printing errors in parsed files to standard error. The
  // initializer of a static variable runs exactly once, even if several threads
  // call this function for the first time.
  static const bool isSilent = (google::protobuf::SetLogHandler(nullptr), true);
  (void)isSilent;
  static const ingot_trainer_library library = {
      INGOT_TRAINER_VERSION, ingot_library_interface, &ingot_main_program,
      &ingot::embedding::trainerFunctions};
  return &library;
}
