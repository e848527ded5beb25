// random: the formulas of docs/random.md, for one element after the other.
#include <string>
#include <type_traits>

#include "types.hpp"
#include "verbs.hpp"

#include <tandem/random_formulas.h>

namespace tandem::reference {

namespace {

/// The random word that belongs to element `index`; 64 bits for the dtypes of 8 bytes.
template <class Word>
Word word_of(const td_random& random, u64 index) {
  if constexpr (sizeof(Word) == 8) {
    return random_word64(random.seed, random.stream, index);
  } else {
    return random_word(random.seed, random.stream, index);
  }
}

template <class T>
using WordFor = std::conditional_t<sizeof(T) == 8, u64, u32>;

template <class T>
T round_down(compute_t<T> x) {
  if constexpr (is_same<T, f16>) return f16{round_down_f16(x)};
  else if constexpr (is_same<T, bf16>) return bf16{round_down_bf16(x)};
  else return x;
}

template <class T>
T uniform(const td_random& random, u64 index) {
  using F = compute_t<T>;
  const F low = cast<F>(cast<T>(random.low)), high = cast<F>(cast<T>(random.high));
  const F unit = unit_uniform(word_of<WordFor<T>>(random, index));
  return round_down<T>(scale_uniform(unit, low, high - low, uniform_bound(low, high)));
}

/// Words 2k and 2k + 1 make the elements 2k and 2k + 1.
template <class T>
T normal(const td_random& random, u64 index) {
  using F = compute_t<T>;
  const u64 first = index - index % 2;
  F even, odd;
  normal_pair(word_of<WordFor<T>>(random, first), word_of<WordFor<T>>(random, first + 1), even, odd);
  return cast<T>(scale_normal(index == first ? even : odd, cast<F>(random.low), cast<F>(random.high)));
}

template <class T>
T integer(const td_random& random, u64 index) {
  return static_cast<T>(random_integer(word_of<u64>(random, index), static_cast<u64>(random.low_int), random.span));
}

template <class T>
T exponential(const td_random& random, u64 index) {
  return cast<T>(cast<compute_t<T>>(random.low) * unit_exponential(word_of<WordFor<T>>(random, index)));
}

/// An element's own parameters, if there are such.
template <class Law>
Law law_of(const td_random& random, u64 index) {
  if (random.lows == nullptr) return Law::of(random.low, random.high);
  const u64 at = index - random.offset;
  return Law::of(random.lows[at], random.highs == nullptr ? 0 : random.highs[at]);
}

template <class T, class Law>
T by_rejection(const td_random& random, u64 index) {
  return cast<T>(draw_from(law_of<Law>(random, index), random.seed, random.stream, index));
}

template <class T>
void fill(const td_random& random, const td_view& out) {
  constexpr unsigned kind = kind_of<T>;
  constexpr bool has_bits = kind == TD_I && std::is_unsigned_v<T> && sizeof(T) >= 4;
  constexpr bool counts = kind == TD_I && std::is_signed_v<T> && sizeof(T) >= 4;
  int64_t count = 1;
  for (int axis = 0; axis < out.ndim; ++axis) count *= out.shape[axis];
  const auto fill_with = [&](auto element) {
    for (int64_t i = 0; i < count; ++i) {
      static_cast<T*>(out.data)[i] = element(random, random.offset + static_cast<u64>(i));
    }
  };

  switch (random.distribution) {
    case TD_RANDOM_BITS:
      if constexpr (has_bits) return fill_with([](const td_random& r, u64 i) -> T { return word_of<T>(r, i); });
      break;
    case TD_RANDOM_UNIFORM:
      if constexpr (kind == TD_F) return fill_with(uniform<T>);
      break;
    case TD_RANDOM_NORMAL:
      if constexpr (kind == TD_F) return fill_with(normal<T>);
      break;
    case TD_RANDOM_INTEGERS:
      if constexpr (kind == TD_I) return fill_with(integer<T>);
      break;
    case TD_RANDOM_EXPONENTIAL:
      if constexpr (kind == TD_F) return fill_with(exponential<T>);
      break;
    case TD_RANDOM_GAMMA:
      if constexpr (kind == TD_F) return fill_with(by_rejection<T, GammaLaw>);
      break;
    case TD_RANDOM_POISSON:
      if constexpr (counts) return fill_with(by_rejection<T, PoissonLaw>);
      break;
    case TD_RANDOM_BINOMIAL:
      if constexpr (counts) return fill_with(by_rejection<T, BinomialLaw>);
      break;
  }
  throw Failure(TD_NOT_SUPPORTED, std::string("there is no such distribution of ") + name_of(out.dtype));
}

}  // namespace

td_status random(td_device*, const td_random* random, const td_view* out, td_error* error) {
  return guarded(error, [&] {
    with_type(out->dtype, [&](auto type) { fill<typename decltype(type)::type>(*random, *out); });
  });
}

}  // namespace tandem::reference
