#include "common/harness/measure/cuda/resources.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "common/harness/measure/cuda/check.h"
#include "common/harness/measure/cuda/driver.h"

namespace ridge::measure {
namespace {

constexpr size_t kLongestName = 90;

struct Driver {
  PFN_cuGraphKernelNodeGetParams_v12000 node_params =
      driver_function<PFN_cuGraphKernelNodeGetParams_v12000>("cuGraphKernelNodeGetParams", 12000);
  PFN_cuKernelGetFunction_v12000 function_of =
      driver_function<PFN_cuKernelGetFunction_v12000>("cuKernelGetFunction", 12000);
  PFN_cuFuncGetName_v12030 name_of =
      driver_function<PFN_cuFuncGetName_v12030>("cuFuncGetName", 12030);
  PFN_cuFuncGetAttribute_v2020 attribute =
      driver_function<PFN_cuFuncGetAttribute_v2020>("cuFuncGetAttribute", 2020);
  PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050 max_blocks =
      driver_function<PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050>(
          "cuOccupancyMaxActiveBlocksPerMultiprocessor", 6050);
  bool complete() const { return node_params && function_of && name_of && attribute && max_blocks; }
};

Error driver_error(const std::string& what) {
  return {ErrorCode::unavailable, "the driver did not tell: " + what, "GPU", ""};
}

std::string demangled(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  const std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return result;
}

Result<DeviceKernel> describe(const Driver& driver, cudaGraphNode_t node) {
  CUDA_KERNEL_NODE_PARAMS params{};
  if (driver.node_params(node, &params) != CUDA_SUCCESS) return driver_error("a kernel node");
  CUfunction function = params.func;
  if (function == nullptr && driver.function_of(&function, params.kern) != CUDA_SUCCESS) {
    return driver_error("the function of a kernel");
  }
  DeviceKernel kernel;
  const char* name = nullptr;
  if (driver.name_of(&name, function) != CUDA_SUCCESS || name == nullptr) {
    return driver_error("a kernel's name");
  }
  kernel.name = short_kernel_name(demangled(name));
  int registers = 0, shared = 0, local = 0, blocks = 0, max_threads = 0, device = 0, sms = 0;
  if (driver.attribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function) != CUDA_SUCCESS ||
      driver.attribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function) != CUDA_SUCCESS ||
      driver.attribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function) != CUDA_SUCCESS) {
    return driver_error("what " + kernel.name + " takes");
  }
  kernel.registers = registers;
  kernel.shared_static_bytes = shared;
  kernel.shared_dynamic_bytes = params.sharedMemBytes;
  kernel.spill_bytes = local;
  kernel.grid = {params.gridDimX, params.gridDimY, params.gridDimZ};
  kernel.block = {params.blockDimX, params.blockDimY, params.blockDimZ};
  const int threads = static_cast<int>(params.blockDimX * params.blockDimY * params.blockDimZ);
  if (driver.max_blocks(&blocks, function, threads, params.sharedMemBytes) != CUDA_SUCCESS) {
    return driver_error("the occupancy of " + kernel.name);
  }
  RIDGE_CUDA_TRY(cudaGetDevice(&device));
  RIDGE_CUDA_TRY(
      cudaDeviceGetAttribute(&max_threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  RIDGE_CUDA_TRY(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  const double grid = double(params.gridDimX) * params.gridDimY * params.gridDimZ;
  if (blocks > 0) kernel.waves = grid / (double(blocks) * sms);
  kernel.occupancy = std::min(1.0, double(blocks) * threads / max_threads);
  return kernel;
}

bool on_host(const void* memory) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  return attributes.type == cudaMemoryTypeHost || attributes.type == cudaMemoryTypeUnregistered;
}

/// Bytes that the node moves between host and device; 0 for a copy within the device.
Result<double> host_bytes(cudaGraphNode_t node) {
  cudaMemcpy3DParms copy{};
  RIDGE_CUDA_TRY(cudaGraphMemcpyNodeGetParams(node, &copy));
  if (copy.srcPtr.ptr == nullptr || copy.dstPtr.ptr == nullptr) return 0.0;  // arrays
  if (on_host(copy.srcPtr.ptr) == on_host(copy.dstPtr.ptr)) return 0.0;
  return double(copy.extent.width) * double(copy.extent.height) * double(copy.extent.depth);
}

Result<std::vector<cudaGraphNode_t>> nodes_of(cudaGraph_t graph) {
  size_t count = 0;
  RIDGE_CUDA_TRY(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) RIDGE_CUDA_TRY(cudaGraphGetNodes(graph, nodes.data(), &count));
  return nodes;
}

/// One launch more of a kernel that is known, or a new one.
void add(DeviceKernel kernel, Resources* resources) {
  for (DeviceKernel& known : resources->kernels) {
    DeviceKernel same = kernel;
    same.launches = known.launches;
    if (same == known) {
      ++known.launches;
      return;
    }
  }
  resources->kernels.push_back(std::move(kernel));
}

Result<void> read_graph(const Driver& driver, cudaGraph_t graph, Resources* resources) {
  RIDGE_TRY(const auto nodes, nodes_of(graph));
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    RIDGE_CUDA_TRY(cudaGraphNodeGetType(node, &type));
    if (type == cudaGraphNodeTypeKernel) {
      RIDGE_TRY(DeviceKernel kernel, describe(driver, node));
      add(std::move(kernel), resources);
    } else if (type == cudaGraphNodeTypeMemcpy) {
      RIDGE_TRY(const double bytes, host_bytes(node));
      resources->host_copy_bytes += bytes;
    } else if (type == cudaGraphNodeTypeGraph) {
      cudaGraph_t child = nullptr;
      RIDGE_CUDA_TRY(cudaGraphChildGraphNodeGetGraph(node, &child));
      RIDGE_TRY_VOID(read_graph(driver, child, resources));
    }
  }
  return {};
}

/// The call without its kernels, timed: the best of three. Copies that waited for a kernel between
/// them may now overlap, so this is the least that they take.
Result<double> time_copies(cudaGraph_t graph, cudaStream_t stream) {
  cudaGraph_t copied = nullptr;
  RIDGE_CUDA_TRY(cudaGraphClone(&copied, graph));
  const OwnedGraph clone(copied);
  RIDGE_TRY(const auto nodes, nodes_of(clone.get()));
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    RIDGE_CUDA_TRY(cudaGraphNodeGetType(node, &type));
    if (type == cudaGraphNodeTypeKernel) RIDGE_CUDA_TRY(cudaGraphDestroyNode(node));
  }
  cudaGraphExec_t instance = nullptr;
  RIDGE_CUDA_TRY(cudaGraphInstantiate(&instance, clone.get(), 0));
  const OwnedGraphExec exec(instance);
  cudaEvent_t events[2] = {};
  RIDGE_CUDA_TRY(cudaEventCreate(&events[0]));
  const OwnedEvent start(events[0]);
  RIDGE_CUDA_TRY(cudaEventCreate(&events[1]));
  const OwnedEvent end(events[1]);
  float best_ms = 0;
  for (int i = 0; i < 4; ++i) {  // the first warms up
    RIDGE_CUDA_TRY(cudaEventRecord(start.get(), stream));
    RIDGE_CUDA_TRY(cudaGraphLaunch(exec.get(), stream));
    RIDGE_CUDA_TRY(cudaEventRecord(end.get(), stream));
    RIDGE_CUDA_TRY(cudaEventSynchronize(end.get()));
    float ms = 0;
    RIDGE_CUDA_TRY(cudaEventElapsedTime(&ms, start.get(), end.get()));
    if (i == 1 || (i > 1 && ms < best_ms)) best_ms = ms;
  }
  return double(best_ms) * 1e6;
}

}  // namespace

std::string short_kernel_name(const std::string& demangled) {
  std::string name = demangled;
  for (const std::string part : {"(anonymous namespace)::", "ridge::"}) {
    for (size_t at = name.find(part); at != std::string::npos; at = name.find(part)) {
      name.erase(at, part.size());
    }
  }
  // Parameters begin at the first parenthesis outside <>; a return type ends at the last space
  // before them.
  int depth = 0;
  size_t begin = 0, end = name.size();
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (depth == 0 && name[i] == ' ') begin = i + 1;
    if (depth == 0 && name[i] == '(') {
      end = i;
      break;
    }
  }
  name = name.substr(begin, end - begin);
  return name.size() <= kLongestName ? name : name.substr(0, kLongestName) + "...";
}

Result<Resources> read_resources(const Side& side, cudaStream_t stream) {
  static const Driver driver;
  if (!driver.complete()) {
    return Error{ErrorCode::unavailable, "the driver is too old to describe a graph's kernels",
                 "GPU", "install one for CUDA 12.3 or later"};
  }
  RIDGE_TRY(const OwnedGraph graph, capture_calls(side, 1, stream));
  Resources resources;
  RIDGE_TRY_VOID(read_graph(driver, graph.get(), &resources));
  if (resources.host_copy_bytes > 0) {
    RIDGE_TRY(resources.host_copy_ns, time_copies(graph.get(), stream));
  }
  return resources;
}

}  // namespace ridge::measure
