// scan, as docs/reductions.md states it.
#include <cstring>
#include <vector>

#include "operations.hpp"
#include "verbs.hpp"

namespace tandem::reference {

namespace {

constexpr std::size_t block_children = 16;

/// A row's scan. Its elements are blocks of level 0; a block of level n + 1 has 16 blocks of level n.
class Scan {
 public:
  explicit Scan(Combine combine) : combine_(combine) {}

  /// Replaces the totals of all blocks of a level by what comes out of them: the combination of everything up to and
  /// with the block.
  void run(std::vector<Value>& blocks) const {
    const std::vector<Value> local = local_prefixes(blocks);
    const std::size_t parents = (blocks.size() + block_children - 1) / block_children;
    const std::vector<Value> before = prefixes_before(totals(local));
    for (std::size_t parent = 0; parent < parents; ++parent) {
      for (std::size_t i = parent * block_children; i < blocks.size() && i < (parent + 1) * block_children; ++i) {
        blocks[i] = parent == 0 ? local[i] : combine_(before[parent], local[i]);
      }
    }
  }

 private:
  /// The combination of everything before each block of a level; the first one has none.
  std::vector<Value> prefixes_before(const std::vector<Value>& blocks) const {
    std::vector<Value> result(blocks.size());
    if (blocks.size() == 1) return result;
    const std::vector<Value> local = local_prefixes(blocks);
    const std::vector<Value> before = prefixes_before(totals(local));
    for (std::size_t i = 1; i < blocks.size(); ++i) {
      const std::size_t parent = i / block_children;
      if (i % block_children == 0) {
        result[i] = before[parent];
      } else {
        result[i] = parent == 0 ? local[i - 1] : combine_(before[parent], local[i - 1]);
      }
    }
    return result;
  }

  /// Within each parent: doubling.
  std::vector<Value> local_prefixes(std::vector<Value> blocks) const {
    for (std::size_t half = 1; half < block_children; half *= 2) {
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        if ((i & half) != 0) blocks[i] = combine_(blocks[i / half * half - 1], blocks[i]);
      }
    }
    return blocks;
  }

  static std::vector<Value> totals(const std::vector<Value>& local) {
    std::vector<Value> result;
    for (std::size_t last = block_children - 1; last < local.size() + block_children - 1; last += block_children) {
      result.push_back(local[last < local.size() ? last : local.size() - 1]);
    }
    return result;
  }

  const Combine combine_;
};

}  // namespace

td_status scan(td_device*, const td_view* x, int32_t axis, td_reduction reduction, const td_view* out,
               td_error* error) {
  return guarded(error, [&] {
    const Scan rule(find_combine(reduction, x->dtype));
    const std::size_t bytes = size_of(x->dtype);
    int64_t outer = 1, inner = 1;
    for (int i = 0; i < axis; ++i) outer *= x->shape[i];
    for (int i = axis + 1; i < x->ndim; ++i) inner *= x->shape[i];
    const int64_t length = x->shape[axis], out_step = axis == 0 ? 0 : out->strides[axis - 1];

    std::vector<Value> row(static_cast<std::size_t>(length));
    const auto at = [&](void* data, int64_t element) {
      return static_cast<std::byte*>(data) + element * static_cast<int64_t>(bytes);
    };
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) {
        for (int64_t k = 0; k < length; ++k) {
          std::memcpy(row[static_cast<std::size_t>(k)].bytes, at(x->data, (o * length + k) * inner + i), bytes);
        }
        rule.run(row);
        for (int64_t k = 0; k < length; ++k) {
          std::memcpy(at(out->data, o * out_step + k * inner + i), row[static_cast<std::size_t>(k)].bytes, bytes);
        }
      }
    }
  });
}

}  // namespace tandem::reference
