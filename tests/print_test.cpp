// Printing, against the text that NumPy 2.4.6 prints for the same array: str(a).
#include "support.hpp"

#include <sstream>

namespace tandem {
namespace {

std::string text(const Array& a) { return to_string(a); }

TEST(Print, integers_align_to_the_widest) {
  EXPECT_EQ(text(arange(12).reshape({3, 4})),
            R"([[ 0  1  2  3]
 [ 4  5  6  7]
 [ 8  9 10 11]])");
  EXPECT_EQ(text(array({1, -20, 300})), "[  1 -20 300]");
  EXPECT_EQ(text(array({-1, -128, 127}, {.dtype = int8})), "[  -1 -128  127]");
  EXPECT_EQ(text(array({INT64_MIN, INT64_MAX})), "[-9223372036854775808  9223372036854775807]");
  EXPECT_EQ(text(full({2}, UINT64_MAX, {.dtype = uint64})), "[18446744073709551615 18446744073709551615]");
  EXPECT_EQ(text(array({0, 255}, {.dtype = uint8})), "[  0 255]");
  EXPECT_EQ(text(arange(8).reshape({2, 2, 2})),
            R"([[[0 1]
  [2 3]]

 [[4 5]
  [6 7]]])");
  EXPECT_EQ(text(arange(3).reshape({3, 1})),
            R"([[0]
 [1]
 [2]])");
  EXPECT_EQ(text(arange(4).reshape({1, 2, 1, 2})),
            R"([[[[0 1]]

  [[2 3]]]])");
}

TEST(Print, bools) {
  EXPECT_EQ(text(array({true, false})), "[ True False]");
  EXPECT_EQ(text(array({{true, true}, {false, true}})),
            R"([[ True  True]
 [False  True]])");
}

TEST(Print, floats_show_the_shortest_unique_digits) {
  EXPECT_EQ(text(array({1.0, 2.0, 3.0})), "[1. 2. 3.]");
  EXPECT_EQ(text(array({0.1, 0.25, -3.0})), "[ 0.1   0.25 -3.  ]");
  EXPECT_EQ(text(array({1.0 / 3.0, 2.0 / 3.0})), "[0.33333333 0.66666667]");
  EXPECT_EQ(text(array({0.1, 1.0 / 3.0}, {.dtype = float32})), "[0.1        0.33333334]");
  EXPECT_EQ(text(array({1.0, 10.5, 100.25})), "[  1.    10.5  100.25]");
  EXPECT_EQ(text(array({0.0, -0.0})), "[ 0. -0.]");
  EXPECT_EQ(text(array({1.0, 12345678.0}) / 12345678), "[8.10000066e-08 1.00000000e+00]");
  EXPECT_EQ(text(array({0.123456785, 0.123456775})), "[0.12345678 0.12345678]");
  EXPECT_EQ(text(array({0.999999999, 1.5})), "[1.  1.5]");
  EXPECT_EQ(text(array({{1.5, -2.25}, {1000.0, 0.5}})),
            R"([[ 1.50e+00 -2.25e+00]
 [ 1.00e+03  5.00e-01]])");
}

TEST(Print, notation_depends_on_the_range) {
  EXPECT_EQ(text(array({99999999.0, 1e5})), "[99999999.   100000.]");
  EXPECT_EQ(text(array({1e8, 1e5})), "[1.e+08 1.e+05]");
  EXPECT_EQ(text(array({0.0001, 0.05})), "[0.0001 0.05  ]");
  EXPECT_EQ(text(array({0.00009, 0.05})), "[9.e-05 5.e-02]");
  EXPECT_EQ(text(array({1.0, 1000.0})), "[   1. 1000.]");
  EXPECT_EQ(text(array({1.0, 1000.5})), "[1.0000e+00 1.0005e+03]");
  EXPECT_EQ(text(array({1e-300, -1e300, 0.0})), "[ 1.e-300 -1.e+300  0.e+000]");
  EXPECT_EQ(text(array({1e100, 1.5})), "[1.0e+100 1.5e+000]");
  EXPECT_EQ(text(array({1e6, 2e6}, {.dtype = float32})), "[1.e+06 2.e+06]");
  EXPECT_EQ(text(array({999999.0, 500000.0}, {.dtype = float32})), "[999999. 500000.]");
  EXPECT_EQ(text(array({0.1, 1.17549435e-38}, {.dtype = float32})), "[1.0000000e-01 1.1754944e-38]");
  EXPECT_EQ(text(array({3.1415926535897931, 31415.926535897931})), "[3.14159265e+00 3.14159265e+04]");
}

TEST(Print, nan_and_infinity) {
  EXPECT_EQ(text(array({NAN, 1.0, INFINITY})), "[nan  1. inf]");
  EXPECT_EQ(text(array({-INFINITY, 1.0})), "[-inf   1.]");
  EXPECT_EQ(text(array({NAN, NAN})), "[nan nan]");
  EXPECT_EQ(text(array({INFINITY})), "[inf]");
  EXPECT_EQ(text(array({-INFINITY, INFINITY})), "[-inf  inf]");
  EXPECT_EQ(text(array({NAN, 1.5, 100.25})), "[   nan   1.5  100.25]");
  EXPECT_EQ(text(array({NAN, 1e-10, 3.5})), "[    nan 1.0e-10 3.5e+00]");
}

TEST(Print, half_precision) {
  EXPECT_EQ(text(array({0.1, 1.0 / 3.0, 100.5}, {.dtype = float16})), "[9.998e-02 3.333e-01 1.005e+02]");
  EXPECT_EQ(text(array({1000.0, 2.0}, {.dtype = float16})), "[1.e+03 2.e+00]");
  EXPECT_EQ(text(array({65504.0, 6e-8, 0.015625}, {.dtype = float16})), "[6.550e+04 5.960e-08 1.563e-02]");
}

TEST(Print, complex_numbers) {
  EXPECT_EQ(text(array({std::complex(1.0, 2.0), std::complex(-1.5, -0.25)})), "[ 1. +2.j   -1.5-0.25j]");
  EXPECT_EQ(text(array({std::complex(1.0, 2.0)})), "[1.+2.j]");
  EXPECT_EQ(text(array({std::complex<double>(NAN, INFINITY), std::complex(1.0, -2.5)})), "[nan+infj  1.-2.5j]");
  EXPECT_EQ(text(array({std::complex(1e10, 0.5), std::complex(1.0, 1e-10)})), "[1.e+10+5.e-01j 1.e+00+1.e-10j]");
  EXPECT_EQ(text(array({std::complex(0.1, 0.2)}, {.dtype = complex64})), "[0.1+0.2j]");
  EXPECT_EQ(text(array({std::complex(0.0, -0.0)})), "[0.-0.j]");
}

TEST(Print, zero_dimensional_arrays_print_as_scalars) {
  EXPECT_EQ(text(Array(1.0)), "1.0");
  EXPECT_EQ(text(Array(0.1)), "0.1");
  EXPECT_EQ(text(Array(1e16)), "1e+16");
  EXPECT_EQ(text(Array(1234567890123456.0)), "1234567890123456.0");
  EXPECT_EQ(text(Array(0.00001)), "1e-05");
  EXPECT_EQ(text(Array(-0.0)), "-0.0");
  EXPECT_EQ(text(Array(NAN)), "nan");
  EXPECT_EQ(text(Array(-INFINITY)), "-inf");
  EXPECT_EQ(text(Array(1.0 / 3.0)), "0.3333333333333333");
  EXPECT_EQ(text(Array(0.1).astype(float32)), "0.1");
  EXPECT_EQ(text(Array(1e6).astype(float32)), "1e+06");
  EXPECT_EQ(text(Array(1.0 / 3.0).astype(float16)), "0.3333");
  EXPECT_EQ(text(Array(true)), "True");
  EXPECT_EQ(text(Array(-7)), "-7");
  EXPECT_EQ(text(Array(std::complex(1.0, 2.0))), "(1+2j)");
  EXPECT_EQ(text(Array(std::complex(0.0, -2.5))), "-2.5j");
  EXPECT_EQ(text(Array(std::complex(-0.0, 1e20))), "(-0+1e+20j)");
}

TEST(Print, empty_arrays) {
  EXPECT_EQ(text(zeros({0})), "[]");
  EXPECT_EQ(text(zeros({0, 3})), "[]");
  EXPECT_EQ(text(zeros({2, 0, 4})), "[]");
}

TEST(Print, long_lines_break) {
  EXPECT_EQ(text(arange(30)),
            R"([ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
 24 25 26 27 28 29])");
  EXPECT_EQ(text(arange(24) / 7),
            R"([0.         0.14285714 0.28571429 0.42857143 0.57142857 0.71428571
 0.85714286 1.         1.14285714 1.28571429 1.42857143 1.57142857
 1.71428571 1.85714286 2.         2.14285714 2.28571429 2.42857143
 2.57142857 2.71428571 2.85714286 3.         3.14285714 3.28571429])");
  EXPECT_EQ(text((arange(40) * 1000).reshape({2, 20})),
            R"([[    0  1000  2000  3000  4000  5000  6000  7000  8000  9000 10000 11000
  12000 13000 14000 15000 16000 17000 18000 19000]
 [20000 21000 22000 23000 24000 25000 26000 27000 28000 29000 30000 31000
  32000 33000 34000 35000 36000 37000 38000 39000]])");
  EXPECT_EQ(text(arange(50).reshape({2, 25}) / 3 > 5),
            R"([[False False False False False False False False False False False False
  False False False False  True  True  True  True  True  True  True  True
   True]
 [ True  True  True  True  True  True  True  True  True  True  True  True
   True  True  True  True  True  True  True  True  True  True  True  True
   True]])");
}

TEST(Print, long_arrays_are_summarized) {
  EXPECT_EQ(text(arange(1001)), "[   0    1    2 ...  998  999 1000]");
  EXPECT_EQ(text(arange(10000).reshape({100, 100})),
            R"([[   0    1    2 ...   97   98   99]
 [ 100  101  102 ...  197  198  199]
 [ 200  201  202 ...  297  298  299]
 ...
 [9700 9701 9702 ... 9797 9798 9799]
 [9800 9801 9802 ... 9897 9898 9899]
 [9900 9901 9902 ... 9997 9998 9999]])");
  EXPECT_EQ(text(arange(2000).reshape({2, 1000}) / 8),
            R"([[0.00000e+00 1.25000e-01 2.50000e-01 ... 1.24625e+02 1.24750e+02
  1.24875e+02]
 [1.25000e+02 1.25125e+02 1.25250e+02 ... 2.49625e+02 2.49750e+02
  2.49875e+02]])");
  EXPECT_EQ(text(arange(2000).reshape({500, 2, 2})),
            R"([[[   0    1]
  [   2    3]]

 [[   4    5]
  [   6    7]]

 [[   8    9]
  [  10   11]]

 ...

 [[1988 1989]
  [1990 1991]]

 [[1992 1993]
  [1994 1995]]

 [[1996 1997]
  [1998 1999]]])");
  EXPECT_EQ(text(arange(1001)(slice(none, none, -1))), "[1000  999  998 ...    2    1    0]");
  EXPECT_EQ(text(full({1, 1}, 0.5).broadcast_to({1000, 1000})),
            R"([[0.5 0.5 0.5 ... 0.5 0.5 0.5]
 [0.5 0.5 0.5 ... 0.5 0.5 0.5]
 [0.5 0.5 0.5 ... 0.5 0.5 0.5]
 ...
 [0.5 0.5 0.5 ... 0.5 0.5 0.5]
 [0.5 0.5 0.5 ... 0.5 0.5 0.5]
 [0.5 0.5 0.5 ... 0.5 0.5 0.5]])");
}

// NumPy has no bfloat16; the rules are float16's with two decimal digits.
TEST(Print, bfloat16_shows_the_digits_that_identify_it) {
  EXPECT_EQ(text(array({0.1, 1.0 / 3.0, 2.0}, {.dtype = bfloat16})), "[0.1   0.334 2.   ]");
  EXPECT_EQ(text(array({100.0, 200.0}, {.dtype = bfloat16})), "[1.e+02 2.e+02]");
  EXPECT_EQ(text(Array(3.14159).astype(bfloat16)), "3.14");
  EXPECT_EQ(text(Array(3e38).astype(bfloat16)), "3e+38");
}

// Restores the options, which belong to the process.
class PrintOptionsTest : public testing::Test {
 protected:
  ~PrintOptionsTest() override { set_print_options(before_); }
  PrintOptions before_ = print_options();
};

TEST_F(PrintOptionsTest, precision) {
  const Array x = array({1.0 / 3.0, 2.5, 0.0006});
  set_print_options({.precision = 3});
  EXPECT_EQ(text(x), "[3.333e-01 2.500e+00 6.000e-04]");
  set_print_options({.precision = 0});
  EXPECT_EQ(text(x), "[3.e-01 2.e+00 6.e-04]");
  set_print_options({.precision = 17});
  EXPECT_EQ(text(x), "[3.333333333333333e-01 2.500000000000000e+00 5.999999999999999e-04]");
}

TEST_F(PrintOptionsTest, threshold_and_edgeitems) {
  set_print_options({.threshold = 99, .edgeitems = 2});
  EXPECT_EQ(text(arange(100).reshape({10, 10})), R"([[ 0  1 ...  8  9]
 [10 11 ... 18 19]
 ...
 [80 81 ... 88 89]
 [90 91 ... 98 99]])");
  set_print_options({.threshold = 0, .edgeitems = 1});
  EXPECT_EQ(text(arange(15).reshape({3, 5})), R"([[ 0 ...  4]
 ...
 [10 ... 14]])");
}

TEST_F(PrintOptionsTest, linewidth) {
  set_print_options({.linewidth = 12});
  EXPECT_EQ(text(arange(12).reshape({2, 6})), R"([[ 0  1  2
   3  4  5]
 [ 6  7  8
   9 10 11]])");
  set_print_options({.linewidth = 1});
  EXPECT_EQ(text(array({123456, 7})), R"([123456
      7])");
}

TEST_F(PrintOptionsTest, are_kept_and_checked) {
  set_print_options({.precision = 4, .threshold = 10, .edgeitems = 2, .linewidth = 60});
  EXPECT_EQ(print_options().precision, 4);
  EXPECT_EQ(print_options().threshold, 10);
  EXPECT_EQ(print_options().edgeitems, 2);
  EXPECT_EQ(print_options().linewidth, 60);
  try {
    set_print_options({.precision = -1});
    FAIL() << "a negative precision was taken";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "set_print_options: precision must be at least 0, not -1");
  }
  EXPECT_THROW(set_print_options({.edgeitems = 0}), Error);
  EXPECT_EQ(print_options().precision, 4);
}

TEST(Print, stream_and_string_agree) {
  const Array a = array({{1.5, 2.0}, {3.0, -4.0}});
  std::ostringstream out;
  out << a;
  EXPECT_EQ(out.str(), text(a));
}

TEST(Print, views_print_their_elements) {
  const Array a = arange(12).reshape({3, 4});
  EXPECT_EQ(text(a.transpose()(1)), "[1 5 9]");
  EXPECT_EQ(text(a(all, slice(none, none, -2))), R"([[ 3  1]
 [ 7  5]
 [11  9]])");
}

// 8 EiB of broadcast zeros: only the edges may be fetched.
TEST(Print, huge_arrays_fetch_only_their_edges) {
  const Array a = zeros({1}).broadcast_to({std::int64_t{1} << 60});
  EXPECT_EQ(text(a), "[0. 0. 0. ... 0. 0. 0.]");
}

}  // namespace
}  // namespace tandem
