# SPDX-License-Identifier: Apache-2.0
"""GFLOP/s of a BLAS library's product of two matrices of float32, one number a line for each call.
Usage: blas_product.py LIBRARY THREADS SECONDS FORM ROWS DEPTH COLUMNS

LIBRARY is a path of libmkl_rt, as the package `mkl` brings it, or of OpenBLAS, which NumPy brings in `numpy.libs`; FORM
says which operand is transposed: NN, NT, TN.
"""
import ctypes
import sys
import time

ROW_MAJOR, PLAIN, TRANSPOSED = 101, 111, 112
# MKL_THREADING_SEQUENTIAL and MKL_THREADING_GNU: Intel's own runtime is a package apart.
SEQUENTIAL, WITH_GNU_OPENMP = 1, 3


def load(path, threads):
    """The library's cblas_sgemm and its type of sizes, on so many threads."""
    library = ctypes.CDLL(path)
    if "mkl" in path.rsplit("/", maxsplit=1)[-1]:
        library.MKL_Set_Threading_Layer(SEQUENTIAL if threads == 1 else WITH_GNU_OPENMP)
        library.MKL_Set_Num_Threads(threads)
        return library.cblas_sgemm, ctypes.c_int
    # NumPy's has 64-bit sizes and names of its own.
    for prefix, suffix, size in (("", "", ctypes.c_int), ("scipy_", "64_", ctypes.c_int64)):
        if hasattr(library, f"{prefix}cblas_sgemm{suffix}"):
            library[f"{prefix}openblas_set_num_threads{suffix}"](threads)
            return library[f"{prefix}cblas_sgemm{suffix}"], size
    sys.exit(f"{path} is neither MKL nor OpenBLAS")


def matrix(rows, columns):
    made = (ctypes.c_float * (rows * columns))()
    for place in range(len(made)):
        made[place] = place % 7 * 0.25
    return made


def main():
    library, threads, seconds, form, *sizes = sys.argv[1:]
    rows, depth, columns = (int(size) for size in sizes)
    multiply, size = load(library, int(threads))
    left, right, result = matrix(rows, depth), matrix(depth, columns), matrix(rows, columns)
    order = [ctypes.c_int(TRANSPOSED if letter == "T" else PLAIN) for letter in form]
    one, none = ctypes.c_float(1), ctypes.c_float(0)
    # How far apart the rows of each lie.
    leads = [rows if form[0] == "T" else depth, depth if form[1] == "T" else columns, columns]
    m, n, k, a, b, c = (size(number) for number in (rows, columns, depth, *leads))

    def product():
        multiply(ROW_MAJOR, *order, m, n, k, one, left, a, right, b, none, result, c)

    for _ in range(3):
        product()
    end = time.perf_counter() + float(seconds)
    while (start := time.perf_counter()) < end:
        product()
        print(2 * rows * depth * columns / (time.perf_counter() - start) / 1e9)


if __name__ == "__main__":
    main()
