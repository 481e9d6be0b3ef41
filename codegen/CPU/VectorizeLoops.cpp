//===- VectorizeLoops.cpp - linalg on buffers to loops over vectors -------===//

#include "codegen/CPU/Passes.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_VECTORIZELOOPSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;
using Builder_ = ImplicitLocOpBuilder;

namespace {

/// Long sums are sums of blocks' sums, so that rounding errors do not pile up:
/// each lane adds so many numbers of its own in a block, and so many blocks are
/// one of the next level. The tree depends on sizes only.
constexpr int64_t stepsOfSumBlock = 64;
constexpr unsigned maxLevels = 3;

/// So many numbers may be added one after the other along outer dimensions.
constexpr int64_t longSum = 1024;

/// So many vectors of columns are added up at a time: each has to wait for
/// itself only.
constexpr int64_t columnVectors = 4;

/// How an operand is reached from the innermost dimension.
enum class Access { Invariant, Contiguous, Strided };

class LoopLowering {
public:
  LoopLowering(linalg::GenericOp op, unsigned vectorBits)
      : op(op), builder(op.getLoc(), op), ranges(op.getStaticLoopRanges()) {
    inner = static_cast<int64_t>(ranges.size()) - 1;
    unsigned widest = 8;
    for (Value operand : op->getOperands()) {
      Type element = getElementTypeOrSelf(operand.getType());
      unsigned bits = element.getIntOrFloatBitWidth();
      // Small floats are computed in f32.
      if (isa<FloatType>(element))
        bits = std::max(bits, 32u);
      // Indices and labels may be wider than what is computed.
      if (isa<FloatType>(element) || widest == 8)
        widest = std::max(widest, bits);
    }
    maxLanes = vectorBits / widest;
  }

  void run() {
    if (inner < 0) {
      scalarStep();
    } else {
      reduces =
          op.getIteratorTypesArray()[inner] == utils::IteratorType::reduction;
      vectorizes = (isOpen(inner) || ranges[inner] > 1) && canVectorize();
      if (isLongSum())
        reduceLong();
      else
        outerLoops();
    }
    op->erase();
  }

private:
  /// Whether the number of iterations is not known before run time.
  bool isOpen(int64_t dimension) const {
    return ShapedType::isDynamic(ranges[dimension]);
  }

  /// The number of iterations.
  Value boundOf(int64_t dimension) {
    if (!isOpen(dimension))
      return at(ranges[dimension]);
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [index, expression] : llvm::enumerate(map.getResults()))
        if (expression == builder.getAffineDimExpr(dimension))
          return memref::DimOp::create(builder, operand.get(), index);
    }
    llvm_unreachable("every loop of a linalg op has an operand's size");
  }

  Access accessOf(OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    AffineExpr dimension = builder.getAffineDimExpr(inner);
    int64_t position = -1;
    for (auto [index, expression] : llvm::enumerate(map.getResults()))
      if (expression == dimension)
        position = index;
      else if (expression.isFunctionOfDim(inner))
        return Access::Strided;
    if (position < 0)
      return Access::Invariant;
    auto type = cast<MemRefType>(operand.get().getType());
    auto [strides, offset] = type.getStridesAndOffset();
    return strides[position] == 1 ? Access::Contiguous : Access::Strided;
  }

  /// The op that combines a destination's element with what is reduced, or
  /// null where the body does not have that form.
  Operation *combinerOf(unsigned output) {
    Value argument = op.getBlock()->getArgument(op.getNumDpsInputs() + output);
    Value yielded = op.getBlock()->getTerminator()->getOperand(output);
    Operation *combiner = yielded.getDefiningOp();
    if (!combiner || !argument.hasOneUse() ||
        *argument.getUsers().begin() != combiner || !yielded.hasOneUse() ||
        !isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::AddIOp, arith::MulIOp>(combiner))
      return nullptr;
    return combiner;
  }

  static vector::CombiningKind kindOf(Operation *combiner) {
    using Kind = vector::CombiningKind;
    if (isa<arith::AddFOp, arith::AddIOp>(combiner))
      return Kind::ADD;
    if (isa<arith::MulFOp, arith::MulIOp>(combiner))
      return Kind::MUL;
    return isa<arith::MaximumFOp>(combiner) ? Kind::MAXIMUMF : Kind::MINIMUMF;
  }

  bool canVectorize() {
    for (OpOperand &operand : op->getOpOperands()) {
      Access access = accessOf(operand);
      Type element = getElementTypeOrSelf(operand.get().getType());
      // A vector of bits is packed, a tensor of them is not.
      if (access == Access::Strided ||
          (access == Access::Contiguous && element.isInteger(1)))
        return false;
      bool isOutput = op.isDpsInit(&operand);
      if (isOutput && (access == Access::Invariant) != reduces)
        return false;
    }
    if (reduces)
      for (unsigned output = 0; output < op.getNumDpsInits(); ++output)
        if (!combinerOf(output) || op.getNumDpsInits() != 1)
          return false;
    for (Operation &member : op.getBlock()->without_terminator()) {
      // An address that varies by lane would need a gather, unless lanes lie
      // next to each other.
      if (auto load = dyn_cast<memref::LoadOp>(member)) {
        if (!isUniformOrContiguous(load))
          return false;
      } else if (!isa<linalg::IndexOp>(member) &&
                 !OpTrait::hasElementwiseMappableTraits(&member) &&
                 !isa<arith::ConstantOp, arith::MulUIExtendedOp>(member)) {
        return false;
      }
    }
    return true;
  }

  /// How far `value` moves with the innermost dimension: 0 or 1 a step; nothing
  /// where that is not known.
  std::optional<int64_t> strideOf(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == op.getBlock()) {
      OpOperand *operand = op.getMatchingOpOperand(argument);
      return op.isDpsInput(operand) && accessOf(*operand) == Access::Invariant
                 ? std::optional<int64_t>(0)
                 : std::nullopt;
    }
    Operation *definition = value.getDefiningOp();
    if (!definition || definition->getBlock() != op.getBlock())
      return 0;
    if (auto index = dyn_cast<linalg::IndexOp>(definition))
      return static_cast<int64_t>(index.getDim()) == inner ? 1 : 0;
    SmallVector<int64_t> strides;
    for (Value operand : definition->getOperands()) {
      std::optional<int64_t> stride = strideOf(operand);
      if (!stride)
        return std::nullopt;
      strides.push_back(*stride);
    }
    if (isa<arith::AddIOp>(definition) && strides[0] + strides[1] <= 1)
      return strides[0] + strides[1];
    if (isa<arith::SubIOp>(definition) && strides[1] == 0)
      return strides[0];
    if (llvm::all_of(strides, [](int64_t stride) { return stride == 0; }))
      return 0;
    return std::nullopt;
  }

  /// Whether all lanes read one element, or neighbours in memory.
  bool isUniformOrContiguous(memref::LoadOp load) {
    for (auto [position, index] : llvm::enumerate(load.getIndices())) {
      std::optional<int64_t> stride = strideOf(index);
      bool isLast = position + 1 == load.getIndices().size();
      if (!stride || (*stride == 1 && !isLast))
        return false;
      if (*stride == 0)
        continue;
      // A vector of bits is packed, a tensor of them is not.
      auto [strides, offset] = load.getMemRefType().getStridesAndOffset();
      if (strides.back() != 1 ||
          load.getMemRefType().getElementType().isInteger(1))
        return false;
    }
    return true;
  }

  Value at(int64_t index) {
    return arith::ConstantIndexOp::create(builder, index);
  }

  /// Where an operand's element lies at the current position.
  SmallVector<Value> indicesOf(OpOperand &operand) {
    SmallVector<Value> indices;
    for (AffineExpr expression :
         op.getMatchingIndexingMap(&operand).getResults()) {
      if (auto dimension = dyn_cast<AffineDimExpr>(expression))
        indices.push_back(position[dimension.getPosition()]);
      else
        indices.push_back(at(cast<AffineConstantExpr>(expression).getValue()));
    }
    return indices;
  }

  void outerLoops() {
    position.resize(ranges.size());
    SmallVector<scf::ForOp> loops;
    for (int64_t dimension = 0; dimension < inner; ++dimension) {
      auto loop = scf::ForOp::create(builder, at(0), boundOf(dimension), at(1));
      position[dimension] = loop.getInductionVar();
      builder.setInsertionPointToStart(loop.getBody());
    }
    if (vectorizes && reduces)
      reduceInner();
    else
      mapInner();
  }

  /// The innermost dimension element by element, or in vectors and a rest of
  /// smaller ones.
  void mapInner() {
    hoistInvariants();
    if (isOpen(inner)) {
      auto [whole, size] = wholeVectors(vectorizes ? maxLanes : 1);
      if (vectorizes)
        loopOver(at(0), whole, maxLanes, [&] { step(maxLanes); });
      loopOver(vectorizes ? whole : at(0), size, 1, [&] { step(1); });
      return;
    }
    int64_t size = ranges[inner], done = 0;
    for (int64_t lanes = vectorizes ? maxLanes : 1; done < size; lanes /= 2) {
      int64_t count = (size - done) / lanes;
      if (lanes == 1 && count > 1) {
        loopOver(at(done), at(size), 1, [&] { step(1); });
        return;
      }
      if (count > 1)
        loopOver(at(done), at(done + count * lanes), lanes,
                 [&] { step(lanes); });
      else if (count == 1) {
        position[inner] = at(done);
        step(lanes);
      }
      done += count * lanes;
    }
  }

  /// The part of the innermost dimension that whole vectors cover, and all of
  /// it.
  std::pair<Value, Value> wholeVectors(int64_t lanes) {
    Value size = boundOf(inner);
    Value rest = arith::RemUIOp::create(builder, size, at(lanes));
    return {arith::SubIOp::create(builder, size, rest), size};
  }

  template <typename Body>
  void loopOver(Value from, Value to, int64_t by, Body body) {
    auto loop = scf::ForOp::create(builder, from, to, at(by));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    position[inner] = loop.getInductionVar();
    body();
  }

  /// Inputs that the innermost loop does not move along are read before it.
  void hoistInvariants() {
    position[inner] = at(0);
    for (OpOperand *operand : op.getDpsInputOperands())
      if (accessOf(*operand) == Access::Invariant)
        hoisted[operand->getOperandNumber()] = loadElement(*operand);
  }

  /// One element; a number that is no tensor is itself.
  Value loadElement(OpOperand &operand) {
    if (!isa<MemRefType>(operand.get().getType()))
      return operand.get();
    return memref::LoadOp::create(builder, operand.get(), indicesOf(operand));
  }

  Value load(OpOperand &operand, int64_t lanes) {
    if (Value value = hoisted.lookup(operand.getOperandNumber()))
      return value;
    if (lanes == 1 || accessOf(operand) == Access::Invariant)
      return loadElement(operand);
    auto type =
        VectorType::get({lanes}, getElementTypeOrSelf(operand.get().getType()));
    return vector::LoadOp::create(builder, type, operand.get(),
                                  indicesOf(operand));
  }

  /// `lanes` elements from the current position on.
  void step(int64_t lanes) {
    IRMapping mapping;
    for (OpOperand &operand : op->getOpOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(&operand);
      if (!argument.use_empty())
        mapping.map(argument, load(operand, lanes));
    }
    compute(mapping, lanes, nullptr);
    for (OpOperand &init : op.getDpsInitsMutable()) {
      unsigned output = init.getOperandNumber() - op.getNumDpsInputs();
      Value value = mapping.lookupOrDefault(
          op.getBlock()->getTerminator()->getOperand(output));
      value = widen(value, lanes);
      if (lanes == 1)
        memref::StoreOp::create(builder, value, init.get(), indicesOf(init));
      else
        vector::StoreOp::create(builder, value, init.get(), indicesOf(init));
    }
  }

  void scalarStep() {
    IRMapping mapping;
    step(1);
  }

  Value widen(Value value, int64_t lanes) {
    if (lanes == 1 || isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(
        builder, VectorType::get({lanes}, value.getType()), value);
  }

  /// Clones the body, on vectors wherever an operand is one. `except`, the
  /// combiner of a reduction, is left out.
  void compute(IRMapping &mapping, int64_t lanes, Operation *except) {
    for (Operation &member : op.getBlock()->without_terminator()) {
      if (&member == except)
        continue;
      if (auto index = dyn_cast<linalg::IndexOp>(member)) {
        mapping.map(index.getResult(), indexValue(index.getDim(), lanes));
        continue;
      }
      bool onVectors = llvm::any_of(member.getOperands(), [&](Value operand) {
        return isa<VectorType>(mapping.lookupOrDefault(operand).getType());
      });
      if (!onVectors) {
        builder.clone(member, mapping);
        continue;
      }
      if (auto load = dyn_cast<memref::LoadOp>(member)) {
        mapping.map(load.getResult(), loadNeighbours(load, mapping, lanes));
        continue;
      }
      OperationState state(member.getLoc(), member.getName());
      for (Value operand : member.getOperands())
        state.operands.push_back(
            widen(mapping.lookupOrDefault(operand), lanes));
      for (Type type : member.getResultTypes())
        state.types.push_back(VectorType::get({lanes}, type));
      state.addAttributes(llvm::to_vector(member.getDiscardableAttrs()));
      state.propertiesAttr = member.getPropertiesAsAttribute();
      Operation *clone = builder.create(state);
      mapping.map(member.getResults(), clone->getResults());
    }
  }

  /// The elements that the lanes read: neighbours, from the first lane's on.
  Value loadNeighbours(memref::LoadOp load, IRMapping &mapping, int64_t lanes) {
    SmallVector<Value> indices;
    for (Value index : load.getIndices()) {
      Value value = mapping.lookupOrDefault(index);
      if (isa<VectorType>(value.getType()))
        value = vector::ExtractOp::create(builder, value, 0);
      indices.push_back(value);
    }
    auto type = VectorType::get({lanes}, load.getType());
    return vector::LoadOp::create(
        builder, type, mapping.lookupOrDefault(load.getMemRef()), indices);
  }

  Value indexValue(uint64_t dimension, int64_t lanes) {
    Value start = position[dimension];
    if (lanes == 1 || static_cast<int64_t>(dimension) != inner)
      return start;
    auto type = VectorType::get({lanes}, builder.getIndexType());
    SmallVector<Attribute> offsets;
    for (int64_t lane = 0; lane < lanes; ++lane)
      offsets.push_back(builder.getIndexAttr(lane));
    Value steps = arith::ConstantOp::create(
        builder, DenseElementsAttr::get(type, offsets));
    return arith::AddIOp::create(
        builder, vector::BroadcastOp::create(builder, type, start), steps);
  }

  /// A reduction along the innermost dimension: one accumulator a lane, added
  /// up at the end, then what the vectors left over, element by element.
  void reduceInner() {
    OpOperand &init = op.getDpsInitsMutable()[0];
    Value total = memref::LoadOp::create(builder, init.get(), indicesOf(init));
    total = reduceRow(total);
    position[inner] = at(0);
    memref::StoreOp::create(builder, total, init.get(), indicesOf(init));
  }

  /// `total` with the elements along the innermost dimension.
  Value reduceRow(Value total) {
    hoistInvariants();
    OpOperand &init = op.getDpsInitsMutable()[0];
    Operation *combiner = combinerOf(0);
    Value accumulated = op.getMatchingBlockArgument(&init);
    Value reducedIn = combiner->getOperand(0) == accumulated
                          ? combiner->getOperand(1)
                          : combiner->getOperand(0);
    int64_t size = ranges[inner], lanes = maxLanes;
    while (!isOpen(inner) && lanes > size)
      lanes /= 2;
    auto combine = [&](int64_t width, Value into) {
      IRMapping mapping;
      for (OpOperand *operand : op.getDpsInputOperands())
        mapping.map(op.getMatchingBlockArgument(operand),
                    load(*operand, width));
      compute(mapping, width, combiner);
      mapping.map(accumulated, into);
      Value next = widen(mapping.lookupOrDefault(reducedIn), width);
      return combined(combiner, into, next);
    };
    Value whole, open;
    if (isOpen(inner))
      std::tie(whole, open) = wholeVectors(lanes);
    else
      whole = at(size / lanes * lanes);
    auto type = VectorType::get({lanes}, total.getType());
    Value sums = accumulate(
        at(0), whole, lanes, levelsOf(combiner, inner, stepsOfSumBlock * lanes),
        neutralOf(combiner, type),
        [&](Value index, ValueRange into) -> SmallVector<Value> {
          position[inner] = index;
          return {combine(lanes, into[0])};
        },
        combiner)[0];
    total = vector::ReductionOp::create(builder, kindOf(combiner), sums, total);
    if (open) {
      auto rest =
          scf::ForOp::create(builder, whole, open, at(1), ValueRange{total});
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(rest.getBody());
      position[inner] = rest.getInductionVar();
      scf::YieldOp::create(builder, combine(1, rest.getRegionIterArg(0)));
      total = rest.getResult(0);
    }
    for (int64_t index = open ? size : size / lanes * lanes; index < size;
         ++index) {
      position[inner] = at(index);
      total = combine(1, total);
    }
    return total;
  }

  /// The sizes of the blocks of a sum along a dimension, largest first: those
  /// of the first level have `block` iterations.
  SmallVector<int64_t> levelsOf(Operation *combiner, int64_t dimension,
                                int64_t block) {
    SmallVector<int64_t> levels;
    if (!isa<arith::AddFOp, arith::MulFOp>(combiner))
      return levels; // exact in any order
    while (levels.size() < maxLevels &&
           (isOpen(dimension) || ranges[dimension] > block)) {
      levels.insert(levels.begin(), block);
      block *= stepsOfSumBlock;
    }
    return levels;
  }

  Value combined(Operation *combiner, Value a, Value b) {
    OperationState state(combiner->getLoc(), combiner->getName());
    state.operands = {a, b};
    state.types = {a.getType()};
    state.propertiesAttr = combiner->getPropertiesAsAttribute();
    return builder.create(state)->getResult(0);
  }

  /// What changes nothing that it is combined with, in every lane.
  Value neutralOf(Operation *combiner, Type type) {
    TypedAttr neutral = arith::getIdentityValueAttr(kindOfAtomic(combiner),
                                                    getElementTypeOrSelf(type),
                                                    builder, builder.getLoc());
    if (auto vector = dyn_cast<VectorType>(type))
      neutral = DenseElementsAttr::get(vector, Attribute(neutral));
    return arith::ConstantOp::create(builder, neutral);
  }

  using Step = llvm::function_ref<SmallVector<Value>(Value, ValueRange)>;

  /// What `step` adds from `from` up to `to` to numbers that start as `start`,
  /// which changes nothing; with levels, within a block first, then the blocks.
  SmallVector<Value> accumulate(Value from, Value to, int64_t by,
                                ArrayRef<int64_t> levels, ValueRange start,
                                Step step, Operation *combiner) {
    int64_t length = levels.empty() ? by : levels.front();
    auto loop = scf::ForOp::create(builder, from, to, at(length), start);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    Value index = loop.getInductionVar();
    SmallVector<Value> sums(loop.getRegionIterArgs());
    if (levels.empty()) {
      sums = step(index, sums);
    } else {
      Value end = arith::MinUIOp::create(
          builder, arith::AddIOp::create(builder, index, at(length)), to);
      SmallVector<Value> block = accumulate(index, end, by, levels.drop_front(),
                                            start, step, combiner);
      for (auto [sum, part] : llvm::zip(sums, block))
        sum = combined(combiner, sum, part);
    }
    scf::YieldOp::create(builder, sums);
    return SmallVector<Value>(loop.getResults());
  }

  /// Whether it adds up so many numbers that they need a tree, and not along
  /// the innermost dimension alone.
  bool isLongSum() {
    if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
        (reduces && op.getNumReductionLoops() == 1 && vectorizes))
      return false;
    Operation *combiner = combinerOf(0);
    if (!combiner || !isa<arith::AddFOp, arith::MulFOp>(combiner))
      return false;
    int64_t reduced = 1;
    for (auto [index, type] : llvm::enumerate(op.getIteratorTypesArray())) {
      if (!linalg::isReductionIterator(type))
        continue;
      if (isOpen(index))
        return true;
      reduced *= ranges[index];
    }
    return reduced > longSum;
  }

  /// A sum over several dimensions, or over rows: each dimension has a tree of
  /// its own, whose leaves are the sums along the next one.
  void reduceLong() {
    position.resize(ranges.size());
    SmallVector<int64_t> reduced;
    for (auto [index, type] : llvm::enumerate(op.getIteratorTypesArray())) {
      if (linalg::isReductionIterator(type)) {
        reduced.push_back(index);
      } else if (static_cast<int64_t>(index) != inner) {
        auto loop = scf::ForOp::create(builder, at(0), boundOf(index), at(1));
        position[index] = loop.getInductionVar();
        builder.setInsertionPointToStart(loop.getBody());
      }
    }
    if (reduces)
      return sumColumns(reduced, 1, 1);
    int64_t lanes = vectorizes ? maxLanes : 1, wide = lanes * columnVectors;
    if (isOpen(inner)) {
      auto [whole, size] = wholeVectors(wide);
      auto [most, same] = wholeVectors(lanes);
      loopOver(at(0), whole, wide,
               [&] { sumColumns(reduced, lanes, columnVectors); });
      loopOver(whole, most, lanes, [&] { sumColumns(reduced, lanes, 1); });
      return loopOver(most, size, 1, [&] { sumColumns(reduced, 1, 1); });
    }
    int64_t size = ranges[inner], done = size / wide * wide;
    if (done != 0)
      loopOver(at(0), at(done), wide,
               [&] { sumColumns(reduced, lanes, columnVectors); });
    for (; done < size; lanes = std::max<int64_t>(1, lanes / 2)) {
      int64_t end = size / lanes * lanes;
      if (end > done)
        loopOver(at(done), at(end), lanes,
                 [&] { sumColumns(reduced, lanes, 1); });
      done = std::max(done, end);
    }
  }

  /// Adds up `count` vectors of columns from the current position on, or all
  /// there is where the innermost dimension is reduced.
  void sumColumns(ArrayRef<int64_t> reduced, int64_t lanes, int64_t count) {
    OpOperand &init = op.getDpsInitsMutable()[0];
    Operation *combiner = combinerOf(0);
    Type element = getElementTypeOrSelf(init.get().getType()), type = element;
    if (lanes > 1)
      type = VectorType::get({lanes}, element);
    Value first = reduces ? Value() : position[inner];
    auto moveTo = [&](int64_t vector) {
      if (!reduces)
        position[inner] =
            vector == 0
                ? first
                : arith::AddIOp::create(builder, first, at(vector * lanes));
    };
    for (int64_t dimension : reduced)
      position[dimension] = at(0);
    SmallVector<Value> start(count, neutralOf(combiner, type));
    SmallVector<Value> sums = sumAlong(reduced, start, lanes, moveTo);
    for (int64_t dimension : reduced)
      position[dimension] = at(0);
    for (int64_t vector = 0; vector < count; ++vector) {
      moveTo(vector);
      Value old = load(init, lanes);
      Value sum = combined(combiner, old, sums[vector]);
      if (lanes == 1)
        memref::StoreOp::create(builder, sum, init.get(), indicesOf(init));
      else
        vector::StoreOp::create(builder, sum, init.get(), indicesOf(init));
    }
  }

  /// The sums along the given dimensions, one in the other.
  SmallVector<Value> sumAlong(ArrayRef<int64_t> dims, ValueRange start,
                              int64_t lanes,
                              llvm::function_ref<void(int64_t)> moveTo) {
    Operation *combiner = combinerOf(0);
    int64_t dimension = dims.front();
    if (dimension == inner && vectorizes)
      return {reduceRow(start[0])};
    return accumulate(
        at(0), boundOf(dimension), 1,
        levelsOf(combiner, dimension, stepsOfSumBlock), start,
        [&](Value index, ValueRange into) -> SmallVector<Value> {
          position[dimension] = index;
          SmallVector<Value> sums;
          if (dims.size() > 1)
            sums = sumAlong(dims.drop_front(), start, lanes, moveTo);
          for (auto [vector, sum] : llvm::enumerate(into)) {
            moveTo(vector);
            Value next = dims.size() > 1 ? sums[vector] : elements(lanes);
            if (dims.size() > 1)
              sums[vector] = combined(combiner, sum, next);
            else
              sums.push_back(combined(combiner, sum, next));
          }
          return sums;
        },
        combiner);
  }

  /// What the body combines with the result, at the current position.
  Value elements(int64_t lanes) {
    Operation *combiner = combinerOf(0);
    Value accumulated =
        op.getMatchingBlockArgument(&op.getDpsInitsMutable()[0]);
    IRMapping mapping;
    for (OpOperand *operand : op.getDpsInputOperands())
      mapping.map(op.getMatchingBlockArgument(operand), load(*operand, lanes));
    compute(mapping, lanes, combiner);
    return widen(mapping.lookupOrDefault(combiner->getOperand(0) == accumulated
                                             ? combiner->getOperand(1)
                                             : combiner->getOperand(0)),
                 lanes);
  }

  static arith::AtomicRMWKind kindOfAtomic(Operation *combiner) {
    using Kind = arith::AtomicRMWKind;
    if (isa<arith::AddFOp>(combiner))
      return Kind::addf;
    if (isa<arith::AddIOp>(combiner))
      return Kind::addi;
    if (isa<arith::MulFOp>(combiner))
      return Kind::mulf;
    if (isa<arith::MulIOp>(combiner))
      return Kind::muli;
    return isa<arith::MaximumFOp>(combiner) ? Kind::maximumf : Kind::minimumf;
  }

  linalg::GenericOp op;
  Builder_ builder;
  SmallVector<int64_t> ranges;
  int64_t inner, maxLanes;
  bool reduces = false, vectorizes = false;
  SmallVector<Value> position; // by dimension
  DenseMap<unsigned, Value> hoisted;
};

struct VectorizeLoops
    : ::ingot::cpu::impl::VectorizeLoopsPassBase<VectorizeLoops> {
  using VectorizeLoopsPassBase::VectorizeLoopsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // What is not contiguous on both sides is copied by loops like any other.
    getOperation().walk([&](memref::CopyOp copy) {
      if (cast<MemRefType>(copy.getSource().getType())
              .getLayout()
              .isIdentity() &&
          cast<MemRefType>(copy.getTarget().getType()).getLayout().isIdentity())
        return;
      rewriter.setInsertionPoint(copy);
      linalg::CopyOp::create(rewriter, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
      rewriter.eraseOp(copy);
    });
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops) {
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (!generic) {
        rewriter.setInsertionPoint(op);
        FailureOr<linalg::GenericOp> generalized =
            linalg::generalizeNamedOp(rewriter, op);
        if (failed(generalized)) {
          op.emitError("has no form as loops");
          return signalPassFailure();
        }
        generic = *generalized;
      }
      // The sum of a product that is not held in registers runs outside of its
      // columns, which are neighbours in memory.
      if (::ingot::kernels::isProduct(generic)) {
        rewriter.setInsertionPoint(generic);
        FailureOr<linalg::GenericOp> interchanged =
            linalg::interchangeGenericOp(rewriter, generic, {0, 2, 1});
        if (succeeded(interchanged))
          generic = *interchanged;
      }
      LoopLowering(generic, vectorBits).run();
    }
  }
};

} // namespace
