// A learner's rung: built, run, compared and disassembled like any other; and what its compiler is told.
#include <stdlib.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "app/query/editing.h"
#include "common/record/error_map.h"
#include "tests/edit_class.h"
#include "tests/skip.h"
#include "worker/edit/build.h"
#include "worker/edit/build_flags.h"

namespace ridge {
namespace {

using namespace test;

TEST_CASE("an edited rung is built, checked with seeds of its own, and timed") {
  Class& one = shared();
  const EditBuild build = one.build(original());
  CHECK(build.built);
  CHECK(build.kernel == kEdited);
  CHECK(build.hash.size() == 16);
  CHECK(build.compile_s > 0);
  const Json outcome = one.run();
  CHECK(outcome["status"] == "ok");
  CHECK(outcome["hash"] == build.hash);
  CHECK(outcome["stats"]["n"].get<int>() > 0);
  // Live mode too: the awkward shapes come before any timing.
  std::string what;
  for (const Json& check : outcome["checks"]) {
    if (has(check["what"], "awkward problems")) what = check["what"];
  }
  REQUIRE(has(what, "seed "));
  CHECK(std::stoll(what.substr(what.find("seed ") + 5)) > 1000);  // 1 to 3 are the built-in rungs'
  const EditBuild other = one.build(with("(void)0;"));
  CHECK(other.hash != build.hash);
  const EditBuild naive =
      one.build(test::read_all(test::variable("RIDGE_SOURCE") + "/kernels/gemm/rungs/naive.cpp"),
                "gemm.cpu.naive_o1");
  CHECK(naive.kernel == "gemm.cpu.naive_o1_edit");
}

TEST_CASE("its names are its own, and what rungs share is the worker's") {
  Class& one = shared();
  // packed.cpp defines a table that threads.cpp of the worker uses: an edit must not get the worker's.
  const std::string kernels = test::variable("RIDGE_SOURCE") + "/kernels/gemm/rungs/";
  const std::string text =
      replaced(test::read_all(kernels + "packed.cpp"), "s * v + acc", "s * v * 1.01f + acc");
  REQUIRE(one.build(text, "gemm.cpu.packed").built);
  CHECK(one.run("gemm.cpu.packed_edit")["status"] == "failed");
  CHECK(one.build(test::read_all(kernels + "threads.cpp"), "gemm.cpu.threads").built);
}

TEST_CASE("it is built for one data type, and another is refused with a sentence") {
  Class& one = shared();
  // A name with two types, so that a request may ask for either.
  const std::string text = replaced(original(), "RIDGE_KERNEL(gemm, cpu, loop_order,",
                                    "static_assert(DType::RIDGE_ONLY_DTYPE == DType::fp32);\n"
                                    "RIDGE_KERNEL(gemm, cpu, numpy, .dtypes = \"fp32 fp64\",");
  const std::string kernel = "gemm.cpu.numpy";
  const Params fp64 = {{"n", int64_t{64}}, {"dtype", std::string("fp64")}};
  const EditBuild build = one.build(text, kernel);
  INFO(build.reason);
  REQUIRE(build.built);
  CHECK(one.run(kernel + "_edit")["status"] == "ok");
  const Json refused = one.run(kernel + "_edit", fp64);
  INFO(refused.dump());
  CHECK(refused["status"] == "skipped");
  CHECK(has(refused["reason"], "built for fp32 only"));
  CHECK(has(refused["reason"], "build it again for fp64"));
  CHECK(!one.build(text, kernel, "fp64").built);  // the text insists on fp32
  CHECK(one.build(text, kernel, "fp99").built);   // not its own: its first
}

TEST_CASE("the compiler says why it did not vectorise a loop of the learner's") {
  Class& one = shared();
  const auto exercise = app::find_exercise("four_rows");
  REQUIRE(exercise);
  const std::string loop =
      "    for (int64_t j = 0; j < g.n; ++j) {\n      c0[j] += a[p] * b[j];\n"
      "      c1[j] += a[g.k + p] * b[j];\n      c2[j] += a[2 * g.k + p] * b[j];\n"
      "      c3[j] += a[3 * g.k + p] * b[j];\n    }\n";
  const size_t hole = exercise->handed_out.find("    // YOUR TURN");
  REQUIRE(hole != std::string::npos);
  std::string text = exercise->handed_out;
  text.insert(hole, loop);
  const auto line =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(hole), '\n') + 1;
  const auto remarks = [&](const std::string& written) {
    const EditBuild build = one.build(written, exercise->kernel);
    INFO(build.reason);
    REQUIRE(build.built);
    std::vector<CompileMessage> found = build.messages;
    std::erase_if(found, [](const CompileMessage& message) { return message.kind != "remark"; });
    return found;
  };
#ifndef __clang__  // which vectorises it
  const auto slow = remarks(text);
  REQUIRE(slow.size() == 1);
  CHECK(slow[0].line == line);
  CHECK(has(slow[0].text, "alias run-time tests exceeds"));
#endif
  CHECK(remarks(exercise->reference).empty());
}

TEST_CASE("its assembly is that of its own object") {
  Class& one = shared();
  const auto text_of = [&](const std::string& text) {
    REQUIRE(one.build(text).built);
    one.worker.send({{"type", "assembly"}, {"id", ++one.id}, {"kernel", kEdited}});
    const Json line = one.worker.until("done", one.id);
    if (line["status"] != "ok") return std::string();
    return one.worker.of_type("result").back()["assembly"]["text"].get<std::string>();
  };
  const std::string plain = text_of(original());
  if (plain.empty()) {
    const std::string why = one.worker.of_type("error").back()["error"]["what"];
    CHECK(has(why, "objdump"));
    RIDGE_SKIP(why);
  }
  CHECK(has(plain, "launch_loop_order"));
  CHECK(!has(plain, "frame_dummy"));
  CHECK(text_of(with("asm volatile(\"nopw 0x123(%rax)\");")) != plain);
}

TEST_CASE("its listing is linked with its lines, and is that of the code which is timed") {
  Class& one = shared();
  REQUIRE(one.build(original()).built);
  one.worker.send({{"type", "assembly"}, {"id", ++one.id}, {"kernel", kEdited}});
  if (one.worker.until("done", one.id)["status"] != "ok") return;  // no objdump here
  const auto text = one.worker.of_type("result").back()["assembly"].get<AssemblyText>();
  REQUIRE(!text.origins.empty());
  CHECK(std::ssize(text.origins) == std::count(text.text.begin(), text.text.end(), '\n'));
  // The hot loop's multiply-add comes from the line that says so.
  const std::string source = original();
  std::set<std::string> lines;
  for (int64_t line = text.loop_first; line <= text.loop_last; ++line) {
    const int from = text.origins[static_cast<size_t>(line - 1)];
    std::istringstream all(source);
    std::string found;
    for (int i = 0; i < from; ++i) std::getline(all, found);
    lines.insert(found);
  }
  CHECK(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("+=") != std::string::npos || line.find("*") != std::string::npos;
  }));
}

TEST_CASE("a wrong product says which elements are wrong") {
  Class& one = shared();
  // Only the last column, and only where there are more than two.
  const std::string loop = "for (int64_t j = 0; j < g.n; ++j) row[j] += scale * b[j];";
  REQUIRE(
      one.build(replaced(original(), loop, loop + "\n      if (g.n > 2) row[g.n - 1] += scale;"))
          .built);
  const Json outcome = one.run();
  REQUIRE(outcome["status"] == "failed");
  const auto series = outcome.get<Series>();
  const ErrorMap* map = error_map_of(series);
  REQUIRE(map != nullptr);
  CHECK(map->wrong <= map->rows);
  CHECK(map->column == map->columns - 1);
  for (int64_t row = 0; row < map->cell_rows; ++row) {
    for (int64_t column = 0; column + 1 < map->cell_columns; ++column)
      CHECK(map->cells[static_cast<size_t>(row * map->cell_columns + column)] == 0);
  }
}

TEST_CASE("errors of the compiler stand at their line") {
  const EditBuild build = shared().build(with("int x = undeclared;"));
  CHECK(!build.built);
  REQUIRE(!build.messages.empty());
  const std::string text = with("int x = undeclared;");
  const auto before = text.substr(0, text.find("undeclared"));
  CHECK(build.messages[0].line == 1 + std::count(before.begin(), before.end(), '\n'));
  CHECK(build.messages[0].column == 11);
  CHECK(build.messages[0].kind == "error");
  CHECK(has(build.messages[0].text, "undeclared"));
  CHECK(has(build.reason, "line " + std::to_string(build.messages[0].line)));
}

TEST_CASE("a build says where it ended") {
  Class& one = shared();
  CHECK(one.build(with("int x = undeclared;")).ended_at == BuildEnd::compile);
  CHECK(one.build("int main() {}\n").ended_at == BuildEnd::text);
  CHECK(one.build(with("extern void nowhere(); nowhere();")).ended_at == BuildEnd::load);
  CHECK(one.build(original()).ended_at.empty());
  setenv("RIDGEPOINT_SOURCE", "/nowhere", 1);
  Class without_source;
  const EditBuild build = without_source.build(original());
  unsetenv("RIDGEPOINT_SOURCE");
  CHECK(build.ended_at == BuildEnd::machine);
  CHECK(has(build.reason, "/nowhere"));
}

TEST_CASE("a text that is no rung, or asks its compiler for more, is refused with a sentence") {
  Class& one = shared();
  CHECK(has(one.reason("int main() {}\n"), "registers no kernel"));
  CHECK(has(one.reason(replaced(original(), "flags=-O3", "flags=-fplugin=/tmp/x.so")), "-fplugin"));
  CHECK(has(one.reason(replaced(original(), "flags=-O3", "flags=-Wl,-rpath,/")), "build line"));
  CHECK(has(one.reason(replaced(original(), "flags=-O3", "isa=avx9")),
            "isa=avx9 is none of this worker's: "));
  CHECK(has(one.reason(replaced(original(), "RIDGE_KERNEL(gemm, cpu, loop_order",
                                "RIDGE_KERNEL(gemm, cpu, ../../x")),
            "registers no kernel"));
}

TEST_CASE("what a learner tries passes, and what the page lists is what the worker takes") {
  for (const char* flags :
       {"-Ofast", "-O3,-ffast-math,-funroll-loops,-march=native,-mprefer-vector-width=512",
        "-O3,-fno-tree-vectorize,-fno-math-errno,-ffp-contract=off,-mno-avx2,-Wno-unused",
        "-O2,-ftree-vectorize,-fvect-cost-model=unlimited,-falign-loops=32,-DTILE=64,-DFAST",
        "-O3,-fopenmp,-std=gnu++20,-mtune=x86-64"}) {
    const EditBuild build = shared().build(replaced(original(), "-O3", flags));
    INFO(flags << ": " << build.reason);
    CHECK(build.built);
  }
  const std::string page = test::read_all(test::variable("RIDGE_SOURCE") + "/docs/your_turn.md");
  for (const bool is_cuda : {false, true}) {
    CHECK(has(page, "```\n" + std::string(worker::allowed_flags(is_cuda)) + "```\n"));
  }
}

TEST_CASE(
    "a .cu may ask nvcc for an architecture and for code, and for nothing that a shell reads") {
  const auto reason = [](const std::string& line) {
    const std::string text =
        "// ridge: " + line + "\nRIDGE_KERNEL(gemm, cuda, naive, .launch = f);\n";
    const auto read = worker::read_edit("", "", "\n" + text.substr(text.find("RIDGE")));
    REQUIRE(read.ok());
    const auto edit = worker::read_edit("", "", text);
    return edit.ok() ? std::string() : edit.error().sentence();
  };
  for (const char* line :
       {"arch=75", "arch=90a flags=--expt-relaxed-constexpr", "arch=80 flags=-use_fast_math,-O3",
        "arch=100a flags=--fmad=false,-ftz=true,-maxrregcount=64,-Xptxas=-dlcm=cg,-DTILE=8"}) {
    CHECK(reason(line).empty());
  }
  for (const char* flag : {"-D_=$(evil)", "-ccbin=evil", "-Xcompiler=-fplugin=evil", "-Xptxas=-o",
                           "--keep", "-optf=evil", "-fmodule-mapper=|evil", "arch=`evil`a"}) {
    const std::string line = flag;
    CHECK(has(reason(line.starts_with("arch") ? line : "flags=" + line), "asks for " + line + ","));
  }
  CHECK(has(reason("variants=$(evil):-O3"), "variant $(evil)"));
}

TEST_CASE("the build line of every rung and exercise of ours passes") {
  int count = 0;
  for (const char* folder : {"/kernels", "/assets/exercises"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(test::variable("RIDGE_SOURCE") + folder)) {
      const std::string file = entry.path().string();
      if (!file.ends_with(".cpp") && !file.ends_with(".cu")) continue;
      const auto edit = worker::read_edit("", "", test::read_all(file));
      if (edit.ok()) ++count;
      if (!edit.ok()) CHECK(!has(edit.error().sentence(), "build line"));
    }
  }
  CHECK(count > 150);
}

TEST_CASE("headers in <> are compiled once, for each set of them and of flags") {
  Class& one = shared();
  // The compiler of a learner's text reads headers of the program, where an installed one has this folder, and no others.
  struct Headers {
    std::filesystem::path path = test::variable("RIDGE_SOURCE") + "/include";
    Headers() { std::filesystem::create_directories(path); }
    ~Headers() {
      std::filesystem::remove(path / "once.h");
      std::error_code not_empty;
      std::filesystem::remove(path, not_empty);
    }
    std::string operator/(const char* name) const { return (path / name).string(); }
  };
  const Headers folder;
  const auto including = [&](const std::string& value, const std::string& more) {
    test::write_all(folder / "once.h", "#ifndef ONCE\n#define ONCE " + value + "\n#endif\n");
    return replaced(original(), "#include \"kernels",
                    "#include <" + (folder / "once.h") + ">\n" + more + "#include \"kernels") +
           "\nstatic_assert(ONCE == 1);\n";
  };
  CHECK(one.build(including("1", "")).built);
  // What stands in the file by now is not read again, but with another list of headers it is.
  CHECK(one.build(including("2", "")).built);
  CHECK(!one.build(including("2", "#include <stddef.h>\n")).built);
  // A header that is not there: the compiler says so at the text's own line.
  const EditBuild none = one.build(with("(void)0;", "no_such_header.h"));
  CHECK(!none.built);
  REQUIRE(!none.messages.empty());
  CHECK(none.messages[0].line > 0);
  CHECK(has(none.messages[0].text, "no_such_header.h"));
}

TEST_CASE("headers compiled ahead are for one set of flags") {
  worker::Precompiled headers;
  const auto never = [] { return false; };
  const auto header = [&](const std::string& flag) {
    std::future<void> making;
    const std::string given = headers.header({"c++", "-std=c++20", flag}, "stdint.h",
                                             "#include <stddef.h>\n", never, &making);
    if (making.valid()) making.wait();
    return given;
  };
  CHECK(header("-O1") == "stdint.h");  // made meanwhile
  const std::string made = header("-O1");
  CHECK(made != "stdint.h");
  CHECK(header("-O3") ==
        "stdint.h");  // GCC would pass over another's, and be slow; Clang would refuse it
  CHECK(header("-O3") != made);
  CHECK(header("-O1") == made);
}

TEST_CASE("it is compared in pairs with the rung that it was made from") {
  Class& one = shared();
  CHECK(one.build(original()).built);
  Json line = test::run_of({"gemm.cpu.loop_order", kEdited}, 48);
  line["type"] = "compare";
  line["id"] = 950;
  line["limit_s"] = 0.3;
  line["warmup_s"] = 0.01;
  one.worker.send(line);
  CHECK(one.worker.until("done", 950)["status"] == "ok");
  bool compared = false;
  for (const Json& result : one.worker.of_type("result")) {
    compared |= result["request"] == 950 && result.contains("comparisons");
  }
  CHECK(compared);
}

TEST_CASE("a learner's file is copied once and its saves are seen") {
  const test::Folder folder;
  const std::string file = app::learner_file(folder.path.string() + "/edits", "gemm.cpu.x", false);
  CHECK(*app::make_copy(file, "one"));
  CHECK(!*app::make_copy(file, "two"));
  CHECK(*app::read_learner_file(file) == "one");
  app::FileWatch watch(file);
  CHECK(!watch.changed());
  test::write_all(file, "three");
  CHECK(watch.changed());
  CHECK(!watch.changed());
  CHECK(!app::read_learner_file(folder / "none").ok());
  test::write_all(file, std::string(50'000, ' '));
  CHECK(!app::read_learner_file(file).ok());
}

}  // namespace
}  // namespace ridge
