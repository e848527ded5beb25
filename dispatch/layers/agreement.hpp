// What two backends must agree on when they make the same call, and where they do not.
#pragma once

#include <complex>
#include <optional>
#include <string>

#include "recorded_call.hpp"

namespace tandem::detail {

/// One of the two backends.
struct Side {
  std::string name;
  Target target;
};

enum class Verdict { agree, differ, unknown };  // unknown: the second backend could not make the call

struct Comparison {
  Verdict verdict = Verdict::agree;
  std::string text;  // the first difference, or why there is no comparison
};

/// Makes a call on the second backend, too, and looks for the first difference from what the first one made of it. Of a
/// program each instruction is looked at by itself, from the first backend's operands.
Comparison compare(const RecordedCall& call, const Outcome& outcome, const Side& first, const Side& second);

/// What the two must agree on, in words.
const char* level_text(Verb verb);

// ---- what the comparisons are made of ----

/// A value of one backend and what the other one has in its place.
struct Difference {
  std::string what, first, second, distance;  // distance: how far apart they are, and what is allowed
};

/// An element as a number; integers beyond 64 bits of precision do not exist.
using Number = std::complex<long double>;
Number number_of(DType dtype, const std::byte* element);

bool is_finite(Number x) noexcept;

/// "1.5" or "(1.5, -2)".
std::string number_text(Number x);

/// Whether two elements have the same bits, any NaN being like any other.
bool same_element(DType dtype, const std::byte* a, const std::byte* b) noexcept;

/// The first element of two outputs that has not the same bits.
std::optional<Difference> first_other_bits(const Written& first, const Written& second);

/// How far apart two results of a function are, in ULP of the larger one; of complex numbers of the larger modulus.
/// Infinite where one of them is NaN, where only one is infinite, or zeros have different signs.
double distance_in_ulp(DType dtype, const std::byte* a, const std::byte* b);

/// "0.5 ULP apart, 8 allowed".
std::string distance_text(double distance, double allowed, const char* unit);

/// A recorded call that both have made.
struct BothMade {
  const RecordedCall& call;
  const Outcome &first, &second;
};

std::optional<Difference> compare_matmul(const BothMade& both);
std::optional<Difference> compare_fft(const BothMade& both);
std::optional<Difference> compare_cholesky(const BothMade& both);
std::optional<Difference> compare_lu(const BothMade& both);
std::optional<Difference> compare_solve(const BothMade& both);
std::optional<Difference> compare_qr(const BothMade& both);
std::optional<Difference> compare_svd(const BothMade& both);
std::optional<Difference> compare_eigh(const BothMade& both);
std::optional<Difference> compare_eig(const BothMade& both);

/// Whether a matrix of a call of cholesky or solve is so near to one without a result that rounding decides.
bool rounding_decides(const RecordedCall& call);

/// Programs, instruction by instruction.
std::optional<Difference> compare_program(const RecordedCall& call, const Outcome& outcome, const Side& first,
                                          const Side& second);

}  // namespace tandem::detail
