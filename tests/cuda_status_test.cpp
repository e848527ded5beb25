// What the CUDA backend says where it cannot work, and the parts of it that need no device.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <tandem/tandem.hpp>

#include "library.hpp"
#include "memory.hpp"
#include "status.hpp"

namespace tandem::cuda {
namespace {

/// The text that a function makes in a child process, in which it may set variables and spoil the process's state.
std::string in_child(const std::function<std::string()>& function) {
  int ends[2];
  if (pipe(ends) != 0) return "pipe failed";
  const pid_t child = fork();
  if (child == 0) {
    std::string text;
    try {
      text = function();
    } catch (const std::exception& exception) {
      text = exception.what();
    }
    const bool written = write(ends[1], text.data(), text.size()) == ssize_t(text.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char buffer[1024];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, std::size_t(n));
  close(ends[0]);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return text;
}

std::string judged(const Probe& found) {
  td_error error{};
  std::vector<int> usable{7};
  const td_status status = judge(found, &usable, &error);
  if (status != TD_OK) {
    EXPECT_EQ(status, TD_UNAVAILABLE);
    EXPECT_TRUE(usable.empty());
    return error.message;
  }
  std::string text = "usable:";
  for (const int ordinal : usable) text += " " + std::to_string(ordinal);
  return text;
}

TEST(Status, each_reason_is_a_sentence_of_its_own) {
  EXPECT_EQ(judged({cudaErrorInsufficientDriver, 0, 13000, {}}),
            "no NVIDIA driver is installed (there is no libcuda.so.1 that works)");
  EXPECT_EQ(judged({cudaErrorStubLibrary, 13000, 13000, {}}),
            "no NVIDIA driver is installed (there is no libcuda.so.1 that works)");
  EXPECT_EQ(judged({cudaErrorInsufficientDriver, 12020, 13000, {}}),
            "the NVIDIA driver is too old: it supports CUDA 12.2, and CUDA 13.0 is needed");
  EXPECT_EQ(judged({cudaErrorNoDevice, 13000, 13000, {}}),
            "there is a driver (CUDA 13.0) but no device that it shows to this process (is CUDA_VISIBLE_DEVICES set?)");
  EXPECT_EQ(judged({cudaSuccess, 13000, 13000, {}}), judged({cudaErrorNoDevice, 13000, 13000, {}}));
  EXPECT_EQ(
      judged({cudaErrorSystemDriverMismatch, 13000, 13000, {}}).rfind("CUDA cannot be initialized: error 803, ", 0),
      0u);
  EXPECT_EQ(judged({cudaSuccess, 13000, 13000, {35, 52}}).rfind(
                "no device is new enough: compute capability 5.2, and ", 0), 0u);
}

TEST(Status, old_devices_are_left_out) {
  EXPECT_EQ(judged({cudaSuccess, 13000, 13000, {90}}), "usable: 0");
  EXPECT_EQ(judged({cudaSuccess, 13000, 13000, {52, 90, lowest_architecture - 1, lowest_architecture, 120}}),
            "usable: 1 3 4");
}

TEST(Status, of_calls) {
  td_error error{};
  EXPECT_EQ(check(cudaSuccess, "a call", &error), TD_OK);
  EXPECT_EQ(check(cudaErrorInvalidValue, "a call", &error), TD_INTERNAL);
  EXPECT_EQ(error.message, std::string("a call failed: invalid argument (cudaErrorInvalidValue)"));
  EXPECT_EQ(check(cudaErrorMemoryAllocation, "a call", &error), TD_OUT_OF_MEMORY);
  EXPECT_EQ(check(cudaErrorNoDevice, "a call", &error), TD_UNAVAILABLE);
  EXPECT_EQ(check(cudaErrorCudartUnloading, "a call", &error), TD_DEVICE_LOST);
  EXPECT_EQ(still_usable(&error), TD_OK);
  EXPECT_EQ(check(cudaErrorInvalidValue, "a call", nullptr), TD_INTERNAL) << "without a place for the message";
}

TEST(Status, the_first_fatal_error_stays) {
  const std::string text = in_child([] {
    td_error first{}, second{}, third{};
    if (check(cudaErrorIllegalAddress, "the launch", &first) != TD_DEVICE_LOST) return std::string("a wrong status");
    if (check(cudaErrorLaunchFailure, "a copy", &second) != TD_DEVICE_LOST) return std::string("a wrong second status");
    const td_backend* const table = tandem_backend(nullptr);
    int32_t count = 0;
    if (table->device_count(&count, &third) != TD_DEVICE_LOST) return std::string("a wrong status of a verb");
    table->free(nullptr, &count, 4);
    table->event_destroy(nullptr, nullptr);
    if (std::string(first.message) != second.message || std::string(first.message) != third.message)
      return std::string("messages differ");
    return std::string(first.message);
  });
  EXPECT_EQ(text.rfind("the launch failed: ", 0), 0u) << text;
  EXPECT_NE(text.find("(cudaErrorIllegalAddress); CUDA can no longer be used by this process"), text.npos) << text;
}

TEST(Status, a_child_after_fork_is_told) {
  const std::string text = in_child([] {
    refuse_after_fork();
    return in_child([] {
      td_error error{};
      int32_t count = 0;
      const td_backend* const table = tandem_backend(nullptr);
      const td_status status = table->device_count(&count, &error);
      int facts = 0;
      const td_status described =
          table->describe([](void* user, const char*, const char*) { ++*static_cast<int*>(user); }, &facts, &error);
      return std::to_string(status == TD_UNAVAILABLE && described == TD_OK && facts > 0) + error.message;
    });
  });
  EXPECT_EQ(text.rfind("1this process was forked from one that had used CUDA", 0), 0u) << text;
}

TEST(Table, describes_itself_without_a_device) {
  const std::string text = in_child([] {
    std::string facts;
    td_error error{};
    const td_status status = tandem_backend(nullptr)->describe(
        [](void* user, const char* key, const char* value) {
          *static_cast<std::string*>(user) += std::string(key) + "=" + value + "\n";
        },
        &facts, &error);
    return status == TD_OK ? facts : std::string(error.message);
  });
  for (const char* fact : {"runtime=CUDA ", "driver=", "NVRTC=", "kernel cache="})
    EXPECT_NE(text.find(fact), text.npos) << fact << " in\n" << text;
}

/// What the runtime says on this machine, asked by another process, as the driver does not survive a fork.
std::string verdict() {
  return in_child([] { return judged(probe()); });
}

TEST(Loader, a_named_backend_says_what_is_missing) {
  const std::string reason = verdict();
  const auto named = in_child([] {
    setenv("TANDEM_BACKEND", "cuda", 1);
    try {
      return tandem::Device().name();
    } catch (const BackendUnavailable& error) {
      return std::string("BackendUnavailable: ") + error.what();
    }
  });
  if (reason.rfind("usable:", 0) == 0) {
    EXPECT_EQ(named, "cuda:0");
    return;
  }
  EXPECT_EQ(named.rfind("BackendUnavailable: Device: TANDEM_BACKEND=cuda: backend cuda cannot be used: ", 0), 0u)
      << named;
  EXPECT_TRUE(named.ends_with("/libtandem_cuda.so: " + reason)) << named;
}

TEST(Loader, auto_falls_back_with_one_line) {
  const std::string reason = verdict();
  const std::string output = in_child([] {
    setenv("TANDEM_BACKEND", "auto", 1);
    setenv("TANDEM_LOG", "info", 1);
    char path[] = "/tmp/tandem-status-XXXXXX";
    const int file = mkstemp(path);
    dup2(file, STDERR_FILENO);
    unlink(path);
    const std::string name = tandem::Device().name();
    std::string text(2000, '\0');
    text.resize(std::size_t(pread(file, text.data(), text.size(), 0)));
    return name + "\n" + text;
  });
  if (reason.rfind("usable:", 0) == 0) {
    EXPECT_EQ(output, "cuda:0\n");
    return;
  }
  EXPECT_EQ(output.rfind("cpu\ntandem: info: using the cpu backend; cuda cannot be used: ", 0), 0u) << output;
  EXPECT_TRUE(output.ends_with("/libtandem_cuda.so: " + reason + "\n")) << output;
  EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 2) << output;
}

TEST(Memory, sizes_of_blocks) {
  int64_t previous = 0;
  for (int64_t bytes = 0; bytes < int64_t{1} << 58; bytes += 1 + bytes / 77) {
    const int64_t size = block_size(bytes);
    ASSERT_GE(size, bytes + TD_PADDING);
    ASSERT_EQ(size % 512, 0) << bytes;
    ASSERT_GE(size, previous) << bytes;
    ASSERT_LE(size - bytes - TD_PADDING, std::max<int64_t>(511, (bytes + TD_PADDING) / 8)) << bytes;
    ASSERT_EQ(block_size(size - TD_PADDING), size) << bytes;
    ASSERT_EQ(block_size(size - TD_PADDING + 1) > size, true) << bytes;
    previous = size;
  }
  EXPECT_EQ(block_size(0), 512);
  EXPECT_EQ(block_size(448), 512);
  EXPECT_EQ(block_size(449), 1024);
  EXPECT_EQ(block_size((int64_t{64} << 20) - TD_PADDING), int64_t{64} << 20);
  EXPECT_EQ(block_size(int64_t{64} << 20), int64_t{66} << 20);
}

TEST(Libraries, a_missing_one_is_named) {
  Library library;
  td_error error{};
  EXPECT_EQ(open_library("tandem_nothing", {3, 2}, &library, &error), TD_UNAVAILABLE);
  EXPECT_EQ(std::string(error.message).rfind(
                "libtandem_nothing.so.3 or libtandem_nothing.so.2 cannot be loaded; it was looked for in", 0), 0u)
      << error.message;
  ASSERT_EQ(open_library("m", {6}, &library, &error), TD_OK) << error.message;
  EXPECT_NE(library.path.find("/libm.so.6"), std::string::npos) << library.path;
  double (*cosine)(double) = nullptr;
  ASSERT_EQ(find_symbol(library, "cos", &cosine, &error), TD_OK);
  EXPECT_EQ(cosine(0), 1);
  EXPECT_EQ(find_symbol(library, "no_such_function", &cosine, &error), TD_UNAVAILABLE);
  EXPECT_EQ(error.message, library.path + " has no function no_such_function");
}

}  // namespace
}  // namespace tandem::cuda
