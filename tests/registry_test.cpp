// Registration and embedded sources: what the worker knows without being told.
#include "common/harness/kernel/registry.h"

#include <fstream>
#include <set>
#include <sstream>

#include "common/harness/kernel/build_line.h"
#include "tests/catch.h"
#include "tests/program.h"

using namespace ridge;

TEST_CASE("comments and white space do not count, strings and code do") {
  CHECK(strip_comments("int a; // one\n  /* two */ int b;") == "int a; int b;");
  CHECK(strip_comments("f(\"// no comment\", '\"');") == "f(\"// no comment\", '\"');");
  CHECK(strip_comments("a \n\n\t b") == "a b");
  CHECK(strip_comments("1'000'000; // x") == "1'000'000;");
  CHECK(strip_comments("x /* open") == "x");
  CHECK(strip_comments("\"\\\"//\" y // z") == "\"\\\"//\" y");
}

TEST_CASE("every registered kernel has its source under the id its file name says") {
  REQUIRE_FALSE(registered_kernels().empty());
  std::set<std::string> ids;
  for (const KernelDesc* kernel : registered_kernels()) {
    INFO(kernel->id);
    CHECK(ids.insert(kernel->id).second);
    CHECK(find_source(kernel->id) != nullptr);
    CHECK(find_family(family_of(kernel->id)) != nullptr);
    CHECK(kernel->launch != nullptr);
  }
}

TEST_CASE("variants of one file share the text and differ in flags and hash") {
  const KernelSource* o1 = find_source("gemm.cpu.naive_o1");
  const KernelSource* o3 = find_source("gemm.cpu.naive_o3");
  REQUIRE(o1 != nullptr);
  REQUIRE(o3 != nullptr);
  CHECK(o1->path == "kernels/gemm/rungs/naive.cpp");
  CHECK(o1->text == o3->text);
  CHECK(o1->flags == "-O1");
  CHECK(o3->flags == "-O3");
  CHECK(o1->hash.size() == 16);
  CHECK(o1->hash != o3->hash);
}

TEST_CASE("a kernel's hash follows what its files say, not where they lie") {
  const auto hash_of = [](const char* path, const std::string& text) {
    const std::string whole = "// ridge: flags=-O2\n" + text;
    const EmbeddedFile file = {path, whole.c_str()};
    const auto sources = sources_of(file);
    REQUIRE(sources.size() == 1);
    return sources[0].hash;
  };
  const std::string rest = "int a;\nRIDGE_KERNEL(gemm, cpu, x);\n";
  const std::string here =
      hash_of("kernels/gemm/x.cpp", "#include \"kernels/gemm/gone.h\"\n" + rest);
  CHECK(hash_of("kernels/gemm/x.cpp", "#include \"kernels/runtime/gone.h\"\n" + rest) == here);
  CHECK(hash_of("kernels/gemm/x.cpp", "#include <math.h>\n" + rest) != here);
  CHECK(hash_of("kernels/gemm/x.cpp", "int b;\n" + rest) != here);
  // With the text of a header that there is.
  const std::string gemm =
      hash_of("kernels/gemm/x.cpp", "#include \"kernels/runtime/problems/gemm.h\"\n" + rest);
  CHECK(gemm != here);
}

TEST_CASE("flags read as the compiler gets them; a needed library is no flag") {
  REQUIRE(find_source("gemm.cpu.loop_order") != nullptr);
  CHECK(find_source("gemm.cpu.loop_order")->flags == "-O3");
  CHECK(find_source("gemm.cpu.onednn")->flags == "-O2");
  CHECK(find_source("gemm.cuda.naive")->flags == "arch=75");
}

TEST_CASE("CUDA rungs are known whether or not they were compiled") {
  const KernelSource* naive = find_source("gemm.cuda.naive");
  REQUIRE(naive != nullptr);
  CHECK(naive->path == "kernels/gemm/rungs/naive.cu");
  CHECK(naive->text.find("__global__") != std::string::npos);
}

TEST_CASE("data types by name") {
  DType dtype;
  CHECK(parse_dtype("bf16", &dtype));
  CHECK(dtype == DType::bf16);
  CHECK_FALSE(parse_dtype("int3", &dtype));
  CHECK(dtype == DType::fp32);
  CHECK(dtype_name(DType::fp16) == "fp16");
}

TEST_CASE("a build line's items, and what is none") {
  const BuildLine line = build_line_of(
      "// ridge: flags=-O2,-fno-inline isa=avx512f variants=a:-O1,b needs=onednn -g\nint a;");
  CHECK(line.isa == "avx512f");
  CHECK(line.arch.empty());
  CHECK(line.needs == "onednn");
  CHECK(line.options == std::vector<std::string>{"-O2", "-fno-inline", "-g"});
  REQUIRE(line.variants.size() == 2);
  CHECK(line.flags(line.variants[0]) == "-O2 -fno-inline isa=avx512f -g -O1");
  CHECK(line.flags(line.variants[1]) == "-O2 -fno-inline isa=avx512f -g");
  REQUIRE(build_line_of("// A header.\n// ridge: isa=avx2\n").variants.size() == 1);
  CHECK(build_line_of("// A header.\n// ridge: isa=avx2\n").isa.empty());
}

TEST_CASE("the build reads each build line as the worker does") {
  std::set<std::string> built, known;
  std::ifstream file(test::variable("RIDGE_BUILD") + "/generated/build_lines.txt");
  for (std::string line; std::getline(file, line);) built.insert(line);
  for (const EmbeddedFile& one : embedded_files()) {
    const std::string path = one.path;
    if (path.ends_with(".h")) continue;
    const BuildLine line = build_line_of(one.text);
    std::string variants, options;
    for (const BuildLine::Variant& variant : line.variants) {
      if (variant.name.empty()) continue;
      variants += (variants.empty() ? "" : ",") + variant.name;
      if (!variant.flag.empty()) variants += ":" + variant.flag;
    }
    for (const std::string& option : line.options) options += (options.empty() ? "" : ",") + option;
    known.insert(path + "|" + line.isa + "|" + line.arch + "|" + variants + "|" + options + "|" +
                 line.needs);
  }
  REQUIRE(known.size() > 100);
  CHECK(built == known);
}
