// Copies between host and device. Ordinary host memory reaches the device through pinned memory in any case; the driver
// moves it there with one thread (8 GB/s), the ring below with several (50 GB/s), which also take a fresh destination's
// page faults side by side.
#include "transfer.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "status.hpp"
#include "verbs.hpp"

namespace tandem::cuda {
namespace {

constexpr int64_t slot_bytes = int64_t{4} << 20;
constexpr int64_t least_chunk = int64_t{256} << 10;
constexpr int64_t ring_threshold = int64_t{2} << 20;  // bytes from which the threads pay
constexpr int64_t staged_at_once = int64_t{64} << 10;  // up to here the driver has read the source when it returns
constexpr int slots_per_worker = 2;

/// Pinned memory that one worker fills or empties while the device works on the other slot.
struct Slot {
  char* memory = nullptr;
  cudaEvent_t done = nullptr;  // recorded behind the device's use of the slot
};

struct Worker {
  Slot slots[slots_per_worker];
};

/// One copy: chunks that the workers take in ascending order.
struct Job {
  td_copy_kind kind;
  char* to;
  const char* from;
  int64_t bytes;
  int64_t chunk;
  std::atomic<int64_t> next{0};
  std::atomic<cudaError_t> failure{cudaSuccess};

  /// The next chunk's place; false if there is none or a worker has failed.
  bool take(int64_t* offset, int64_t* size) {
    if (failure.load(std::memory_order_relaxed) != cudaSuccess) return false;
    *offset = next.fetch_add(1, std::memory_order_relaxed) * chunk;
    *size = std::min(chunk, bytes - *offset);
    return *size > 0;
  }
  bool succeeded(cudaError_t result) {
    cudaError_t none = cudaSuccess;
    if (result != cudaSuccess) failure.compare_exchange_strong(none, result);
    return result == cudaSuccess;
  }
};

}  // namespace

/// Slots and threads of a device. The calling thread is the first worker; the others sleep between copies, and live as
/// long as the process.
class Ring {
 public:
  explicit Ring(const Device& device) : device_(device) {}

  /// Whether there is a ring: without pinned memory there is none, and asking again would not change that.
  bool ready() {
    std::lock_guard lock(copying_);
    if (state_ == State::unmade) state_ = make() ? State::made : State::failed;
    return state_ == State::made;
  }
  cudaError_t copy(td_copy_kind kind, void* to, const void* from, int64_t bytes);

 private:
  enum class State { unmade, made, failed };

  bool make();
  bool make_worker(Worker& worker);
  void serve(Worker& worker);
  void work(Worker& worker, Job& job);
  void send(Worker& worker, Job& job);
  void receive(Worker& worker, Job& job);

  const Device& device_;
  std::mutex copying_;  // one copy at a time
  State state_ = State::unmade;
  std::vector<std::unique_ptr<Worker>> workers_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable job_there_, workers_done_;
  Job* job_ = nullptr;
  std::uint64_t round_ = 0;
  int busy_ = 0;
};

Ring* make_ring(const Device& device) { return new Ring(device); }

bool Ring::make_worker(Worker& worker) {
  for (Slot& slot : worker.slots) {
    void* memory = nullptr;
    if (cudaHostAlloc(&memory, std::size_t(slot_bytes), cudaHostAllocDefault) != cudaSuccess ||
        cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming) != cudaSuccess) {
      (void)cudaGetLastError();
      return false;
    }
    slot.memory = static_cast<char*>(memory);
  }
  return true;
}

bool Ring::make() {
  const int wanted = std::clamp(int(std::thread::hardware_concurrency()) / 2, 1, 8);
  try {
    for (int i = 0; i < wanted; ++i) {
      auto worker = std::make_unique<Worker>();
      if (!make_worker(*worker)) break;
      if (i > 0) std::thread([this, mine = worker.get()] { serve(*mine); }).detach();
      workers_.push_back(std::move(worker));
    }
  } catch (const std::system_error&) {  // as many threads as there are will do
  }
  return !workers_.empty();
}

void Ring::serve(Worker& worker) {
  const Current current(device_);
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    job_there_.wait(lock, [&] { return job_ != nullptr && round_ != seen; });
    seen = round_;
    Job& job = *job_;
    ++busy_;
    lock.unlock();
    work(worker, job);
    lock.lock();
    if (--busy_ == 0) workers_done_.notify_one();
  }
}

cudaError_t Ring::copy(td_copy_kind kind, void* to, const void* from, int64_t bytes) {
  std::lock_guard one_at_a_time(copying_);
  Job job{
      .kind = kind, .to = static_cast<char*>(to), .from = static_cast<const char*>(from), .bytes = bytes, .chunk = 0};
  // At least two rounds through the slots, as nothing overlaps before the first of them is full.
  const auto pieces = int64_t(workers_.size()) * slots_per_worker * 2;
  job.chunk = std::clamp((bytes / pieces + 4095) / 4096 * 4096, least_chunk, slot_bytes);
  {
    std::lock_guard lock(mutex_);
    job_ = &job;
    ++round_;
  }
  job_there_.notify_all();
  work(*workers_.front(), job);
  std::unique_lock lock(mutex_);
  job_ = nullptr;  // who has not begun by now need not
  workers_done_.wait(lock, [&] { return busy_ == 0; });
  return job.failure.load();
}

void Ring::work(Worker& worker, Job& job) {
  if (job.kind == TD_HOST_TO_DEVICE)
    send(worker, job);
  else
    receive(worker, job);
}

// The slots' last copies may still be under way when this returns; the next use of a slot waits for them.
void Ring::send(Worker& worker, Job& job) {
  int64_t offset, size;
  for (int i = 0; job.take(&offset, &size); i = (i + 1) % slots_per_worker) {
    Slot& slot = worker.slots[i];
    if (!job.succeeded(cudaEventSynchronize(slot.done))) return;
    std::memcpy(slot.memory, job.from + offset, std::size_t(size));
    if (!job.succeeded(cudaMemcpyAsync(job.to + offset, slot.memory, std::size_t(size), cudaMemcpyHostToDevice,
                                       device_.stream)) ||
        !job.succeeded(cudaEventRecord(slot.done, device_.stream)))
      return;
  }
}

void Ring::receive(Worker& worker, Job& job) {
  struct Piece {
    int64_t offset = 0, size = 0;
  } pieces[slots_per_worker];
  const auto request = [&](int i) {
    if (!job.take(&pieces[i].offset, &pieces[i].size)) {
      pieces[i].size = 0;
      return;
    }
    Slot& slot = worker.slots[i];  // free: what was in it has been waited for, or follows in the stream's order
    job.succeeded(cudaMemcpyAsync(slot.memory, job.from + pieces[i].offset, std::size_t(pieces[i].size),
                                  cudaMemcpyDeviceToHost, device_.stream)) &&
        job.succeeded(cudaEventRecord(slot.done, device_.stream));
  };
  for (int i = 0; i < slots_per_worker; ++i) request(i);
  for (int i = 0; pieces[i].size > 0; i = (i + 1) % slots_per_worker) {
    if (!job.succeeded(cudaEventSynchronize(worker.slots[i].done))) return;
    std::memcpy(job.to + pieces[i].offset, worker.slots[i].memory, std::size_t(pieces[i].size));
    request(i);
  }
}

namespace {

bool is_pinned(const void* pointer) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess) {
    (void)cudaGetLastError();
    return false;
  }
  return attributes.type != cudaMemoryTypeUnregistered;
}

/// Pinned, registered or managed from one end to the other, so that the device can reach it by itself.
bool is_pinned(const void* pointer, int64_t bytes) {
  return is_pinned(pointer) && is_pinned(static_cast<const char*>(pointer) + bytes - 1);
}

td_status copy_plainly(const Device& device, td_copy_kind kind, void* to, const void* from, int64_t bytes, bool wait,
                       td_error* error) {
  constexpr cudaMemcpyKind kinds[] = {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice};
  const td_status status = check(cudaMemcpyAsync(to, from, std::size_t(bytes), kinds[kind], device.stream),
                                 "copying memory", error);
  if (status != TD_OK || !wait) return status;
  return check(cudaStreamSynchronize(device.stream), "copying memory", error);
}

}  // namespace

td_status copy(td_device* handle, td_copy_kind kind, void* to, const void* from, int64_t bytes, td_error* error) {
  const Device& device = device_of(handle);
  if (bytes <= 0) return TD_OK;
  const Current current(device);
  if (kind == TD_DEVICE_TO_DEVICE) return copy_plainly(device, kind, to, from, bytes, false, error);
  const bool sending = kind == TD_HOST_TO_DEVICE;
  const bool matters = sending || bytes >= ring_threshold;
  const bool pinned = matters && is_pinned(sending ? from : to, bytes);
  if (!pinned && bytes >= ring_threshold && device.ring->ready()) {
    // Otherwise every worker would spin until the device has come to its piece.
    const cudaError_t earlier_work = sending ? cudaSuccess : cudaStreamSynchronize(device.stream);
    return check(earlier_work == cudaSuccess ? device.ring->copy(kind, to, from, bytes) : earlier_work,
                 "copying memory", error);
  }
  const bool read_at_once = sending && !pinned && bytes <= staged_at_once;
  return copy_plainly(device, kind, to, from, bytes, !read_at_once, error);
}

}  // namespace tandem::cuda
