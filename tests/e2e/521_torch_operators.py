# SPDX-License-Identifier: Apache-2.0
"""Matrix products, convolutions, norms, attention, recurrent networks, transforms, linear algebra and sparse matrices of PyTorch
reach their simulated libraries and the trace, each in its range."""

LABELS = ("gpu", "torch")
TIMEOUT = 240
# New memory for each tensor is zeros, which "it went well" is in linear algebra; and each tensor's end is a wait of its own.
NO_CACHE = {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
# By library: kernels that have to be there.
KERNELS = {
    "cuBLAS": ("gemm_f16_tn", "gemm_f32_nt", "gemm_f64_nn", "gemm_c32_nn", "cublasSdot_v2", "cublasStrsmBatched"),
    "cuDNN": ("convolution_forward_f16", "convolution_backward_data_f32", "convolution_backward_filter_f16", "lstm_forward",
              "lstm_backward_weights", "gru_backward_data", "attention_forward_bf16", "attention_backward_bf16",
              "grid_sampler_backward"),
    "cuFFT": ("fft_c32",),
    "cuSOLVER": ("cusolverDnXpotrf", "cusolverDnSgetrf", "cusolverDnXgeqrf", "cusolverDnSgesvdjBatched"),
    "cuSPARSE": ("cusparseSpMM", "cusparseSpMV", "cusparseSpGEMM_compute"),
    "cuSPARSELt": ("compress", "sparse_gemm_f16_nn"),
}


def test(t):
    recording, judged = t.record_torch("operators", env=NO_CACHE)
    t.check(recording.out.endswith(b" operators, 0 failed\n"), f"{recording}")
    names = {op.name for op in recording.trace().device_ops(cat="kernel")}
    for library, kernels in KERNELS.items():
        t.equal([name for name in kernels if f"simulated_{name}" not in names], [], f"kernels of {library} that are missing")
    classes = {wait.args["class"] for wait in recording.trace().waits()}
    t.check({"allocation", "legacy_stream"} <= classes, f"waits are {classes}")
