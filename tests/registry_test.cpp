// Registration and embedded sources: what the worker knows without being told.
#include "common/harness/kernel/registry.h"

#include <cctype>
#include <fstream>
#include <set>
#include <sstream>

#include "common/harness/kernel/build_line.h"
#include "common/harness/kernel/code_hash.h"
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

namespace {

/// Of a rung whose file holds `rung`, beside one header.
std::string hash_of(const std::string& rung, const std::string& header = "int shared();\n",
                    const char* path = "kernels/gemm/x.cpp",
                    const char* header_path = "kernels/gemm/shared.h") {
  const EmbeddedFile files[] = {{path, rung.c_str()}, {header_path, header.c_str()}};
  const auto sources = sources_in({files, 1}, CodeHashes(files));
  REQUIRE(sources.size() == 1);
  return sources[0].hash;
}

const std::string kBuild = "// ridge: flags=-O2\n",
                  kShared = "#include \"kernels/gemm/shared.h\"\n",
                  kCode = "namespace {\nint add(int a, int b) {\n  return a + b;\n}\n}\n",
                  kRung = "RIDGE_KERNEL(gemm, cpu, x, .library = \"L\", .launch = add);\n";

}  // namespace

TEST_CASE("a rung's hash is blind to words and places") {
  const std::string here = hash_of(kBuild + kShared + kCode + kRung);
  // Comments, white space, how lines are broken.
  CHECK(hash_of(kBuild + "// Says more.\n" + kShared + kCode + "/* and\n more */\n" + kRung) ==
        here);
  CHECK(hash_of(kBuild + kShared + "namespace{ int add( int a,\n int b ){ return a+b; } }\n" +
                kRung) == here);
  // Files and folders.
  CHECK(hash_of(kBuild + "#include \"kernels/runtime/cpu/y.h\"\n" + kCode + kRung,
                "int shared();\n", "kernels/gemm/rungs/x.cpp", "kernels/runtime/cpu/y.h") == here);
  CHECK(hash_of(kBuild + kShared + kCode + kRung,
                "#pragma once\n#include <stdint.h>\nint shared();") == here);
  CHECK(hash_of(kBuild + "#include <math.h>\n#include \"kernels/gemm/gone.h\"\n" + kShared + kCode +
                kRung) == here);
  // Which file of the closure has a declaration, and in which order.
  CHECK(hash_of(kBuild + kShared + kRung, kCode + "int shared();\n") == here);
  // Namespaces.
  CHECK(hash_of(kBuild + kShared + "namespace ridge::cpu {\nusing namespace other;\n" + kCode +
                "}\n" + kRung) == here);
  // Names and words of the registration.
  CHECK(hash_of(
            kBuild + kShared + kCode +
            "RIDGE_KERNEL(gemm, cpu, y, .library = \"Another \" \"library\", .launch = add);\n") ==
        here);
}

TEST_CASE("a rung's hash changes with each token of its code and with its flags") {
  const std::string here = hash_of(kBuild + kShared + kCode + kRung);
  std::set<std::string> seen = {here};
  const auto is_new = [&](const std::string& hash) { return seen.insert(hash).second; };
  CHECK(is_new(hash_of("// ridge: flags=-O3\n" + kShared + kCode + kRung)));
  CHECK(is_new(hash_of("// ridge: flags=-O2 isa=avx2\n" + kShared + kCode + kRung)));
  CHECK(is_new(hash_of(kBuild + kCode + kRung)));  // without its header
  CHECK(is_new(hash_of(kBuild + kShared + kCode + kRung, "int shared(int);\n")));
  CHECK(is_new(hash_of(kBuild + kShared + kCode + kCode + kRung)));
  CHECK(is_new(hash_of(kBuild + kShared + kCode + "#pragma unroll 4\n" + kRung)));
  CHECK(is_new(hash_of(kBuild + kShared + kCode + "#define FAST 1\n" + kRung)));
  CHECK(is_new(hash_of(kBuild + kShared + kCode + "#if FAST\nint f();\n#endif\n" + kRung)));
  CHECK(is_new(hash_of(kBuild + kShared + kCode + "#if FAST\n#endif\nint f();\n" + kRung)));
  CHECK(is_new(hash_of(kBuild + kShared + kCode + "RIDGE_KERNEL(gemm, cpu, x, .launch = sub);\n")));
  CHECK(is_new(hash_of(kBuild + kShared + kCode +
                       "RIDGE_KERNEL(gemm, cpu, x, .dtypes = \"bf16\", .launch = add);\n")));
  for (size_t at = kCode.find("int add"); at < kCode.rfind("}\n}"); ++at) {
    if (std::isspace(static_cast<unsigned char>(kCode[at])) != 0) continue;
    std::string changed = kCode;
    changed[at] = changed[at] == '+' ? '-' : '+';
    INFO(changed);
    CHECK(is_new(hash_of(kBuild + kShared + changed + kRung)));
  }
}

namespace {

/// Of the first file, with all others beside it.
std::string hash_among(const std::vector<std::pair<const char*, std::string>>& texts) {
  std::vector<EmbeddedFile> files;
  for (const auto& [path, text] : texts) files.push_back({path, text.c_str()});
  return hex16(CodeHashes(files).of(files.front()));
}

}  // namespace

TEST_CASE("a rung's hash holds what is linked with the headers that it includes") {
  const std::pair<const char*, std::string> rung = {
      "kernels/gemm/rungs/x.cpp", kShared + "int add() { return Engine::make(kTwo); }\n" + kRung};
  const std::pair<const char*, std::string> header = {
      "kernels/gemm/shared.h",
      "class Engine final : public Base<int> { void run(); };\nextern const Maker kOne, kTwo;\n"};
  const auto with = [&](const char* path, const std::string& text) {
    return hash_among({rung, header, {path, kShared + text}});
  };
  const std::string alone = hash_among({rung, header});
  std::set<std::string> seen = {alone};
  const auto is_new = [&](const std::string& hash) { return seen.insert(hash).second; };
  CHECK(is_new(with("kernels/gemm/engine.cpp", "void Engine::run() {}\n")));
  CHECK(is_new(with("kernels/gemm/engine.cpp", "void Engine::run() { step(); }\n")));
  CHECK(is_new(with("kernels/runtime/two.cpp", "const Maker kTwo = {2};\n")));
  CHECK(is_new(with("kernels/runtime/two.cpp", "MAKE_ONE(kTwo)\n")));
  CHECK(is_new(with("kernels/gemm/rungs/y.cpp", "const Maker kTwo = {2};\n" + kRung)));
  // Nothing of it is declared in the header, or used, or other files cannot see it.
  CHECK(with("kernels/gemm/one.cpp", "const Maker kOne = {1};\n") == alone);
  CHECK(with("kernels/gemm/engine.cpp", "void run(Engine& engine) {}\n") == alone);
  CHECK(with("kernels/gemm/engine.cpp", "namespace {\nconst Maker kTwo = {2};\n}\n") == alone);
  CHECK(with("kernels/gemm/engine.cpp", "static const Maker kTwo = {2};\n") == alone);
  // A family's problem; another rung's own.
  CHECK(with("kernels/gemm/problem.cpp", "void Engine::run() {}\nRIDGE_FAMILY(gemm);\n") == alone);
  CHECK(with("kernels/gemm/rungs/y.cpp", "namespace {\nconst Maker kTwo = {2};\n}\n" + kRung) ==
        alone);
}

TEST_CASE("each engine, search and script counts for the rungs that call it") {
  const auto hash = [](const char* changed, const char* rung) {
    std::vector<std::pair<const char*, std::string>> texts;
    for (const EmbeddedFile& file : embedded_files()) {
      const bool is_changed = std::string_view(file.path) == changed;
      texts.emplace_back(file.path, std::string(file.text) + (is_changed ? "\nint changed;" : ""));
      if (std::string_view(file.path) == rung) std::swap(texts.back(), texts.front());
    }
    return hash_among(texts);
  };
  const auto counts = [&](const char* file, const char* rung) {
    return hash(file, rung) != hash("", rung);
  };
  CHECK(counts("kernels/pipeline/engine_stages.cpp", "kernels/pipeline/rungs/serial.cpp"));
  CHECK(counts("kernels/pipeline/peers/loader_process.cpp", "kernels/pipeline/peers/pytorch.cu"));
  CHECK(counts("kernels/pipeline/peers/pytorch.cpp", "kernels/pipeline/peers/pytorch.cu"));
  CHECK(counts("kernels/runtime/cuda/blas_tuning.cu", "kernels/gemm/peers/cublaslt.cu"));
  CHECK(counts("kernels/gemm/peers/cutlass_tall.cu", "kernels/gemm/peers/cutlass.cu"));
  CHECK(counts("kernels/mixed/cuda_trainer.cu", "kernels/mixed/rungs/bf16.cu"));
  CHECK(counts("kernels/mixed/peers/pytorch.cpp", "kernels/mixed/peers/pytorch.cu"));
  CHECK_FALSE(counts("kernels/mixed/peers/pytorch.cpp", "kernels/mixed/rungs/bf16.cu"));
  CHECK(counts("kernels/quantnet/tile_vnni.cpp", "kernels/quantnet/rungs/int4_groups.cpp"));
  CHECK_FALSE(counts("kernels/mixed/cuda_trainer.cu", "kernels/quantnet/rungs/channels.cpp"));
  CHECK_FALSE(counts("kernels/gemm/problem.cpp", "kernels/gemm/peers/cublaslt.cu"));
  CHECK_FALSE(counts("kernels/runtime/cuda/tensor_gemm.cu", "kernels/gemm/rungs/naive.cu"));
}

TEST_CASE("code is read as the compiler reads it") {
  using Pieces = std::vector<std::string>;
  const auto code_pieces = [](const char* text) {
    Pieces texts;
    for (const CodePiece& piece : ridge::code_pieces(text)) texts.push_back(piece.text);
    return texts;
  };
  CHECK(code_pieces("int a; // one\n  /* two */ int b;") == Pieces{"int a;", "int b;"});
  CHECK(code_pieces("f(\"// no  comment\", '\"');") == Pieces{"f(\"// no  comment\",'\"');"});
  CHECK(code_pieces("auto s = R\"py(a // b\n  # c)py\";") ==
        Pieces{"auto s=R\"py(a // b\n  # c)py\";"});
  CHECK(code_pieces("x = 1'000'000; // x") == Pieces{"x=1'000'000;"});
  CHECK(code_pieces("a - -b; a--b;") == Pieces{"a- -b;", "a--b;"});
  CHECK(code_pieces("void f() {\n#pragma unroll\n  for (;;) {\n  }\n}") ==
        Pieces{"void f(){\n#pragma unroll\nfor(;;){}}"});
  CHECK(code_pieces("#define A(x) \\\n  x  // one\nint b;") ==
        Pieces{"\n#define A(x) x\n", "int b;"});
  CHECK(code_pieces("namespace a = b;\nnamespace a::b { struct S {}; }") ==
        Pieces{"namespace a=b;", "struct S{}"});
}

TEST_CASE("the sources of two rungs have one hash only where two families share the code") {
  std::set<std::string> hashes;
  size_t same = 0;
  for (const KernelSource& source : kernel_sources()) same += !hashes.insert(source.hash).second;
  CHECK(same <= 1);  // rows.cpu.streamed and chain.cpu.streamed
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
                 line.needs + "|" + (line.stamped ? "yes" : ""));
  }
  REQUIRE(known.size() > 100);
  CHECK(built == known);
}
