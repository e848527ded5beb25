// Tables of numbers as text: loadtxt and savetxt.
#include <clocale>

#include "files.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;

namespace {

Array parse(const std::string& text, const td::LoadtxtOptions& options = {}) {
  std::istringstream in(text);
  return td::loadtxt(in, options);
}

std::string format(const Array& array, const td::SavetxtOptions& options = {}) {
  std::ostringstream out;
  td::savetxt(out, array, options);
  return out.str();
}

TEST(Loadtxt, RowsAndColumns) {
  const Array expected = td::array({{1.0, 2.5}, {-3.0, 1e10}});
  EXPECT_TRUE(same(parse("1 2.5\n-3 1e10\n"), expected));
  EXPECT_TRUE(same(parse("  1\t2.5  \n\n# a comment\n-3   1e10 # another\n   "), expected));
  EXPECT_TRUE(same(parse("1,2.5\r\n-3, 1e10", {.delimiter = ","}), expected));
  EXPECT_TRUE(same(parse("1 :: 2.5\n-3::1e10", {.delimiter = "::"}), expected));
  EXPECT_TRUE(same(parse("\xef\xbb\xbf" "1;2.5\n-3;1e10", {.delimiter = ";"}), expected));
  EXPECT_TRUE(same(parse("a,b\n1,2.5\n-3,1e10\nend", {.delimiter = ",", .skiprows = 1, .max_rows = 2}), expected));
  EXPECT_TRUE(same(parse("1,2.5\n  \t\n-3,1e10\n ", {.delimiter = ","}), expected));
  EXPECT_TRUE(same(parse("% note\n1 2.5 % note\n-3 1e10", {.comments = "%"}), expected));
  EXPECT_TRUE(same(parse("x 1 2.5\ny -3 1e10 more", {.usecols = {1, 2}}), expected));
  EXPECT_TRUE(same(parse("2.5,x,1\n1e10,y,-3", {.delimiter = ",", .usecols = {-1, 0}}), expected));
  EXPECT_TRUE(same(parse("\"a,b # c\",\"2\"\n\"\"\"d\"\"\",3", {.delimiter = ",", .usecols = {1}, .quotechar = '"'}),
                   td::array({2.0, 3.0})));
}

TEST(Loadtxt, ShapesAreNumPys) {
  const auto shape = [](const std::string& text, int ndmin) {
    return to_string(parse(text, {.ndmin = ndmin}).shape());
  };
  const char* const expected[][4] = {
      {"1", "()", "(1,)", "(1, 1)"}, {"1 2", "(2,)", "(2,)", "(1, 2)"}, {"1\n2", "(2,)", "(2,)", "(2, 1)"}, {"", "(0,)", "(0,)", "(0, 1)"}};
  for (const auto& row : expected)
    for (int ndmin = 0; ndmin < 3; ++ndmin) EXPECT_EQ(shape(row[0], ndmin), row[ndmin + 1]) << row[0];
  EXPECT_EQ(parse("", {.usecols = {0, 1}}).shape(), (td::Shape{0, 2}));
  EXPECT_EQ(parse("1 2", {.max_rows = 0}).shape(), (td::Shape{0}));
}

TEST(Loadtxt, EveryDtype) {
  for (const td::DType dtype : all_dtypes) {
    const Array x = td::array({0, 1, 100}).astype(dtype);
    EXPECT_TRUE(same(parse("0 1 100", {.dtype = dtype}), x)) << dtype;
  }
  EXPECT_TRUE(same(parse("9223372036854775807 -9223372036854775808 +7", {.dtype = td::int64}),
                   td::array({INT64_MAX, INT64_MIN, std::int64_t{7}})));
  EXPECT_TRUE(same(parse("18446744073709551615 -0", {.dtype = td::uint64}), td::array({UINT64_MAX, std::uint64_t{0}}, {.dtype = td::uint64})));
  EXPECT_TRUE(same(parse("nan inf -inf +Infinity 1e400 -1e400 1e-400 5e-324 .5 1."),
                   td::array({NAN, INFINITY, -INFINITY, INFINITY, INFINITY, -INFINITY, 0.0, 5e-324, 0.5, 1.0})));
  using C = std::complex<double>;
  EXPECT_TRUE(same(parse("1,(1-2j), 3j ,(+1e0+2e-1j),-1-infj,( 5 )", {.delimiter = ",", .dtype = td::complex128}),
                   td::array({C(1), C(1, -2), C(0, 3), C(1, 0.2), C(-1, -INFINITY), C(5)})));
  EXPECT_TRUE(same(parse("0.1 16777217", {.dtype = td::float32}), td::array({0.1, 16777217.0}).astype(td::float32)));
}

TEST(Loadtxt, ErrorsNameThePlace) {
  const auto refuses = [](const std::string& text, const td::LoadtxtOptions& options, const std::string& message) {
    return throws([&] { parse(text, options); }, "loadtxt: the stream: " + message);
  };
  const td::LoadtxtOptions comma{.delimiter = ","};
  EXPECT_TRUE(refuses("1,2\n\n3,x", comma, "line 3, column 2: 'x' is not a number"));
  EXPECT_TRUE(refuses("1,2\n3", comma, "line 2: 1 column where line 1 has 2"));
  EXPECT_TRUE(refuses("\n1,2\n3,4,5", comma, "line 3: 3 columns where line 2 has 2"));
  EXPECT_TRUE(refuses("1,2,", comma, "line 1, column 3: '' is not a number"));
  EXPECT_TRUE(refuses("1\t2\n\t\n", {.delimiter = "\t"}, "line 2, column 1: '' is not a number"));
  EXPECT_TRUE(refuses("1 2", {.usecols = {2}}, "line 1: there is no column 2 (counted from 0) among 2"));
  EXPECT_TRUE(refuses("1 2", {.usecols = {-3}}, "line 1: there is no column -3"));
  EXPECT_TRUE(refuses("1 2.5", {.dtype = td::int32}, "line 1, column 2: '2.5' is not a whole number"));
  EXPECT_TRUE(refuses("1\n300", {.dtype = td::uint8}, "line 2, column 1: '300' is out of the range of uint8"));
  EXPECT_TRUE(refuses("-1", {.dtype = td::uint64}, "line 1, column 1: '-1' is out of the range of uint64"));
  EXPECT_TRUE(refuses("99999999999999999999", {.dtype = td::int64}, "line 1, column 1: '99999999999999999999' is out of"));
  EXPECT_TRUE(refuses("1+2", {.dtype = td::complex64}, "line 1, column 1: '1+2' is not a complex number"));
  EXPECT_TRUE(refuses("\"1", {.quotechar = '"'}, "line 1: a quote is not closed"));
  for (const char* text : {"+-1", "++1", "0x10", "1e", "--1", "1_0", "one", "1j"})
    EXPECT_TRUE(refuses(text, {}, "line 1, column 1: '" + std::string(text) + "' is not a number"));
  EXPECT_TRUE(refuses("1", {.skiprows = -1}, "skiprows -1 is negative"));
  EXPECT_TRUE(refuses("1", {.max_rows = -1}, "max_rows -1 is negative"));
  EXPECT_TRUE(refuses("1", {.ndmin = 3}, "ndmin 3 is none of"));
  EXPECT_TRUE(throws([&] { td::loadtxt("/no/such.csv"); }, "loadtxt: /no/such.csv: cannot be read: No such file"));
}

TEST(Loadtxt, LongLinesAndFiles) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.csv";
  const Array wide = td::random::uniform({3, static_cast<std::int64_t>(cases(40'000))}, {.seed = 1});
  td::savetxt(path, wide, {.fmt = "", .delimiter = ","});
  EXPECT_TRUE(same(td::loadtxt(path, {.delimiter = ","}), wide));
  td::savetxt(path, wide.T());
  EXPECT_TRUE(same(td::loadtxt(path), wide.T().copy()));
}

TEST(Savetxt, TextIsNumPys) {
  const Array x = td::array({{1.0, -2.5}, {NAN, 1e100}});
  EXPECT_EQ(format(x), "1.000000000000000000e+00 -2.500000000000000000e+00\nnan 1.000000000000000016e+100\n");
  EXPECT_EQ(format(x, {.fmt = "%8.2f", .delimiter = ",", .newline = ";\n"}).substr(0, 20), "    1.00,   -2.50;\n ");
  EXPECT_EQ(format(x(0), {.fmt = "%+g"}), "+1\n-2.5\n");
  EXPECT_EQ(format(x(0), {.fmt = "%-6.1f"}), "1.0   \n-2.5  \n");
  EXPECT_EQ(format(x(0), {.fmt = "%06.1f"}), "0001.0\n-002.5\n");
  EXPECT_EQ(format(x(0), {.fmt = "%d"}), "1\n-2\n");
  EXPECT_EQ(format(td::array({1, -20}), {.fmt = "% 4d"}), "   1\n -20\n");
  EXPECT_EQ(format(td::array({true, false})), "1.000000000000000000e+00\n0.000000000000000000e+00\n");
  EXPECT_EQ(format(td::array({UINT64_MAX}), {.fmt = "%i"}), "18446744073709551615\n");
  EXPECT_EQ(format(td::array({std::complex<double>(1, -2), std::complex<double>(0, 3)}), {.fmt = "%.1f"}),
            " (1.0-2.0j)\n (0.0+3.0j)\n");
  EXPECT_EQ(format(td::array({1}), {.fmt = "%d", .header = "a\nb", .footer = "end"}), "# a\n# b\n1\n# end\n");
}

TEST(Savetxt, FewestDigitsComeBack) {
  EXPECT_EQ(format(td::array({0.1, 1e22, -0.0}), {.fmt = ""}), "0.1\n1e+22\n-0\n");
  EXPECT_EQ(format(td::array({0.1}, {.dtype = td::float32}), {.fmt = ""}), "0.1\n");
  EXPECT_EQ(format(td::array({UINT64_MAX}), {.fmt = ""}), "18446744073709551615\n");
  for (const td::DType dtype : all_dtypes)
    with_type(dtype, [&]<class T>(Type<T>) {
      const Array x = make<T>(special_values<T>());
      if (td::is_bool(dtype)) return;
      EXPECT_TRUE(same(parse(format(x, {.fmt = ""}), {.delimiter = ",", .dtype = dtype}), x)) << dtype;
    });
}

TEST(Savetxt, BadFormatsAndShapes) {
  for (const char* fmt : {"d", "%", "%s", "%d%d", "%5", "%.f.", "%lf", "%n", "%.1001e", "%1001d", "%99999999999d", "%.2d", "x%d"})
    EXPECT_TRUE(throws([&] { format(td::ones({2}), {.fmt = fmt}); }, "savetxt: the stream: fmt '" + std::string(fmt)));
  EXPECT_TRUE(throws([&] { format(Array(1)); }, "savetxt: ", {"shape () is no table"}));
  EXPECT_TRUE(throws([&] { format(td::ones({2, 3, 4})); }, "savetxt: ", {"shape (2, 3, 4) is no table"}));
  EXPECT_TRUE(throws([&] { format(td::array({std::complex<double>(1, 2)}), {.fmt = "%d"}); }, "savetxt: ", {"complex128"}));
  EXPECT_TRUE(throws([&] { td::savetxt("/dev/full", td::ones({1000})); }, "savetxt: /dev/full: cannot be written"));
  EXPECT_EQ(format(td::zeros({0, 3})), "");
  EXPECT_EQ(format(td::ones({2, 0})), "\n\n");
}

TEST(Text, LocalesDoNotMatter) {
  for (const char* locale : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) std::setlocale(LC_ALL, locale);
  EXPECT_TRUE(same(parse("1.5 1e400"), td::array({1.5, INFINITY})));
  EXPECT_EQ(format(td::array({1.5}), {.fmt = "%.2f"}), "1.50\n");
  std::setlocale(LC_ALL, "C");
}

TEST(Text, DamagedTextIsAnErrorOrATable) {
  const std::string bytes = "# head\n1.5,2,\"3\"\n-4e-2,nan,+6\r\n\n7,8,9 # end\n";
  for (const char quote : {'\0', '"'})
    for (const td::DType dtype : {td::float64, td::complex64, td::int8, td::uint64})
      for_each_damage(bytes, bytes.size(), static_cast<int>(cases(2000)), [&](const std::string& damaged, bool) {
        try {
          parse(damaged, {.delimiter = ",", .quotechar = quote, .dtype = dtype});
        } catch (const td::Error& error) {
          EXPECT_TRUE(std::string_view(error.what()).starts_with("loadtxt: the stream: line ")) << error.what();
        }
      });
}

}  // namespace
