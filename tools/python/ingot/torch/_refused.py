# SPDX-License-Identifier: Apache-2.0
"""ATen's ops that are refused, with reasons that say what to do."""

from __future__ import annotations

from ._rules import refuse

refuse("its value is needed in Python, which no trainer has; use torch.where", "_local_scalar_dense", "item", "equal", "is_nonzero")
refuse("the shape of its result depends on values; shapes are static in a trainer", "nonzero", "nonzero_static", "masked_select", "unique_dim",
       "_unique2", "_unique", "unique_consecutive", "bincount", "repeat_interleave", "masked_scatter", "argwhere", "histc")
refuse("complex numbers are not supported", "_fft_r2c", "_fft_c2r", "_fft_c2c", "view_as_complex", "view_as_real", "complex", "polar", "real", "imag",
       "angle", "_conj", "_conj_physical", "stft", "istft")
refuse("unsupported decomposition of matrices", "linalg_cholesky_ex", "linalg_qr", "_linalg_svd", "_linalg_eigh", "linalg_eig", "linalg_lu",
       "linalg_lu_factor_ex", "_linalg_det", "_linalg_slogdet", "_linalg_solve_ex", "linalg_inv_ex", "linalg_ldl_factor_ex", "linalg_lstsq",
       "linalg_solve_triangular", "triangular_solve", "cholesky_solve", "linalg_matrix_exp", "linalg_householder_product", "ormqr", "geqrf")
refuse("unsupported distribution; uniform, normal, bernoulli and integers are drawn", "multinomial", "poisson", "binomial", "_standard_gamma",
       "_sample_dirichlet", "exponential", "geometric", "cauchy", "log_normal", "random")
refuse("pooling of volumes is not supported yet", "max_pool3d_with_indices", "avg_pool3d", "_adaptive_avg_pool3d", "adaptive_max_pool3d",
       "max_pool3d_with_indices_backward", "avg_pool3d_backward", "_adaptive_avg_pool3d_backward")
refuse("adaptive and fractional max pooling are not supported; max_pool2d is", "adaptive_max_pool2d", "fractional_max_pool2d", "fractional_max_pool3d",
       "adaptive_max_pool2d_backward")
refuse("bags of embeddings are not supported; sum or average nn.Embedding's rows", "_embedding_bag", "_embedding_bag_forward_only",
       "_embedding_bag_dense_backward", "_embedding_bag_backward")
refuse("this special function is not an op of Ingot", "special_i0e", "special_i1", "special_i1e", "i0", "polygamma", "special_zeta", "igamma", "igammac",
       "special_erfcx", "special_ndtri", "erfinv", "special_bessel_j0", "special_bessel_j1", "nextafter", "frexp", "ldexp")
refuse("sparse tensors are not supported", "_sparse_coo_tensor_with_dims_and_tensors", "_coalesce", "_sparse_mm", "to_sparse", "_to_sparse", "_to_dense")
refuse("quantized tensors are not supported", "quantize_per_tensor", "dequantize", "_weight_int8pack_mm", "_weight_int4pack_mm_for_cpu")
refuse("loss of sequences without alignment is not supported", "_ctc_loss", "_ctc_loss_backward", "_use_cudnn_ctc_loss")
refuse("a loop whose length depends on values is not supported; unroll it", "while_loop", "scan", "associative_scan", "map_impl")
refuse("both sides of a branch must be computed: use torch.where", "cond")
refuse("runs Python, which no trainer has; trainers print tensors by --fetch, and losses by --losses", "_print", "print", "_assert_async", "_assert_scalar",
       "with_effects", "call_torchbind")
refuse("this attention is a kernel of its own; trace it as torch.nn.functional.scaled_dot_product_attention", "flex_attention", "flex_attention_backward",
       "_scaled_dot_product_flash_attention", "_scaled_dot_product_efficient_attention", "_scaled_dot_product_flash_attention_for_cpu",
       "_scaled_dot_product_cudnn_attention")
refuse("distances of the rows of one tensor are not supported; torch.cdist(x, x) is", "_pdist_forward", "_pdist_backward")
refuse("resizing in place is not supported; assign a new tensor", "resize_", "set_", "resize_as_")
