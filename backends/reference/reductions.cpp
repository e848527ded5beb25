// Reductions, as docs/reductions.md states them.
#include <string>
#include <vector>

#include "operations.hpp"
#include "types.hpp"

namespace tandem::reference {

namespace {

/// The fixed tree: leaves of 4096 elements, 128 lanes in each.
class Tree : public Reduction {
 public:
  explicit Tree(Combine combine) : combine_(combine) {}

  void add(const Value& element) override {
    if (in_leaf_ == leaf_length) finish_leaf();
    if (in_leaf_ < lane_count) {
      lanes_.push_back(element);
    } else {
      Value& lane = lanes_[in_leaf_ % lane_count];
      lane = combine_(lane, element);
    }
    ++in_leaf_;
  }

  Value finish() override {
    finish_leaf();
    while (leaves_.size() > 1) combine_neighbours();
    const Value result = leaves_.front();
    leaves_.clear();
    return result;
  }

 private:
  static constexpr std::size_t leaf_length = 4096, lane_count = 128;

  // Lanes without an element are not in lanes_, so nothing is combined with them.
  void finish_leaf() {
    for (std::size_t half = lane_count / 2; half > 0; half /= 2) {
      for (std::size_t j = 0; j + half < lanes_.size(); ++j) lanes_[j] = combine_(lanes_[j], lanes_[j + half]);
      if (lanes_.size() > half) lanes_.resize(half);
    }
    leaves_.push_back(lanes_.front());
    lanes_.clear();
    in_leaf_ = 0;
  }

  void combine_neighbours() {
    std::vector<Value> level;
    for (std::size_t i = 0; i < leaves_.size(); i += 2) {
      const bool has_neighbour = i + 1 < leaves_.size();
      level.push_back(has_neighbour ? combine_(leaves_[i], leaves_[i + 1]) : leaves_[i]);
    }
    leaves_ = level;
  }

  const Combine combine_;
  std::size_t in_leaf_ = 0;
  std::vector<Value> lanes_, leaves_;
};

using Beats = bool (*)(const Value& a, const Value& b);

/// argmax and argmin: the position in the row of the first element that no other one beats.
class FirstBest : public Reduction {
 public:
  explicit FirstBest(Beats beats) : beats_(beats) {}

  void add(const Value& element) override {
    if (count_ == 0 || beats_(element, best_)) {
      best_ = element;
      position_ = count_;
    }
    ++count_;
  }

  Value finish() override {
    count_ = 0;
    return Value::of(position_);
  }

 private:
  const Beats beats_;
  Value best_;
  i64 position_ = 0, count_ = 0;
};

// A NaN beats everything but a NaN.
template <class T, bool greater>
bool beats(const Value& first, const Value& second) {
  const auto a = cast<compute_t<T>>(first.as<T>()), b = cast<compute_t<T>>(second.as<T>());
  return !isnan(b) && (isnan(a) || (greater ? less(b, a) : less(a, b)));
}

#define TD_REDUCTION(name, types, result, expression, ...)                                             \
  template <class T>                                                                                   \
  struct name##_row {                                                                                  \
    static constexpr bool has_kernel = ((types) & kind_of<T>) != 0;                                    \
    static Value combine(const Value& first, const Value& second) {                                    \
      [[maybe_unused]] const auto a = cast<compute_t<T>>(first.as<T>());                                 \
      [[maybe_unused]] const auto b = cast<compute_t<T>>(second.as<T>());                                \
      return Value::of(cast<T>(expression));                                                           \
    }                                                                                                  \
    static std::unique_ptr<Reduction> make() {                                                         \
      if (result != TD_INDEX) return std::make_unique<Tree>(combine);                                  \
      constexpr bool greater = TD_REDUCE_##name == TD_REDUCE_argmax;                                   \
      return std::make_unique<FirstBest>(beats<T, greater>);                                           \
    }                                                                                                  \
  };
#include <tandem/ops.def>

template <template <class> class Row>
std::unique_ptr<Reduction> choose(int dtype) {
  return with_type(dtype, [](auto type) -> std::unique_ptr<Reduction> {
    using T = typename decltype(type)::type;
    if constexpr (Row<T>::has_kernel) {
      return Row<T>::make();
    } else {
      return nullptr;
    }
  });
}

template <template <class> class Row>
Combine choose_combine(int dtype) {
  return with_type(dtype, [](auto type) -> Combine {
    using T = typename decltype(type)::type;
    if constexpr (Row<T>::has_kernel) {
      return Row<T>::combine;
    } else {
      return nullptr;
    }
  });
}

template <class Found>
Found require(Found found, const char* name, int dtype) {
  if (found == nullptr) throw Failure(TD_NOT_SUPPORTED, std::string(name) + " has no kernel for " + name_of(dtype));
  return found;
}

}  // namespace

std::unique_ptr<Reduction> make_reduction(int reduction, int dtype) {
  switch (reduction) {
#define TD_REDUCTION(row, ...) \
  case TD_REDUCE_##row: return require(choose<row##_row>(dtype), #row, dtype);
#include <tandem/ops.def>
    default: throw Failure(TD_NOT_SUPPORTED, "an unknown reduction");
  }
}

Combine find_combine(int reduction, int dtype) {
  switch (reduction) {
#define TD_REDUCTION(row, ...) \
  case TD_REDUCE_##row: return require(choose_combine<row##_row>(dtype), #row, dtype);
#include <tandem/ops.def>
    default: throw Failure(TD_NOT_SUPPORTED, "an unknown reduction");
  }
}

}  // namespace tandem::reference
