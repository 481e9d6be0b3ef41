//===- Library.cpp - The one symbol of a trainer as a library -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The counterpart of a trainer's main() in libraries: linked into the output of
// `ingotc --emit=lib` and --emit=shared, where it is renamed to NAME_library.
//
//===----------------------------------------------------------------------===//

#include "runtime/ABI/Program.h"
#include "runtime/Embedding/TrainerFunctions.h"

#include <cstdlib>
#include <google/protobuf/stubs/logging.h>

/// libstdc++'s own prints the type of the exception, for which it brings along
/// a demangler.
namespace __gnu_cxx {
void __verbose_terminate_handler() { std::abort(); }
} // namespace __gnu_cxx

/// The compiler's description of the header that it has written.
extern "C" const char ingot_library_interface[];

extern "C" __attribute__((visibility("default"))) const ingot_trainer_library *
ingot_trainer_library_main() {
  // protobuf would print damage of a file to standard error. Once: any thread
  // may come first.
  static const bool isSilent = (google::protobuf::SetLogHandler(nullptr), true);
  (void)isSilent;
  static const ingot_trainer_library library = {
      INGOT_TRAINER_VERSION, ingot_library_interface, &ingot_main_program,
      &ingot::embedding::trainerFunctions};
  return &library;
}
