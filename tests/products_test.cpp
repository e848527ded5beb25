// einsum and other products; values are NumPy's.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;
using tandem::Shape;

namespace {

using C = std::complex<double>;

TEST(Einsum, OfNumPysForms) {
  const Array a = td::arange(6).reshape({2, 3}), b = td::arange(12).reshape({3, 4}) - 5;
  const Array c = td::arange(16).reshape({4, 4}), v = td::array({1, -2, 3}), t = td::arange(24).reshape({2, 3, 4});
  EXPECT_TRUE(same(td::einsum("ij,jk->ik", a, b), td::array({{5, 8, 11, 14}, {-4, 8, 20, 32}})));
  EXPECT_TRUE(same(td::einsum("ij,jk", a, b), td::array({{5, 8, 11, 14}, {-4, 8, 20, 32}})));
  EXPECT_TRUE(same(td::einsum("ij,kj", a, a), td::array({{5, 14}, {14, 50}})));
  EXPECT_TRUE(same(td::einsum("ij->ji", a), td::array({{0, 3}, {1, 4}, {2, 5}})));
  EXPECT_TRUE(same(td::einsum("ij", a), td::array({{0, 1, 2}, {3, 4, 5}})));
  EXPECT_TRUE(same(td::einsum("ba", a), td::array({{0, 3}, {1, 4}, {2, 5}})));
  EXPECT_TRUE(same(td::einsum("ij->", a), td::array(15)));
  EXPECT_TRUE(same(td::einsum("ij->i", a), td::array({3, 12})));
  EXPECT_TRUE(same(td::einsum("ii", c), td::array(30)));
  EXPECT_TRUE(same(td::einsum("ii->i", c), td::array({0, 5, 10, 15})));
  EXPECT_TRUE(same(td::einsum("ij,ij->", a, a), td::array(55)));
  EXPECT_TRUE(same(td::einsum("ij,ij->ij", a, a), td::array({{0, 1, 4}, {9, 16, 25}})));
  EXPECT_TRUE(same(td::einsum("i,i", v, v), td::array(14)));
  EXPECT_TRUE(same(td::einsum("i,j->ij", v, v), td::array({{1, -2, 3}, {-2, 4, -6}, {3, -6, 9}})));
  EXPECT_TRUE(same(td::einsum("ij,j->i", a, v), td::array({4, 10})));
  EXPECT_TRUE(same(td::einsum("ij,j->ij", a, v), td::array({{0, -2, 6}, {3, -8, 15}})));
  EXPECT_TRUE(same(td::einsum("...j,j", t, c(0)), td::array({{14, 38, 62}, {86, 110, 134}})));
  EXPECT_TRUE(same(td::einsum("...j,jk->...k", t, c),
                   td::array({{{56, 62, 68, 74}, {152, 174, 196, 218}, {248, 286, 324, 362}}, {{344, 398, 452, 506},
                   {440, 510, 580, 650}, {536, 622, 708, 794}}})));
  EXPECT_TRUE(same(td::einsum("ij...->...", t), td::array({60, 66, 72, 78})));
  EXPECT_TRUE(same(td::einsum("i...->...i", t),
                   td::array({{{0, 12}, {1, 13}, {2, 14}, {3, 15}}, {{4, 16}, {5, 17}, {6, 18}, {7, 19}}, {{8, 20},
                   {9, 21}, {10, 22}, {11, 23}}})));
  EXPECT_TRUE(same(td::einsum("tij,ij->t", t, b), td::array({176, 248})));
  EXPECT_TRUE(same(td::einsum("tij,tkj->tik", t, t),
                   td::array({{{14, 38, 62}, {38, 126, 214}, {62, 214, 366}}, {{734, 950, 1166}, {950, 1230, 1510},
                   {1166, 1510, 1854}}})));
  EXPECT_TRUE(same(td::einsum("tij,tij->ti", t, t), td::array({{14, 126, 366}, {734, 1230, 1854}})));
  EXPECT_TRUE(same(td::einsum("ij,jk,kl->il", a, b, c), td::array({{288, 326, 364, 402}, {576, 632, 688, 744}})));
  EXPECT_TRUE(same(td::einsum("ij,jk,kk->i", a, b, c), td::array({360, 720})));
  EXPECT_TRUE(same(td::einsum("ij,jk,kl,lm->im", a, b, c, c),
                   td::array({{9040, 10420, 11800, 13180}, {16960, 19600, 22240, 24880}})));
  EXPECT_TRUE(same(td::einsum(" i j , j k -> k i ", a, b), td::array({{5, -4}, {8, 8}, {11, 20}, {14, 32}})));
  EXPECT_TRUE(same(td::einsum("iij->j", td::arange(12).reshape({2, 2, 3})), td::array({9, 11, 13})));
  EXPECT_TRUE(same(td::einsum("iii", td::arange(27).reshape({3, 3, 3})), td::array(39)));
  EXPECT_TRUE(same(td::einsum("ij,jk->", a, b), td::array(94)));
  EXPECT_TRUE(same(td::einsum("i,ij,j", td::array({5, 7}), a, v), td::array(90)));
  EXPECT_TRUE(same(td::einsum("...,...", a, v), td::array({{0, -2, 6}, {3, -8, 15}})));
  EXPECT_TRUE(same(td::einsum("...i->...", t), td::array({{6, 22, 38}, {54, 70, 86}})));
}

TEST(Einsum, BroadcastsAxesOfLengthOne) {
  const Array a = td::arange(6).reshape({2, 3}), b = td::arange(12).reshape({3, 4}) - 5;
  EXPECT_TRUE(same(td::einsum("ij,ij->ij", td::array({{1, 2, 3}}), td::array({{1}, {10}})),
                   td::array({{1, 2, 3}, {10, 20, 30}})));
  EXPECT_TRUE(same(td::einsum("ij,jk->ik", td::array({{1}, {2}}), b), td::array({{-3, 0, 3, 6}, {-6, 0, 6, 12}})));
  EXPECT_TRUE(same(td::einsum("...i,...i", td::ones({2, 1, 3}), td::ones({4, 3})),
                   td::array({{3.0, 3.0, 3.0, 3.0}, {3.0, 3.0, 3.0, 3.0}})));
  EXPECT_TRUE(same(td::einsum("ij->", td::zeros({0, 3})), td::array(0.0)));
  EXPECT_TRUE(same(td::einsum("ij,jk->ik", td::zeros({2, 0}), td::zeros({0, 2})), td::array({{0.0, 0.0}, {0.0, 0.0}})));
  EXPECT_TRUE(same(td::einsum(",ij->ji", td::array(2), a), td::array({{0, 6}, {2, 8}, {4, 10}})));
  EXPECT_TRUE(same(td::einsum("", td::array(2)), td::array(2)));
}

TEST(Einsum, OfEveryDTypeAndLayout) {
  for (DType dtype : all_dtypes) {
    const Array x = td::random::integers({4, 4}, 0, is_bool(dtype) ? 2 : 5, {.seed = 1}).astype(dtype);
    for (Layout layout : all_layouts) {
      const Array y = lay_out(x, layout);
      EXPECT_TRUE(same(td::einsum("ij,jk->ik", y, y), td::matmul(y, y))) << dtype << name(layout);
      EXPECT_TRUE(same(td::einsum("ij,kj->ki", y, y), td::matmul(y, y.T()).T().copy())) << dtype << name(layout);
      EXPECT_TRUE(same(td::einsum("ij->j", y), td::sum(y, {.axis = 0, .dtype = dtype}))) << dtype << name(layout);
      EXPECT_TRUE(same(td::einsum("ii->i", y), td::diag(y))) << dtype << name(layout);
    }
  }
  // Of several the most general dtype with each of the others, as in NumPy.
  const Array two = td::einsum("i,i,i", td::ones({2}, {.dtype = td::uint16}), td::ones({2}, {.dtype = td::int8}),
                               td::ones({2}, {.dtype = td::float32}));
  EXPECT_TRUE(same(two, td::array(2.0).astype(td::float32)));
}

TEST(Einsum, RefusesWhatDoesNotFit) {
  const Array x = td::zeros({2, 3});
  EXPECT_TRUE(throws([&] { td::einsum("ij,jk->ik", x); }, "einsum: subscripts \"ij,jk->ik\": 2 operands are named, 1 given"));
  EXPECT_TRUE(throws([&] { td::einsum("i", x); }, "einsum: subscripts \"i\": operand 0 has shape (2, 3)"));
  EXPECT_TRUE(throws([&] { td::einsum("ijk", x); }, "einsum: ", {"operand 0 has shape (2, 3)"}));
  EXPECT_TRUE(throws([&] { td::einsum("ij,jk", x, x); }, "einsum: ", {"lengths 3 and 2", "(2, 3)"}));
  EXPECT_TRUE(throws([&] { td::einsum("ii", x); }, "einsum: ", {"(2, 3)"}));
  EXPECT_TRUE(throws([&] { td::einsum("ij->ik", x); }, "einsum: ", {"no operand has"}));
  EXPECT_TRUE(throws([&] { td::einsum("ij->ii", x); }, "einsum: ", {"twice"}));
  EXPECT_TRUE(throws([&] { td::einsum("i.j", x); }, "einsum: ", {"three points"}));
  EXPECT_TRUE(throws([&] { td::einsum("i1", x); }, "einsum: ", {"'1'"}));
  EXPECT_TRUE(throws([] { td::einsum("", std::span<const Array>()); }, "einsum: "));
}

TEST(Products, InnerVdotKron) {
  const Array a = td::arange(6).reshape({2, 3});
  const Array v = td::array({1, -2, 3}), t = td::arange(24).reshape({2, 3, 4});
  EXPECT_TRUE(same(td::inner(a, a), td::array({{5, 14}, {14, 50}})));
  EXPECT_TRUE(same(td::inner(t, td::array({1, 2, 3, 4})), td::array({{20, 60, 100}, {140, 180, 220}})));
  EXPECT_TRUE(same(td::inner(a, td::array(2)), td::array({{0, 2, 4}, {6, 8, 10}})));
  EXPECT_TRUE(same(td::inner(v, v), td::array(14)));
  EXPECT_TRUE(same(td::vdot(a, td::arange(6)), td::array(55)));
  EXPECT_TRUE(same(td::vdot(td::array({C(1, 2), C(0, 1)}), td::array({C(3), C(1, 1)})), td::array(C(4.0, -7.0))));
  EXPECT_TRUE(same(td::vdot(td::zeros({0}), td::zeros({0})), td::array(0.0)));
  EXPECT_TRUE(same(td::kron(td::array({1, 10}), v), td::array({1, -2, 3, 10, -20, 30})));
  EXPECT_TRUE(same(td::kron(a, td::array({{1, -1}})), td::array({{0, 0, 1, -1, 2, -2}, {3, -3, 4, -4, 5, -5}})));
  EXPECT_TRUE(same(td::kron(v, td::array({{1}, {2}})), td::array({{1, -2, 3}, {2, -4, 6}})));
  EXPECT_TRUE(same(td::kron(td::array(3), v), td::array({3, -6, 9})));
  EXPECT_EQ(td::kron(td::zeros({0, 2}), v).shape(), (Shape{0, 6}));
  EXPECT_TRUE(throws([&] { td::inner(a, td::zeros({2})); }, "inner: shapes (2, 3) and (2,)"));
  EXPECT_TRUE(throws([&] { td::vdot(a, v); }, "vdot: shapes (2, 3) and (3,)"));
}

TEST(Matvec, StacksBroadcast) {
  const Array a = td::arange(24).reshape({4, 2, 3}), b = td::array({1, -2, 3});
  EXPECT_TRUE(same(td::matvec(a, b), td::matmul(a, b)));
  const Array many = td::arange(60).reshape({5, 4, 3}), products = td::matvec(a, many);
  ASSERT_EQ(products.shape(), (Shape{5, 4, 2}));
  for (int i : {0, 4})
    for (int j : {0, 3}) EXPECT_TRUE(same(products(i, j), td::matmul(a(j), many(i, j))));
  EXPECT_TRUE(same(td::matvec(td::array({{C(0, 1)}}), td::array({C(0, 1)})), td::array({C(-1, 0)})));
  EXPECT_EQ(td::matvec(td::ones({2, 0}), td::ones({0})).shape(), Shape{2});
  EXPECT_TRUE(throws([&] { td::matvec(a, td::ones({2})); }, "matvec: ", {"(4, 2, 3)", "(2,)"}));
  EXPECT_TRUE(throws([&] { td::matvec(b, b); }, "matvec: ", {"(3,)"}));
  EXPECT_TRUE(throws([&] { td::matvec(a, td::ones({3, 3})); }, "matvec: ", {"(3, 3)"}));
}

TEST(Vecmat, ConjugatesItsVectors) {
  EXPECT_TRUE(same(td::vecmat(td::array({C(0, 1)}), td::array({{C(0, 1), C(2, 0)}})), td::array({C(1, 0), C(0, -2)})));
  const Array a = td::arange(24).reshape({4, 3, 2}), many = td::arange(60).reshape({5, 4, 3});
  const Array products = td::vecmat(many, a);
  ASSERT_EQ(products.shape(), (Shape{5, 4, 2}));
  EXPECT_TRUE(same(products(3, 2), td::matmul(many(3, 2), a(2))));
  EXPECT_TRUE(throws([&] { td::vecmat(td::ones({2}), a); }, "vecmat: ", {"(2,)", "(4, 3, 2)"}));
  EXPECT_TRUE(throws([&] { td::vecmat(td::array(1), a); }, "vecmat: ", {"()"}));
}

}  // namespace
