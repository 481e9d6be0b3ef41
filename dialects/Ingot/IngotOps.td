//===- IngotOps.td - All families of ops in one place -*- tablegen -*-===//
//
// What TableGen is run on.
//
//===----------------------------------------------------------------------===//

include "dialects/Ingot/IngotProgram.td"
include "dialects/Ingot/IngotTensor.td"
include "dialects/Ingot/IngotMath.td"
include "dialects/Ingot/IngotNN.td"
include "dialects/Ingot/IngotState.td"
include "dialects/Ingot/IngotInput.td"
