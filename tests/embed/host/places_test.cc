// Which Python the host gets: the folder that `home` names, and the packages of `venv`.
#include <dlfcn.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/embed/host/host_test.h"

namespace dynacc {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// An interpreter keeps its home and venv for the life of the process, so each test has one: these
// are run by CTest one at a time (--gtest_filter).
class PlacesTest : public HostTest {
 protected:
  void SetUp() override {}

  static std::string Folder() { return fs::path(FileOf("")).parent_path(); }

  static std::string Text(Runtime& runtime, const std::string& expression) {
    const auto module =
        runtime.LoadFile(FileOf("import sys\ndef f(): return " + expression + "\n"));
    EXPECT_TRUE(module.ok()) << module.status();
    const auto value = module->Get("f")->Call({});
    EXPECT_TRUE(value.ok()) << value.status();
    return value.ok() ? value->As<std::string>() : "";
  }
};

TEST_F(PlacesTest, AVirtualEnvironmentsModulesAreFound) {
  RuntimeOptions options;
  options.venv = Folder() + "/venv";
  const std::string make =
      DYNACC_PYTHON " -m venv --without-pip --system-site-packages " + options.venv;
  ASSERT_EQ(std::system(make.c_str()), 0);
  std::ofstream(options.venv + "/lib/python" DYNACC_PYTHON_VERSION "/site-packages/only_here.py")
      << "import numpy as np\ndef f(a): return np.sqrt(a * a + 1.0) - a\nwhere = __file__\n";
  auto runtime = Runtime::Start(options);
  ASSERT_TRUE(runtime.ok()) << runtime.status();
  EXPECT_EQ(Text(**runtime, "sys.prefix"), options.venv);
  EXPECT_EQ(Text(**runtime, "sys.base_prefix"), "/usr");
  const auto module = (*runtime)->ImportModule("only_here");
  ASSERT_TRUE(module.ok()) << module.status();
  const std::vector<double> zeros(3, 0.0);
  const auto result = module->Get("f")->Call({TensorView::Of(zeros.data(), {3})});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(static_cast<const double*>(result->tensor().data())[2], 1.0);
}

TEST_F(PlacesTest, AVirtualEnvironmentWithoutNumpyHasNone) {
  RuntimeOptions options;
  options.venv = Folder() + "/venv";
  const std::string make = DYNACC_PYTHON " -m venv --without-pip " + options.venv;
  ASSERT_EQ(std::system(make.c_str()), 0);
  auto runtime = Runtime::Start(options);
  ASSERT_TRUE(runtime.ok()) << runtime.status();
  EXPECT_EQ((*runtime)->ImportModule("numpy").status().code(), absl::StatusCode::kNotFound);
}

// The standard library from another folder than /usr: links to it.
TEST_F(PlacesTest, HomeIsWhereTheStandardLibraryIs) {
  RuntimeOptions options;
  options.home = Folder() + "/home";
  fs::create_directories(options.home + "/lib");
  const std::string library = "/lib/python" DYNACC_PYTHON_VERSION;
  fs::create_directory_symlink("/usr" + library, options.home + library);
  auto runtime = Runtime::Start(options);
  ASSERT_TRUE(runtime.ok()) << runtime.status();
  EXPECT_EQ(Text(**runtime, "sys.prefix"), options.home);
  EXPECT_THAT(Text(**runtime, "__import__('json').__file__"), HasSubstr(options.home + "/lib/"));
}

// Two of them in one process would share the names of their symbols.
TEST_F(PlacesTest, ASecondLibpythonIsRefused) {
  const std::string copy = Folder() + "/libpython" DYNACC_PYTHON_VERSION ".so.1.0";
  fs::copy_file(DYNACC_LIBPYTHON, copy);
  void* second = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(second, nullptr) << dlerror();
  const absl::Status status = Runtime::Start({}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("has loaded two Pythons: "));
  EXPECT_THAT(std::string(status.message()), HasSubstr(copy));
  dlclose(second);
}

TEST_F(PlacesTest, OnlyDevicesThatThereAre) {
  RuntimeOptions options;
  options.devices = {"cpu", "abacus:0"};
  const absl::Status status = Runtime::Start(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("devices: there is no abacus:0"));
  options.devices = {"cpu", "cuda:-1"};
  EXPECT_EQ(Runtime::Start(options).status().code(), absl::StatusCode::kInvalidArgument);
  options.devices = {"cpu"};
  options.target = "cuda";
  EXPECT_THAT(std::string(Runtime::Start(options).status().message()),
              HasSubstr("none of them is one of the target cuda"));
  options.target = "";
  EXPECT_TRUE(Runtime::Start(options).ok());
}

void UseSimulatedDevices() {
  setenv("DYNACC_CUDA_DRIVER", DYNACC_CUDA_SIM, 1);
  setenv("DYNACC_NVRTC", DYNACC_CUDA_SIM, 1);
  setenv("DYNACC_SIM_DEVICES", "2", 1);
}

// Memory of a device: from Python, lent to Python, given to Python. No copy of it is made.
TEST_F(PlacesTest, BuffersOfADevice) {
  UseSimulatedDevices();
  RuntimeOptions options;
  options.devices = {"cuda:1"};
  const std::unique_ptr<Runtime> runtime = *Runtime::Start(options);
  const Module module = *runtime->LoadFile(FileOf(
      "import dynacc\n"
      "kept = []\n"
      "def make(n): return dynacc.reshape(dynacc.arange(float(n), device='cuda:1'), (2, -1)).mT\n"
      "def f(x): return str(x.device), x.__cuda_array_interface__['data'][0], (x * 2.0).tolist()\n"
      "def twice(x): return x * 2.0\n"
      "def keep(x): kept.append(x[1:])\n"
      "def drop(): kept.clear()\n"));
  const absl::StatusOr<Value> made = module.Get("make")->Call({6});
  ASSERT_TRUE(made.ok()) << made.status();
  const Tensor tensor = made->tensor();
  EXPECT_EQ(tensor.device(), 2);
  EXPECT_THAT(tensor.shape(), testing::ElementsAre(3, 2));
  EXPECT_THAT(tensor.strides(), testing::ElementsAre(8, 24));
  TensorView lent = tensor.view();
  const absl::StatusOr<Value> seen = module.Get("f")->Call({lent});
  ASSERT_TRUE(seen.ok()) << seen.status();
  const List& parts = seen->As<List>();
  EXPECT_EQ(parts[0].As<std::string>(), "cuda:1");
  EXPECT_EQ(parts[1].As<int64_t>(), reinterpret_cast<int64_t>(tensor.data()));
  EXPECT_EQ(parts[2].As<List>()[2].As<List>()[1].As<double>(), 10.0);
  const absl::StatusOr<Value> doubled = module.Get("twice")->Call({tensor});
  ASSERT_TRUE(doubled.ok()) << doubled.status();
  EXPECT_EQ(doubled->tensor().device(), 2);
  EXPECT_EQ(
      module.Get("f")->Call({*doubled})->As<List>()[2].As<List>()[0].As<List>()[1].As<double>(),
      12.0);
  int released = 0;
  {
    const Tensor given = Tensor::Adopt(lent, [&released] { ++released; });
    ASSERT_TRUE(module.Get("keep")->Call({given}).ok());
  }
  EXPECT_EQ(released, 0);
  ASSERT_TRUE(module.Get("drop")->Call({}).ok());
  EXPECT_EQ(released, 1);
  lent.device = 7;
  EXPECT_THAT(std::string(module.Get("f")->Call({lent}).status().message()),
              HasSubstr("on CUDA device 6 of this process, which has 2"));
  lent.device = -1;
  EXPECT_EQ(module.Get("f")->Call({lent}).status().code(), absl::StatusCode::kInvalidArgument);
}

// A dynacc.Tensor in host memory is an array like NumPy's.
TEST_F(PlacesTest, NativeTensors) {
  const std::unique_ptr<Runtime> runtime = *Runtime::Start({});
  const Module module = *runtime->LoadFile(
      FileOf("import dynacc\ndef f(): return dynacc.ones((2, 3), dtype=dynacc.float32)\n"));
  const absl::StatusOr<Value> made = module.Get("f")->Call({});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->tensor().type(), ElementType::kFloat32);
  EXPECT_EQ(made->tensor().device(), 0);
  EXPECT_EQ(static_cast<const float*>(made->tensor().data())[5], 1.0F);
}

// A device's work that a daemon thread has going when the session ends, and goes on with.
TEST_F(PlacesTest, TheEndWithWorkOnADevice) {
  UseSimulatedDevices();
  RuntimeOptions options;
  options.target = "cuda";
  options.policy = "always";
  const std::string path = FileOf(
      "import threading\nimport numpy as np\n"
      "def g(a):\n  return np.sqrt(a * a + 1.0) - 1.0\n"
      "def forever():\n  a = np.ones(1000)\n  while True: g(a)\n"
      "def f():\n"
      "  threading.Thread(target=forever, daemon=True).start()\n"
      "  return [float(g(np.full(1000, 2.0)).sum()) for i in range(5)][-1]\n");
  for (int i = 0; i < 3; ++i) {
    auto runtime = Runtime::Start(options);
    ASSERT_TRUE(runtime.ok()) << runtime.status();
    const auto sum = (*runtime)->LoadFile(path)->Get("f")->Call({});
    ASSERT_TRUE(sum.ok()) << sum.status();
    EXPECT_NEAR(sum->As<double>(), 1236.07, 0.01);
    EXPECT_GT(Runtime::Stats().at("device_launches"), 0u);
  }
}

}  // namespace
}  // namespace dynacc
