# SPDX-License-Identifier: Apache-2.0
"""Primitives that are refused by name, each with the reason."""

from __future__ import annotations

from ._rules import refuse

refuse("complex numbers are not supported", "complex", "conj", "fft", "imag", "real")
refuse("runs Python, which no trainer has; trainers print tensors by --fetch, and losses by --losses", "debug_callback",
       "debug_print", "io_callback", "pure_callback", "debug_print_callback")
refuse("unsupported decomposition; cholesky and triangular_solve are supported", "cholesky_update", "eig", "eigh", "geqp3", "geqrf",
       "hessenberg", "householder_product", "lu", "lu_pivots_to_permutation", "ormqr", "qr", "schur", "svd", "symmetric_product",
       "tridiagonal", "tridiagonal_solve")
refuse("communicates between devices; a program runs on one device", "all_gather", "all_gather_done",
       "all_gather_invariant", "all_gather_reduced", "all_gather_reduced_start", "all_gather_start", "all_to_all", "all_to_all_done",
       "all_to_all_start", "axis_index", "pbroadcast", "pbroadcast_done", "pbroadcast_start", "pmax", "pmin", "ppermute",
       "ppermute_done", "ppermute_start", "precv", "psend", "psum", "psum2", "psum_done", "psum_invariant", "psum_invariant_start",
       "psum_start", "psum_scatter", "ragged_all_to_all", "reduce_scatter", "reduce_scatter_done", "reduce_scatter_start", "reshard",
       "shard_map", "unreduced_psum", "unreduced_psum_start", "unreduced_reduce_scatter", "unreduced_reduce_scatter_start",
       "inspect_sharding", "custom_partitioning", "layout_constraint", "xla_pmap", "pgather", "pdot")
refuse("runs kernels of GPUs or TPUs; trace under JAX_PLATFORMS=cpu", "cudnn_fusion", "dot_product_attention_bwd",
       "dot_product_attention_bwd_wrapper", "dot_product_attention_fp8_bwd", "dot_product_attention_fp8_bwd_wrapper",
       "dot_product_attention_fp8_fwd", "dot_product_attention_fp8_fwd_wrapper", "dot_product_attention_fwd",
       "dot_product_attention_fwd_wrapper", "scaled_dot", "scaled_matmul", "scaled_matmul_wrapper", "pallas_call", "core_map", "mosaic")
refuse("calls compiled code that only XLA has", "ffi_call", "call_exported", "xla_call", "custom_call")
refuse("only threefry2x32 draws random numbers in a trainer (jax_default_prng_impl)", "philox2x32", "philox4x32", "rng_bit_generator",
       "rng_uniform", "threefry4x32")
refuse("orders effects, of which a trainer has none", "after_all", "create_token", "run_state", "pin", "unpin", "create_linear",
       "dce_sink", "tie", "stage")
refuse("shapes are static in a trainer: trace with sizes that are numbers", "dim_as_value", "dimension_size", "shape_assertion")
refuse("this special function is not an op of Ingot, and JAX has no composition of it", "bessel_i1e", "polygamma", "zeta")
refuse("groups of unequal sizes are not supported; pad them to one size", "ragged_dot_general")
refuse("reduces by a function of its own; only max and min pooling and sums are supported", "select_and_scatter", "select_and_gather_add",
       "reduce_window")
refuse("has no meaning outside a transformation of JAX", "custom_lin", "unreachable", "to_edtype", "from_edtype", "remat_opt")
refuse("checks of checkify are not part of a trainer, whose --on-nan looks for NaNs", "check")
refuse("places buffers in a device's memories, which the compiler does", "with_memory_space_constraint")
refuse("reductions of bits are not supported", "reduce_xor")
