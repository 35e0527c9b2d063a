// SPDX-License-Identifier: Apache-2.0
// Names of kernels as PyTorch, its libraries and others have them.
#include "report/kernel_classes.h"

#include <gtest/gtest.h>

#include <cctype>

namespace syncline {
namespace {

struct Named {
  KernelClass kernel_class;
  const char* name;
};
constexpr Named kNamed[] = {
    {KernelClass::kMatmul, "ampere_sgemm_128x64_tn"},
    {KernelClass::kMatmul, "volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_tn"},
    {KernelClass::kMatmul, "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NTN"},
    {KernelClass::kMatmul, "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x16"},
    {KernelClass::kMatmul, "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw"},
    {KernelClass::kMatmul,
     "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x64_32x6_tn_align8>("
     "cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x64_32x6_tn_align8::Params)"},
    {KernelClass::kMatmul,
     "void cublasLt::splitKreduce_kernel<32, 16, int, float, float, float, float, true>(...)"},
    {KernelClass::kMatmul,
     "void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 4, 4, false>(...)"},
    {KernelClass::kMatmul,
     "void cudnn::cnn::conv2d_grouped_direct_kernel<false, true, false, 0, 0, int, float>(...)"},
    {KernelClass::kMatmul, "void cudnn::winograd_nonfused::winogradForwardData4x4<float>(...)"},
    {KernelClass::kMatmul, "void implicit_convolve_sgemm<float, float, 128, 5, 5, 3, 3, 3>(...)"},
    {KernelClass::kMatmul,
     "void at::native::(anonymous namespace)::conv_depthwise2d_forward_kernel<3>(...)"},
    {KernelClass::kMatmul, "triton_tem_fused_addmm_relu_3"},
    {KernelClass::kMatmul, "triton_mm"},
    {KernelClass::kMatmul, "void marlin::Marlin<__half, 256, 1, 8, 8, 4, 8>(...)"},
    {KernelClass::kAttention,
     "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, "
     "cutlass::bfloat16_t>>(pytorch_flash::Flash_fwd_params)"},
    {KernelClass::kAttention, "fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention)"},
    {KernelClass::kAttention, "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7"},
    {KernelClass::kAttention, "void vllm::paged_attention_v1_kernel<__half, 128, 16, 128>(...)"},
    {KernelClass::kAttention, "triton_tem_fused_flex_attention_0"},
    {KernelClass::kCommunication, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)"},
    {KernelClass::kCommunication, "ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWorkElem)"},
    {KernelClass::kCommunication, "void vllm::cross_device_reduce_1stage<__half, 2>(...)"},
    {KernelClass::kMemory, "Memcpy HtoD (Pageable -> Device)"},
    {KernelClass::kMemory,
     "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
     "std::array<char*, 1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)"},
    {KernelClass::kMemory,
     "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda("
     "at::TensorIteratorBase&)::{lambda()#3}>(int)"},
    {KernelClass::kMemory,
     "void at::native::(anonymous namespace)::CatArrayBatchedCopy_aligned16_contig<float>(...)"},
    {KernelClass::kMemory,
     "void at::native::index_elementwise_kernel<128, 4, at::native::gpu_index_kernel<...> >(...)"},
    {KernelClass::kMemory, "void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false>(...)"},
    {KernelClass::kMemory, "void at::native::vectorized_gather_kernel<16, long>(...)"},
    {KernelClass::kElementWise,
     "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
     "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)"},
    {KernelClass::kElementWise,
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
     "at::native::MeanOps<float, float, float, float>, unsigned int, float, 4> >(...)"},
    {KernelClass::kElementWise,
     "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true, false>(...)"},
    {KernelClass::kElementWise,
     "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(...)"},
    {KernelClass::kElementWise,
     "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
     "namespace)::TensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor>"},
    {KernelClass::kElementWise,
     "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>(...)"},
    {KernelClass::kElementWise, "triton_poi_fused_convolution_relu_0"},
    {KernelClass::kElementWise, "triton_red_fused_native_layer_norm_2"},
    {KernelClass::kElementWise, "triton_per_fused__softmax_1"},
    {KernelClass::kElementWise, "void at::native::(anonymous namespace)::max_pool_forward_nchw<f>"},
    {KernelClass::kOther, "void at_cuda_detail::cub::DeviceRadixSortOnesweepKernel<...>(...)"},
    {KernelClass::kOther, "my_solver"},
    {KernelClass::kOther, ""},
};

TEST(KernelClassesTest, KnowsTheNamesOfLibraries) {
  const KernelPatterns patterns;
  for (const Named& named : kNamed) {
    EXPECT_STREQ(KernelClassName(patterns.ClassOf(named.name)), KernelClassName(named.kernel_class))
        << named.name;
  }
}

TEST(KernelClassesTest, PatternsAreInSmallLettersAsNamesAreComparedSo) {
#define SYNCLINE_KERNELS(kernel_class, pattern) \
  for (const char c : std::string(pattern)) EXPECT_FALSE(std::isupper(c)) << pattern;
#include "report/kernel_classes.def"
#undef SYNCLINE_KERNELS
}

TEST(KernelClassesTest, TheUsersPatternsComeFirst) {
  KernelPatterns patterns;
  ASSERT_TRUE(
      patterns.Take("# ours\r\n\n  matmul \t My_Solver*  \nother *gemm*\nother *my_solver2*", "f")
          .ok());
  EXPECT_EQ(patterns.ClassOf("my_solver"), KernelClass::kMatmul);
  EXPECT_EQ(patterns.ClassOf("my_solver2"), KernelClass::kMatmul) << "the first one that fits";
  EXPECT_EQ(patterns.ClassOf("sgemm"), KernelClass::kOther);
  EXPECT_EQ(patterns.ClassOf("ncclKernel"), KernelClass::kCommunication);
}

TEST(KernelClassesTest, SaysWhichLineIsWrongAndTakesNothing) {
  KernelPatterns patterns;
  EXPECT_EQ(patterns.Take("other *gemm*\nconv *x*\n", "my.classes").message(),
            "my.classes:2: there is no class \"conv\": write one of matmul, attention, "
            "communication, memory, element-wise and other, a blank and a pattern");
  EXPECT_EQ(patterns.ClassOf("sgemm"), KernelClass::kMatmul);
  EXPECT_EQ(patterns.Take("memory", "f").message(),
            "f:1: the class has no pattern: write one behind it, as in \"memory *my_kernel*\"");
  EXPECT_NE(patterns.Take("\033[31m x", "f").message().find("\"?[31m\""), std::string::npos);
  EXPECT_FALSE(patterns.Take("other " + std::string(1001, 'x'), "f").ok());
  std::string many;
  for (size_t i = 0; i <= KernelPatterns::kMostPatterns; ++i) many += "other x\n";
  EXPECT_NE(patterns.Take(many, "f").message().find("f:10001: "), std::string::npos);
}

}  // namespace
}  // namespace syncline
