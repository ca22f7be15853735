// A learner's .cu goes through nvcc's steps with its two halves side by side: what comes of it, no GPU needed.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/edit_class.h"
#include "tests/skip.h"
#include "worker/edit/build.h"
#include "worker/edit/nvcc.h"
#include "worker/edit/scratch.h"

namespace ridge {
namespace {

using worker::EditText;

/// Compiled for an H200; `object` is what a worker would load, `module` the name that both halves were told.
EditBuild compiled(const std::string& text, std::string* object = nullptr,
                   std::string* module = nullptr, worker::Precompiled* ahead = nullptr) {
  const auto edit = worker::read_edit("", "bf16", text);
  REQUIRE(edit);
  const worker::Scratch scratch;
  worker::Precompiled headers;
  EditBuild build;
  build.built = worker::compile_edit(
      *edit, 90, scratch.path(), ahead != nullptr ? ahead : &headers, [] { return false; }, &build);
  if (object != nullptr) *object = test::read_all(worker::artifact_path(*edit, scratch.path()));
  if (module != nullptr) *module = test::read_all(scratch.path() + "/wgmma_tma.module_id");
  return build;
}

std::string wgmma_tma() {
  return test::read_all(test::variable("RIDGE_SOURCE") + "/kernels/gemm/rungs/wgmma_tma.cu");
}

bool has_nvcc(const EditBuild& build) {
  if (build.reason != "this worker was built without CUDA") return true;
  RIDGE_SKIP_NOTE(build.reason);
  return false;
}

TEST_CASE("a .cu is compiled for the device and for the host, side by side") {
  std::string object, module;
  const EditBuild build = compiled(wgmma_tma(), &object, &module);
  if (!has_nvcc(build)) return;
  INFO(build.reason);
  REQUIRE(build.built);
  CHECK(object.find("gemm_wgmma_tma_kernel") != std::string::npos);  // the device's machine code
  CHECK(object.find("ridge_edited_kernels") != std::string::npos);   // the host's
  CHECK(object.find(module) !=
        std::string::npos);  // else this nvcc's steps are no longer those known
  CHECK(module.find("ridgepoint_edit_") !=
        std::string::npos);  // a name of ours: nvcc was not left to itself
}

TEST_CASE("a second save takes the first one's <cuda_runtime.h>, and its errors keep their lines") {
  worker::Precompiled ahead;
  const EditBuild first = compiled(wgmma_tma(), nullptr, nullptr, &ahead);
  if (!has_nvcc(first)) return;
  size_t kept = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ahead.folder())) {
    if (entry.path().extension() != ".ii") continue;
    ++kept;
    std::ofstream(entry.path(), std::ios::app) << "int only_in_what_was_kept;\n";
  }
  CHECK(kept == 2);  // a half's each
  const std::string text = wgmma_tma();
  CHECK(compiled(text + "static int* it = &only_in_what_was_kept;\n", nullptr, nullptr, &ahead)
            .built);
  const EditBuild wrong = compiled(text + "static int it = nonesuch;\n", nullptr, nullptr, &ahead);
  REQUIRE(wrong.messages.size() == 1);
  CHECK(wrong.messages[0].line == 1 + std::count(text.begin(), text.end(), '\n'));
}

TEST_CASE("an error of either half is told once, at its line") {
  const std::string marker = "#include \"kernels/runtime/cuda/tensor_gemm.h\"\n";
  for (const char* wrong :
       {"static int both = nonesuch;", "__device__ int device() { return nonesuch; }",
        "static int host() { return nonesuch; }"}) {
    const EditBuild build =
        compiled(test::replaced(wgmma_tma(), marker, marker + std::string(wrong) + "\n"));
    if (!has_nvcc(build)) return;
    INFO(wrong);
    CHECK_FALSE(build.built);
    REQUIRE(build.messages.size() == 1);
    CHECK(build.messages[0].line > 10);
    CHECK(build.messages[0].text.find("nonesuch") != std::string::npos);
  }
}

TEST_CASE("steps that are not known are left to nvcc") {
  const std::string known =
      "#$ PATH=/bin\n#$ gcc -E -include \"cuda_runtime.h\" -m64 \"x.cu\" -o \"k/x.cpp4.ii\" \n"
      "#$ cudafe++ --gen_module_id_file --module_id_file_name \"k/x.module_id\" \"k/x.cpp4.ii\" \n"
      "#$ gcc -E -include \"cuda_runtime.h\" -m64 \"x.cu\" -o \"k/x.cpp1.ii\" \n#$ "
      "\"$CICC_PATH/cicc\" --stub_file_name \"k/x.stub.c\" "
      "\"k/x.cpp1.ii\" -o \"k/x.ptx\"\n"
      "#$ ptxas k/x.ptx\n"
      "#$ fatbinary --create=\"k/x.fatbin\" k/x.cubin --embedded-fatbin=\"k/x.fatbin.c\" \n"
      "#$ rm k/x.fatbin\n#$ gcc -c k/x.cudafe1.cpp\n#$ g++ -Wl,--start-group \"k/x.o\" -o x.so\n";
  const std::string script = worker::script_of_halves(known, "one", "ahead");
  CHECK(script.starts_with("export PATH='/bin'\ntrap '"));
  CHECK(script.find("\nprintf %s one >\"k/x.module_id\"") != std::string::npos);
  CHECK(script.find("gen_module_id_file") == std::string::npos);
  CHECK(script.find("rm ") == std::string::npos);
  CHECK(script.find("embedded-fatbin") == std::string::npos);
  CHECK(script.find("--start-group \"k/x.fatbin\".s \"k/x.o\"") != std::string::npos);
  CHECK(script.find("--stub_file_name \"k/x.stub.c\" \"k/x.cpp1.ii\" -lto -o \"k/x.ptx\".lto") !=
        std::string::npos);
  CHECK(script.find("--stub_file_name \"k/x.stub.c\".again \"k/x.cpp1.ii\" -o \"k/x.ptx\" &&") !=
        std::string::npos);
  for (const char* step :
       {"cudafe++", "cicc", "fatbinary", "--gen_module_id_file ", "--create=", "--stub_file_name ",
        "--embedded-fatbin=", "--start-group ", "#$ gcc -c"}) {
    CHECK(worker::script_of_halves(test::replaced(known, step, ""), "one", "ahead").empty());
  }
  CHECK(
      worker::script_of_halves(test::replaced(known, "/bin", "/it's/bin"), "one", "ahead").empty());
}

/// A folder with an nvcc that prints `dry_run`, @ standing for the folder, when it is asked for its steps. Else
/// it compiles: it says so and makes the file after -o.
struct FakeNvcc {
  worker::Scratch folder;
  std::vector<std::string> command;

  explicit FakeNvcc(std::string dry_run, int code = 0) {
    for (size_t at; (at = dry_run.find('@')) != dry_run.npos;)
      dry_run.replace(at, 1, folder.path());
    std::ofstream(folder.path() + "/steps") << dry_run;
    add_tool("nvcc", "case \"$*\" in *--dryrun*) cat '" + folder.path() + "/steps' >&2; exit " +
                         std::to_string(code) + " ;; esac\necho plain nvcc >&2\necho made >\"$2\"");
    command = {folder.path() + "/nvcc", "-o", folder.path() + "/x.so", "x.cu"};
  }

  void add_tool(const std::string& name, const std::string& script) const {
    const std::string path = folder.path() + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  Result<measure::ToolRun> result() const {
    return worker::run_nvcc(command, folder.path(), "", 10, [] { return false; });
  }

  std::string run() const {
    const auto ran = result();
    REQUIRE(ran);
    CHECK(ran->code == 0);
    CHECK(std::filesystem::exists(folder.path() + "/x.so"));
    return ran->text;
  }
};

TEST_CASE("an nvcc whose steps cannot be taken is called as it is") {
  CHECK(FakeNvcc("").run() == "plain nvcc\n");
  CHECK(FakeNvcc("#$ cudafe++ of another release\n").run() == "plain nvcc\n");
  CHECK(FakeNvcc("nvcc fatal: unknown option --dryrun\n", 1).run() == "plain nvcc\n");
}

TEST_CASE("steps that fail without an error in the text are left to nvcc too") {
  const std::string known =
      "#$ false -include \"cuda_runtime.h\" -m64 \"x.cu\" -o \"@/x.cpp4.ii\" \n"
      "#$ cudafe++ --gen_module_id_file --module_id_file_name \"@/x.module_id\" \"@/x.cpp4.ii\" \n"
      "#$ false -include \"cuda_runtime.h\" -m64 \"x.cu\" -o \"@/x.cpp1.ii\" \n"
      "#$ cicc --stub_file_name \"@/x.stub.c\" \"@/x.cpp1.ii\" -o \"@/x.ptx\"\n#$ ptxas x.ptx\n"
      "#$ fatbinary --create=\"@/x.fatbin\" --embedded-fatbin=\"@/x.fatbin.c\" \n"
      "#$ gcc -c x.cudafe1.cpp\n#$ g++ -Wl,--start-group \"@/x.o\" -Wl,--end-group -o x.so\n";
  REQUIRE_FALSE(worker::script_of_halves(known, "one", "ahead").empty());
  CHECK(FakeNvcc(known).run() == "plain nvcc\n");
  // The word alone, as a linker says it, names no line of the text.
  std::string linker = known;
  linker.replace(linker.find("false"), 5, "{ echo 'collect2: error: ld returned 1'; false; } #");
  REQUIRE_FALSE(worker::script_of_halves(linker, "one", "ahead").empty());
  CHECK(FakeNvcc(linker).run() == "plain nvcc\n");
}

TEST_CASE("compilers that speak at the same time do not break each other's lines") {
  FakeNvcc nvcc(
      "#$ PATH=@:/usr/bin:/bin\n"
      "#$ gcc -include \"cuda_runtime.h\" -m64 \"x.cu\" -o \"@/x.cpp4.ii\" \n"
      "#$ cudafe++ --gen_module_id_file --module_id_file_name \"@/x.module_id\" \"@/x.cpp4.ii\" \n"
      "#$ gcc -Ddevice -include \"cuda_runtime.h\" -m64 \"x.cu\" -o \"@/x.cpp1.ii\" \n"
      "#$ cicc --stub_file_name \"@/x.stub.c\" \"@/x.cpp1.ii\" -o \"@/x.ptx\"\n#$ ptxas x.ptx\n"
      "#$ fatbinary --create=\"@/x.fatbin\" --embedded-fatbin=\"@/x.fatbin.c\" \n"
      "#$ gcc -c x.cudafe1.cpp\n#$ g++ -Wl,--start-group \"@/x.o\" -Wl,--end-group -o x.so\n");
  nvcc.add_tool("gcc", "for last; do :; done; printf '#define A\\nint a;\\n' >\"$last\"");
  for (const char* compiler : {"cudafe++", "cicc"}) {
    nvcc.add_tool(compiler,
                  "printf 'x.cu(3): ' >&2; sleep 0.3; echo 'error: nonesuch' >&2; exit 1");
  }
  const auto ran = nvcc.result();
  REQUIRE(ran);
  CHECK(ran->code != 0);
  const std::string line = "x.cu(3): error: nonesuch\n";
  CHECK(ran->text == line + line + line);  // the device's compiler runs twice
}

}  // namespace
}  // namespace ridge
