// The verb scan. Rows, or groups of neighbouring columns, are strands. Many strands are divided among the threads, and
// each is read once. A few long ones are walked together, as much at a time as the caches hold: tiles are summed up in
// parallel, what comes before each is worked out, and tiles are scanned in parallel.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "elements.hpp"
#include "isa.hpp"
#include "scan_kernels.hpp"
#include "verbs.hpp"

namespace tandem::cpu {
namespace {

constexpr int64_t grain_elements = 8192;
constexpr int64_t bytes_at_once = 512 << 10;     // that a thread reads between two meetings
constexpr int64_t streaming_bytes = 16 << 20;    // results from here on go past the caches

const ScanKernel* find_kernel(td_reduction reduction, td_dtype dtype) noexcept {
  switch (isa()) {
    case Isa::v4: return v4::scan_kernel(reduction, dtype);
    case Isa::v3: return v3::scan_kernel(reduction, dtype);
    case Isa::v2: break;
  }
  return v2::scan_kernel(reduction, dtype);
}

/// What comes before each tile of a strand, by the blocks of level 4 and above that hold the tiles.
class Carries {
 public:
  Carries(void (*combine)(void*, const void*, int64_t), int64_t width, int64_t bytes) noexcept
      : combine_(combine), width_(width), bytes_(size_t(bytes)) {}

  /// What comes before the next tile; null for nothing.
  const void* before() const noexcept { return levels_[0].has_next ? levels_[0].next : nullptr; }

  /// Takes in the next tile's total.
  void add(const void* total) noexcept {
    char x[scan_column_bytes];
    std::memcpy(x, total, bytes_);
    int level = 0;
    while (add_to(levels_[level], x)) ++level;
    // The blocks below begin again where the one that was not filled goes on.
    for (; level > 0; --level) start(levels_[level - 1], levels_[level].next);
  }

 private:
  struct Block {
    char halves[4][scan_column_bytes];  // totals of 1, 2, 4 and 8 children that later ones take in
    char before[scan_column_bytes], next[scan_column_bytes];
    int64_t count = 0;
    bool has_before = false, has_next = false;
  };

  void start(Block& block, const char* before) noexcept {
    block.count = 0;
    block.has_before = block.has_next = true;
    std::memcpy(block.before, before, bytes_);
    std::memcpy(block.next, before, bytes_);
  }

  /// x = combine(a, x)
  void put_before(const char* a, char* x) noexcept {
    alignas(16) char result[scan_column_bytes];
    std::memcpy(result, a, bytes_);
    combine_(result, x, width_);
    std::memcpy(x, result, bytes_);
  }

  /// Takes in a child's total, which becomes the local prefix up to it; whether the block is full.
  bool add_to(Block& block, char* x) noexcept {
    const int64_t child = block.count++;
    for (int bit = 0; bit < 4; ++bit) {
      const int64_t half = int64_t{1} << bit;
      if (child & half)
        put_before(block.halves[bit], x);
      else if ((child & (half - 1)) == half - 1)
        std::memcpy(block.halves[bit], x, bytes_);
    }
    block.has_next = true;
    std::memcpy(block.next, x, bytes_);
    if (block.has_before) put_before(block.before, block.next);
    return block.count == scan_children;
  }

  static constexpr int most_levels = 12;  // 16^12 tiles
  void (*combine_)(void*, const void*, int64_t);
  int64_t width_;
  size_t bytes_;
  alignas(64) Block levels_[most_levels];
};

/// One call, as an (outer, length, inner) array.
struct Job {
  const char* x;
  char* out;
  int64_t outer = 1, length, inner = 1, out_step = 0, item;
  const ScanKernel* kernel;
  void (*combine)(void*, const void*, int64_t);
  bool streaming;

  int64_t columns() const noexcept { return std::min(inner, scan_column_bytes / item); }
  int64_t groups() const noexcept { return (inner + columns() - 1) / columns(); }
  int64_t tiles() const noexcept { return (length + scan_tile - 1) / scan_tile; }

  ScanTile tile(int64_t strand, int64_t number) const noexcept {
    const int64_t o = strand / groups(), first = strand % groups() * columns(), begin = number * scan_tile;
    const int64_t within = begin * inner + first;
    return {x + (o * length * inner + within) * item, out + (o * out_step + within) * item,
            std::min(scan_tile, length - begin), std::min(columns(), inner - first), inner};
  }

  /// Memory for tiles on their way to streamed results; null if that is not how they go.
  int64_t piece_bytes() const noexcept { return streaming && columns() == inner ? scan_tile * inner * item : 1; }

  void write(ScanTile tile, const void* before, void* total, char* piece) const noexcept {
    if (piece_bytes() == 1 || tile.width != inner) return kernel->write(tile, before, total);
    void* const out = tile.out;
    tile.out = piece;
    kernel->write(tile, before, total);
    const Movers& movers = *kernels().movers;
    movers.stream(out, piece, tile.length * inner * item);
    movers.fence();
  }
};

bool scan_strands(const Job& job, int64_t begin, int64_t end) noexcept {
  Scratch piece(job.piece_bytes()), state(job.tiles() > 1 ? int64_t{sizeof(Carries)} : 1);
  if (!piece || !state) return false;
  alignas(64) char total[scan_column_bytes];
  for (int64_t strand = begin; strand < end; ++strand) {
    if (job.tiles() == 1) {
      job.write(job.tile(strand, 0), nullptr, total, piece.as<char>());
      continue;
    }
    const int64_t width = job.tile(strand, 0).width;
    Carries& carries = *new (state.as<void>()) Carries(job.combine, width, width * job.item);
    for (int64_t i = 0; i < job.tiles(); ++i) {
      job.write(job.tile(strand, i), carries.before(), total, piece.as<char>());
      carries.add(total);
    }
  }
  return true;
}

bool scan_together(const Job& job, int64_t strand) noexcept {
  const int64_t width = job.tile(strand, 0).width, bytes = width * job.item, threads = thread_count();
  const int64_t share = std::max<int64_t>(1, bytes_at_once / (scan_tile * bytes)), together = threads * share;
  const int64_t place = (bytes + 63) / 64 * 64;
  Scratch memory(2 * together * place), state(sizeof(Carries)), pieces(together * job.piece_bytes());
  if (!memory || !state || !pieces) return false;
  char *totals = memory.as<char>(), *befores = totals + together * place;
  Carries& carries = *new (state.as<void>()) Carries(job.combine, width, bytes);

  const auto sum_up = [&](int64_t i, int64_t tile) {
    if (tile < job.tiles()) job.kernel->total(job.tile(strand, tile), totals + i * place);
  };
  parallel_for(std::min(together, job.tiles()), share, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) sum_up(i, i);
  });
  for (int64_t first = 0; first < job.tiles(); first += together) {
    const int64_t n = std::min(together, job.tiles() - first);
    for (int64_t i = 0; i < n; ++i) {
      if (carries.before()) std::memcpy(befores + i * place, carries.before(), size_t(bytes));
      carries.add(totals + i * place);
    }
    // Each thread scans its tiles, which its cache still holds, and sums up those that it will scan next.
    parallel_for(n, share, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        job.write(job.tile(strand, first + i), first + i == 0 ? nullptr : befores + i * place, totals + i * place,
                  pieces.as<char>() + i * job.piece_bytes());
      for (int64_t i = begin; i < end; ++i) sum_up(i, first + together + i);
    });
  }
  return true;
}

}  // namespace

td_status scan(td_device*, const td_view* x, int32_t axis, td_reduction reduction, const td_view* out,
               td_error* error) {
  Job job{.x = static_cast<const char*>(x->data),
          .out = static_cast<char*>(out->data),
          .length = x->shape[axis],
          .item = item_bytes(x->dtype),
          .kernel = find_kernel(reduction, x->dtype),
          .combine = nullptr,
          .streaming = false};
  if (!job.kernel) return fail(error, TD_NOT_SUPPORTED, "no scan %d of dtype %d", reduction, x->dtype);
  job.combine = kernels().combiners[reduction][x->dtype].combine;
  for (int32_t i = 0; i < axis; ++i) job.outer *= x->shape[i];
  for (int32_t i = axis + 1; i < x->ndim; ++i) job.inner *= x->shape[i];
  if (axis > 0) job.out_step = out->strides[axis - 1];
  job.streaming = job.outer * job.length * job.inner * job.item >= streaming_bytes;

  const int64_t strands = job.outer * job.groups(), threads = thread_count();
  bool enough = true;
  if (threads > 1 && strands < 4 * threads && job.tiles() > 1) {
    for (int64_t strand = 0; strand < strands && enough; ++strand) enough = scan_together(job, strand);
  } else {
    std::atomic<bool> failed = false;
    const int64_t work = job.length * job.columns();
    parallel_for(strands, std::max<int64_t>(1, grain_elements / work), [&](int64_t begin, int64_t end) {
      if (!scan_strands(job, begin, end)) failed = true;
    });
    enough = !failed;
  }
  return enough ? TD_OK : fail(error, TD_OUT_OF_MEMORY, "no memory for what comes before tiles");
}

}  // namespace tandem::cpu
