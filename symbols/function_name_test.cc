// SPDX-License-Identifier: Apache-2.0
// Names of functions, as compilers and GNU's demangler write them.
#include "symbols/function_name.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

struct NameCase {
  const char* text;
  const char* name;
};

TEST(BareName, HasNeitherReturnTypeNorParameters) {
  for (const NameCase& one : std::initializer_list<NameCase>{
           {"f", "f"},
           {"f()", "f"},
           {"ns::f(int, char const*)", "ns::f"},
           {"A::step() const", "A::step"},
           {"A::step(int) const &", "A::step"},
           {"A::step(int) &&", "A::step"},
           {"void f<int>(int)", "f<int>"},
           {"int& ns::f<int>(int&)", "ns::f<int>"},
           {"unsigned long A<int>::get<2ul>() const", "A<int>::get<2ul>"},
           {"std::vector<int, std::allocator<int> > f<int>(int)", "f<int>"},
           {"A::A(int)", "A::A"},
           {"A::~A()", "A::~A"},
           {"f(void (*)(int), int)", "f"},
           {"f(int)::Local::g(int)", "f::Local::g"},
           {"A::f(int) const::Local::g()", "A::f::Local::g"}})
    EXPECT_EQ(BareName(one.text), one.name) << one.text;
}

TEST(BareName, OfDeclarationsWithTheNameInside) {
  for (const NameCase& one : std::initializer_list<NameCase>{
           {"void (*f(int))(double)", "f"},
           {"void (*ns::f<int>(int))(double)", "ns::f<int>"},
           {"int (&f())[3]", "f"},
           {"int (*(anonymous namespace)::f(int))(double)", "(anonymous namespace)::f"},
           {"decltype (a+b) ns::f<int>(int)", "ns::f<int>"},
           {"decltype ((fp.g)(0)) f<A>(A)", "f<A>"},
           {"std::enable_if<(1>2), int>::type f<int>(int)", "f<int>"}})
    EXPECT_EQ(BareName(one.text), one.name) << one.text;
}

TEST(BareName, OfOperators) {
  for (const NameCase& one : std::initializer_list<NameCase>{
           {"A::operator()(int) const", "A::operator()"},
           {"A::operator<(A const&) const", "A::operator<"},
           {"A::operator>(A const&)", "A::operator>"},
           {"A::operator->()", "A::operator->"},
           {"A::operator->*(int)", "A::operator->*"},
           {"A::operator<=>(A const&)", "A::operator<=>"},
           {"A::operator[](unsigned long)", "A::operator[]"},
           {"A::operator,(int)", "A::operator,"},
           {"A::operator bool() const", "A::operator bool"},
           {"A::operator unsigned long() const", "A::operator unsigned long"},
           {"A::operator std::vector<int>() const", "A::operator std::vector<int>"},
           {"operator new(unsigned long)", "operator new"},
           {"operator delete[](void*)", "operator delete[]"},
           {"operator\"\" _km(long double)", "operator\"\"_km"},
           {"std::ostream& operator<< <char>(std::ostream&, char)", "operator<< <char>"},
           {"bool operator< <int>(A<int>, A<int>)", "operator< <int>"},
           {"void f<&A::operator<, int>()", "f<&A::operator<, int>"},
           {"void f<&A::operator->, int>(int)", "f<&A::operator->, int>"},
           {"operators::f(int)", "operators::f"},
           {"my_operator(int)", "my_operator"}})
    EXPECT_EQ(BareName(one.text), one.name) << one.text;
}

TEST(BareName, OfLambdasAndWhatHasNoName) {
  for (const NameCase& one : std::initializer_list<NameCase>{
           {"main::{lambda()#1}::operator()() const", "main::{lambda#1}"},
           {"main::{lambda(int, A<B>)#2}::operator()(int, A<B>) const", "main::{lambda#2}"},
           {"f(int)::{lambda()#1}::operator()() const::{lambda(int)#3}::operator()(int) const",
            "f::{lambda#1}::{lambda#3}"},
           {"auto main::{lambda(auto:1)#1}::operator()<int>(int) const", "main::{lambda#1}<int>"},
           {"main::{lambda()#1}::_FUN()", "main::{lambda#1}::_FUN"},
           {"f()::{unnamed type#1}::g()", "f::{unnamed type#1}::g"},
           {"(anonymous namespace)::f(int)", "(anonymous namespace)::f"},
           {"void a::(anonymous namespace)::f<int>(int)", "a::(anonymous namespace)::f<int>"},
           {"f((anonymous namespace)::A)", "f"}})
    EXPECT_EQ(BareName(one.text), one.name) << one.text;
}

TEST(BareName, LeavesOutWhatIsLongOrAppended) {
  const std::string forty(40, 'a');
  EXPECT_EQ(BareName("void f<" + forty + ">(int)"), "f<" + forty + ">");
  EXPECT_EQ(BareName("void f<" + forty + "a>(int)"), "f<...>");
  EXPECT_EQ(BareName("A<" + forty + ", B<C> >::f<int>(int)"), "A<...>::f<int>");
  for (const NameCase& one :
       std::initializer_list<NameCase>{{"f(int) [clone .cold]", "f"},
                                       {"void f<int>(int) [clone .isra.0] [clone .cold]", "f<int>"},
                                       {"f[abi:cxx11](int)", "f"},
                                       {"A[abi:cxx11]::f[abi:v1]() const", "A::f"},
                                       {"non-virtual thunk to A::f(int)", "A::f"},
                                       {"virtual thunk to A::~A()", "A::~A"}})
    EXPECT_EQ(BareName(one.text), one.name) << one.text;
}

TEST(BareName, OfWhatIsNoFunctionIsTheText) {
  for (const char* text : {"", "vtable for A", "guard variable for f()::x", " ", "(", "<", "{", "[",
                           "f(", "f<", "operator", "(*", "(*)", "a b", "::"})
    EXPECT_NO_FATAL_FAILURE(BareName(text)) << text;
  EXPECT_EQ(BareName("vtable for A"), "vtable for A");
  EXPECT_EQ(BareName(""), "");
  EXPECT_EQ(BareName(" "), " ");
}

TEST(BareName, OfNestedWithoutEndIsBounded) {
  for (const char c : {'<', '(', '{', '[', '>', ')', '*', ' '}) {
    const std::string deep = "f" + std::string(60'000, c);
    EXPECT_LE(BareName(deep).size(), deep.size());
    EXPECT_LE(BareName("(" + deep).size(), deep.size() + 1);
  }
}

TEST(FunctionName, IsThatOfASymbol) {
  for (const NameCase& one : std::initializer_list<NameCase>{
           {"_ZN2ns5ClassIiE4stepEv", "ns::Class<int>::step"},
           {"_ZN12_GLOBAL__N_14stepEi", "(anonymous namespace)::step"},
           {"_ZZ4mainENKUlvE_clEv", "main::{lambda#1}"},
           {"_Z4stepi.cold", "step"},
           {"_Z4stepi.isra.0.cold", "step"},
           {"_Z4stepi._omp_fn.12", "step"},
           {"_Zbroken", "_Zbroken"},
           {"step", "step"},
           {"step.constprop.0", "step"},
           {"step.llvm.1234567", "step"},
           {"main.main", "main.main"},
           {"memcpy@@GLIBC_2.14", "memcpy"},
           {"__GI___poll", "__poll"},
           {"__GI_", "__GI_"},
           {"_Z23__device_stub__Z4stepPfPf", "__device_stub__step"},
           {"_Z19__device_stub__stepv", "__device_stub__step"},
           {"__solver_MOD_step", "solver::step"},
           {"solver_mp_step_", "solver::step"},
           {"_QMsolverPstep", "solver::step"},
           {"_QPstep", "step"},
           {"step_", "step_"},
           {"MAIN__", "MAIN__"},
           {"_RNvC6_123foo3bar", "_RNvC6_123foo3bar"},
           {"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"},
           {"_ZN4core3fmt17h0123456789abcdegE", "core::fmt::h0123456789abcdeg"},
           {"", ""},
           {".cold", ".cold"}})
    EXPECT_EQ(FunctionName(one.text), one.name) << one.text;
}

}  // namespace
}  // namespace syncline
