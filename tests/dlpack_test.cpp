// DLPack tensors in and out: figures, ownership, who may write, refusals.
#include <tandem/dlpack_abi.h>

#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::Shape;

namespace {

/// A tensor that counts how often it is deleted.
template <class Tensor> struct Foreign {
  explicit Foreign(void* data, DLDataType dtype, std::vector<std::int64_t> lengths, std::vector<std::int64_t> steps = {})
      : shape(std::move(lengths)), strides(std::move(steps)) {
    DLTensor& t = tensor.dl_tensor;
    t.data = data;
    t.device = {kDLCPU, 0};
    t.ndim = static_cast<std::int32_t>(shape.size());
    t.dtype = dtype;
    t.shape = shape.data();
    t.strides = strides.empty() ? nullptr : strides.data();
    tensor.manager_ctx = this;
    tensor.deleter = [](Tensor* self) { ++static_cast<Foreign*>(self->manager_ctx)->deleted; };
    if constexpr (std::same_as<Tensor, DLManagedTensorVersioned>) tensor.version = {DLPACK_MAJOR_VERSION, 7};
  }
  Foreign(const Foreign&) = delete;

  std::vector<std::int64_t> shape, strides;
  Tensor tensor{};
  int deleted = 0;
};
using Versioned = Foreign<DLManagedTensorVersioned>;
using Unversioned = Foreign<DLManagedTensor>;

constexpr DLDataType float64_type{kDLFloat, 64, 1};

td::Device host_device() { return td::Device().shares_host_memory() ? td::Device() : td::Device("cpu"); }

TEST(ToDlpack, ShowsTheArraysOwnMemory) {
  const Array x = td::arange(12).reshape({3, 4}).eval();
  const Array views[] = {x, x.transpose(), x.flip(), x(1), x(td::all, td::slice(1, td::none, 2)), x(2, 3)};
  for (const Array& view : views) {
    DLManagedTensorVersioned* tensor = td::to_dlpack(view);
    const DLTensor& t = tensor->dl_tensor;
    EXPECT_EQ(tensor->version.major, 1u);
    EXPECT_EQ(t.data, view.data());
    EXPECT_EQ(t.byte_offset, 0u);
    EXPECT_EQ(Shape(t.shape, t.ndim), view.shape());
    EXPECT_EQ(Shape(t.strides, t.ndim), view.strides());
    EXPECT_EQ(t.dtype.code, kDLInt);
    EXPECT_EQ(t.dtype.bits, 64);
    EXPECT_EQ(t.dtype.lanes, 1);
    EXPECT_EQ(t.device.device_type, td::Device().shares_host_memory() ? kDLCPU : kDLCUDA);
    EXPECT_EQ(t.device.device_id, td::Device().index());
    EXPECT_TRUE(tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY);
    EXPECT_TRUE(same(td::from_dlpack(tensor), view));
  }
}

TEST(ToDlpack, EveryDtypeComesBack) {
  for (const td::DType dtype : all_dtypes)
    with_type(dtype, [&]<class T>(Type<T>) {
      const Array x = make<T>(special_values<T>());
      EXPECT_TRUE(same(td::from_dlpack(td::to_dlpack(x)), x)) << dtype;
      EXPECT_TRUE(same(td::from_dlpack(td::to_dlpack_unversioned(x.copy())), x)) << dtype;
    });
  const Array empty = td::zeros({0, 3}), scalar(2.5);
  EXPECT_TRUE(same(td::from_dlpack(td::to_dlpack(empty)), empty));
  EXPECT_TRUE(same(td::from_dlpack(td::to_dlpack(scalar)), scalar));
  EXPECT_TRUE(same(td::from_dlpack(td::to_dlpack(td::arange(5) * 2)), td::arange(5) * 2));
}

TEST(ToDlpack, KeepsTheMemoryAliveAndUnchanged) {
  Array x = td::full({1000}, 3.0).eval();
  DLManagedTensorVersioned* tensor = td::to_dlpack(x);
  x(0) = 4;
  x = td::zeros({1});
  EXPECT_TRUE(same(td::from_dlpack(tensor), td::full({1000}, 3.0)));
}

TEST(ToDlpack, OnlyMemoryOfItsOwnIsWritable) {
  const auto read_only = [](Array x) {
    DLManagedTensorVersioned* tensor = td::to_dlpack(std::move(x));
    const bool flag = tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY;
    tensor->deleter(tensor);
    return flag;
  };
  Array x = td::arange(6).eval();
  EXPECT_TRUE(read_only(x));
  EXPECT_FALSE(read_only(x.copy()));
  EXPECT_TRUE(read_only(x(td::slice(1, 3))));
  EXPECT_TRUE(read_only(td::ones({1}).eval().broadcast_to({5})));  // elements that share a place
  const Array shared = x;
  EXPECT_TRUE(throws([&] { td::to_dlpack_unversioned(x); }, "to_dlpack_unversioned: "));
  x = td::zeros({1});
  EXPECT_FALSE(read_only(x.copy()));
  Array alone = td::arange(6).eval();
  EXPECT_FALSE(read_only(std::move(alone)));
  EXPECT_TRUE(same(shared, td::arange(6)));
}

TEST(FromDlpack, AdoptsHostMemory) {
  double values[] = {0, 1, 2, 3, 4, 5};
  Versioned foreign(values, float64_type, {2, 3});
  {
    Array x = td::from_dlpack(&foreign.tensor);
    EXPECT_EQ(x.device(), host_device());
    EXPECT_EQ(x.data(), values);
    x(1, 2) = 50;
    EXPECT_EQ(values[5], 50);
    const Array view = x(td::all, 0), sum = x + 1;
    x = td::zeros({1});
    EXPECT_EQ(foreign.deleted, 0);
    EXPECT_EQ(view.to_vector<double>(), (std::vector<double>{0, 3}));
    EXPECT_EQ(sum(1, 2).item<double>(), 51);
  }
  EXPECT_EQ(foreign.deleted, 1);
}

TEST(FromDlpack, StridesAndOffset) {
  float values[] = {9, 0, 1, 2, 3, 4, 5};
  const DLDataType type{kDLFloat, 32, 1};
  Unversioned columns(values, type, {3, 2}, {1, 3}), backwards(values, type, {3}, {-2});
  columns.tensor.dl_tensor.byte_offset = 4;
  backwards.tensor.dl_tensor.byte_offset = 24;
  EXPECT_EQ(td::from_dlpack(&columns.tensor).to_vector<float>(), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(td::from_dlpack(&backwards.tensor).to_vector<float>(), (std::vector<float>{5, 3, 1}));
  EXPECT_EQ(columns.deleted, 1);
  EXPECT_EQ(backwards.deleted, 1);
}

TEST(FromDlpack, ReadOnlyMemoryIsNeverWritten) {
  double values[] = {0, 1, 2};
  Versioned foreign(values, float64_type, {3});
  foreign.tensor.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  Array x = td::from_dlpack(&foreign.tensor);
  EXPECT_EQ(x.data(), values);
  x(0) = 7;
  x += 1;
  EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{8, 2, 3}));
  EXPECT_EQ(values[0], 0);
  EXPECT_EQ(foreign.deleted, 1);  // nobody shows that memory any more
}

TEST(FromDlpack, BoolsAreZeroOrOne) {
  unsigned char good[] = {0, 1, 1}, loose[] = {0, 2, 255};
  const DLDataType type{kDLBool, 8, 1};
  Versioned first(good, type, {3}), second(loose, type, {3});
  EXPECT_EQ(td::from_dlpack(&first.tensor).data(), good);
  EXPECT_TRUE(same(td::from_dlpack(&second.tensor, host_device()), td::array({false, true, true}, {.device = host_device()})));
  EXPECT_EQ(first.deleted, 1);
  EXPECT_EQ(second.deleted, 1);
}

TEST(FromDlpack, GoesToAnotherDevice) {
  double values[] = {1, 2};
  Versioned foreign(values, float64_type, {2});
  const Array x = td::from_dlpack(&foreign.tensor, td::Device());
  EXPECT_EQ(x.device(), td::Device());
  EXPECT_TRUE(same(x, td::array({1.0, 2.0})));
}

TEST(FromDlpack, NullDeletersAndEmptyArrays) {
  double values[] = {1, 2};
  Versioned foreign(values, float64_type, {2}), empty(nullptr, float64_type, {2, 0}), scalar(values, float64_type, {});
  foreign.tensor.deleter = nullptr;
  EXPECT_EQ(td::from_dlpack(&foreign.tensor).size(), 2);
  EXPECT_EQ(td::from_dlpack(&empty.tensor).shape(), (Shape{2, 0}));
  EXPECT_EQ(empty.deleted, 1);
  scalar.tensor.dl_tensor.shape = nullptr;
  EXPECT_EQ(td::from_dlpack(&scalar.tensor).item<double>(), 1);
}

TEST(FromDlpack, RefusalsDeleteTheTensorOnce) {
  alignas(8) char values[64] = {};
  const auto refuses = [&](auto&& change, const std::string& part) {
    Versioned foreign(values, float64_type, {2, 3}, {3, 1});
    change(foreign.tensor);
    auto result = throws([&] { td::from_dlpack(&foreign.tensor); }, "from_dlpack: ", {part});
    if (foreign.deleted != 1) return ::testing::AssertionFailure() << "deleted " << foreign.deleted << " times";
    return result;
  };
  using Tensor = DLManagedTensorVersioned;
  EXPECT_TRUE(refuses([](Tensor& t) { t.version.major = 2; }, "version 2.7 of DLPack; 1.x is known"));
  EXPECT_TRUE(refuses([](Tensor& t) { t.version.major = 0; }, "version 0.7"));
  EXPECT_TRUE(refuses([](Tensor& t) { t.dl_tensor.dtype.lanes = 4; }, "vectors of 4 lanes"));
  EXPECT_TRUE(refuses([](Tensor& t) { t.dl_tensor.dtype.lanes = 0; }, "vectors of 0 lanes"));
  EXPECT_TRUE(refuses([](Tensor& t) { t.dl_tensor.dtype.bits = 128; }, "dtype float (code 2) of 128 bits"));
  EXPECT_TRUE(refuses([](Tensor& t) { t.dl_tensor.dtype.code = kDLOpaqueHandle; }, "opaque handle (code 3)"));
  EXPECT_TRUE(refuses([](Tensor& t) { t.dl_tensor.dtype = {10, 8, 1}; }, "unknown (code 10) of 8 bits"));
  EXPECT_TRUE(refuses([](Tensor& t) { t.dl_tensor.dtype = {kDLBool, 1, 1}; }, "bool (code 6) of 1 bits"));
  EXPECT_TRUE(refuses([](Tensor& t) { t.dl_tensor.device.device_type = static_cast<DLDeviceType>(10); }, "device type 10"));
  EXPECT_TRUE(refuses([](Tensor& t) { t.dl_tensor.ndim = -1; }, "-1 axes"));
  EXPECT_TRUE(refuses([](Tensor& t) { t.dl_tensor.ndim = 33; }, "33 axes"));
  EXPECT_TRUE(refuses([](Tensor& t) { t.dl_tensor.shape = nullptr; }, "shape is null"));
  EXPECT_TRUE(refuses([](Tensor& t) { t.dl_tensor.shape[0] = -1; }, "negative length"));
  EXPECT_TRUE(refuses([](Tensor& t) { t.dl_tensor.shape[0] = INT64_MAX; }, "more elements than can be counted"));
  EXPECT_TRUE(refuses([](Tensor& t) { t.dl_tensor.strides[0] = INT64_MAX / 4; }, "more bytes than can be counted"));
  EXPECT_TRUE(refuses([](Tensor& t) { t.dl_tensor.strides[1] = INT64_MIN; }, "more bytes than can be counted"));
  EXPECT_TRUE(refuses([](Tensor& t) { t.dl_tensor.byte_offset = 3; }, "not aligned"));
  EXPECT_TRUE(refuses([](Tensor& t) { t.dl_tensor.data = nullptr; }, "data is null"));
  EXPECT_TRUE(throws([] { td::from_dlpack(static_cast<Tensor*>(nullptr)); }, "from_dlpack: the tensor is null"));
}

TEST(FromDlpack, CudaMemoryNeedsCuda) {
  if (on_backend("cuda")) GTEST_SKIP() << "there is CUDA here";
  double values[2] = {};
  Versioned foreign(values, float64_type, {2});
  foreign.tensor.dl_tensor.device = {kDLCUDA, 7};
  EXPECT_THROW(td::from_dlpack(&foreign.tensor), td::BackendUnavailable);
  EXPECT_EQ(foreign.deleted, 1);
}

TEST(FromDlpack, CopiesIfAskedTo) {
  double values[] = {1, 2, 3};
  {
    Versioned foreign(values, float64_type, {3});
    const Array x = td::from_dlpack(&foreign.tensor, {.device = host_device(), .copy = true});
    host_device().synchronize();
    EXPECT_NE(x.data(), values);
    EXPECT_TRUE(same(x, td::array({1.0, 2.0, 3.0}, {.device = host_device()})));
    EXPECT_EQ(foreign.deleted, 1);
  }
  {
    Unversioned foreign(values, float64_type, {3});
    EXPECT_EQ(td::from_dlpack(&foreign.tensor, {.copy = false}).data(), values);
    EXPECT_EQ(foreign.deleted, 1);
  }
  // Bools that are stored as anything but 0 and 1 become 1, in memory of their own.
  unsigned char bytes[] = {0, 7};
  Versioned foreign(bytes, {kDLBool, 8, 1}, {2});
  EXPECT_TRUE(throws([&] { td::from_dlpack(&foreign.tensor, {.copy = false}); }, "from_dlpack: ", {"by a copy only"}));
  EXPECT_EQ(foreign.deleted, 1);
}

}  // namespace
