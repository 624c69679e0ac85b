// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/IR/LayoutRules.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

std::optional<int64_t> tessera::cta::lastOfSlice(int64_t offset, int64_t stride, int64_t extent) {
  int64_t span = 0, last = 0;
  if (offset < 0 || extent < 1 || llvm::MulOverflow(extent - 1, stride, span) ||
      llvm::AddOverflow(offset, span, last))
    return std::nullopt;
  return last;
}

Value ConvertLayoutOp::sourceOf(Value value) {
  while (auto convert = value.getDefiningOp<ConvertLayoutOp>())
    value = convert.getSource();
  return value;
}

LogicalResult ConvertLayoutOp::verify() {
  if (erasedType(getSource().getType()) != erasedType(getResult().getType()))
    return emitOpError("convert_layout_c1: shape and element type must stay, got ")
           << getSource().getType() << " -> " << getResult().getType();
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  // Converts without encodings are markers that cta-form-wgmma leaves around its products.
  if (getSource().getType() == getResult().getType() && tensorOf(getSource()).getEncoding())
    return getSource();
  return {};
}

LogicalResult BroadcastOp::verify() {
  auto result = tensorOf(getResult());
  auto source = dyn_cast<RankedTensorType>(getSource().getType());
  int64_t rank = source ? source.getRank() : 0;
  if ((source ? source.getElementType() : getSource().getType()) != result.getElementType())
    return emitOpError("broadcast_c3: the element types differ");
  if (static_cast<int64_t>(getDims().size()) != rank)
    return emitOpError("broadcast_c1: 'dims' needs one entry for each source dimension");
  for (auto [i, d] : llvm::enumerate(getDims())) {
    if (d < 0 || d >= result.getRank() || (i && getDims()[i - 1] >= d))
      return emitOpError("broadcast_c1: 'dims' must ascend and be below the result's rank");
    if (source.getDimSize(i) != result.getDimSize(d) && source.getDimSize(i) != 1)
      return emitOpError("broadcast_c2: source dimension ")
             << i << " has extent " << source.getDimSize(i) << ", result dimension " << d << " has "
             << result.getDimSize(d);
  }
  return success();
}

LogicalResult IotaOp::verify() {
  RankedTensorType type = tensorOf(getResult());
  if (!type.getElementType().isIntOrIndex())
    return emitOpError("iota_c1: the elements must be integers or index, got ")
           << type.getElementType();
  if (static_cast<int64_t>(getDim()) < 0 || static_cast<int64_t>(getDim()) >= type.getRank())
    return emitOpError("iota_c1: dim = ") << getDim() << " is not a dimension of " << type;
  if (getFrom() && getFrom().getType() != type.getElementType())
    return emitOpError("iota_c2: 'from' must have type ") << type.getElementType();
  return success();
}

LogicalResult TransposeOp::verify() {
  RankedTensorType source = tensorOf(getSource()), result = tensorOf(getResult());
  if (static_cast<int64_t>(getDims().size()) != source.getRank() || !isPermutationVector(getDims()))
    return emitOpError("transpose_c1: 'dims' must be a permutation of the ")
           << source.getRank() << " dimensions";
  SmallVector<int64_t> shape = applyPermutation(source.getShape(), getDims());
  if (result.getShape() != ArrayRef<int64_t>(shape) ||
      result.getElementType() != source.getElementType())
    return emitOpError("transpose_c2: the result must have extents ")
           << RankedTensorType::get(shape, source.getElementType());
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType source = tensorOf(getSource()), result = tensorOf(getResult());
  if (source.getNumElements() != result.getNumElements() ||
      source.getElementType() != result.getElementType())
    return emitOpError("reshape_c1: the number of elements and their type must stay, got ")
           << source << " -> " << result;
  return success();
}

LogicalResult SliceOp::verify() {
  RankedTensorType source = tensorOf(getSource()), result = tensorOf(getResult());
  if (source.getRank() != result.getRank() ||
      static_cast<int64_t>(getOffsets().size()) != source.getRank() ||
      source.getElementType() != result.getElementType())
    return emitOpError("slice_c1: rank and element type stay, with one offset a dimension");
  if (getStrides() && static_cast<int64_t>(getStrides()->size()) != source.getRank())
    return emitOpError("slice_c2: 'strides' needs one entry for each of the ")
           << source.getRank() << " dimensions";
  for (int64_t d = 0; d < source.getRank(); ++d) {
    int64_t stride = getStrides() ? (*getStrides())[d] : 1;
    if (stride < 1)
      return emitOpError("slice_c2: a stride must be positive, got ") << stride;
    auto last = lastOfSlice(getOffsets()[d], stride, result.getDimSize(d));
    if (!last || *last >= source.getDimSize(d))
      return emitOpError("slice_c1: takes [")
             << getOffsets()[d] << ", " << (last ? *last + 1 : 0) << ") of dimension " << d
             << " with extent " << source.getDimSize(d);
  }
  return success();
}

LogicalResult ConcatOp::verify() {
  RankedTensorType result = tensorOf(getResult());
  int64_t dim = getDim(), sum = 0;
  if (getInputs().empty() || dim < 0 || dim >= result.getRank())
    return emitOpError("concat_c1: needs inputs and a dimension below the rank ")
           << result.getRank();
  for (Value input : getInputs()) {
    RankedTensorType type = tensorOf(input);
    if (type.getRank() != result.getRank() || type.getElementType() != result.getElementType())
      return emitOpError("concat_c1: inputs must have the rank and element type of the result");
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (d != dim && type.getDimSize(d) != result.getDimSize(d))
        return emitOpError("concat_c1: inputs must agree in all dimensions but ") << dim;
    sum += type.getDimSize(dim);
  }
  if (sum != result.getDimSize(dim))
    return emitOpError("concat_c1: the inputs have ") << sum << " elements along dimension " << dim
                                                      << ", the result " << result.getDimSize(dim);
  return success();
}

LogicalResult ExtractOp::verify() {
  RankedTensorType source = tensorOf(getSource());
  if (source.getRank() != 0 || source.getElementType() != getResult().getType())
    return emitOpError("extract_c11: needs a tile of rank 0 and a scalar of its element type, got ")
           << source << " -> " << getResult().getType();
  return success();
}
