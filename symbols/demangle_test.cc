// SPDX-License-Identifier: Apache-2.0
// Names of PyTorch's kernels, and names made to do harm.
#include "symbols/demangle.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

// Of PyTorch 2.15: parts of it are used so often that it might stand for gigabytes. It does not.
constexpr char kBatchNorm[] =
    "_ZN2at6native33batch_norm_transform_input_kernelIN3c104HalfES3_fLb1EiEEvN5torch1"
    "0headeronly6detail27GenericPackedTensorAccessorINS6_14TensorAccessorINS2_8ArrayR"
    "efIlEEKT_Lm2ENS5_17RestrictPtrTraitsET3_EENS_6detail16IndexBoundsCheckILm3ESE_EE"
    "SC_Lm3ESD_SE_EENS7_INS8_ISA_SB_Lm2ESD_SE_EESI_SB_Lm3ESD_SE_EENS7_INS8_ISA_NSt11c"
    "onditionalIXT2_ET1_T0_E4typeELm0ESD_SE_EENSH_ILm1ESE_EESQ_Lm1ESD_SE_EEST_NS7_INS"
    "8_ISA_KSO_Lm0ESD_SE_EESS_SU_Lm1ESD_SE_EESW_SN_";

TEST(Demangle, OnlyWhatIsMangled) {
  for (const char* plain : {"", "f", "add", "_Z", "_Z this is none", "Z3addPfi"})
    EXPECT_EQ(DemangledName(plain), plain);
}

TEST(Demangle, ALongNameOfAFrameworkIsReadable) {
  const std::string plain = DemangledName(kBatchNorm);
  EXPECT_TRUE(plain.starts_with("void at::native::batch_norm_transform_input_kernel<c10::Half"))
      << plain;
  EXPECT_GT(plain.size(), sizeof(kBatchNorm));
}

TEST(Demangle, AKernelOfSyclHasTheNameOfItsType) {
  EXPECT_EQ(DemangledName("_ZTSN5dpctl6tensor7kernels3add17add_contig_kernelIfffLh2ELh2EEE"),
            "dpctl::tensor::kernels::add::add_contig_kernel<float, float, float, (unsigned char)2, "
            "(unsigned char)2>");
  EXPECT_EQ(DemangledName("_ZTI3Sum"), "typeinfo for Sum");
}

TEST(Demangle, NamesThatWouldExplodeStayMangled) {
  EXPECT_EQ(DemangledName("_Z3addPfi"), "add(float*, int)");
  EXPECT_EQ(DemangledName("_Z1f1AIiiES_IS0_S0_ES_IS1_S1_E"),
            "f(A<int, int>, A<A<int, int>, A<int, int> >, A<A<A<int, int>, A<int, int> >, "
            "A<A<int, int>, A<int, int> > >)");
  std::string name = "_Z1_1AIiiE";
  for (char part = '0'; part <= '9'; ++part)
    name += std::string("S_IS") + part + "_S" + part + "_E";
  for (char part = 'A'; part <= 'Z'; ++part)
    name += std::string("S_IS") + part + "_S" + part + "_E";
  for (name[3] = 'a'; name[3] <= 'z'; ++name[3]) EXPECT_EQ(DemangledName(name), name);
}

}  // namespace
}  // namespace syncline
