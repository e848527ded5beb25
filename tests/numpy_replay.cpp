// What numpy_replay.py drives: reads calls with NumPy's answers from a file, makes them on the default device and
// compares. With a second file it writes there what each call gave or, if there is such a file, compares with that to the
// bit: the same calls in another process.
#include <iostream>

#include "replay/calls.hpp"

namespace td = tandem;
using namespace tandem::test;
using namespace tandem::test::replay;
using tandem::Array;

namespace {

// ---- comparison ----

struct Answer {
  Array array;
  std::vector<double> distances;  // allowed for each element, or none
};

template <class T>
bool alike(const Stored<T>& got, const Stored<T>& expected, const Function& f, const double* distance) {
  if (same_bits<T>(got, expected)) return true;
  if constexpr (is_complex_v<T>) {
    using F = typename T::value_type;
    const auto part_alike = [&](F g, F e) {
      return same_bits<F>(g, e) || (g == e && (f.zeros_alike || distance || f.ulp_complex > 0));
    };
    if (part_alike(got.real(), expected.real()) && part_alike(got.imag(), expected.imag())) return true;
    const bool finite = std::isfinite(expected.real()) && std::isfinite(expected.imag());
    if (!finite || !(std::isfinite(got.real()) && std::isfinite(got.imag()))) return false;
    const std::complex<long double> g(got), e(expected);
    return std::abs(g - e) <= (distance ? *distance : f.ulp_complex * unit(format_of<F>, std::abs(e)));
  } else if constexpr (is_real_v<T>) {
    const long double g = real_value(got), e = real_value(expected);
    if (g == e) return f.zeros_alike || distance;
    if (distance) return std::fabs(g - e) <= *distance;
    return f.ulp > 0 && ulp_error(format_of<T>, g, e) <= f.ulp;
  } else {
    return false;
  }
}

/// What is wrong with a result, or nothing.
std::string difference(const Array& got, const Answer& expected, Function f, bool from_complex) {
  if (from_complex) f.ulp = std::max(f.ulp, f.ulp_complex);
  std::ostringstream out;
  if (got.dtype() != expected.array.dtype() || !(got.shape() == expected.array.shape())) {
    out << "gave " << got.dtype() << got.shape() << ", NumPy " << expected.array.dtype() << expected.array.shape();
    return out.str();
  }
  with_type(got.dtype(), [&]<class T>(Type<T>) {
    const Values<T> a = read<T>(got), b = read<T>(expected.array);
    for (std::size_t i = 0; i < a.size() && out.str().empty(); ++i)
      if (!alike<T>(a[i], b[i], f, expected.distances.empty() ? nullptr : &expected.distances[i]))
        out << "gave " << text<T>(a[i]) << " at element " << i << " of " << got.dtype() << got.shape() << ", NumPy "
            << text<T>(b[i]);
  });
  return out.str();
}

std::vector<Answer> read_answers(Reader& reader) {
  std::vector<Answer> answers(static_cast<std::size_t>(reader.number()));
  for (Answer& answer : answers) {
    answer.array = reader.array();
    if (reader.plain<char>() != '~') continue;
    answer.distances.resize(static_cast<std::size_t>(answer.array.size()));
    for (double& distance : answer.distances) distance = reader.plain<double>();
  }
  return answers;
}

/// What calls gave: in this process, and in another one.
struct Hashes {
  std::vector<std::uint64_t> here, there;
  void add(std::uint64_t hash) { here.push_back(hash); }
  bool differ() const { return here.size() <= there.size() && here.back() != there[here.size() - 1]; }
};

/// Makes the next call of the file; returns what is wrong with it, or nothing.
std::string make_call(Reader& reader, const Functions& functions, Hashes& hashes) {
  const std::string name = reader.text();
  const Arguments arguments(reader.value().list);
  std::string error;
  std::vector<Answer> expected;
  if (reader.plain<char>() == '!') error = reader.text();
  else expected = read_answers(reader);
  const Function& function = functions.at(name);
  const std::vector<std::string> starts = function.says.empty() ? std::vector{name} : function.says;
  std::string wrong;
  std::uint64_t bits = 0;
  try {
    const Results got = function.call(arguments);
    for (const Array& result : got) bits = bits * 31 + hash(result);
    if (!error.empty()) {
      wrong = "threw nothing, NumPy: " + error;
    } else if (got.size() != expected.size()) {
      wrong = "gave " + std::to_string(got.size()) + " arrays, NumPy " + std::to_string(expected.size());
    } else {
      bool from_complex = false;
      for (std::size_t i = 0; i < arguments.size(); ++i)
        from_complex = from_complex || arguments.is_complex(i);
      for (std::size_t i = 0; i < got.size() && wrong.empty(); ++i)
        wrong = difference(got[i], expected[i], function, from_complex);
    }
  } catch (const td::Error& thrown) {
    const std::string message = thrown.what();
    bits = std::hash<std::string>()(message);
    if (error.empty()) wrong = "threw: " + message;
    else if (std::find(starts.begin(), starts.end(), message.substr(0, message.find(": "))) == starts.end())
      wrong = "threw, and does not start with " + starts[0] + ": " + message;
  }
  hashes.add(bits);
  if (wrong.empty() && hashes.differ()) wrong = "gave other bits in the other process";
  if (wrong.empty()) return wrong;
  std::ostringstream out;
  out << name << ": ";
  arguments.print(out);
  out << "\n    " << wrong;
  return out.str();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: numpy_replay FILE [HASHES], both of which numpy_replay.py names\n";
    return 2;
  }
  if (const int status = refuse(); status >= 0) return status;
  Functions functions;
  add_elementwise(functions);
  add_basics(functions);
  add_shapes(functions);
  add_statistics(functions);
  add_linalg(functions);
  add_transforms(functions);
  Reader reader(argv[1]);
  Hashes hashes;
  if (argc == 3)
    for (std::ifstream file(argv[2], std::ios::binary); file;) {
      std::uint64_t hash;
      if (file.read(reinterpret_cast<char*>(&hash), sizeof hash)) hashes.there.push_back(hash);
    }
  int calls = 0, differences = 0;
  for (; !reader.at_end(); ++calls) {
    const std::string wrong = make_call(reader, functions, hashes);
    if (!wrong.empty() && ++differences <= 100) std::cout << "call " << calls << ": " << wrong << "\n";
  }
  if (argc == 3 && hashes.there.empty())
    std::ofstream(argv[2], std::ios::binary)
        .write(reinterpret_cast<const char*>(hashes.here.data()), std::streamsize(hashes.here.size() * 8));
  std::cout << calls << " calls, " << differences << " differences\n";
  return differences == 0 ? 0 : 1;
}
