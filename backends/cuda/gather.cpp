// The verbs gather and scatter. Where values may meet in one place, the targets are sorted, stably: a radix sort of as many
// bits as the target's memory has places. Then the last value of each place is written, or one thread adds all of them
// in their order; so n values for one place are a chain of n additions, and many places are added side by side.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "gather_kernels.hpp"
#include "packing.hpp"
#include "sort_words.hpp"
#include "verbs.hpp"

namespace tandem::cuda {
namespace {

using u128 = unsigned __int128;

/// The index arrays of a call as one array of offsets, which may be an index array itself.
class Places {
 public:
  /// Indices outside are told to `outside`, if it is not null, and stand for 0.
  Places(Device& device, const td_view& x, int axis, int n_indices, const td_view* indices, const Movement& movement,
         std::uint32_t* outside, td_error* error)
      : count_(movement.runs.positions),
        direct_(n_indices == 1 && indices[0].data != nullptr && is_contiguous(indices[0])),
        memory_(device, direct_ ? 0 : count_ * std::int64_t{sizeof(std::int64_t)}, error) {
    if (!memory_) return;
    const std::int64_t item = item_bytes(x.dtype);
    const auto indexed_by = [&](int k) {
      return Indexed{static_cast<const std::int64_t*>(indices[k].data), x.shape[axis + k],
                     x.strides[axis + k] * item / movement.unit_bytes, outside};
    };
    for (int k = 0; k < n_indices; ++k) {
      const std::int64_t reach = (x.shape[axis + k] - 1) * indexed_by(k).stride;
      low_ += std::min<std::int64_t>(reach, 0);
      range_ += std::abs(reach);
    }
    if (direct_) {
      indexed_ = indexed_by(0);
      status_ = TD_OK;
      return;
    }
    indexed_ = {memory_.as<std::int64_t>(), 0, 1};
    status_ = TD_OK;
    for (int k = 0; k < n_indices && status_ == TD_OK; ++k) {
      Axes axes;
      for (int i = 0; i < indices[k].ndim; ++i) axes.add(indices[k].shape[i], indices[k].strides[i]);
      status_ = check(add_index_array(device.stream, axes, indexed_by(k), k == 0, count_, memory_.as<std::int64_t>()),
                      "launch of index arithmetic", error);
    }
  }

  td_status status() const { return status_; }
  const Indexed& indexed() const { return indexed_; }
  /// Offsets are from low on, at most range above it.
  std::int64_t low() const { return low_; }
  std::int64_t range() const { return range_; }

 private:
  std::int64_t count_, low_ = 0, range_ = 0;
  bool direct_;
  Scratch memory_;
  Indexed indexed_{};
  td_status status_ = TD_OUT_OF_MEMORY;
};

/// A word that the device sets in the host's memory, which costs it nothing as long as it does not. Null where there is
/// no pinned memory.
class Mark {
 public:
  Mark() {
    std::lock_guard lock(words().mutex);
    std::vector<std::uint32_t*>& free = words().free;
    if (free.empty()) add_words(&free);
    if (free.empty()) return;
    word_ = free.back();
    free.pop_back();
    *word_ = 0;
  }
  ~Mark() {
    if (word_ == nullptr) return;
    std::lock_guard lock(words().mutex);
    words().free.push_back(word_);
  }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

  std::uint32_t* word() const { return word_; }

 private:
  struct Words {
    std::mutex mutex;
    std::vector<std::uint32_t*> free;  // has room for all words that there are
  };
  static Words& words() {
    static Words& words = *new Words;
    return words;
  }
  static void add_words(std::vector<std::uint32_t*>* free) {
    constexpr std::size_t bytes = 4096, apart = 64;
    static std::size_t all = 0;
    void* memory = nullptr;
    free->reserve(all + bytes / apart);
    if (cudaHostAlloc(&memory, bytes, cudaHostAllocPortable) != cudaSuccess) {
      (void)cudaGetLastError();
      return;
    }
    all += bytes / apart;
    for (std::size_t at = 0; at < bytes; at += apart)
      free->push_back(reinterpret_cast<std::uint32_t*>(static_cast<char*>(memory) + at));
  }

  std::uint32_t* word_ = nullptr;
};

/// gather; `outside` as for Places.
td_status gather_with(td_device* handle, const td_view& x, int axis, int n_indices, const td_view* indices,
                      const td_view& out, std::uint32_t* outside, td_error* error) {
  Device& device = device_of(handle);
  const Current current(device);
  Movement movement(x, axis, n_indices, indices[0], out, false);
  const Places places(device, x, axis, n_indices, indices, movement, outside, error);
  if (places.status() != TD_OK) return places.status();
  movement.runs.indexed = places.indexed();
  return check(gather(device.stream, movement, x.data, out.data), "launch of a gather", error);
}

/// Sorts the targets and scatters by them.
template <class Word>
td_status scatter_sorted(Device& device, const Movement& movement, const Places& places, td_scatter mode,
                         td_dtype dtype, const void* values, void* x, td_error* error) {
  const std::int64_t count = movement.runs.positions;
  const int position_bits = int(std::bit_width(std::uint64_t(count - 1)));
  const int key_bits = int(std::bit_width(std::uint64_t(places.range())));
  Scratch memory(device, count * std::int64_t{sizeof(Word)}, error);
  Scratch spare(device, count * std::int64_t{sizeof(Word)}, error);
  if (!memory || !spare) return TD_OUT_OF_MEMORY;
  TargetWords<Word> targets{memory.as<Word>(), places.low(), position_bits};
  td_status status = check(make_target_words(device.stream, movement, targets), "launch of target words", error);
  if (status == TD_OK && key_bits > 0)
    status = sort_words(device, memory.as<Word>(), spare.as<Word>(), count, position_bits, position_bits + key_bits,
                        &targets.words, error);
  if (status != TD_OK) return status;
  return check(mode == TD_SCATTER_ADD ? scatter_add(device.stream, movement, targets, dtype, values, x)
                                      : scatter_last(device.stream, movement, targets, values, x),
               "launch of a scatter", error);
}

}  // namespace

td_status gather(td_device* handle, const td_view* x, int32_t axis, int32_t n_indices, const td_view* indices,
                 const td_view* out, td_error* error) {
  return gather_with(handle, *x, axis, n_indices, indices, *out, nullptr, error);
}

td_status gather_checked(td_device* handle, const td_view* x, int32_t axis, int32_t n_indices, const td_view* indices,
                         const td_view* out, int32_t* inside, td_error* error) {
  const Current current(device_of(handle));
  const Mark mark;
  if (mark.word() == nullptr) return fail(error, TD_NOT_SUPPORTED, "there is no pinned memory");
  const td_status launched = gather_with(handle, *x, axis, n_indices, indices, *out, mark.word(), error);
  const td_status finished = synchronize(handle, launched == TD_OK ? error : nullptr);
  *inside = *mark.word() == 0;
  return launched == TD_OK ? finished : launched;
}

td_status scatter(td_device* handle, const td_view* x, int32_t axis, int32_t n_indices, const td_view* indices,
                  const td_view* values, td_scatter mode, td_error* error) {
  Device& device = device_of(handle);
  const Current current(device);
  Movement movement(*x, axis, n_indices, indices[0], *values, mode == TD_SCATTER_ADD);
  const Places places(device, *x, axis, n_indices, indices, movement, nullptr, error);
  if (places.status() != TD_OK) return places.status();
  movement.runs.indexed = places.indexed();
  const bool single = movement.runs.positions == 1;
  if (mode == TD_SCATTER_UNIQUE || (single && mode == TD_SCATTER_LAST))
    return check(scatter_unique(device.stream, movement, values->data, x->data), "launch of a scatter", error);
  const int bits = int(std::bit_width(std::uint64_t(places.range()))) +
                   int(std::bit_width(std::uint64_t(movement.runs.positions - 1)));
  return bits <= 64 ? scatter_sorted<std::uint64_t>(device, movement, places, mode, x->dtype, values->data, x->data, error)
                    : scatter_sorted<u128>(device, movement, places, mode, x->dtype, values->data, x->data, error);
}

}  // namespace tandem::cuda
