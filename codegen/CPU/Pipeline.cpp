//===- Pipeline.cpp - The CPU stages, pass by pass ------------------------===//

#include "codegen/CPU/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Transforms/Passes.h"

namespace ingot::cpu {

void buildBufferPipeline(mlir::OpPassManager &manager, const Target &target) {
  manager.addPass(createFuseElementwisePass());
  TileKernelsPassOptions tiling;
  tiling.vectorBits = target.vectorBits;
  tiling.numRegisters = target.numRegisters;
  manager.addPass(createTileKernelsPass(tiling));
  // Single-trip loops of peeled remainders become straight code with static
  // tiles.
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
  manager.addPass(createBufferizeProgramPass());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
  // Copies whose two sides have become one.
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(createPartitionKernelsPass());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(createPlaceScratchPass());
  manager.addPass(createMeasureKernelsPass());
}

void buildLLVMPipeline(mlir::OpPassManager &manager, const Target &target) {
  VectorizeProductsPassOptions products;
  products.vectorBits = target.vectorBits;
  products.useFMA = target.hasFMA;
  manager.addPass(createVectorizeProductsPass(products));
  VectorizeLoopsPassOptions loops;
  loops.vectorBits = target.vectorBits;
  manager.addPass(createVectorizeLoopsPass(loops));
  ApproximateMathPassOptions math;
  math.useFMA = target.hasFMA;
  manager.addPass(createApproximateMathPass(math));
  manager.addPass(createPlanArenaPass());
  manager.addPass(createLowerSignaturesPass());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
  manager.addPass(mlir::memref::createExpandStridedMetadataPass());
  manager.addPass(mlir::createLowerAffinePass());
  manager.addPass(mlir::createSCFToControlFlowPass());
  manager.addPass(createConvertToLLVMPass());
  manager.addPass(mlir::createReconcileUnrealizedCastsPass());
  manager.addPass(mlir::createCanonicalizerPass());
}

void registerBufferizationModels(mlir::DialectRegistry &registry) {
  mlir::arith::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  mlir::linalg::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::linalg::registerTilingInterfaceExternalModels(registry);
  mlir::scf::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::tensor::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::tensor::registerInferTypeOpInterfaceExternalModels(registry);
  mlir::tensor::registerTilingInterfaceExternalModels(registry);
}

} // namespace ingot::cpu
