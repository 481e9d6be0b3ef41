//===- Main.cpp - The entry point of a compiled trainer -------------------===//

#include "runtime/ABI/Program.h"
#include "runtime/CommandLine/TrainerMain.h"

#include <cstdlib>

/// libstdc++'s own prints the type of the exception, for which it brings along
/// a demangler: 45 KB of a trainer that throws nothing.
namespace __gnu_cxx {
void __verbose_terminate_handler() { std::abort(); }
} // namespace __gnu_cxx

int main(int argc, char **argv) {
  return ingot::trainerMain(argc, argv, ingot_main_program);
}
