//===- FourierTransforms.cpp - Discrete Fourier transforms ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms along the last dimension, or the last two or three. Rows
// are transformed by kissfft's mixed-radix FFT. For a length with a large prime
// factor this FFT would take quadratic time, so such rows are transformed by
// Bluestein's algorithm: a convolution whose length is a power of two. All
// arithmetic is in double precision.
//
//===----------------------------------------------------------------------===//

#include "runtime/Ops/OpKernelContext.h"

#include <kissfft/kissfft.hh>

#include <bit>
#include <complex>
#include <numbers>
#include <optional>

using namespace ingot;
using namespace ingot::ops;

namespace {

using Number = std::complex<double>;

/// The largest prime factor for which the mixed-radix algorithm is used.
constexpr size_t maxRadix = 31;

size_t largestPrimeFactor(size_t n) {
  size_t largest = 1;
  for (size_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p)
      largest = p;
  return std::max(largest, n);
}

/// Transforms rows of `n` numbers, without scaling the result.
class RowFFT {
public:
  RowFFT(size_t n, bool isInverse)
      : n(n),
        length(largestPrimeFactor(n) <= maxRadix ? n : std::bit_ceil(2 * n)),
        forward(length, length == n && isInverse), row(length) {
    if (length != n)
      prepare(isInverse);
  }

  /// Transforms the `n` numbers at `values` in place.
  void apply(Number *values);

private:
  void prepare(bool isInverse);

  size_t n, length;
  kissfft<double> forward;
  std::optional<kissfft<double>> backward;
  std::vector<Number> row, chirp, spectrum, product;
};

} // namespace

/// Computes the chirp w[k] = exp(-+ i pi k^2 / n), and the spectrum of its
/// conjugate, with which rows are convolved: since 2 j k = j^2 + k^2 - (k -
/// j)^2, the transform of x is w[k] times the sum over j of x[j] w[j] conj(w[k
/// - j]).
void RowFFT::prepare(bool isInverse) {
  backward.emplace(length, /*inverse=*/true);
  spectrum.resize(length);
  product.resize(length);
  chirp.resize(n);
  for (size_t k = 0; k < n; ++k) {
    // The chirp depends only on k * k modulo 2 n. Reduce k * k exactly, since a
    // large angle would lose precision.
    auto turns = static_cast<double>(k * k % (2 * n));
    double angle = std::numbers::pi * turns / static_cast<double>(n);
    chirp[k] = {std::cos(angle),
                isInverse ? std::sin(angle) : -std::sin(angle)};
  }
  std::vector<Number> filter(length);
  for (size_t k = 0; k < n; ++k)
    filter[k] = filter[(length - k) % length] = std::conj(chirp[k]);
  forward.transform(filter.data(), spectrum.data());
}

void RowFFT::apply(Number *values) {
  if (length == n) {
    forward.transform(values, row.data());
    std::copy(row.begin(), row.end(), values);
    return;
  }
  std::fill(row.begin(), row.end(), Number());
  for (size_t k = 0; k < n; ++k)
    row[k] = values[k] * chirp[k];
  forward.transform(row.data(), product.data());
  for (size_t k = 0; k < length; ++k)
    product[k] *= spectrum[k];
  backward->transform(product.data(), row.data());
  auto scale = static_cast<double>(length);
  for (size_t k = 0; k < n; ++k)
    values[k] = row[k] * chirp[k] / scale;
}

namespace {

/// The dimensions of a tensor: `inner` has the last dimensions, which are
/// transformed; `batch` is the product of all other dimensions.
struct FFTSizes {
  FFTSizes(Dims dims, size_t rank) : inner(dims.end() - rank, dims.end()) {
    for (int64_t dim : dims.first(dims.size() - rank))
      batch *= static_cast<size_t>(dim);
  }
  size_t elements() const {
    size_t count = 1;
    for (int64_t dim : inner)
      count *= static_cast<size_t>(dim);
    return count;
  }

  size_t batch = 1;
  std::vector<int64_t> inner;
};

/// A transform along all dimensions of a block of numbers.
class MultidimensionalFFT {
public:
  MultidimensionalFFT(const std::vector<int64_t> &dims, bool isInverse)
      : dims(dims) {
    for (int64_t dim : dims)
      rows.emplace_back(static_cast<size_t>(dim), isInverse);
  }

  /// Transforms the block along dimension `axis`.
  void apply(std::vector<Number> &block, size_t axis);

private:
  std::vector<int64_t> dims;
  std::vector<RowFFT> rows;
};

} // namespace

void MultidimensionalFFT::apply(std::vector<Number> &block, size_t axis) {
  auto n = static_cast<size_t>(dims[axis]);
  size_t stride = 1;
  for (size_t i = axis + 1; i < dims.size(); ++i)
    stride *= static_cast<size_t>(dims[i]);
  std::vector<Number> row(n);
  for (size_t start = 0; start < block.size(); start += n * stride)
    for (size_t i = 0; i < stride; ++i) {
      Number *first = &block[start + i];
      for (size_t k = 0; k < n; ++k)
        row[k] = first[k * stride];
      rows[axis].apply(row.data());
      for (size_t k = 0; k < n; ++k)
        first[k * stride] = row[k];
    }
}

/// For each element that two blocks have in common, calls `visit` with its
/// offsets in both. `a` and `b` are the dimensions of the blocks in memory,
/// `common` those of their common part.
template <typename VisitT>
static void forEachCommon(const std::vector<int64_t> &a,
                          const std::vector<int64_t> &b,
                          const std::vector<int64_t> &common, VisitT visit,
                          size_t dim = 0, size_t atA = 0, size_t atB = 0) {
  if (dim == common.size())
    return visit(atA, atB);
  for (int64_t i = 0; i < common[dim]; ++i)
    forEachCommon(a, b, common, visit, dim + 1,
                  atA * static_cast<size_t>(a[dim]) + static_cast<size_t>(i),
                  atB * static_cast<size_t>(b[dim]) + static_cast<size_t>(i));
}

static Status checkRank(const OpKernelContext &op, const OpInput &input,
                        size_t rank) {
  if (input.rank() >= rank)
    return Status::ok();
  return op.invalid("Input must have rank of at least " + std::to_string(rank) +
                    " but got: " + dimsText(input.dims()));
}

template <typename T>
static Status transformComplex(OpKernelContext &op, size_t rank,
                               bool isInverse) {
  OpInput input = op.input(0);
  INGOT_ASSIGN_OR_RETURN(auto output,
                         op.output<std::complex<T>>(0, input.dims()));
  if (output.empty())
    return Status::ok();
  FFTSizes sizes(input.dims(), rank);
  MultidimensionalFFT transform(sizes.inner, isInverse);
  size_t count = sizes.elements();
  double scale = isInverse ? 1.0 / static_cast<double>(count) : 1.0;
  std::vector<Number> block(count);
  for (size_t i = 0; i < sizes.batch; ++i) {
    auto from = input.as<std::complex<T>>().subspan(i * count, count);
    for (size_t k = 0; k < count; ++k)
      block[k] = Number(from[k]);
    for (size_t axis = 0; axis < rank; ++axis)
      transform.apply(block, axis);
    for (size_t k = 0; k < count; ++k)
      output[i * count + k] = std::complex<T>(block[k] * scale);
  }
  return Status::ok();
}

static Status transformComplex(OpKernelContext &op, size_t rank,
                               bool isInverse) {
  INGOT_RETURN_IF_ERROR(checkRank(op, op.input(0), rank));
  return op.input(0).dtype() == INGOT_COMPLEX128
             ? transformComplex<double>(op, rank, isInverse)
             : transformComplex<float>(op, rank, isInverse);
}

/// Checks the input and the lengths of a real FFT or of its inverse, as
/// TensorFlow does. Only half of the spectrum of real numbers is stored, as the
/// other half follows from it. Returns the dimensions of the result.
static Expected<std::vector<int64_t>> resultDims(OpKernelContext &op,
                                                 size_t rank, bool toSpectrum) {
  OpInput input = op.input(0), lengths = op.input(1);
  INGOT_RETURN_IF_ERROR(checkRank(op, input, rank));
  if (lengths.rank() != 1 || lengths.dim(0) != static_cast<int64_t>(rank))
    return op.invalid("fft_length must have shape [" + std::to_string(rank) +
                      "], but has shape " + dimsText(lengths.dims()));
  std::vector<int64_t> dims(input.dims().begin(), input.dims().end());
  int64_t outerCount = 1;
  for (size_t i = 0; i < rank; ++i) {
    size_t axis = dims.size() - rank + i;
    int64_t n = lengths.integer(i);
    if (n < 0)
      return op.invalid("fft_length[" + std::to_string(i) +
                        "] must be >= 0, but got: " + std::to_string(n));
    bool isHalved = i + 1 == rank;
    int64_t least = isHalved && !toSpectrum ? n / 2 + 1 : n;
    if (dims[axis] != 0 && dims[axis] < least)
      return op.invalid("Input dimension " + std::to_string(axis) +
                        " must have length of at least " +
                        std::to_string(least) +
                        " but got: " + std::to_string(dims[axis]));
    // A length of 0 for an input with elements is an error, as in TensorFlow,
    // whose kernel fails without a message.
    if (isHalved && n == 0 && input.numElements() > 0 &&
        (toSpectrum || outerCount != 0))
      return op.invalid("fft_length[" + std::to_string(i) +
                        "] is 0, but the input is not empty");
    outerCount *= n;
    dims[axis] = isHalved && toSpectrum && n != 0 ? n / 2 + 1 : n;
  }
  return dims;
}

template <typename T>
static Status toSpectrum(OpKernelContext &op, size_t rank, Dims dims) {
  OpInput input = op.input(0);
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<std::complex<T>>(0, dims));
  std::fill(output.begin(), output.end(), std::complex<T>());
  FFTSizes from(input.dims(), rank), to(dims, rank);
  std::vector<int64_t> lengths = op.input(1).integers();
  // Return before allocating a block: `lengths` may be too large for any memory
  // if the input is empty.
  if (input.numElements() == 0 || output.empty())
    return Status::ok();
  MultidimensionalFFT transform(lengths, /*isInverse=*/false);
  size_t count = 1;
  for (int64_t length : lengths)
    count *= static_cast<size_t>(length);
  std::vector<Number> block(count);
  for (size_t i = 0; i < from.batch; ++i) {
    const T *numbers = input.as<T>().data() + i * from.elements();
    forEachCommon(from.inner, lengths, lengths, [&](size_t at, size_t into) {
      block[into] = Number(numbers[at]);
    });
    for (size_t axis = rank; axis-- > 0;)
      transform.apply(block, axis);
    std::complex<T> *spectrum = output.data() + i * to.elements();
    forEachCommon(lengths, to.inner, to.inner, [&](size_t at, size_t into) {
      spectrum[into] = std::complex<T>(block[at]);
    });
  }
  return Status::ok();
}

template <typename T>
static Status toNumbers(OpKernelContext &op, size_t rank, Dims dims) {
  OpInput input = op.input(0);
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<T>(0, dims));
  std::fill(output.begin(), output.end(), T());
  if (input.numElements() == 0 || output.empty())
    return Status::ok();
  FFTSizes from(input.dims(), rank), to(dims, rank);
  MultidimensionalFFT transform(to.inner, /*isInverse=*/true);
  size_t count = to.elements();
  std::vector<int64_t> half = to.inner;
  half.back() = half.back() / 2 + 1;
  int64_t n = to.inner.back();
  std::vector<Number> block(count);
  for (size_t i = 0; i < from.batch; ++i) {
    const auto *spectrum =
        input.as<std::complex<T>>().data() + i * from.elements();
    forEachCommon(from.inner, to.inner, half, [&](size_t at, size_t into) {
      block[into] = Number(spectrum[at]);
    });
    for (size_t axis = 0; axis + 1 < rank; ++axis)
      transform.apply(block, axis);
    // Along the last dimension, fill in the second half of the spectrum with
    // the conjugates of the first half. Elements that are their own conjugates
    // must be real, so their imaginary parts are ignored.
    for (size_t start = 0; start < count; start += static_cast<size_t>(n)) {
      Number *row = &block[start];
      row[0] = row[0].real();
      for (int64_t k = n / 2 + 1; k < n; ++k)
        row[k] = std::conj(row[n - k]);
      if (n % 2 == 0)
        row[n / 2] = row[n / 2].real();
    }
    transform.apply(block, rank - 1);
    T *numbers = output.data() + i * count;
    for (size_t k = 0; k < count; ++k)
      numbers[k] = static_cast<T>(block[k].real() / static_cast<double>(count));
  }
  return Status::ok();
}

static Status transformToSpectrum(OpKernelContext &op, size_t rank) {
  INGOT_ASSIGN_OR_RETURN(auto dims, resultDims(op, rank, /*toSpectrum=*/true));
  return op.input(0).dtype() == INGOT_DOUBLE
             ? toSpectrum<double>(op, rank, dims)
             : toSpectrum<float>(op, rank, dims);
}

static Status transformToNumbers(OpKernelContext &op, size_t rank) {
  INGOT_ASSIGN_OR_RETURN(auto dims, resultDims(op, rank, /*toSpectrum=*/false));
  return op.input(0).dtype() == INGOT_COMPLEX128
             ? toNumbers<double>(op, rank, dims)
             : toNumbers<float>(op, rank, dims);
}

INGOT_RUNTIME_OP(fft) { return transformComplex(op, 1, /*isInverse=*/false); }
INGOT_RUNTIME_OP(fft2d) { return transformComplex(op, 2, /*isInverse=*/false); }
INGOT_RUNTIME_OP(fft3d) { return transformComplex(op, 3, /*isInverse=*/false); }
INGOT_RUNTIME_OP(ifft) { return transformComplex(op, 1, /*isInverse=*/true); }
INGOT_RUNTIME_OP(ifft2d) { return transformComplex(op, 2, /*isInverse=*/true); }
INGOT_RUNTIME_OP(ifft3d) { return transformComplex(op, 3, /*isInverse=*/true); }
INGOT_RUNTIME_OP(rfft) { return transformToSpectrum(op, 1); }
INGOT_RUNTIME_OP(rfft2d) { return transformToSpectrum(op, 2); }
INGOT_RUNTIME_OP(rfft3d) { return transformToSpectrum(op, 3); }
INGOT_RUNTIME_OP(irfft) { return transformToNumbers(op, 1); }
INGOT_RUNTIME_OP(irfft2d) { return transformToNumbers(op, 2); }
INGOT_RUNTIME_OP(irfft3d) { return transformToNumbers(op, 3); }
